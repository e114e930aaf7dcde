# muster launch on two and four hosts with their own names, addresses and ssh servers (with_hosts.sh): the bits of one
# host, a stop, a lost process, a link that is down for a while, a host that is not there.
if [ "$(hostname)" != host1 ]; then
    exec "$(dirname "$0")/with_hosts.sh" 4 bash "$(realpath "$0")"
fi
. "$(dirname "$0")/../e2e/lib_workers.sh"

# Without the options that all runs have.
RUN="--model mnist_bn --batch-size 16 --epochs 2 --partition dirichlet"
LONG="$FIGURES --model mnist_conv --batch-size 16 --save-rounds 5 --algorithm sync --quiet"

case_ "two hosts, and four, have the bits of one, with one worker in a process and with several"
for algorithm in sync "dsgd --graph cycle" ps-sync; do
    trained threads $RUN --algorithm $algorithm --workers 5
    for hosts in host1,host2 host1:2,host2:3 host1,host2,host3,host4; do
        rm -rf "$WORK/hosts"
        muster launch --hosts $hosts train $FIGURES $RUN --algorithm $algorithm --workers 5 --quiet --out "$WORK/hosts"
        expect_code 0
        expect_same_model threads hosts
        expect_same_rows threads hosts
    done
done

case_ "the processes are on the hosts that were named"
"$MUSTER" launch --hosts host1,host3 train $LONG --epochs 100000 --out "$WORK/where" >/dev/null 2>"$WORK/.err" &
launcher=$!
await_file where/x/checkpoints/last.safetensors
names=$(for p in $(pgrep -f -- "^$MUSTER train .*--out $WORK/where"); do nsenter -t "$p" -u hostname; done | sort | tr '\n' ' ')
[ "$names" = "host1 host3 " ] || fail "they are on: $names"

case_ "SIGTERM stops processes on all hosts with a checkpoint, and the run goes on on other hosts to the same bits"
kill -TERM $launcher
wait $launcher
[ $? -eq 75 ] || fail "not 75: $(cat "$WORK/.err")"
expect_none_left where
trained whole --model mnist_conv --batch-size 16 --epochs 3 --algorithm sync --workers 2
"$MUSTER" launch --hosts host1,host2 train $LONG --epochs 3 --delay 100ms --out "$WORK/part" >/dev/null 2>"$WORK/.err" &
launcher=$!
await_file part/x/checkpoints/last.safetensors
kill -TERM $launcher
wait $launcher
[ $? -eq 75 ] || fail "not 75: $(cat "$WORK/.err")"
muster launch --hosts host3 -n 1 train --resume "$WORK/part" --quiet
expect_code 0
expect_same_model whole part

case_ "a process that is killed on another host ends the run with code 75"
"$MUSTER" launch --hosts host1,host2 train $LONG --epochs 100000 --out "$WORK/lost" >/dev/null 2>"$WORK/.err" &
launcher=$!
await_file lost/x/checkpoints/last.safetensors
for p in $(pgrep -f -- "^$MUSTER train .*--out $WORK/lost"); do
    [ "$(nsenter -t "$p" -u hostname)" = host2 ] && kill -9 "$p"
done
wait $launcher
[ $? -eq 75 ] || fail "not 75: $(cat "$WORK/.err")"
grep -q "killed by signal 9" "$WORK/.err" || fail "not so: $(cat "$WORK/.err")"
expect_none_left lost

case_ "a link that is down for 8 s does not end the run"
trained slow --model mnist_conv --batch-size 16 --epochs 3 --algorithm sync --workers 2
"$MUSTER" launch --hosts host1,host2 train $LONG --epochs 3 --delay 100ms --out "$WORK/cut" >/dev/null 2>"$WORK/.err" &
launcher=$!
await_file cut/x/checkpoints/last.safetensors
"$LINKS/down" 2
sleep 8
"$LINKS/up" 2
wait $launcher
[ $? -eq 0 ] || fail "not 0: $(cat "$WORK/.err")"
expect_same_model slow cut

case_ "a host that is not there is an error within seconds"
SECONDS=0
muster launch --hosts host1,nowhere train $LONG --epochs 1 --out "$WORK/nowhere"
expect_code 3
expect_err "nowhere"
[ $SECONDS -le 10 ] || fail "it took $SECONDS s"
expect_none_left nowhere
finish
