# What was published beside what came out: verdicts of runs that finish, learn nothing, diverge and fail.
. "$(dirname "$0")/lib_workers.sh"

cat >claims.yaml <<'YAML'
name: claims
data: {name: figures, train_count: 400, test_count: 200}
model: lenet5
optimizer: {name: sgd}
train: {epochs: 2, batch_size: 16}
runs:
  learns: {optimizer: {name: adam, lr: 0.003}}
  stands: {optimizer: {lr: 0}}
  blows_up: {optimizer: {lr: 1e6}}
  no_folder: {}
published:
  - {at: {optimizer.name: adam, optimizer.beta1: 0.9}, accuracy: 11}
  - {at: {run: learns}, diverges: true}
  - {at: {run: stands}, diverges: true}
  - {at: {run: stands, optimizer.momentum: 0}, accuracy: [0, 100]}
  - {at: {run: blows_up}, diverges: true}
  - {at: {run: blows_up}, accuracy: 50}
  - {at: {run: no_folder}, diverges: true}
  - {at: {run: no_folder}, accuracy: 50}
  - {at: {optimizer.momentum: 0.9}, accuracy: 50}
YAML

case_ "divergence is NaN or chance, a failure is a failure, and defaults count in \`at\`"
muster run claims.yaml --out claims --quiet --only learns,stands
touch claims/no_folder # where a folder is to be made
muster run claims.yaml --out claims --quiet --json
expect_err "no_folder failed"
python3 - <<'PYTHON' || fail "other verdicts: $out"
import json

study = json.load(open(".out"))
got = [(p["run"], p["number"], p["verdict"]) for p in study["published"]]
assert got == [
    ("learns", "accuracy", "better"),
    ("learns", "diverges", "better"),
    ("stands", "diverges", "reached"),
    ("stands", "accuracy", "reached"),
    ("blows_up", "diverges", "reached"),
    ("blows_up", "accuracy", "FAILED"),
    ("no_folder", "diverges", "FAILED"),
    ("no_folder", "accuracy", "FAILED")], got
stands = json.load(open("claims/stands/result.json"))
assert 0.1 <= stands["chance_accuracy"] < 0.2 and stands["test_samples"] == 200, stands
PYTHON

case_ "the table for people says so too, and which numbers are about no run"
muster run --resume claims --quiet
expect_out "2 better, 3 reached, 0 worse, 3 of failed runs; within"
expect_out "1 published number is about no run of this table"
[ "$(grep -c ' WORSE' <<<"$out")" -eq 0 ] || fail "a failure is called worse: $out"
expect_out "diverged"

case_ "runs that were not made are told as such"
cat >stopped.yaml <<'YAML'
name: stopped
data: {name: figures, train_count: 400, test_count: 200}
train: {batch_size: 16}
runs:
  endless: {train: {epochs: 100000}}
  later: {train: {epochs: 1}}
published:
  - {accuracy: 50}
YAML
"$MUSTER" run stopped.yaml --out stopped --quiet >.out 2>.err &
pid=$!
for _ in $(seq 200); do
    [ -s stopped/endless/metrics.jsonl ] && break
    sleep 0.05
done
kill -TERM $pid
wait $pid
out=$(cat .out)
[ "$(grep -c 'NOT RUN' <<<"$out")" -eq 2 ] || fail "not told: $out"

case_ "an accuracy that is not a percentage is refused with its place"
sed 's/accuracy: 50}/accuracy: 957}/' stopped.yaml >bad.yaml
muster run bad.yaml --out bad
expect_code 2
expect_err "bad.yaml:8:6: published.accuracy: 957 is not a percentage from 0 to 100"
expect_no_file bad

finish
