# muster launch: the line of mpirun, the same bits as threads, stops, and processes that are killed.
. "$(dirname "$0")/lib_workers.sh"

under_mpirun 1 --version
if [ "$code" -eq 77 ]; then
    echo "$out"
    exit 77
fi

LONG="--dataset figures --figures.train-count 400 --figures.test-count 40 --model mnist_conv --batch-size 16 --save-rounds 5 --algorithm sync --name x --quiet --log-every 1"

case_ "the line of mpirun has the processes, the hosts and the command"
muster launch -n 3 --dry-run train --name 'a b'
expect_code 0
expect_out "-n 3 --bind-to none"
expect_out "$MUSTER train --name 'a b'"
muster launch --hosts one,two:3 --interface eth0 --dry-run train --workers 8
expect_code 0
expect_out "-n 4 "
expect_out "--host one:1,two:3 --mca oob_tcp_if_include eth0 --mca btl_tcp_if_include eth0"
printf '# two hosts\none\n\n  two  slots=3 # the large one\n' >hosts.txt
muster launch --hosts hosts.txt --dry-run train
expect_code 0
expect_out "--host one:1,two:3"

case_ "a launched run has the bits of threads, and says which line it ran"
muster launch -n 2 train $FIGURES --epochs 1 --algorithm sync --workers 3 --out launched
expect_code 0
expect_err "mpirun "
trained threads --epochs 1 --algorithm sync --workers 3
expect_same_model threads launched

case_ "SIGTERM stops the run with a checkpoint and code 75, and it is resumed in one process to the same bits"
trained whole --epochs 40 --model mnist_conv --batch-size 16 --algorithm sync --workers 2
"$MUSTER" launch -n 2 train $FIGURES --model mnist_conv --batch-size 16 --epochs 40 --algorithm sync --quiet \
    --delay 20ms --out "$WORK/stopped" >/dev/null 2>"$WORK/.err" &
await_file "stopped/x/metrics.jsonl"
kill -TERM $!
wait $!
[ $? -eq 75 ] || fail "not 75: $(cat "$WORK/.err")"
expect_none_left stopped
muster launch -n 1 train --resume stopped --quiet
expect_code 0
expect_same_model whole stopped

case_ "a process that is killed ends the run with code 75, and nothing is left"
"$MUSTER" launch -n 2 train $LONG --epochs 100000 --out "$WORK/lost" >/dev/null 2>"$WORK/.err" &
launcher=$!
await_file "lost/x/checkpoints/last.safetensors"
kill -9 "$(pgrep -f -- "^$MUSTER train .*--out $WORK/lost" | tail -n 1)"
wait $launcher
[ $? -eq 75 ] || fail "not 75: $(cat "$WORK/.err")"
grep -q "a process of the run was killed by signal 9" "$WORK/.err" || fail "not so: $(cat "$WORK/.err")"
expect_none_left lost

case_ "when muster launch is killed, its processes end too"
"$MUSTER" launch -n 2 train $LONG --epochs 100000 --out "$WORK/orphans" >/dev/null 2>&1 &
await_file "orphans/x/checkpoints/last.safetensors"
kill -9 $!
wait $! 2>/dev/null
expect_none_left orphans

case_ "mistakes are told in one line, before anything starts"
muster launch
expect_code 2
expect_err "needs a command"
muster launch -n 2 evaluate launched
expect_code 2
expect_err "does not train"
muster launch -n 2 tarin
expect_code 2
expect_err "unknown command 'tarin'"
muster launch -n 0 train
expect_code 2
expect_err "--processes"
muster launch --hosts one,one train
expect_code 2
expect_err "host one comes twice"
muster launch --hosts one:x train
expect_code 2
expect_err '"x" is not a number of slots'
printf 'one\ntwo cores=3\n' >hosts.txt
muster launch --hosts hosts.txt train
expect_code 2
expect_err 'hosts.txt:2: "cores=3" is not slots=N'
muster launch --hosts ./nowhere.txt train
expect_code 3
expect_err "nowhere.txt"
PATH=/nowhere "$MUSTER" launch -n 2 train >"$WORK/.out" 2>"$WORK/.err"
[ $? -eq 3 ] || fail "without mpirun: not 3"
grep -q "apt-get install openmpi-bin" "$WORK/.err" || fail "no advice: $(cat "$WORK/.err")"

case_ "an error of the run is told once, with its exit code"
muster launch -n 2 train --nonsense
expect_code 2
[ "$(grep -c '^error:' <<<"$err")" -eq 1 ] || fail "not one error: $err"
finish
