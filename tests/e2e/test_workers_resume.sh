# Several workers: stopping and going on.
. "$(dirname "$0")/lib_workers.sh"

# The delay makes rounds last, so that a signal meets the run on its way.
SLOW="--batch-size 16 --epochs 3 --workers 3 --delay 10ms --log-every 1 --validation 0.1 --partition dirichlet"

case_ "a run that was stopped in the first epoch, or in the last, resumes to the same bits and rows"
ADAM="--model mnist_bn --algorithm local-sgd --local-sgd.period 4 --optimizer adam" # test_algorithms.sh stops all of them
trained whole $SLOW $ADAM
for rows in 3 14; do
    stopped INT $rows part $SLOW $ADAM
    expect_code 75
    expect_err "muster train --resume part/x"
    muster train --resume part --quiet
    expect_code 0
    expect_same_model whole part
    expect_same_rows whole part
done

case_ "a run that was killed goes on from its last checkpoint to the same bits"
trained whole $SLOW --model psgd_cnn
stopped KILL 14 part $SLOW --model psgd_cnn
expect_code 137
expect_file part/x/checkpoints/last.safetensors # of the end of worker 0's first epoch
muster train --resume part --quiet --threads 2
expect_code 0
expect_same_model whole part

case_ "a run that had ended goes on for more epochs"
trained part --batch-size 16 --epochs 1 --workers 3 --model mnist_bn --algorithm ps-sync
muster train --resume part --json
expect_code 0
expect_err "the run is already complete"
muster train --resume part --quiet --epochs 2
expect_code 0
trained whole --batch-size 16 --epochs 2 --workers 3 --model mnist_bn --algorithm ps-sync
expect_same_model whole part

case_ "an asynchronous server goes on where it was"
stopped TERM 25 part $SLOW --model mnist_bn --algorithm ps-async --optimizer adam
expect_code 75
muster train --resume part --quiet
expect_code 0
expect_run part 'sum(w["updates"] for w in workers) == run[-1]["gradients"] == run[-1]["round"]' \
    'sum(w["samples"] for w in workers) == run[-1]["samples"]' \
    'round(run[-1]["epoch"]) == 3' \
    '[sum(k in r for r in run) for k in ("train_loss", "test_loss")] == [3, 3]' \
    '[r["seconds"] for r in run if "train_loss" in r] == sorted(r["seconds"] for r in run if "train_loss" in r)' \
    'sum(sum(w["staleness"]) for w in workers) == run[-1]["round"]'

case_ "an asynchronous run that was killed before all was evaluated tells what is missing"
stopped TERM 25 part $SLOW --algorithm ps-async
expect_code 75
cp -r part killed
muster train --resume part
expect_code 0
expect_no_err "has no evaluation"
rm -f killed/x/checkpoints/snapshot-* # what a kill leaves: neither rows nor snapshots
sed -i '/"test_loss"/d' killed/x/metrics.jsonl
muster train --resume killed --quiet
expect_code 0
expect_err "killed/x/metrics.jsonl: the evaluations of "
trained counted --batch-size 16 --workers 3 --model mnist_conv --algorithm ad-psgd --max-steps 8 --evaluate-rounds 4
sed -i '/"round": *0,/d' counted/x/metrics.jsonl # the model at the start
muster train --resume counted --quiet --max-steps 10
expect_code 0
expect_err "counted/x/metrics.jsonl: the evaluations of 1 round (the last is round 0)"

case_ "hogwild goes on where its workers were, also when one of them had ended"
for rows in 3 23; do # 23: worker 0 has written its last row of 15, and waits for the slow one
    stopped INT $rows part --batch-size 16 --epochs 3 --workers 3 --model mnist_bn --algorithm hogwild \
        --log-every 1 --slow-worker 1:60ms
    expect_code 75
    muster train --resume part --quiet
    expect_code 0
    expect_run part '[w["updates"] for w in workers] == [15, 15, 15]' 'run[-1]["samples"] == 720'
done

case_ "a server goes on with the workers that had not left, also by the rule of an older run"
for ends in own total; do
    stopped INT 36 part --batch-size 16 --epochs 3 --workers 3 --model mnist_bn --algorithm ps-async \
        --log-every 1 --slow-worker 1:40ms --ends $ends # 36: two workers have 15 rounds each, and a slow one
    expect_code 75
    [ $ends = own ] || sed -i '/^ *ends:/d' part/effective.yaml
    muster train --resume part --quiet
    expect_code 0
    expect_run part 'run[-1]["round"] == sum(w["updates"] for w in workers) == 45' 'run[-1]["samples"] == 720'
    [ $ends = total ] || expect_run part '[w["updates"] for w in workers] == [15, 15, 15]'
done

case_ "workers that share the rounds of all go on with those that are left"
for algorithm in hogwild ad-psgd; do
    stopped INT 8 part --batch-size 16 --epochs 3 --workers 3 --model mnist_bn --algorithm $algorithm \
        --log-every 1 --delay 20ms --ends total
    expect_code 75
    muster train --resume part --quiet
    expect_code 0
    expect_run part 'sum(w["updates"] for w in workers) == 45'
done

case_ "hogwild that was killed goes on with every worker where it was seen last"
stopped KILL 11 part --batch-size 16 --epochs 3 --workers 3 --algorithm hogwild --log-every 1 --slow-worker 0:20ms,1:60ms
expect_code 137
expect_file part/x/checkpoints/last.safetensors # of the end of worker 0's first epoch
muster train --resume part --quiet
expect_code 0
expect_run part '[w["updates"] for w in workers] == [15, 15, 15]' 'run[-1]["samples"] == 720'

case_ "a stopped asynchronous run is not made shorter, and one that has all its rounds ends with its snapshots"
for algorithm in hogwild ad-psgd; do
    for ends in own total; do
        rm -rf all
        stopped INT 4 all --batch-size 16 --epochs 40 --workers 2 --delay 2ms --evaluate-rounds 2 --algorithm $algorithm --ends $ends
        expect_code 75
        most=$(python3 -c 'import json; print(max(w["updates"] for w in json.load(open("all/x/workers.json"))))')
        all=$(python3 -c 'import json; print(sum(w["updates"] for w in json.load(open("all/x/workers.json"))))')
        muster train --resume all --max-steps 1 --quiet
        expect_code 2
        expect_err "cannot shorten the run"
        [ "$ends" = own ] || most=$all
        muster train --resume all --max-steps "$most" --quiet
        expect_code 0
        expect_file all/x/model.safetensors
        [ -z "$(ls all/x/checkpoints | grep snapshot)" ] || fail "$algorithm $ends: snapshots stay"
    done
done

case_ "another number of workers, or another algorithm, is refused"
muster train --resume part --workers 2
expect_code 2
expect_err "--workers"
muster train --resume part --algorithm sync
expect_code 2
expect_err "--algorithm"

finish
