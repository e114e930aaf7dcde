# bench/imagenet32: what it measures and reports, on a small set.
. "$(dirname "$0")/lib.sh"

imagenet32() {
    python3 "$SOURCE_DIR/bench/imagenet32" --dir set --train 300 --test 20 --classes 10 --program "$MUSTER" "$@" \
        >"$WORK/.out" 2>"$WORK/.err"
    code=$?
    out=$(cat "$WORK/.out")
    err=$(cat "$WORK/.err")
}

case_ "it generates the set once, and reports start and memory"
imagenet32 --rounds 30 --processes 1 --strict
expect_code 0
expect_err "generating 300 training"
expect_out "processor: "
expect_out "start to first batch: "
expect_out "0 MB copied"
imagenet32 --rounds 30 --processes 1 --json
expect_code 0
expect_no_err "generating"
python3 -c '
import json, sys
r = json.load(sys.stdin)
assert 0 < r["start_seconds"] < 60 and 1 < r["anonymous_mb"] < 2000 and 0 < r["mapped_pss_mb"] <= r["set_mb"] < 2, r
' <<<"$out" || fail "$out"

case_ "a run that fails is reported"
rm set/Imagenet32_val/val_data
imagenet32
expect_code 2
expect_err "has no val_data"
finish
