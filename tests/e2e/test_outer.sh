# local-sgd with an outer optimiser: options inside of an option, the shared model, checkpoints. That it resumes with
# several workers, also under mpirun, and sends the bytes that it declares is in test_algorithms.sh.
. "$(dirname "$0")/lib_workers.sh"

NET="--model mnist_bn --batch-size 16 --lr 0.02"
DILOCO="--algorithm local-sgd --local-sgd.period 4 --local-sgd.outer sgd --local-sgd.outer.lr 0.7 --local-sgd.outer.momentum 0.9 --local-sgd.outer.nesterov"

case_ "a file with nested options is what its flags say, and effective.yaml repeats the run"
cat >diloco.yaml <<'YAML'
name: x
data: {name: figures, train_count: 240, test_count: 40}
model: mnist_bn
optimizer: {name: sgd, lr: 0.02}
transport: {workers: 3}
train: {batch_size: 16, max_steps: 10}
algorithm:
  name: local-sgd
  period: 4
  outer:
    name: sgd
    lr: 0.7
    momentum: 0.9
    nesterov: true
YAML
trained flags $NET $DILOCO --workers 3 --max-steps 10
muster run diloco.yaml --quiet --out file
expect_code 0
expect_same_model flags file
muster run flags/effective.yaml --quiet --out again
expect_code 0
expect_same_model flags again

case_ "a flag changes one nested option of a file, chooses another optimiser, or none"
muster run diloco.yaml --quiet --out less --local-sgd.outer.lr 0.5
expect_code 0
expect_different flags/x/model.safetensors less/x/model.safetensors
grep -qA4 "outer:" less/effective.yaml && grep -q "    momentum: 0.9" less/effective.yaml || fail "momentum was lost"
trained plain $NET --workers 3 --max-steps 10 --algorithm local-sgd --local-sgd.period 4
muster run diloco.yaml --quiet --out none --local-sgd.outer none
expect_code 0
expect_same_model plain none
muster run diloco.yaml --quiet --out adam --local-sgd.outer adam --local-sgd.outer.lr 0.01
expect_code 0
grep -q "    name: adam" adam/effective.yaml || fail "the outer optimiser is not adam"

case_ "mistakes in nested options are told with their place and path"
sed 's/momentum: 0.9/momentun: 0.9/' diloco.yaml >wrong.yaml
muster run wrong.yaml --out wrong
expect_code 2
expect_err "wrong.yaml:13:5: algorithm.outer.momentun: optimizer sgd has no such option; did you mean momentum?"
sed 's/    lr: 0.7/    lr: -1/' diloco.yaml >wrong.yaml
muster run wrong.yaml --out wrong
expect_code 2
expect_err "wrong.yaml:12:5: algorithm.outer.lr: -1 is outside [0, 1e+06]"
sed 's/    name: sgd/    name: lbfgs/; /^    [lmn][roe][ms:]/d; /momentum/d' diloco.yaml >wrong.yaml
muster run wrong.yaml --out wrong
expect_code 2
expect_err "wrong.yaml:11:5: algorithm.outer.name: lbfgs evaluates a batch several times"
expect_no_file wrong

case_ "nested options are swept like any others, and a second call finds the runs"
sed 's/    lr: 0.7/    lr: [0.5, 0.7]/' diloco.yaml >sweep.yaml
muster run sweep.yaml --quiet --out study
expect_code 0
expect_file study/lr=0.5/model.safetensors
expect_same flags/x/model.safetensors study/lr=0.7/model.safetensors
muster run sweep.yaml --out study
expect_code 0
expect_err "finished"
sed 's/0.5, 0.7/0.5, 0.7, 0.9/' sweep.yaml >longer.yaml
muster run longer.yaml --quiet --out study
expect_code 0
expect_file study/lr=0.9/model.safetensors
muster compare $FIGURES $NET --workers 3 --max-steps 10 --algorithm local-sgd --local-sgd.period 4 \
    --vary local-sgd.outer=none,sgd --quiet --out compared
expect_code 0
expect_same plain/x/model.safetensors compared/outer=none/model.safetensors
expect_different compared/outer=sgd/model.safetensors compared/outer=none/model.safetensors

case_ "between averages the run is the shared model, while each worker has its own"
trained shared --model psgd_cnn --batch-size 16 --lr 0.02 $DILOCO --workers 3 --max-steps 8 --evaluate-rounds 1
expect_run shared \
    '(lambda t: len({t[r] for r in (4, 5, 6, 7)}) == 1 and t[3] != t[4] != t[8])({r["round"]: r["test_loss"] for r in run if "test_loss" in r})' \
    'len({r["test_loss"] for r in per if "test_loss" in r and r["round"] == 6}) == 3'

under_mpirun 1 --version
if [ "$code" -ne 77 ]; then
    case_ "processes evaluate the same shared model"
    trained threads $NET $DILOCO --workers 3 --max-steps 8 --evaluate-rounds 1
    trained_mpi processes 3 $NET $DILOCO --max-steps 8 --evaluate-rounds 1
    expect_same_rows threads processes
fi

case_ "a checkpoint holds what all workers share once"
trained part $NET $DILOCO --workers 3 --max-steps 8
python3 - "$HERE" part/x/checkpoints/last.safetensors <<'PYTHON' || fail "the checkpoint"
import sys
sys.path.insert(0, sys.argv[1])
from weights import load
tensors = load(sys.argv[2])
floats = len(tensors["algorithm.vector.0"][1])
assert len(tensors["outer.vector.0"][1]) <= floats
workers = [len(tensors[f"worker.{r}"][1]) for r in range(3)]
assert all(floats / 2 < words < floats for words in workers), workers # the worker's own state alone, two floats a word
PYTHON

case_ "one worker with an outer optimiser resumes to the same bits"
SLOW="--epochs 1 --delay 10ms --log-every 1"
trained whole $NET $DILOCO --workers 1 $SLOW
stopped INT 6 part $NET $DILOCO --workers 1 $SLOW
expect_code 75
muster train --resume part --quiet
expect_code 0
expect_same_model whole part
expect_same_rows whole part

case_ "SlowMo with a schedule, and an outer schedule, resume to the same bits"
SLOWMO="--algorithm local-sgd --local-sgd.period 4 --local-sgd.optimizer-state reset --local-sgd.outer sgd --local-sgd.outer.lr 1
    --local-sgd.outer.momentum 0.6 --local-sgd.outer-scale lr --local-sgd.outer-schedule cosine --schedule linear --linear.finish 0.002"
trained whole $NET $SLOWMO --workers 3 --epochs 3 --delay 10ms --log-every 1
stopped INT 7 part $NET $SLOWMO --workers 3 --epochs 3 --delay 10ms --log-every 1
expect_code 75
muster train --resume part --quiet
expect_code 0
expect_same_model whole part
trained plain $NET ${SLOWMO/--local-sgd.outer-scale lr/} --workers 3 --epochs 3
expect_different whole/x/model.safetensors plain/x/model.safetensors

finish
