#!/usr/bin/env bash
# A run over mpi that ends badly ends everywhere, soon, with one message: mpi_ends.sh PROGRAM
set -euo pipefail
here=$(dirname "$0")
program=$1
log=$(mktemp)
trap 'rm -f "$log"' EXIT
failures=0

complain() {
    echo "not ok - $*"
    sed 's/^/# /' "$log"
    failures=$((failures + 1))
}

# ends WAY EXIT_CODE TEXT: one line with the text; an empty text: no line of ours at all.
ends() {
    local way=$1 code=$2 text=$3 got=0 began=$SECONDS lines
    timeout 60 bash "$here/under_mpirun.sh" 3 "$program" "$way" >"$log" 2>&1 || got=$?
    if [ "$got" -eq 77 ]; then
        cat "$log"
        [ "$failures" -eq 0 ] || exit 1
        exit 77
    fi
    lines=$(grep -c '^error: ' "$log" || true)
    [ $((SECONDS - began)) -le 8 ] || complain "$way: took $((SECONDS - began)) s"
    [ "$got" -eq "$code" ] || complain "$way: ended with $got, not $code"
    if [ -z "$text" ]; then
        [ "$lines" -eq 0 ] || complain "$way: $lines messages, not none"
    else
        [ "$lines" -eq 1 ] || complain "$way: $lines messages, not one"
        grep -q "^error: .*$text" "$log" || complain "$way: does not say \"$text\""
    fi
    if pgrep -f "^$program $way" >/dev/null; then
        complain "$way: a process is left"
    fi
    echo "ok - $way"
}

ends fails 5 'worker 1 has had enough'
ends others_stuck 5 'worker 0 has had enough'
ends first_stuck 5 'worker 1 has had enough'
ends server_stuck 5 'worker 1 has had enough'
ends exits 9 ''
ends is_killed 137 ''
ends wrong_workers 2 '2 workers.*too few for the 3 processes'
ends wrong_transport 2 'separate training'
ends no_transport 2 'did you mean mpi'
ends shares 5 'worker 1 has had enough'
ends others_late 5 'worker 1 has had enough'
ends responders 5 'worker 1 has had enough'
ends responder_fails 5 'worker 4 has had enough'
HOSTS=first,second ends shares 2 'the 3 processes on 2 hosts'
exit $((failures > 0))
