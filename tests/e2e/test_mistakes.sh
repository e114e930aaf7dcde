# A mistake in a later run of an experiment, in a sweep or in a baseline: one line with its place and
# its key, before the first run begins, and no folder is left behind.
. "$(dirname "$0")/lib.sh"

# mistake CODE WHERE PART LINE...: the lines, after one with data, are refused so.
mistake() {
    local code_=$1 where=$2 part=$3
    shift 3
    { echo 'data: {name: figures, train_count: 240, test_count: 40}' && printf '%s\n' "$@"; } >bad.yaml
    muster run bad.yaml --out out
    expect_code "$code_"
    [ "$(grep -c . <<<"$err")" -eq 1 ] || fail "not one line: $err"
    case $err in
    "error: bad.yaml:$where: "*) ;;
    *) fail "not at bad.yaml:$where: $err" ;;
    esac
    expect_err "$part"
    expect_no_file out
}
# later WHERE PART RUN: the same of the second of two runs.
later() {
    mistake 2 "2:$1" "$2" "runs: {a: {}, b: {$3}}"
    expect_err " (run b"
}

case_ "data"
later 26 "data.train_fraction: 0.001 of 240 samples leaves none" 'data: {train_fraction: 0.001}'
later 26 "data.normalize: \"1,2,3\" is not none, set, channel or M,S" 'data: {normalize: "1,2,3"}'
later 26 "data.dir: data set figures is generated and has no folder" 'data: {dir: somewhere}'
mistake 3 2:41 "data.dir: data set cifar10 not found: no data_batch_1.bin in nowhere/" \
    'runs: {a: {}, b: {data: {name: cifar10, dir: nowhere}}}'
mkdir half
touch half/data_batch_1.bin
mistake 3 2:41 "data.dir: half/data_batch_1.bin: is empty" 'runs: {a: {}, b: {data: {name: cifar10, dir: half}}}'

case_ "models and losses"
later 29 "problem.loss: mse is a loss of numbers, but data set figures has classes (use nll)" 'problem: {loss: mse}'
later 29 "problem.loss: there is no loss xx; there are nll, bce, mse, l1" 'problem: {loss: xx}'
later 45 "model.kernel_size: 50 does not fit an input of 1x28x28 followed by pooling; at most 27" \
    'model: {name: mnist_conv, kernel_size: 50}'
later 45 "model.kernel_size: 28 does not fit" 'model: {name: mnist_conv, kernel_size: 28}'
later 19 "model: layers has 7 outputs; data set figures needs 10" 'model: {layers: [flatten, {dense: {out: 7}}]}'
later 36 "conv1 (conv2d): kernel 99 does not fit" 'model: {layers: [{conv2d: {out: 4, kernel: 99}}, flatten, {dense: {out: 10}}]}'
later 47 "model.widths: 0 is outside [1, 1e+06]" 'model: {name: mlp, widths: [0]}'
later 19 "model: training mlp with batches of 32 and 1 worker needs" 'model: {name: mlp, widths: [1000000, 1000000]}'
mistake 3 2:19 "model.name: file net.yaml does not exist (run b)" 'runs: {a: {}, b: {model: net.yaml}}'

case_ "workers, transports and delays"
later 51 "transport.workers: 240 samples cannot be divided among 300 workers" 'algorithm: hogwild, transport: {workers: 300}'
later 45 "partition: hetero needs a label for every worker, but there are 11 workers" \
    'transport: {workers: 11}, partition: hetero'
later 19 "transport: transport mpi needs a launcher" 'transport: {name: mpi}'
later 31 "transport.server: own needs mpirun -n 3" 'transport: {server: own, workers: 2}, algorithm: ps-sync'
later 28 "delays.slow_worker: 7:2: there is no worker 7" 'delays: {slow_worker: "7:2"}, transport: {workers: 2}'
later 27 "train.uneven: has no effect on ps-async" 'train: {uneven: repeat}, algorithm: ps-async, transport: {workers: 2}'
later 27 "train.uneven: has no effect on hogwild" 'train: {uneven: wait}, algorithm: hogwild, transport: {workers: 2}'
later 27 "train.ends: has no effect: workers of sync are synchronous and end together; leave it out" \
    'train: {ends: own}, algorithm: sync, transport: {workers: 2}'
later 27 "train.ends: has no effect: workers of ps-async are synchronous with staleness 0 and end together; leave it out" \
    'train: {ends: total}, algorithm: {name: ps-async, staleness: 0}, transport: {workers: 2}'

case_ "graphs and their algorithms"
printf "%s\n" "0 1" "1 2" "2 3" "3 4" "4 0" "0 2" >arcs.txt
THREE='transport: {workers: 5}'
for algorithm in cadmm dinno extra exact-diffusion prox-pda ad-psgd; do
    mistake 2 4:1 "graph: exponential is directed, but $algorithm needs an undirected graph" \
        "$THREE" "algorithm: [sgp, $algorithm]" 'graph: exponential'
done
for algorithm in dsgd dsgt next choco; do
    mistake 2 4:1 "the mixing matrix of" \
        "$THREE" "algorithm: [sgp, $algorithm]" 'graph: {name: file, path: arcs.txt, directed: true}'
done
mistake 2 4:1 "graph: choco needs the same graph in all rounds" \
    "$THREE" 'algorithm: [dsgd, choco]' 'graph: {name: cycle, schedule: star}'
mistake 2 4:1 "graph: choco needs the same graph in all rounds" \
    "$THREE" 'algorithm: [dsgd, choco]' 'graph: {name: cycle, drop_nodes: 0.1}'
mistake 2 3:67 "algorithm.in_place: needs form cta, not awc" \
    "$THREE" 'algorithm: [{name: dsgd, form: cta, in_place: true}, {name: dsgd, in_place: true}]'
mistake 2 3:33 "algorithm.lr_decay: linear needs primal_lr and primal_lr_end" \
    "$THREE" 'algorithm: [dsgd, {name: cadmm, lr_decay: linear}]'
mistake 2 4:13 "optimizer.momentum: extra takes plain gradient steps" \
    "$THREE" 'algorithm: [dsgd, extra]' 'optimizer: {momentum: 0.9}'
mistake 2 5:31 "optimizer.weight_decay: extra takes plain gradient steps" \
    "$THREE" 'algorithm: extra' 'optimizer: {lr: 0.1}' 'runs: {a: {}, b: {optimizer: {weight_decay: 0.1}}}'
mistake 2 4:1 "optimizer.name: extra takes plain gradient steps" "$THREE" 'algorithm: extra' 'optimizer: adam'
mistake 3 4:1 "graph: /none: cannot open" "$THREE" 'algorithm: dsgd' 'graph: {name: [cycle, file], path: /none}'

case_ "sweeps"
mistake 2 2:23 "optimizer.lr: 0.10 is the same value as 0.1 before it in the list" 'optimizer: {lr: [0.1, 0.10]}'
mistake 2 2:24 "optimizer: lr=0.10 is the same value as lr=0.1 before it in the list" 'optimizer: [{lr: 0.1}, {lr: 0.10}]'
mistake 2 2:37 "optimizer: momentum=0,lr=0.1 is the same value as lr=0.1,momentum=0" \
    'optimizer: [{lr: 0.1, momentum: 0}, {momentum: 0, lr: 0.1}]'
mistake 2 2:31 "optimizer: this item is already in the list" 'optimizer: [{lr: [0.1, 0.2]}, {lr: [0.1, 0.20]}]'
mistake 2 2:28 "delays: the list has default twice" 'delays: [{delay: 1ms}, {}, ~]'
mistake 2 2:23 "optimizer.lr: a list inside a list" 'optimizer: {lr: [0.1, [0.2]]}'
mistake 2 2:23 "optimizer.lr: missing value (run lr=default)" 'optimizer: {lr: [0.1, ~]}'
mistake 2 2:11 "seed: 1.5 is not a whole number (run seed=1.5)" 'seed: [1, 1.5]'
mistake 2 2:1 "name: expected one text, not a list" 'name: [x, y]'

case_ "baselines and quick"
mistake 2 3:13 "baselines: unknown baseline \"dsgd\"; choose solo or centralised" 'runs: {a: {}}' 'baselines: [dsgd]'
mistake 2 3:19 "baselines: there is already a run named solo" 'runs: {a: {}}' 'baselines: [solo, solo]'
mistake 2 2:12 "runs.a.baselines: applies to all runs" 'runs: {a: {baselines: [solo]}}'
mistake 2 3:16 "quick.runs: unknown run b" 'runs: {a: {}}' 'quick: {runs: [b]}'

case_ "folders and files without a name"
mistake 2 2:10 "output.dir: the name of the folder is empty" 'output: {dir: ""}'
for flags in "run bad.yaml --out" "train --dataset figures --out" "run --resume" "train --resume" "train --data-dir"; do
    muster $flags ""
    expect_code 2
    [ "$err" = "error: ${flags##* }: the name of the folder is empty" ] || fail "$flags: $err"
done
muster graph --type cycle --nodes 3 --svg ""
expect_code 2
expect_err "--svg: the name of the file is empty"

case_ "names that two tables know are listed once"
mistake 2 4:22 "graph.p: graph cycle has no such option; it has name, weights, drop_links" \
    "$THREE" 'algorithm: dsgd' 'graph: {name: cycle, p: 1}'

case_ "a value that two sweeps of a list have is one run"
printf '%s\n' 'data: figures' 'optimizer: [{lr: [0.1, 0.2]}, {lr: [0.20, 0.3]}]' >overlap.yaml
muster run overlap.yaml --list
[ "$out" = "$(printf 'lr=%s\n' 0.1 0.2 0.3)" ] || fail "not three runs: $out"

case_ "a folder of data is for those runs that read one"
mkdir digits
python3 "$SOURCE_DIR/tests/e2e/tiny_mnist.py" digits
printf '%s\n' 'data: {name: [mnist, figures], dir: digits}' 'train: {max_steps: 1}' >sets.yaml
muster run sets.yaml --out sets --quiet
expect_code 0
expect_file sets/data=figures/model.safetensors
expect_file sets/data=mnist/model.safetensors
printf '%s\n' 'data: {name: figures, dir: digits}' 'seed: [1, 2]' >sets.yaml
muster run sets.yaml --list
expect_code 2
expect_err "sets.yaml:1:23: data.dir: data set figures is generated and has no folder"

case_ "a list without data, and finished runs, need no data"
cat >far.yaml <<'Y'
data: {name: mnist, dir: nowhere}
train: {max_steps: 1}
seed: [1, 2]
Y
muster run far.yaml --list
expect_code 0
expect_out "seed=2"
mkdir nowhere
python3 "$SOURCE_DIR/tests/e2e/tiny_mnist.py" nowhere
muster run far.yaml --out far --quiet
expect_code 0
mv nowhere elsewhere
muster run far.yaml --out far --quiet
expect_code 0
rm -r far/seed=2
muster run far.yaml --out far --quiet
expect_code 3
expect_err "error: far.yaml:1:21: data.dir: data set mnist not found"
expect_err "(run seed=2)"

case_ "names keep the letters of all scripts, and are never empty"
muster train $TINY --max-steps 1 --name 'ü-日本語-😀' --out names
expect_code 0
expect_file names/ü-日本語-😀/metrics.jsonl
muster train $TINY --max-steps 1 --name '.ä/b c'
expect_code 0
ls runs | grep -q '_ä-b-c$' || fail "runs: $(ls runs)"
muster train $TINY --max-steps 1 --name ''
expect_code 2
expect_err "--name: the name is empty"
muster train $TINY --max-steps 1 --name $'caf\xe9'
expect_code 2
expect_err "UTF-8"
printf 'name: ""\ndata: {name: figures}\nseed: [1, 2]\n' >unnamed.yaml
muster run unnamed.yaml
expect_code 2
expect_err "the name is empty"

case_ "a file of two experiments is told to hold only one document"
printf 'data: {name: figures}\n---\ndata: {name: mnist}\n' >two.yaml
muster run two.yaml
expect_code 2
expect_err "two.yaml:3:1: only one document of a file may have the key data, which is already in line 1"

case_ "one of something is singular"
muster train --dataset figures --figures.train-count 1 --figures.test-count 1 --model mlp --epochs 1 --out single
expect_code 0
expect_err "on 1 sample of figures"
expect_err "1 epoch,"
muster evaluate single
expect_out "(1 sample)"

case_ "a named pipe is rejected instead of waiting for ever, and one of the shell is read"
mkfifo pipe
timeout 20 "$MUSTER" run pipe 2>"$WORK/.err"
[ $? -eq 3 ] || fail "not an error of its own"
grep -q "pipe: is a named pipe, not a regular file" "$WORK/.err" || fail "$(cat "$WORK/.err")"
timeout 20 "$MUSTER" train $TINY --workers 3 --algorithm dsgd --graph file --file.path pipe --max-steps 1 2>"$WORK/.err"
[ $? -eq 3 ] || fail "links: $(cat "$WORK/.err")"
printf 'data: {name: figures, train_count: 20, test_count: 10}\ntrain: {max_steps: 1}\n' >small.yaml
muster run <(cat small.yaml) --quiet --out shell
expect_code 0

finish
