# bench/loader: what it measures and reports, with programs of known speed and a Pillow of our own.
. "$(dirname "$0")/lib.sh"

# A muster that makes pictures, and trains $FILES times as fast from files as from memory.
cat >muster_fake <<'E'
#!/usr/bin/env python3
import json, os, pathlib, sys, zipfile
flag = lambda name: sys.argv[sys.argv.index(name) + 1]
if sys.argv[1] == "data":
    for part, count in (("train", int(flag("--train"))), ("val", int(flag("--test")))):
        folder = pathlib.Path(sys.argv[4], part, "class")
        folder.mkdir(parents=True)
        for i in range(count):
            (folder / f"{i}.jpg").write_bytes(b"picture" * 10)
    sys.exit(0)
if os.environ.get("FAILS"):
    sys.exit("no network")
kind, _, path = flag("--dataset").partition(":")
if kind == "npz":
    with zipfile.ZipFile(path) as archive:
        assert archive.read("x_train.npy")[:6] == b"\x93NUMPY" and len(archive.read("x_train.npy")) == 128 + 7 * 224 * 224 * 3
        assert len(archive.read("y_test.npy")) == 128 + 50
else:
    assert "--data.flip" in sys.argv and flag("--data.crop") == "resized"
threads, steps = int(flag("--threads")), int(flag("--max-steps"))
rate = 20 * threads * (1 if kind == "npz" else float(os.environ.get("FILES", 0.95)) * (1.04 if threads == 1 else 1))
samples = steps * int(flag("--batch-size"))
parameters = int(os.environ.get("OTHER", 5)) if kind == "npz" else 5
print(json.dumps({"status": "finished", "train_seconds": samples / rate, "samples_per_s": rate, "parameters": parameters}))
E
cat >loader_fake <<'E'
#!/usr/bin/env python3
import json, pathlib, sys
what, folder, size, last = sys.argv[1:]
if what == "rate":
    print(json.dumps({"decoded_per_s": 1200, "views_per_s": 1e9}))
else:
    count = sum(1 for _ in pathlib.Path(folder).rglob("*.jpg"))
    pathlib.Path(last).write_bytes(bytes(count * int(size) ** 2 * 3))
    print(json.dumps({"labels": [0] * count}))
E
mkdir PIL
cat >PIL/__init__.py <<'E'
__version__ = "our own"
E
cat >PIL/Image.py <<'E'
BILINEAR = FLIP_LEFT_RIGHT = 1
class Picture:
    size = (500, 375)
    def convert(self, mode):
        assert mode == "RGB"
        return self
    def crop(self, box):
        assert 0 <= box[0] < box[2] <= 500 and 0 <= box[1] < box[3] <= 375
        return self
    def resize(self, size, how):
        assert size == (224, 224)
        return self
    def transpose(self, how):
        return self
def open(path):
    return Picture()
E
chmod +x muster_fake loader_fake
bench() {
    PYTHONPATH=$WORK python3 -B "$SOURCE_DIR/bench/loader" --muster "$WORK/muster_fake" --loader "$WORK/loader_fake" \
        --quick --pictures 7 --cores 2 --decode-seconds 0.01 "$@" >"$WORK/.out" 2>"$WORK/.err"
    code=$?
    out=$(cat "$WORK/.out")
    err=$(cat "$WORK/.err")
}

case_ "it compares files with memory, and decoding with Pillow"
bench --strict
expect_code 0
expect_out "processor: "
expect_out "| all cores  | 2       | 38.0              | 40.0               | 0.950 (0.950 to 0.950)    |"
expect_out "| one core   | 1       | 19.8              | 20.0               | 0.988 (0.988 to 0.988)    |"
expect_out "| not cached | 2 "
expect_out "one core: 1 200 pictures/s decoded"
expect_out "Pillow our own: "
bench --json --dir kept
expect_code 0
python3 -c '
import json, sys
r = json.load(sys.stdin)
assert [f["to_reach"] for f in r["figures"]] == [0.92, 0.97, None] and r["is_reached"], r
assert all(f["disk_mb"] >= 0 for f in r["figures"]) and r["decoding"]["ratio"] > 1, r' <<<"$out" || fail "$out"

case_ "pictures stay in the folder that is given, and are used again"
[ "$(find kept/train -name '*.jpg' | wc -l)" -eq 7 ] || fail "$(find kept)"
cp -p kept/train/class/0.jpg before
bench --dir kept
expect_code 0
expect_same kept/train/class/0.jpg before

case_ "a ratio that is not reached is an error only with --strict"
FILES=0.91 bench
expect_code 0
expect_out "0.92  (not reached)"
FILES=0.91 bench --strict
expect_code 1

case_ "different networks and a program that fails are reported"
OTHER=6 bench
expect_code 2
expect_err "not the same network"
FAILS=1 bench
expect_code 2
expect_err "no network"
finish
