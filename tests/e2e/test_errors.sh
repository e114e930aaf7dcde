# What a person reads when something is wrong: the thing, the value, what would be right.
. "$(dirname "$0")/lib.sh"

case_ "muster alone is help, an unknown command gets a suggestion"
muster
expect_code 0
expect_out "muster train"
muster trian
expect_code 2
expect_err "did you mean 'train'"

case_ "every command has help, and no flag is in it twice"
for command in train run compare scale reproduce show evaluate export models data graph; do
    muster help $command --all
    expect_code 0
    expect_out "muster $command"
    all=$(grep -oE '^  --[a-z-]+([ []|$)' <<<"$out" | sort)
    twice=$(uniq -d <<<"$all")
    [ -z "$twice" ] || fail "twice in the help of $command: $twice"
    muster help $command
    expect_code 0
    muster $command --help
    expect_code 0
    unknown=$(grep -oE '^  --[a-z-]+([ []|$)' <<<"$out" | sort | comm -23 - <(echo "$all"))
    [ -z "$unknown" ] || fail "in the short help of $command only: $unknown"
done
muster train --help
[ "$(wc -l <<<"$out")" -le 50 ] || fail "the help of train does not fit on a screen: $(wc -l <<<"$out") lines"
for flag in "--dataset NAME " "--delay D " "--evaluate-every N "; do expect_out "$flag"; done
muster data partition --help --all
expect_code 0
expect_out "--dirichlet.alpha X"
muster help train --some
expect_code 2
expect_err "muster help takes one command, and --all after it; not --some"

case_ "an unknown flag gets a suggestion"
muster train --epcohs 3
expect_code 2
expect_err "--epochs"

# Each row: what is tried, and the flag that the answer names. That flag exists.
case_ "flags of other programs and of the original studies are answered with ours"
muster help train --all
help=$out
while read -r tried ours; do
    muster train "$tried" 3
    expect_code 2
    expect_err "unknown flag $tried of muster train; use $ours"
    flag=${ours%% *}
    grep -q -- "^  $flag " <<<"$help" || fail "$flag is not in the help"
done <<'ROWS'
--learning-rate --lr
--batch --batch-size
--output --out
--nodes --workers
--topology --graph
--world_size --workers
--split_dataset --partition split
--split_labels --partition labels
--split_labels_unscaled --partition labels_unscaled
--alr --optimizer adam
--lrs --schedule
--alt_model --model
--val --validation
--train_split --train-fraction
--compensation --ps-async.compensation
--slow_worker_1 --slow-worker
--delay_intensity --delay
--delay_type --delay
--subfolder --out
--no_save_model --no-save
ROWS
for tried in --master_port --master_addr --model_accuracy --node_rank --device --nnodes -g -nr; do
    muster train $tried 3
    expect_code 2
    expect_err "unknown flag $tried of muster train; "
    expect_no_err "--all lists them"
    expect_no_err "flags begin with --"
done

case_ "other names of what can be chosen are suggested"
while read -r tried ours flags; do
    muster train $flags "$tried"
    expect_code 2
    expect_err "$tried; did you mean $ours?"
done <<'ROWS'
ring cycle --workers 4 --algorithm dsgd --graph
d-psgd dsgd --algorithm
D2 exact-diffusion --algorithm
D_PSGD dsgd --algorithm
iid split --partition
MNIST mnist --dataset
cifar cifar10 --dataset
SGD sgd --optimizer
ROWS

case_ "- and _ are the same in flags and names"
muster train $TINY --max_steps 1 --batch_size 10 --model mnist-conv --out same
expect_code 0

case_ "an option that the chosen one does not have is an error"
muster train $TINY --adam.beta1 0.8
expect_code 2
expect_err "adam"
muster train $TINY --optimizer adam --momentum 0.9
expect_code 2
expect_err "momentum"
muster train $TINY --optimizer adam --adam.betta1 0.8
expect_code 2
expect_err "beta1"
muster train $TINY --schedule.gamma 0.5
expect_code 2
expect_err "gamma"
muster train $TINY --model lenet5 --model.dropout 0.3
expect_code 2
expect_err "dropout"

case_ "values out of range name the flag and the range"
muster train $TINY --lr -1
expect_code 2
expect_err "--lr"
muster train $TINY --epochs 1.5
expect_code 2
expect_err "--epochs"
muster train $TINY --batch-size 0
expect_code 2
muster train $TINY --lr nan
expect_code 2

case_ "an unknown model, data set or optimiser gets a suggestion"
muster train --model lenet6
expect_code 2
expect_err "lenet5"
muster train --dataset fashon_mnist
expect_code 2
expect_err "fashion_mnist"

case_ "a missing data set says where it was looked for and how to get it"
mkdir empty
muster train --dataset cifar10 --data-dir empty
expect_code 3
expect_err "empty"
expect_err "cifar"

case_ "mistakes in YAML name the file, line and column"
printf 'seed: 1\ntrain:\n  epochz: 3\n' >bad.yaml
muster run bad.yaml
expect_code 2
expect_err "bad.yaml:3"
expect_err "epochs"
printf 'seed: 1\nseed: 2\n' >twice.yaml
muster run twice.yaml
expect_code 2
expect_err "twice.yaml:2"
printf 'a: [1,\n' >open.yaml
muster run open.yaml
expect_code 2
expect_err "open.yaml"

case_ "a network whose sizes do not fit names the layer"
printf 'layers:\n  - conv2d: {out: 4, kernel: 31, name: huge}\n  - flatten\n  - dense: {out: 10}\n' >net.yaml
muster train $TINY --model net.yaml
expect_code 2
expect_err "huge"
printf 'layers:\n  - flatten\n  - dense: {out: 7}\n' >seven.yaml
muster train $TINY --model seven.yaml
expect_code 2
expect_err "7 outputs"

case_ "training that diverges stops, says so and keeps what there is"
muster train $TINY --lr 1e5 --epochs 3 --out nan --name x
expect_code 5
expect_err "diverged"
expect_file nan/x/metrics.jsonl
tail -n 1 nan/x/metrics.jsonl | python3 -c 'import json,sys; json.loads(sys.stdin.read())' || fail "the last row is not JSON"

case_ "the last step of a run may diverge too: no model, no such checkpoint, the same exit code"
muster train $TINY --lr 1e6 --max-steps 2 --out nan_last --name x --json
expect_code 5
expect_err "diverged: the test loss"
expect_out '"test_loss": null'
expect_no_err "the run is already complete"
expect_no_file nan_last/x/model.safetensors
expect_no_file nan_last/x/checkpoints/last.safetensors

case_ "an output that cannot be written is an error, long or short"
for command in "help train" "help config" models; do
    "$MUSTER" $command >/dev/full 2>/dev/null
    [ $? -eq 3 ] || fail "muster $command ignores a full device"
done

case_ "a file size limit is an error with a message, not the end by a signal"
(ulimit -f 100 && "$MUSTER" train $TINY --epochs 1 --out limited --name x >/dev/null 2>"$WORK/.err")
code=$?
err=$(cat "$WORK/.err")
expect_code 3
expect_err "limited/x/checkpoints/round-38.safetensors: cannot write"

case_ "a wrong MUSTER_ISA lists the right ones"
MUSTER_ISA=z80 muster train $TINY --max-steps 1
expect_code 2
expect_err "MUSTER_ISA"

case_ "an output folder that cannot be made is an error of its own kind"
muster train $TINY --max-steps 1 --out /proc/nowhere/run
expect_code 3
expect_err "/proc/nowhere"

case_ "a model that cannot fit in memory is refused before it is made"
muster train $TINY --model mlp --model.widths 1000000,1000000 --max-steps 1
expect_code 2
expect_err "GB"

case_ "combinations that would quietly do something else are refused"
muster train $TINY --optimizer lbfgs --clip-norm 1
expect_code 2
expect_err "clip-norm"
muster train --dataset sine --model mlp --loss bce --quiet
expect_code 2
expect_err "between 0 and 1"
muster train $TINY --data-dir here
expect_code 2
expect_err "generated"

case_ "a shape error of a network file names the file and the line"
printf 'layers:\n  - flatten\n  - conv2d: {out: 4, kernel: 3, name: late}\n' >late.yaml
muster train $TINY --model late.yaml
expect_code 2
expect_err "late.yaml:3"
expect_err "late"

finish
