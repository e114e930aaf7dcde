# bench/processes: both sides train the same model, and their ratio is reported.
. "$(dirname "$0")/lib_workers.sh"

under_mpirun 1 --version
if [ "$code" -eq 77 ]; then
    echo "$out"
    exit 77
fi
processes() {
    python3 "$SOURCE_DIR/bench/processes" --model mlp --rounds 3 --windows 1 --program "$MUSTER" "$@" \
        >"$WORK/.out" 2>"$WORK/.err"
    code=$?
    out=$(cat "$WORK/.out")
    err=$(cat "$WORK/.err")
}

case_ "it reports the rates of both and their ratio"
processes --workers 3 --processes 2
expect_code 0
expect_out "processor: "
expect_out "the same model"
processes --workers 3 --processes 2 --json
expect_code 0
python3 -c '
import json, sys
r = json.load(sys.stdin)
assert r["workers"] == 3 and r["processes"] == 2, r
assert abs(r["ratio"] - r["several_samples_per_s"] / r["single_samples_per_s"]) < 1e-9 and r["least"] <= r["most"], r
' <<<"$out" || fail "$out"

case_ "as many processes as workers are no comparison, and a side that fails is reported"
processes --workers 2 --processes 2
expect_code 2
expect_err "must be smaller"
processes --workers 3 --processes 2 --model nothing
expect_code 2
expect_err "there is no"
finish
