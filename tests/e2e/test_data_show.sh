# muster data show: which samples, and as a picture.
. "$(dirname "$0")/lib_workers.sh"

python3 "$HERE/tiny_mnist.py" digits
RAW=digits/MNIST/raw
for part in train t10k; do
    tail -c +17 $RAW/$part-images-idx3-ubyte >$part.images
    tail -c +9 $RAW/$part-labels-idx1-ubyte >$part.labels
done
sheet() { python3 "$HERE/contact_sheet.py" "$@" 2>"$WORK/.sheet" || fail "$(tail -n 1 "$WORK/.sheet")"; }

case_ "a picture has the first samples with the names of their classes"
muster data show mnist --data-dir digits --png sheet.png --count 12
expect_code 0
expect_out "12 samples in sheet.png"
sheet sheet.png train.images train.labels 1 28 $(seq 0 11)
cp sheet.png before.png
muster data show mnist --data-dir digits --png sheet.png
expect_code 0
sheet sheet.png train.images train.labels 1 28 $(seq 0 35)

case_ "of the test part with --split test"
muster data show mnist --data-dir digits --png sheet.png --count 5 --split test
expect_code 0
sheet sheet.png t10k.images t10k.labels 1 28 $(seq 0 4)
muster data show mnist --data-dir digits --split tets
expect_code 2
expect_err '--split: "tets" is not train or test'

case_ "with a seed the samples are random ones, the same for the same seed, in pictures and on the terminal"
for seed in 1 1 2; do
    muster data show mnist --data-dir digits --png "seed$seed.png" --count 12 --seed $seed
    expect_code 0
    [ -e again.png ] || cp "seed$seed.png" again.png
done
expect_same again.png seed1.png
expect_different seed1.png seed2.png
expect_different seed1.png before.png
muster data show mnist --data-dir digits --count 3
first=$out
muster data show mnist --data-dir digits --count 3 --seed 1
[ "$first" != "$out" ] || fail "--seed changes nothing"
muster data show mnist --data-dir digits --count 3 --split test
[ "$first" != "$out" ] || fail "--split changes nothing"

case_ "colours are colours, and a picture has no more samples than the data set"
python3 - <<'P'
import pathlib, random
numbers = random.Random(1)
folder = pathlib.Path("colours/cifar-100-binary")
folder.mkdir(parents=True)
for name in "train", "test":
    records, images = b"", b""
    for i in range(9):
        planes = [bytes(numbers.randrange(256) for _ in range(1024)) for _ in range(3)]
        records += bytes([0, i % 3]) + b"".join(planes)
        images += bytes(value for pixel in zip(*planes) for value in pixel)
    (folder / f"{name}.bin").write_bytes(records)
    pathlib.Path(f"{name}.colours").write_bytes(images)
pathlib.Path("colours.labels").write_bytes(bytes(i % 3 for i in range(9)))
P
muster data show cifar100 --data-dir colours --png sheet.png --count 20
expect_code 0
expect_out "9 samples in sheet.png"
sheet sheet.png train.colours colours.labels 3 32 $(seq 0 8)

case_ "what has no images, no samples or a file of another kind is rejected"
muster data show sine --png other.png
expect_code 2
expect_err "--png: data set sine has no images with classes"
muster data show figures --figures.train-count 20 --figures.test-count 20 --png other.png --count 0
expect_code 2
expect_err "a picture needs at least one sample"
expect_no_file other.png
echo text >other.png
muster data show figures --figures.train-count 20 --figures.test-count 20 --png other.png
expect_code 2
expect_err "--png: other.png exists and is another kind of file"
muster data show figures --figures.train-count 20 --figures.test-count 20 --png other.png --force
expect_code 0
muster data show figures --png nowhere/other.png
expect_code 3

finish
