# Which runs a landscape takes: of densities, diverged ones, the same run twice, and those whose snapshots are damaged.
. "$(dirname "$0")/lib_workers.sh"

case_ "of a density network the loss at the last snapshot is the run's: its metrics have sums of their own"
muster train --dataset rooms --model fourier_density --epochs 1 --max-steps 20 --saves-per-epoch 100 --name x --quiet \
    --no-report --out rooms
expect_code 0
muster landscape rooms --grid 2 --json
expect_code 0
python3 - "$out" rooms/x/result.json <<'P' || fail "another loss"
import json, sys
landscape, result = json.loads(sys.argv[1]), json.load(open(sys.argv[2]))
last = landscape["runs"][0]["points"][-1]
assert abs(last["loss"] - result["test_loss"]) < 1e-6, (last, result["test_loss"])
P

# Three runs in a folder, of which one has diverged: it has snapshots but no model.
FIGURES="--dataset figures --figures.train-count 480 --figures.test-count 200 --name x --no-report"
SMALL="--batch-size 16 --model mnist_conv --epochs 4"
muster train $FIGURES $SMALL --lr 1000 --saves-per-epoch 15 --quiet --out div
DIVERGED=$code
for seed in 2 3; do
    trained good$seed $SMALL --optimizer adam --lr 0.003 --saves-per-epoch 1 --seed $seed
done
mkdir folder
for run in div good2 good3; do
    cp -r $run/x folder/$run
    cp $run/effective.yaml folder/$run
done

case_ "a diverged run can be drawn alone, or first: only its settings are needed"
[ "$DIVERGED" -ne 0 ] || fail "the run did not diverge"
expect_no_file div/x/model.safetensors
muster landscape div --directions filter --grid 2 --samples 64
expect_code 0
expect_out "div/x/landscape.html"
muster landscape div good2 --directions filter --grid 2 --samples 64 --out first
expect_code 0
expect_out "first/landscape.html"

case_ "of a folder, runs that came to nothing are left out with a line each"
muster landscape folder --grid 2 --samples 64 --json
expect_code 0
expect_err "warning: folder/div is left out: it diverged, or is no better than guessing"
expect_no_err "good"
python3 -c 'import json, sys; assert [r["name"] for r in json.loads(sys.argv[1])["runs"]] == ["good2", "good3"]' "$out" ||
    fail "other runs: $out"
expect_file folder/landscape.html
muster landscape folder --sharpness --grid 2 --samples 64
expect_code 0

case_ "lines are between the runs that have a model, if there are two"
muster landscape folder --between --grid 2 --samples 64
expect_code 0
expect_err "warning: folder/div is left out: it has neither a model nor a checkpoint"
expect_out "good3"
muster landscape div good2 --between --grid 2 --samples 64 --out lines
expect_code 2
expect_err "div/x has neither a model nor a checkpoint"

case_ "a run that is named twice is used once"
muster landscape good2 good2/x --grid 2 --samples 64 --json
expect_code 0
expect_err "warning: good2/x is named more than once, and used once"
python3 -c 'import json, sys; assert len(json.loads(sys.argv[1])["runs"]) == 1' "$out" || fail "not once: $out"

case_ "a finished run whose file of snapshots is short is reported"
cp -r good2 short
truncate -s -1 short/x/snapshots.bin
muster landscape short --grid 2 --samples 64
expect_code 0
expect_err "warning: short/x/snapshots.bin: snapshots are missing: it has rounds 0 to 90 of 0 to 120"
muster landscape good2 --grid 2 --samples 64
expect_no_err "are missing"

case_ "--each --json is one list"
muster landscape folder --each --directions filter --grid 2 --samples 64 --json
expect_code 0
python3 - "$out" <<'P' || fail "no list of three: $out"
import json, sys
assert [one["runs"][0]["name"] for one in json.loads(sys.argv[1])] == ["div", "good2", "good3"]
P
trained plain $SMALL
cp -r folder both
cp -r plain/x both/plain
cp plain/effective.yaml both/plain
rm -r both/div
muster landscape both --each --sharpness --samples 64 --json
expect_code 0
python3 - "$out" <<'P' || fail "no list of three: $out"
import json, sys
assert [("grid" in one, len(one["sharpness"])) for one in json.loads(sys.argv[1])] == [(True, 1), (True, 1), (False, 1)]
P

case_ "huge losses are printed as train does"
muster landscape div --directions filter --grid 2 --samples 64
grep -qE " [0-9]\.[0-9]*e\+[0-9]+ " <<<"$out" || fail "no huge loss: $out"
grep -qE "[0-9]{8}\." <<<"$out" && fail "all digits: $out"

case_ "where there can be no plane, the sharpness is not measured first"
trained two $SMALL --saves-per-epoch 1 --max-steps 5
muster landscape two --sharpness --grid 2
expect_code 2
expect_err "a plane by PCA needs at least 3 snapshots"
expect_no_file two/x/sharpness.json

case_ "one process at a time works in a folder"
mkdir busy
python3 -c '
import fcntl, subprocess, sys
held = open("busy/.lock", "w")
fcntl.lockf(held, fcntl.LOCK_EX)
sys.exit(subprocess.call(sys.argv[1:]))' "$MUSTER" landscape good2 --grid 2 --samples 64 --out busy >/dev/null 2>.err
code=$?
err=$(cat .err)
[ $code -ne 0 ] || fail "it did not fail"
expect_err "busy: the folder is in use by"
expect_no_file busy/landscape.json
muster landscape good2 --grid 2 --samples 64 --out busy
expect_code 0

finish
