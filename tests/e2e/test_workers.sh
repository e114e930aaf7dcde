# Several workers: what must be equal to what, to the bit or within rounding.
. "$(dirname "$0")/lib_workers.sh"

# Rules that make one step a round and declare to be plain training with one worker.
select_algorithms 'a["one_worker"] == "same bits" and a["draws"] == 1 and not a["one_worker_only"]'
ONE="--epochs 2 --batch-size 16"
for net in "lenet5 --momentum 0.9" "lenet5 --optimizer adam" "psgd_cnn --momentum 0.9" "mnist_bn --optimizer adam"; do
    case_ "one worker of any algorithm is plain training to the bit: $net"
    trained single $ONE --model $net
    for algorithm in "${selected[@]}"; do
        trained one $ONE --model $net --workers 1 --algorithm $algorithm
        expect_same_model single one
    done
done

case_ "so is every option that means nothing for one worker"
trained single $ONE --model mnist_bn --momentum 0.9
for algorithm in "ps-async --staleness 0" "ps-async --ps-async.compensation constant" "ps-async --ps-async.compensation adaptive" \
    "ps-async --staleness 2 --ps-async.staleness-lr inverse" "hogwild --hogwild.update atomic" \
    "hogwild --hogwild.update locked" "sync --sync.scale-lr true" \
    "local-sgd --local-sgd.period 3 --local-sgd.optimizer-state average"; do
    trained one $ONE --model mnist_bn --momentum 0.9 --algorithm $algorithm
    expect_same_model single one
done

THREE="--epochs 2 --batch-size 16 --workers 3 --momentum 0.9 --partition dirichlet"
for net in lenet5 psgd_cnn mnist_bn; do
    case_ "three workers: staleness 0 is ps-sync to the bit, and ps-sync is sync: $net"
    trained served $THREE --model $net --algorithm ps-sync
    trained bounded $THREE --model $net --algorithm ps-async --staleness 0
    expect_same_model served bounded
    [ $net = mnist_bn ] && continue # a worker without data in a round moves no statistics of its own
    trained summed $THREE --model $net --algorithm sync
    expect_same_model served summed
done

# The mean of the workers' running statistics and the running mean of their batches' are the same
# number, rounded at other places.
case_ "three workers that always have data: BatchNorm's statistics are those of ps-sync too"
EVEN="--epochs 2 --batch-size 16 --workers 3 --momentum 0.9 --model mnist_bn"
trained served $EVEN --algorithm ps-sync
trained summed $EVEN --algorithm sync
expect_near served summed 1e-5

# Sums of 24 in another order: float32 has a rounding error of 6e-8, and 20 steps of momentum 0.9
# carry some of them on. Another set of samples is further away by orders of magnitude.
case_ "sync with W workers of batch B/W is one worker of batch B within rounding, with dropout too"
WHOLE="--epochs 2 --momentum 0.9 --partition strided"
for net in lenet5 psgd_cnn; do
    trained whole $WHOLE --model $net --batch-size 24
    for workers in 2 3; do
        trained parts $WHOLE --model $net --workers $workers --batch-size $((24 / workers))
        expect_near whole parts 2e-6
    done
done
trained others --epochs 2 --momentum 0.9 --partition split --model psgd_cnn --workers 3 --batch-size 8
expect_far whole others 1e-3

case_ "threads and repetitions do not change the bits of synchronous algorithms"
for algorithm in sync "local-sgd --local-sgd.period 3"; do
    trained narrow $THREE --model mnist_bn --algorithm $algorithm --threads 1
    trained wide $THREE --model mnist_bn --algorithm $algorithm --threads 2
    expect_same_model narrow wide
    expect_same_rows narrow wide
done

finish
