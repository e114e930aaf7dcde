# Every instruction set that this machine runs trains: with the same bits for any number of threads,
# and to nearly the same loss as the others.
. "$(dirname "$0")/lib.sh"

case_ "a wrong name lists the instruction sets of this machine"
MUSTER_ISA=none muster train $TINY --max-steps 1
expect_code 2
isas=$(sed -n "s/.*it runs //p" <<<"$err" | sed 's/ or / /g')
[ -n "$isas" ] || fail "no list: $err"

train_with() { # ISA THREADS
    MUSTER_ISA=$1 muster train $TINY --model lenet5 --lr 0.01 --momentum 0.9 --max-steps 40 --seed 5 \
        --threads "$2" --out "$1$2" --name x --json
    expect_code 0
}

losses=
for isa in $isas; do
    case_ "$isa trains, and to the same bits with one thread and with three"
    train_with "$isa" 1
    losses="$losses $(json_field test_loss <<<"$out")"
    train_with "$isa" 3
    expect_same "${isa}1/x/model.safetensors" "${isa}3/x/model.safetensors"
done

case_ "they end with nearly the same loss"
# Rounding differs in the last bits of a float; 40 steps make about a thousand times that of it.
python3 -c '
import sys
losses = [float(x) for x in sys.argv[1:]]
assert max(losses) < 2.3, losses
assert max(losses) - min(losses) < 1e-3, losses
' $losses || fail "losses:$losses"

finish
