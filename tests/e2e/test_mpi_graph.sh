# Algorithms over graphs under mpirun: the bits of threads, again and again, also where links come and go.
. "$(dirname "$0")/lib_workers.sh"

under_mpirun 1 --version
if [ "$code" -eq 77 ]; then
    echo "$out"
    exit 77
fi

SMALL="--model mnist_bn --batch-size 16 --epochs 1 --partition dirichlet --paranoid"

expect_same_bits() { # PROCESSES ARGUMENT...
    local processes=$1
    shift
    trained threads $SMALL --workers "$processes" --threads 2 "$@"
    trained_mpi processes "$processes" $SMALL --threads 1 "$@"
    expect_same_model threads processes
    expect_same_rows threads processes
}

# test_algorithms.sh has 3 nodes on a graph that stays. A rule that needs such a graph gets one here, too.
CHANGING="--graph cycle --graph.schedule star,complete --graph.switch-every 2 --graph.drop-links 0.2 --graph.drop-nodes 0.1"
DIRECTED="--graph one_peer_exponential --graph.schedule exponential --graph.drop-links 0.2"
select_algorithms 'a["needs_graph"] and not a["is_asynchronous"]'
for algorithm in "${selected[@]}" "sgp $DIRECTED"; do
    graph=$CHANGING
    [[ $algorithm != *--graph* ]] || graph=""
    rm -rf try
    muster train $FIGURES --quiet --max-steps 1 --no-save --out try $SMALL --workers 5 --algorithm $algorithm $graph
    [[ $err != *"needs the same graph in all rounds"* ]] || graph="--graph wheel"
    case_ "5 nodes have the same bits as threads and as processes: $algorithm $graph"
    expect_same_bits 5 --algorithm $algorithm $graph
    expect_run threads 'run[-1]["consensus_error"] > 0' 'run[-1]["bytes_sent"] > 0'
done

for algorithm in dsgt dinno; do
    case_ "processes lose the same messages as threads, one way and in bursts: $algorithm"
    expect_same_bits 5 --algorithm $algorithm --graph complete --graph.drop-links 0.5 --graph.drop-direction one-way --graph.burst-length 6
done

case_ "processes meet the same moving nodes as threads"
expect_same_bits 3 --algorithm dinno --graph disk --graph.radius 1 --graph.move-every 2 --graph.positions "0 0, 1 0, 5 0; 0 0, 4 0, 5 0"

case_ "processes record the same right answers as threads"
expect_same_bits 3 --algorithm dsgd --graph cycle --record-correct
expect_same threads/x/correct.jsonl processes/x/correct.jsonl
expect_file threads/x/correct.jsonl

case_ "a run over a graph stopped by a signal to any process goes on to the same bits"
SLOW="--batch-size 16 --epochs 3 --log-every 1 --model mnist_bn --algorithm dsgt --graph cycle"
trained whole $SLOW --workers 3
stopped_mpi 2 part $SLOW --delay 40ms
expect_code 75
[ "$(grep -c '^warning:' <<<"$err")" -eq 1 ] || fail "not one warning: $err"
expect_err "muster train --resume part/x"
muster train --resume part --quiet
expect_code 0
expect_same_model whole part

finish
