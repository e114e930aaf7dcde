# Runs of an experiment as child processes: the results of runs one after the other, and what becomes of them when a
# child or the parent is stopped or killed.
. "$(dirname "$0")/lib_workers.sh"
cores=$(nproc)

cat >base.yaml <<'YAML'
data: {name: figures, train_count: 250, test_count: 40}
transport: {workers: 2}
train: {epochs: 3, batch_size: 16}
optimizer: {lr: 0.05, momentum: 0.9}
runs:
  sync: {algorithm: sync}
  local: {algorithm: {name: local-sgd, period: 4}, optimizer: adam, schedule: cosine}
  bad: {algorithm: single, transport: {workers: 1}, optimizer: {lr: 1e6}}
  nodes: {algorithm: dsgd, graph: complete, train: {evaluate_rounds: 5}}
  served: {algorithm: ps-sync, model: mnist_bn}
  alone: {algorithm: solo, seed: [1, 2]}
YAML

expect_same_study() { python3 "$HERE/same_study.py" "$1" "$2" bad || fail "$2 is not the same as $1"; }

muster run base.yaml --out whole --quiet
case_ "runs in parallel have the models, rows, settings and files of runs one after the other"
expect_code 5
muster run base.yaml --out two --jobs 2
expect_code 5
expect_same_study whole two
expect_err "run 7 of 7: alone_seed=2"
expect_err "7 of 7 runs done"
expect_no_err "training lenet5" # that is in log.txt
grep -q "training lenet5" two/sync/log.txt || fail "log.txt lacks what a run says"

case_ "a run that diverges is one failed row that says why"
expect_err "error: bad failed: training diverged"
[ "$(grep -c 'training diverged' <<<"$err")" -eq 1 ] || fail "it is said more than once: $err"
expect_err "1 of 7 runs failed"
expect_out "failed: training diverged: the loss is"
grep -q '^bad,0,1,' two/results.csv || fail "results.csv: $(cat two/results.csv)"

case_ "a half-done experiment is finished with another --jobs, and finished runs are found"
muster run base.yaml --out half --jobs 2 --only 'sync,nodes,alone' --quiet
expect_code 0
muster run base.yaml --out half --jobs 3
expect_code 5
expect_err "4 of 7 runs had already finished"
expect_same_study whole half
muster run base.yaml --out half
expect_code 5
expect_err "6 of 7 runs had already finished"
expect_same_study whole half

case_ "nothing is said but warnings and errors with --quiet, and those of a child have its name"
muster run base.yaml --out silent --jobs 2 --quiet --only sync,local --no-save
expect_code 0
err=$(grep -v 'no better than' <<<"$err") # so short a run may have learned nothing
[ -z "$err" ] || [ "$cores" -lt 2 ] || fail "it prints: $err" # a single core is shared, with a warning
muster run base.yaml --out silent --jobs 2 --quiet --only sync,local --no-save --epochs 4
expect_code 0
expect_err "warning: sync: silent/sync/checkpoints/last.safetensors does not exist: starting from the beginning"

case_ "each child has its share of the cores, and a number of threads that is given stays"
muster run base.yaml --out shares --jobs 2 --quiet --only 'alone_seed=*' --workers 1 --max-steps 2 --algorithm single
expect_code 0
for seed in 1 2; do
    [ "$(json_field threads <shares/alone_seed=$seed/result.json)" -eq $((cores < 2 ? 1 : cores / 2)) ] ||
        fail "not its share of $cores cores: $(cat shares/alone_seed=$seed/result.json)"
done
muster run base.yaml --out threads --jobs 2 --quiet --only sync,local --max-steps 2 --threads 3
expect_code 0
[ "$(json_field threads <threads/sync/result.json)" -eq 3 ] || fail "not three threads"

case_ "--jobs is a number; 0 is one per core, and more than cores are allowed with a warning"
muster run base.yaml --out wrong --jobs some
expect_code 2
expect_err '--jobs: "some" is not a whole number'
muster run base.yaml --out wrong --jobs -1
expect_code 2
expect_no_file wrong
muster run base.yaml --out cores --jobs 0 --only sync,local --max-steps 2 --quiet
expect_code 0
muster run base.yaml --out many --jobs $((cores + 1)) --only sync,local,nodes,alone,served --max-steps 2
expect_code 0
[ "$cores" -ge 6 ] || expect_err "--jobs $((cores + 1)): there are only $cores cores"

case_ "a single run says that --jobs has nothing to do"
printf 'data: {name: figures, train_count: 60, test_count: 20}\ntrain: {max_steps: 2}\n' >single.yaml
muster run single.yaml --jobs 2 --out single
expect_code 0
expect_err "--jobs: this is a single run, which uses all cores"

case_ "--jobs is refused under a launcher"
out=$(OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=0 "$MUSTER" run base.yaml --jobs 2 --out launched 2>&1)
code=$?
expect_code 2
expect_out "error: --jobs cannot be used under mpirun or srun"
expect_no_file launched
if [ -x "$(command -v mpirun)" ] && [ -z "$SANITIZED" ]; then
    under_mpirun 2 run base.yaml --jobs 2 --out launched
    [ "$code" -ne 0 ] || fail "it runs"
    expect_err "--jobs cannot be used under mpirun or srun"
    expect_no_file launched
fi

case_ "muster compare and muster scale have it too"
muster compare $FIGURES --vary seed=1,2 --max-steps 3 --jobs 2 --out compared --quiet
expect_code 0
expect_file compared/seed=2/model.safetensors
muster scale $FIGURES --workers 1,2 --max-steps 3 --jobs 2 --out scaled --quiet
expect_code 0
expect_err "times and speed-ups are not those of a run alone"
[ "$(ls scaled/*/model.safetensors | wc -l)" -eq 2 ] || fail "not two models: $(ls scaled)"

case_ "an experiment of which no file stays leaves none"
sed 's/^data/output: {write: false}\ndata/' base.yaml >unwritten.yaml
mkdir empty_tmp
TMPDIR=$WORK/empty_tmp muster run unwritten.yaml --jobs 2 --quiet --json
expect_code 5
[ -z "$(find empty_tmp -mindepth 1)" ] || fail "files are left: $(find empty_tmp)"
expect_no_err "empty_tmp"
python3 -c '
import json, sys
runs = json.load(sys.stdin)["runs"]
assert [r["status"] for r in runs].count("finished") == 6, runs' <<<"$out" || fail "$out"

case_ "muster run-one trains one run as the experiment does"
mkdir -p hand/sync
cp whole/sync/experiment.yaml hand/sync
muster run-one hand/sync
expect_code 0
expect_out "results in hand/sync"
expect_same hand/sync/model.safetensors whole/sync/model.safetensors
muster run-one hand/sync
expect_code 0
expect_err "the run is already complete"
muster run-one hand
expect_code 3
expect_err "hand/experiment.yaml"

# --- children and parents that are stopped ---

# Runs that take until they are stopped, of rounds of a few milliseconds; `short` come to their end.
cat >long.yaml <<'YAML'
data: {name: figures, train_count: 250, test_count: 40}
transport: {workers: 2}
train: {epochs: 100000, batch_size: 16, save_every: 0}
delays: {delay: 2ms}
runs:
  victim: {}
  other: {algorithm: local-sgd}
  short: {train: {epochs: 1}, seed: [1, 2]}
YAML

# A field of a run's live.json; 0 without one.
live() { python3 -c 'import json, sys; print(json.load(open(f"{sys.argv[1]}/live.json"))[sys.argv[2]])' "$1" "$2" 2>/dev/null || echo 0; }

# Waits until the live.json of each of these runs shows some rounds of a process that lives: await_live RUN...
await_live() {
    local run pid
    for run in "$@"; do
        for _ in $(seq 3000); do
            pid=$(live "$run" pid)
            [ "$pid" -ne 0 ] && [ "$(live "$run" round)" -ge 5 ] && kill -0 "$pid" 2>/dev/null && break
            sleep 0.02
        done
        [ "$(live "$run" round)" -ge 5 ] || fail "$run does not train: $(cat "$WORK/.err")"
    done
}

# Whether a process is gone; one that has ended and waits for its parent to look counts.
is_gone() { ! kill -0 "$1" 2>/dev/null || grep -q '^State:.[ZX]' "/proc/$1/status" 2>/dev/null; }
expect_gone() {
    local pid
    for pid in "$@"; do
        for _ in $(seq 1000); do
            is_gone "$pid" && break
            sleep 0.02
        done
        is_gone "$pid" || fail "process $pid is still there"
    done
}

# Starts `muster run ARGUMENT...` in the background; its process is $pid. await_end waits for it.
start() {
    setsid "$MUSTER" run "$@" >"$WORK/.out" 2>"$WORK/.err" &
    pid=$!
}
await_end() {
    wait "$pid" 2>/dev/null
    code=$?
    out=$(cat "$WORK/.out")
    err=$(cat "$WORK/.err")
}

killed() { # SIGNAL REASON
    rm -rf killed
    start long.yaml --only victim,short --out killed --jobs 2
    await_live killed/victim
    kill "-$1" "$(live killed/victim pid)"
    await_end
    expect_code 4
    expect_err "error: victim failed: $2"
    expect_err "1 of 3 runs failed"
    expect_out "failed: $2"
    python3 - "$2" <<'PYTHON' || fail "the record does not say why"
import json, sys
why = sys.argv[1]
runs = {r["name"]: r for r in json.load(open("killed/results.json"))["runs"]}
assert runs["victim"]["status"] == "failed" and runs["victim"]["reason"] == why, runs["victim"]
assert runs["short_seed=1"]["status"] == runs["short_seed=2"]["status"] == "finished", runs
last = [json.loads(line) for line in open("killed/victim/attempts.jsonl")][-1]
assert last["reason"] == "killed" and last["message"] == why and last["to_round"] >= 5, last
assert json.load(open("killed/victim/result.json"))["status"] == "killed"
assert json.load(open("killed/victim/live.json"))["state"] == "killed"
PYTHON
    muster show killed/victim
    expect_out "killed/victim: killed"
    expect_out "$2"
}

case_ "a second signal ends the children at once, too: they do not finish a round that takes for ever"
cat >sleeping.yaml <<'YAML'
data: {name: figures, train_count: 250, test_count: 40}
transport: {workers: 2}
train: {epochs: 2, batch_size: 16}
delays: {delay: 3600s}
seed: [1, 2]
YAML
start sleeping.yaml --out sleeping --jobs 2
for run in "sleeping/seed=1" "sleeping/seed=2"; do
    for _ in $(seq 1500); do
        [ "$(live "$run" pid)" -ne 0 ] && break
        sleep 0.02
    done
done
children="$(live sleeping/seed=1 pid) $(live sleeping/seed=2 pid)"
kill -TERM $pid
for _ in $(seq 1500); do
    grep -q "stopping after this round" "$WORK/.err" && break
    sleep 0.02
done
sleep 2 # the parent tells its children when the signal wakes it
for child in $children; do is_gone $child && fail "$child did not wait for its round"; done
kill -TERM $pid
await_end
expect_code 143
expect_gone $children

case_ "kill -9 of one child leaves the others, and its row says why"
killed KILL "killed by signal 9 (perhaps out of memory)"

if [ -z "$SANITIZED" ]; then # a sanitizer catches SIGSEGV
    case_ "so does a crash"
    killed SEGV "killed by signal 11 (Segmentation fault)"
fi

# Runs of some seconds that come to their end, with a row for each round.
sed 's/epochs: 3/epochs: 12, log_every: 1/' base.yaml >steady.yaml
STEADY="--only sync,local,nodes --quiet"
muster run steady.yaml --out steady $STEADY

# Waits until each of these runs has done some rounds, which have a row each, and a log row of each worker:
# await_rounds RUN...
rows_of() { grep -v '"lr": .*"computing"' "$1/metrics.jsonl" 2>/dev/null | wc -l; }
await_rounds() {
    local run
    for run in "$@"; do
        for _ in $(seq 3000); do
            [ "$(rows_of "$run")" -ge 8 ] && break
            sleep 0.01
        done
        [ "$(rows_of "$run")" -ge 8 ] || fail "$run does not train: $(cat "$WORK/.err")"
    done
}
process_of_run() { tail -n 1 "$1/attempts.jsonl" | sed -E 's/.*"pid": ?([0-9]+).*/\1/'; }

case_ "what was killed is tried again by the next call"
start steady.yaml --delay 30ms --out again --jobs 2 $STEADY
await_rounds again/sync
kill -KILL "$(process_of_run again/sync)"
await_end
expect_code 4
expect_same again/nodes/model.safetensors steady/nodes/model.safetensors
muster run steady.yaml --delay 30ms --out again --jobs 2 $STEADY
expect_code 0
for run in sync local nodes; do expect_same again/$run/model.safetensors steady/$run/model.safetensors; done

case_ "a child that is stopped alone is one failed row, and the others go on"
start long.yaml --only victim,short --out alone --jobs 2
await_live alone/victim
kill -TERM "$(live alone/victim pid)"
await_end
expect_code 4
expect_err "victim failed: its process was stopped by a signal; the next call resumes it"
expect_file alone/short_seed=2/model.safetensors

# Starts steady.yaml with slow rounds in folder $1, sends signal $2 to it ($3 empty) or to its group ($3 is -) when two
# runs train, and waits for its end. `children` are the processes of the two.
stop_both() {
    rm -rf "$1"
    start steady.yaml --delay 30ms --out "$1" --jobs 2 $STEADY
    await_rounds "$1/sync" "$1/local"
    children="$(process_of_run "$1/sync") $(process_of_run "$1/local")"
    kill "-$2" -- "$3$pid"
    await_end
}
expect_interrupted() {
    local run
    for run in sync local; do
        tail -n 1 "$1/$run/attempts.jsonl" | grep -q '"reason": *"interrupted"' || fail "$run: $(cat "$1/$run/attempts.jsonl")"
        expect_file "$1/$run/checkpoints/last.safetensors"
    done
}
# Resumed with --jobs $2, the study in folder $1 ends as an unbroken one.
expect_resumes() {
    local run
    muster run steady.yaml --delay 30ms --out "$1" --jobs "$2" $STEADY
    expect_code 0
    for run in sync local nodes; do expect_same "$1/$run/model.safetensors" "steady/$run/model.safetensors"; done
    python3 -c '
import json, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
assert len(rows) == 2 and rows[1]["from_round"] == rows[0]["to_round"] > 5, rows' "$1/sync/attempts.jsonl" ||
        fail "it was not resumed: $(cat "$1/sync/attempts.jsonl")"
}

case_ "SIGTERM to the parent stops the children by checkpoints, and the experiment resumes to the same results"
stop_both stopped TERM ""
expect_code 75
expect_err "stopped; resume with: muster run --resume stopped"
expect_gone $children
expect_interrupted stopped
expect_no_file stopped/nodes/effective.yaml
expect_resumes stopped 1

case_ "so does one to all processes at once, as a terminal or a batch system sends it"
for signal in INT TERM; do
    stop_both grouped $signal -
    expect_code 75
    expect_gone $children
    expect_interrupted grouped
done
expect_resumes grouped 3

case_ "children end by checkpoints when their parent is killed"
stop_both orphans KILL ""
expect_code 137
expect_gone $children
expect_interrupted orphans
expect_resumes orphans 2

# --- progress ---

on_terminal() { # ARGUMENT...: what `muster run` shows on a terminal, in $out
    out=$(TERM=xterm COLUMNS=200 python3 -c '
import os, pty, sys
os._exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))' "$MUSTER" run "$@" 2>&1 </dev/null | tr '\r' '\n')
}

case_ "a terminal shows how many runs are done, and about how long the rest takes"
on_terminal steady.yaml --delay 30ms --out shown --jobs 2 --only sync,local,nodes,served
grep -Eq '^[1-3] of 4 runs done, [0-9.]+ m?s, about .* left  ' <<<"$out" || fail "no line with an estimate: $out"
grep -Eq '  (sync|local) [1-9][0-9]* %' <<<"$out" || fail "it does not say which runs are under way: $out"
grep -Eq '^4 of 4 runs done, ' <<<"$out" || fail "no last line: $out"
on_terminal base.yaml --out turns --only sync,local,nodes,served
grep -Eq '^run 1 of 4  epoch ' <<<"$out" || fail "no place in the first: $out"
grep -Eq '^run 3 of 4, about .* left in all  epoch ' <<<"$out" || fail "no estimate in the third: $out"

case_ "a caller that ignores the end of children does not make it hang"
timeout 60 python3 -c 'import os, signal, sys
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
os.execv(sys.argv[1], sys.argv[1:])' "$MUSTER" run base.yaml --out ignored --jobs 2 --quiet --only sync,local --max-steps 2 \
    >"$WORK/.out" 2>"$WORK/.err"
code=$?
err=$(cat "$WORK/.err")
expect_code 0

finish
