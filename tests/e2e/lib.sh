# lib.sh - a test script: `case_ "statement"` starts a case, `expect...` check it; prints TAP.
# $MUSTER is the program; every script works in its own folder $WORK, removed at the end.
set -u

WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
cd "$WORK" || exit 1
unset MUSTER_DATA MUSTER_MIRROR MUSTER_ISA

case_number=0
case_failed=0
any_failed=0
case_name=""

end_case() {
    [ -z "$case_name" ] && return
    if [ "$case_failed" -eq 0 ]; then
        echo "ok $case_number - $case_name"
    else
        echo "not ok $case_number - $case_name"
        any_failed=1
    fi
}

case_() {
    end_case
    case_number=$((case_number + 1))
    case_failed=0
    case_name=$1
}

finish() {
    end_case
    echo "1..$case_number"
    exit "$any_failed"
}

fail() {
    case_failed=1
    printf '# %s\n' "$*"
}

# Runs muster; keeps stdout in $out, stderr in $err, the exit code in $code.
muster() {
    "$MUSTER" "$@" >"$WORK/.out" 2>"$WORK/.err"
    code=$?
    out=$(cat "$WORK/.out")
    err=$(cat "$WORK/.err")
}

expect_code() { [ "$code" -eq "$1" ] || fail "exit code $code, not $1: $err"; }
expect_out() { grep -qF -- "$1" <<<"$out" || fail "stdout has no '$1': $out"; }
expect_err() { grep -qF -- "$1" <<<"$err" || fail "stderr has no '$1': $err"; }
expect_no_err() { grep -qF -- "$1" <<<"$err" && fail "stderr has '$1': $err"; }
expect_file() { [ -s "$1" ] || fail "no file $1"; }
expect_no_file() { [ -e "$1" ] && fail "$1 exists"; }
expect_same() { cmp -s "$1" "$2" || fail "$1 and $2 differ"; }
expect_different() { cmp -s "$1" "$2" && fail "$1 and $2 are the same"; }

# A field of a JSON object on stdin: json_field test_accuracy
json_field() { python3 -c 'import json,sys; print(json.load(sys.stdin)[sys.argv[1]])' "$1"; }

# A tiny training set, so that a run takes a second.
TINY="--dataset figures --figures.train_count 1200 --figures.test_count 300 --quiet"
