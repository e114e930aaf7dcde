# --budget: a run ends with the round that uses it up, however workers coordinate.
. "$(dirname "$0")/lib_workers.sh"

ONE="--model mnist_conv --batch-size 16"
SMALL="$ONE --workers 3"
ended_by() { json_field ended_by <"$1/x/result.json"; }

case_ "a budget of bytes ends synchronous workers with the first round that uses it up"
select_algorithms 'not a["one_worker_only"] and not a["is_asynchronous"] and a["bytes"] != "0"'
for algorithm in "${selected[@]}"; do
    trained run $SMALL --algorithm $algorithm --budget bytes:4M --log-every 1 --evaluate-every 0
    expect_run run 'run[-1]["bytes_sent"] >= 4e6' \
        'all(r["bytes_sent"] < 4e6 for r in rows if r["round"] < run[-1]["round"])' \
        '"test_loss" in run[-1]' 'all(w["updates"] > 0 for w in workers)'
    [ "$(ended_by run)" = bytes:4000000 ] || fail "$algorithm ended by $(ended_by run)"
    expect_run run "run[-1]['bytes_sent'] == $(json_field bytes_sent <run/x/result.json)"
done

case_ "such a run repeats to the bit, and is the one of as many rounds"
for algorithm in dsgd "local-sgd --local-sgd.period 7" "dsgd --graph.drop-links 0.4"; do
    trained run $SMALL --algorithm $algorithm --budget bytes:4M
    trained again $SMALL --algorithm $algorithm --budget bytes:4000k --evaluate-every 0 --log-every 3
    expect_same_model run again
done
rounds=$(json_field rounds <run/x/result.json)
trained known $SMALL --algorithm dsgd --graph.drop-links 0.4 --max-steps "$rounds"
expect_same_model run known

case_ "every asynchronous algorithm ends by its bytes and by its seconds"
select_algorithms 'not a["one_worker_only"] and a["is_asynchronous"]'
for algorithm in "${selected[@]}"; do
    sends=$("$MUSTER" algorithms "${algorithm%% *}" --json | json_field bytes)
    if [ "$sends" != 0 ]; then
        trained run $SMALL --algorithm $algorithm --budget bytes:4M
        expect_run run 'run[-1]["bytes_sent"] >= 4e6' '"test_loss" in run[-1]'
        [ "$(ended_by run)" = bytes:4000000 ] || fail "$algorithm ended by $(ended_by run)"
    fi
    trained run $SMALL --algorithm $algorithm --budget seconds:0.1
    expect_run run 'run[-1]["seconds"] >= 0.1' '"test_loss" in run[-1]'
    [ "$(ended_by run)" = seconds:0.1 ] || fail "$algorithm ended by $(ended_by run)"
done

case_ "a budget of seconds ends workers in lockstep with the same round"
trained run $ONE --budget seconds:0.1
[ "$(ended_by run)" = seconds:0.1 ] || fail "one worker ended by $(ended_by run)"
for algorithm in sync dsgd psgd "local-sgd --local-sgd.period 7" fedavg; do
    trained run $SMALL --algorithm $algorithm --budget seconds:0.1
    expect_run run 'run[-1]["seconds"] >= 0.1' '"test_loss" in run[-1]' 'len({w["updates"] for w in workers}) <= 1'
    [ "$(ended_by run)" = seconds:0.1 ] || fail "$algorithm ended by $(ended_by run)"
done

case_ "a budget of rounds is a number of rounds, and the smaller limit counts"
trained run $SMALL --budget rounds:7
[ "$(ended_by run)" = rounds:7 ] || fail "ended by $(ended_by run)"
expect_run run 'run[-1]["round"] == 7'
trained run $SMALL --budget bytes:1G --max-steps 5
[ "$(ended_by run)" = rounds:5 ] || fail "ended by $(ended_by run)"
trained run $SMALL --epochs 2
[ "$(ended_by run)" = epochs:2 ] || fail "ended by $(ended_by run)"

case_ "a budget counts from the beginning of the run, which goes on with a larger one"
for algorithm in dsgd ps-sync "local-sgd --local-sgd.period 7"; do
    trained run $SMALL --algorithm $algorithm --budget bytes:8M --evaluate-every 0
    trained parts $SMALL --algorithm $algorithm --budget bytes:4M --evaluate-every 0
    muster train --resume parts --quiet
    expect_code 0
    [ "$(ended_by parts)" = bytes:4000000 ] || fail "a finished run went on"
    muster train --resume parts --budget bytes:8M --quiet
    expect_code 0
    expect_same_model run parts
    muster train --resume parts --budget bytes:2M --quiet
    expect_code 2
    expect_err "it has already used more than the budget of bytes:2000000"
done

case_ "what cannot be used up, or needs to know the end, is refused"
refused() {
    local message=$1
    shift
    muster train $FIGURES --quiet --out refused "$@"
    expect_code 2
    expect_err "$message"
    expect_no_file refused
}
refused "1 worker of single sends no bytes" --budget bytes:1M
refused "3 workers of hogwild send no bytes" --workers 3 --algorithm hogwild --budget bytes:1M
refused "schedule cosine needs a known number of rounds" --workers 3 --schedule cosine --budget bytes:1M
refused "outer_schedule: cosine needs a known number of rounds" --workers 3 --algorithm local-sgd \
    --local-sgd.outer sgd --local-sgd.outer-schedule cosine --budget seconds:5
refused "--budget: \"5m\" is not a number of seconds, such as 90, 90s or 5min" --budget seconds:5m
refused '"minutes:3" has an unknown unit' --budget minutes:3
refused "use train.epochs for epochs" --budget epochs:3

case_ "a run whose budget another worker finds used up has the rows of its last round once"
for algorithm in hogwild ad-psgd; do
    muster train $TINY --workers 2 --algorithm $algorithm --budget seconds:0.3 --evaluate-rounds 1 --out "once_$algorithm"
    expect_code 0
    python3 - "once_$algorithm"/*/metrics.jsonl <<'P' || fail "$algorithm: a row is there twice"
import json, sys
rows = [(r["worker"], r["round"]) for r in map(json.loads, open(sys.argv[1])) if "test_loss" in r]
assert len(rows) == len(set(rows)), rows[-4:]
P
done

case_ "the runs of a study differ in their budget, and grow with it"
cat >budget.yaml <<'YAML'
data: {name: figures, train_count: 240, test_count: 40}
model: mnist_conv
transport: {workers: 3}
algorithm: [sync, dsgd]
train: {batch_size: 16, budget: bytes:2M}
YAML
muster run budget.yaml --out study --quiet --json
expect_code 0
cp -r study before
muster run budget.yaml --out study --quiet --json --budget bytes:2000k
expect_same study/algorithm=sync/model.safetensors before/algorithm=sync/model.safetensors
expect_same study/algorithm=sync/result.json before/algorithm=sync/result.json
muster run budget.yaml --out study --quiet --json --budget bytes:4M
expect_code 0
muster run budget.yaml --out whole --quiet --json --budget bytes:4M
expect_same study/algorithm=dsgd/model.safetensors whole/algorithm=dsgd/model.safetensors
muster run budget.yaml --out study --quiet --budget bytes:3M
expect_code 2
expect_err "was run with train.budget bytes:4000000, not bytes:3000000"
sed -i 's/budget: .*}/budget: ["bytes:1M", "rounds:9"]}/' budget.yaml
muster run budget.yaml --out swept --quiet --json
expect_code 0

finish
