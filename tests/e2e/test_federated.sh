# fedavg, fedprox and scaffold: rounds of clients that train on their own samples. What all algorithms must do is in
# test_algorithms.sh; here are epochs of unequal clients, some clients in a round, and where they end.
. "$(dirname "$0")/lib_workers.sh"

# Three workers with other numbers of samples; batches of 16.
UNEVEN="--model mnist_bn --batch-size 16 --lr 0.01 --workers 3 --partition labels_unscaled"

# The samples of each worker.
parts() { python3 -c 'import json, sys; print(*json.load(open(sys.argv[1] + "/x/partition.json"))["samples"])' "$1"; }

case_ "a round is passes of every client over its own samples: 10 epochs with 2 of them in a round are 5 rounds"
trained passes $UNEVEN --algorithm fedavg --fedavg.local-epochs 2 --epochs 10
read -r a b c <<<"$(parts passes)"
[ "$a" -ne "$b" ] || [ "$b" -ne "$c" ] || fail "all workers have $a samples"
expect_run passes 'run[-1]["round"] == 5' 'abs(run[-1]["epoch"] - 10) < 1e-9' 'all(abs(r["epoch"] - 2 * r["round"]) < 1e-9 for r in rows)' \
    "[w['samples'] for w in workers] == [10 * $a, 10 * $b, 10 * $c]"

case_ "with local steps every client draws as many batches, and one with less data goes through it more often"
trained steps $UNEVEN --algorithm fedavg --fedavg.local-steps 7 --epochs 3 --evaluate-every 1
python3 - "$a" "$b" "$c" <<'PYTHON' || fail "other samples, or other rounds"
import json, sys
parts = [int(p) for p in sys.argv[1:]]
rows = [json.loads(line) for line in open("steps/x/metrics.jsonl")]
last = [r for r in rows if r["worker"] == -1][-1]
batches = [-(-n // 16) for n in parts]
assert last["round"] == -(-3 * max(batches) // 7), last
for worker, n in enumerate(parts):
    own = [r for r in rows if r["worker"] == worker][-1]
    passes, rest = divmod(7 * last["round"], batches[worker])
    assert own["samples"] == passes * n + 16 * rest, (own, passes, rest)
PYTHON

case_ "a budget counts the samples of the clients alone"
trained budget $UNEVEN --algorithm fedavg --fedavg.local-steps 4 --fedavg.clients 2 --budget samples:1280
expect_run budget 'run[-1]["round"] == 10' '1100 <= run[-1]["samples"] <= 1280'

case_ "with one of three clients in a round a stopped run resumes to the same bits, with momentum that clients keep"
ONE="$UNEVEN --momentum 0.9 --algorithm fedavg --fedavg.clients 1 --fedavg.local-steps 3 --fedavg.optimizer-state local --epochs 100 --log-every 1"
trained whole $ONE --max-steps 20
expect_run whole 'sum(w["samples"] > 0 for w in workers) == 3' 'run[-1]["round"] == 20'
for rounds in 1 2 9; do
    trained part $ONE --max-steps $rounds
    muster train --resume part --max-steps 20 --quiet
    expect_code 0
    expect_same_model whole part
done
for algorithm in fedprox scaffold; do
    SOME="$UNEVEN --algorithm $algorithm --$algorithm.clients 2 --$algorithm.local-epochs 1 --epochs 6"
    trained whole $SOME
    stopped INT 3 part $SOME --log-every 1 --delay 5ms
    muster train --resume part --quiet
    expect_code 0
    expect_same_model whole part
done

under_mpirun 1 --version
if [ "$code" -ne 77 ]; then
    case_ "some clients in a round are the same ones as processes"
    for algorithm in "fedavg --momentum 0.9" fedprox scaffold; do
        name=${algorithm%% *}
        trained threads $UNEVEN --algorithm $algorithm --$name.clients 0.6 --epochs 4
        trained_mpi processes 3 $UNEVEN --algorithm $algorithm --$name.clients 0.6 --epochs 4 --paranoid
        expect_same_model threads processes
        expect_same_rows threads processes
    done
fi

# Where they end on quadratics: distance ALGORITHM FLAG...
distance() {
    rm -rf end
    muster train --problem quadratic --workers 8 --batch-size 640 --epochs 300 --lr 0.05 --quiet --out end --algorithm "$@"
    [ "$code" -eq 0 ] || fail "exit code $code of: $*: $err"
    json_field distance_to_optimum <end/quadratic/result.json
}
expect_between() { python3 -c 'import sys; a, x, b = map(float, sys.argv[1:]); sys.exit(not a < x < b)' "$2" "$1" "$3" || fail "$4: $1 is not between $2 and $3"; }

case_ "scaffold reaches the optimum of quadratics that differ, fedavg has a bias, and fedprox another one"
expect_between "$(distance fedavg --fedavg.local-steps 10)" 0.0942 0.0944 fedavg
expect_between "$(distance fedavg --fedavg.local-steps 1)" 0 1e-5 "one local step"
expect_between "$(distance fedprox --fedprox.local-steps 10 --fedprox.mu 1)" 0.0885 0.0888 fedprox
expect_between "$(distance scaffold --scaffold.local-steps 10)" 0 1e-5 scaffold
expect_between "$(distance scaffold --scaffold.local-steps 10 --scaffold.clients 2)" 0 1e-5 "two clients"
expect_between "$(distance scaffold --scaffold.local-steps 10 --schedule linear --schedule.finish 0)" 0 1e-4 "a rate that ends at zero"

case_ "what cannot work is an error, with its place"
for flags in "--uneven repeat" "--fedavg.clients 4" "--fedavg.clients 1.5"; do
    muster train $FIGURES --quiet --workers 3 --algorithm fedavg $flags --out refused
    expect_code 2
    expect_err "error: ${flags% *}: "
done
muster train $FIGURES --quiet --workers 3 --algorithm scaffold --momentum 0.9 --out refused
expect_code 2
expect_err "error: --momentum: scaffold needs sgd without momentum"
muster train $FIGURES --quiet --workers 3 --algorithm scaffold --optimizer adam --out refused
expect_code 2
expect_err "error: --optimizer: scaffold needs sgd without momentum"
muster train $FIGURES --quiet --workers 3 --algorithm scaffold --schedule onecycle --out refused
expect_code 2
expect_err "error: schedule: changes the momentum"
cat >late.yaml <<'Y'
data: {name: figures, train_count: 240, test_count: 40}
transport: {workers: 3}
train: {max_steps: 2}
runs:
  first: {algorithm: fedavg}
  second: {algorithm: scaffold, schedule: onecycle}
Y
muster run late.yaml --quiet --out late
expect_code 2
expect_err "late.yaml:6:"
expect_err "schedule: changes the momentum"
expect_no_file late

finish
