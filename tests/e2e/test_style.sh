# output.style: the lines that a run prints, in the style of study S004, against metrics.jsonl and sums of its own.
. "$(dirname "$0")/lib_workers.sh"
under_mpirun 1 --version
has_mpi=$((code != 77))

# 16 rounds in an epoch of two workers, of which the last is smaller; 32 of one.
DATA="--dataset figures --figures.train-count 1010 --figures.test-count 130 --model lenet5 --epochs 3 --lr 0.05 --name x"

# styled FOLDER ARGUMENT...
styled() {
    local folder=$1
    shift
    rm -rf "$folder"
    muster train $DATA --style s004 --out "$folder" "$@"
    [ "$code" -eq 0 ] || fail "exit code $code of: $*: $err"
}

# The style's lines of the log of a run, without times.
lines_of() { grep -hoE '(Epoch: | \* (Train|Val) |Training complete).*' "$1/log.txt"; }

# What is printed, recomputed from the rows of the same run with a log row for each round:
# expect_lines FOLDER EVERY DETAILED
expect_lines() {
    lines_of "$1" | python3 -c '
import json, math, re, sys
folder, every, detailed = sys.argv[1], int(sys.argv[2]), sys.argv[3]
rows = [json.loads(line) for line in open(detailed + "/x/metrics.jsonl")]
whole = min(r["worker"] for r in rows)
rows = [r for r in rows if r["worker"] == whole]
expected, epoch, batch, samples = [], 0, 0, 0
ends = [r["round"] for r in rows if "train_loss" in r]
sums = [0.0] * 4
for r in rows:
    if "batch_loss" in r:
        n = r["samples"] - samples
        samples = r["samples"]
        now = [n, r["batch_loss"] * n, r["batch_accuracy"] * n, r["batch_accuracy5"] * n]
        sums = [a + b for a, b in zip(sums, now)]
        if r["round"] % every == 0:
            length = ends[epoch] - (ends[epoch - 1] if epoch > 0 else 0)
            expected.append((["Epoch", epoch, batch, length], [
                x for k in (1, 2, 3) for x in (now[k] / now[0], sums[k] / sums[0])]))
        batch += 1
    if "train_loss" in r:
        assert abs(sums[1] / sums[0] - r["train_loss"]) < 1e-9 and sums[0] == 1010, (sums, r)
        expected.append((["Train"], [sums[2] / sums[0], sums[3] / sums[0]]))
        epoch, batch, sums = epoch + 1, 0, [0.0] * 4
    part = "validation" if "validation_loss" in r else "test"
    if part + "_loss" in r:
        expected.append((["Val"], [r[part + "_accuracy"], r[part + "_accuracy5"]]))
NUMBER = r"(\d+\.\d+)"
forms = [
    (r"Epoch: \[(\d+)\]\[(\d+)/(\d+)\] Loss N \(N\) Acc@1 N \(N\) Acc@5 N \(N\)", 3, [4, 4, 2, 2, 2, 2]),
    (r" \* Train Acc@1 N Train Acc@5 N", 0, [2, 2]),
    (r" \* Val Acc@1 N Val Acc@5 N", 0, [2, 2]),
]
found = sys.stdin.read().splitlines()
for line, (place, numbers) in zip(found, expected):
    ((form, whole_numbers, digits),) = [f for f in forms if place[0] in f[0]]
    match = re.fullmatch(form.replace("N", NUMBER), line)
    assert match, line
    assert [int(x) for x in match.groups()[:whole_numbers]] == place[1:], (line, place)
    for text, value, count in zip(match.groups()[whole_numbers:], numbers, digits, strict=True):
        value *= 100 if count == 2 else 1
        assert len(text.split(".")[1]) == count and abs(float(text) - value) <= 0.5000001 * 10**-count, (line, value)
assert len(found) == len(expected) + 1 and epoch == 3, (len(found), len(expected))
seconds = int(json.load(open(folder + "/x/result.json"))["train_seconds"])
assert found[-1] == f"Training complete in: {seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}", found[-1]
' "$1" "$2" "$3" || fail "$1: other lines"
}

case_ "every N batches loss, Acc@1 and Acc@5 of the batch and of the epoch so far; then those of training and validation"
for workers in 1 2; do
    styled detailed$workers --workers $workers --log-every 1
    styled run$workers --workers $workers --log-every 5
    [ "$(lines_of run$workers)" = "$(grep -E '^(Epoch: | \* |Training complete)' <<<"$err")" ] || fail "stderr and log.txt differ"
    expect_lines run$workers 5 detailed$workers
    expect_lines detailed$workers 1 detailed$workers
    expect_same_model run$workers detailed$workers
    expect_no_err "samples/s" # the progress line
done
[ "$(grep -c Epoch: <<<"$err")" -eq 9 ] || fail "not 9 lines: $err"

case_ "Val is the validation part, if there is one"
styled validated --workers 2 --log-every 5 --validation 0.25 --train-fraction 1
python3 - <<'P' >expected || fail "no such rows"
import json
for line in open("validated/x/metrics.jsonl"):
    r = json.loads(line)
    if "validation_loss" in r:
        print(" * Val Acc@1 %.2f Val Acc@5 %.2f" % (100 * r["validation_accuracy"], 100 * r["validation_accuracy5"]))
        assert r["validation_accuracy"] != r["test_accuracy"]
P
[ "$(wc -l <expected)" -eq 3 ] && [ "$(grep '^ \* Val' <<<"$err")" = "$(cat expected)" ] || fail "other lines: $err"

case_ "the style changes no bit and no row"
trained_plain() { rm -rf "$1" && muster train $DATA --quiet --out "$@"; }
trained_plain plain --workers 2 --log-every 5
expect_same_model plain run2
expect_same_rows plain run2

case_ "a run that was stopped in an epoch prints the rest when it is resumed"
SLOW="--model lenet5 --style s004 --batch-size 16 --epochs 3 --log-every 2 --delay 10ms"
for workers in 1 2; do
    trained whole $SLOW --workers $workers
    stopped INT 9 part $SLOW --workers $workers
    expect_code 75
    grep -q "Epoch:" part/log.txt || fail "stopped too early"
    ! grep -q "Training complete" part/log.txt || fail "it says that it is complete"
    muster train --resume part --quiet
    expect_code 0
    [ "$(lines_of whole | grep -v Training)" = "$(lines_of part | grep -v Training)" ] ||
        fail "other lines: $(diff <(lines_of whole) <(lines_of part))"
    [ "$(lines_of part | grep -c Training)" -eq 1 ] || fail "not complete once"
done

case_ "a server prints what synchronous workers print"
styled server --workers 2 --log-every 5 --algorithm ps-sync
[ "$(lines_of server | grep -v Training)" = "$(lines_of run2 | grep -v Training)" ] || fail "other lines: $(lines_of server)"

case_ "all kinds of workers print a line for each log row"
for algorithm in "dsgd --graph cycle" ps-async hogwild ad-psgd local-sgd; do
    styled kind --workers 2 --log-every 5 --algorithm $algorithm
    expect_run kind "$(lines_of kind | grep -c Epoch:) == sum('batch_loss' in r and r['worker'] == -1 for r in rows) > 5" \
        "$(lines_of kind | grep -c ' \* Val ') == sum('test_loss' in r for r in run) == 3" \
        "$(lines_of kind | grep -c ' \* Train ') == sum('train_loss' in r for r in run)"
    [ "$(lines_of kind | tail -n 1 | cut -c 1-17)" = "Training complete" ] || fail "$algorithm: $(lines_of kind | tail -n 1)"
done

case_ "an epoch whose length is no multiple of a round's batches ends with the round in which it ends"
styled several --workers 2 --log-every 1 --algorithm dinno --dinno.primal-iterations 3 # 3 x 16 batches
[ "$(lines_of several | grep -oE '\[[0-9]+\]\[[0-9]+/[0-9]+\]' | tr '\n' ' ')" = "$(
    for epoch in 0:6 1:5 2:5; do
        for ((i = 0; i < ${epoch#*:}; i++)); do printf '[%d][%d/%d] ' "${epoch%:*}" $i "${epoch#*:}"; done
    done)" ] || fail "other rounds: $(lines_of several)"

case_ "--quiet prints nothing and --print-evaluations=false no Val; log.txt has all"
styled quiet --workers 2 --log-every 5 --quiet
expect_no_err "Acc@1"
[ "$(lines_of quiet | grep -v Training)" = "$(lines_of run2 | grep -v Training)" ] || fail "other lines"
styled hidden --workers 2 --log-every 5 --print-evaluations=false
expect_no_err "* Val"
expect_err "* Train"
[ "$(lines_of hidden | grep -v Training)" = "$(lines_of run2 | grep -v Training)" ] || fail "other lines"

case_ "few classes have Acc@5 too; without classes there are losses alone"
rm -rf few numbers
muster train --dataset noise --noise.classes 7 --noise.train-count 64 --noise.test-count 16 --model mlp --epochs 1 \
    --log-every 1 --style s004 --out few
grep -qE 'Acc@5 [0-9.]+ \([0-9.]+\)' <<<"$err" || fail "no Acc@5: $err"
muster train --dataset sine --model mlp --epochs 1 --log-every 1 --style s004 --out numbers
grep -qE '^Epoch: \[0\]\[[0-9]+/[0-9]+\] Loss [0-9.]+ \([0-9.]+\)$' <<<"$err" || fail "no losses: $err"
grep -qE '^ \* Val Loss [0-9.]+$' <<<"$err" || fail "no loss of the evaluation: $err"
expect_no_err "Acc@"

case_ "an experiment may say it, a finished run is not run again for it, and other styles are errors"
cat >study.yaml <<'YAML'
data: {name: figures, train_count: 200, test_count: 50}
model: lenet5
train: {max_steps: 2, batch_size: 10, log_every: 1}
output: {style: s004}
runs:
  one: {}
  two: {output: {style: muster}}
YAML
muster run study.yaml --out s
expect_code 0
expect_err "Epoch: [0][1/20] Loss "
expect_err "test accuracy"
[ "$(grep -c Epoch: <<<"$err")" -eq 2 ] || fail "not the lines of one run: $err"
attempts=$(cat s/*/attempts.jsonl | wc -l)
muster run study.yaml --out s --style muster
expect_code 0
[ "$(cat s/*/attempts.jsonl | wc -l)" -eq "$attempts" ] || fail "it ran again"
muster train $DATA --style s005
expect_code 2
expect_err "s004"

if [ $has_mpi -eq 1 ]; then
    case_ "processes print once what threads print"
    for processes in 1 2; do
        rm -rf mpi
        under_mpirun $processes train $DATA --algorithm sync --style s004 --log-every 5 --out mpi
        expect_code 0
        expect_lines mpi 5 detailed$processes
        [ "$(lines_of mpi)" = "$(grep -E '^(Epoch: | \* |Training complete)' <<<"$err")" ] || fail "printed more than once"
    done
fi

finish
