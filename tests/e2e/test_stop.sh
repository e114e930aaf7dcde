# --stop: a run ends when it is good enough or gets no better, however workers coordinate.
. "$(dirname "$0")/lib_workers.sh"

SMALL="--model mnist_conv --batch-size 16"
FIVE="$SMALL --epochs 5"
# Nothing improves the loss by 10: the second and third evaluation are no better than the first.
PLATEAU=plateau:loss,2,10
ended_by() { json_field ended_by <"$1/x/result.json"; }
expect_ended_by() { [ "$(ended_by "$1")" = "$2" ] || fail "$1 ended by $(ended_by "$1")"; }

case_ "every synchronous algorithm ends with the evaluation that decides"
select_algorithms 'not a["is_asynchronous"]'
for algorithm in "${selected[@]}"; do
    workers=3
    "$MUSTER" algorithms "${algorithm%% *}" --json | grep -q '"one_worker_only": true' && workers=1
    trained run $FIVE --workers $workers --algorithm $algorithm --stop $PLATEAU
    expect_ended_by run $PLATEAU
    expect_run run 'len({r["round"] for r in rows if "test_loss" in r}) == 3'
    [ -s run/x/model.safetensors ] || fail "$algorithm left no model"
done

case_ "every asynchronous algorithm ends soon after it"
select_algorithms 'not a["one_worker_only"] and a["is_asynchronous"]'
for algorithm in "${selected[@]}"; do
    trained run $SMALL --epochs 200 --workers 3 --algorithm $algorithm --stop loss:50
    expect_ended_by run loss:50
    expect_run run '"test_loss" in run[-1]'
    [ -s run/x/model.safetensors ] || fail "$algorithm left no model"
done

case_ "such a run is the one of as many epochs"
for algorithm in "single" "dsgd --workers 3" "ps-sync --workers 3"; do
    trained stopped $FIVE --algorithm $algorithm --stop $PLATEAU
    trained known $SMALL --algorithm $algorithm --epochs 3
    expect_same_model stopped known
done
expect_ended_by known epochs:3

case_ "a run that is never good enough ends with its epochs"
trained run $FIVE --stop accuracy:100%
expect_ended_by run epochs:5
trained run $SMALL --epochs 1 --stop loss:50
expect_ended_by run epochs:1 # which ended it anyway

case_ "the validation part decides, if there is one"
muster train $FIGURES $FIVE --validation 0.2 --stop loss:50 --out said
expect_err "ending after round 12: the validation loss has reached 50"
muster train $FIGURES $FIVE --stop loss:50 --out said2
expect_err "ending after round 15: the test loss has reached 50"

case_ "evaluations by rounds count, but not the one before the first round"
trained run $FIVE --stop loss:50 --evaluate-rounds 4
[ "$(json_field rounds <run/x/result.json)" = 4 ] || fail "$(cat run/x/result.json)"
[ -e run/x/checkpoints/last.safetensors ] || fail "it cannot be resumed"

case_ "a resumed run remembers its evaluations, and ends where an uninterrupted one does"
for algorithm in "single" "dsgd --workers 3" "ps-sync --workers 3" "sync --workers 3"; do
    trained whole $FIVE --algorithm $algorithm --stop $PLATEAU
    for begin in "--epochs 2" "--epochs 4 --max-steps 7"; do
        trained parts $SMALL --algorithm $algorithm --stop $PLATEAU $begin
        muster train --resume parts --epochs 5 --max-steps 0 --quiet
        expect_code 0
        expect_ended_by parts $PLATEAU
        expect_same_model whole parts
    done
done

case_ "a run that has ended so does not go on when it is resumed, also with more epochs"
for algorithm in "single" "dsgd" "ps-sync" "ps-async" "hogwild" "ad-psgd"; do
    workers=$([ "$algorithm" = single ] && echo 1 || echo 3)
    trained run $FIVE --workers $workers --algorithm $algorithm --stop loss:50
    cp run/x/model.safetensors before
    rounds=$(json_field rounds <run/x/result.json)
    muster train --resume run --epochs 300 --quiet
    expect_code 0
    expect_ended_by run loss:50
    [ "$(json_field rounds <run/x/result.json)" = "$rounds" ] || fail "$algorithm: it trained"
    expect_same before run/x/model.safetensors
done

case_ "rules that cannot work are refused before training"
muster train $FIGURES --stop never
expect_code 2
expect_err "--stop: never has no colon; use accuracy:0.97, loss:0.1 or plateau:loss,PATIENCE,DELTA"
muster train $FIGURES --stop loss:1 --evaluate-every 0
expect_code 2
expect_err "--stop: the run is only evaluated at its end"
muster train --dataset sine --model mlp --stop accuracy:0.9
expect_code 2
expect_err "has no accuracy; use the loss"

finish
