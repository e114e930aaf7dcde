# ImageNet32: data sets of several files.
. "$(dirname "$0")/lib.sh"

HERE=$SOURCE_DIR/tests/e2e
export XDG_DATA_HOME=$WORK/home
python3 "$HERE/small_imagenet.py" small
SMALL="--dataset imagenet32 --data-dir small --model mlp --batch-size 12 --quiet --name x"
FILES="$SMALL --data.order files"

case_ "file by file is another order, with the same bits for any number of threads and loaders"
muster train $SMALL --epochs 2 --out global
expect_code 0
muster train $FILES --epochs 2 --out files
expect_code 0
expect_different global/x/model.safetensors files/x/model.safetensors
grep -q 'order: files' files/effective.yaml || fail "not in effective.yaml"
for how in "--threads 1 --data.loaders 0" "--threads 2 --data.loaders 3 --data.ahead 5"; do
    rm -rf again
    muster train $FILES --epochs 2 $how --out again
    expect_code 0
    expect_same files/x/model.safetensors again/x/model.safetensors
done

case_ "a run that goes file by file resumes in the middle of a file with the same bits"
for workers in "" "--workers 3 --partition strided" "--workers 3 --partition shared"; do
    rm -rf whole part
    muster train $FILES --epochs 3 $workers --out whole
    expect_code 0
    muster train $FILES --epochs 3 $workers --max-steps 4 --out part
    expect_code 0
    muster train --resume part --max-steps 0 --quiet
    expect_code 0
    expect_same whole/x/model.safetensors part/x/model.safetensors
done

case_ "with one file the order is that of all samples"
mkdir -p one/Imagenet32_train
cp small/Imagenet32_train/train_data_batch_1 one/Imagenet32_train
cp small/Imagenet32_val/val_data one
for order in global files; do
    muster train ${SMALL/small/one} --epochs 2 --data.order $order --out one_$order
    expect_code 0
done
expect_same one_global/x/model.safetensors one_files/x/model.safetensors

case_ "CIFAR-10 has several files too; data sets that have not are named"
muster train $TINY --data.order files --epochs 1 --out wrong
expect_code 2
expect_err "data.order: files needs a data set with many samples in each of several files, such as cifar10"
expect_err "use global for figures"
expect_no_file wrong
muster train $SMALL --data.order file --epochs 1 --out wrong
expect_code 2
expect_err "--data.order: file is not one of global, files"
muster data partition --dataset imagenet32 --data-dir small --data.order files --partition strided --workers 4
expect_code 0
python3 "$SOURCE_DIR/tests/unit/own_files.py" cifar python
for order in global files; do
    muster train --dataset cifar10 --data-dir python --model mlp --batch-size 3 --epochs 2 --quiet --name x \
        --data.order $order --out cifar_$order
    expect_code 0
done
expect_different cifar_global/x/model.safetensors cifar_files/x/model.safetensors

# The classes that `muster data show --json` has on stdout, as small_imagenet.py counts them.
counted() {
    python3 -c '
import json, sys
d = json.load(sys.stdin)
for k, row in enumerate(zip(d["train"]["per_class"], d["test"]["per_class"])):
    if sum(row) > 0:
        print(k, *row)'
}

case_ "--classes keeps the images of the first classes, as many as NumPy counts, with their labels"
for classes in 3 500 501 1000; do
    python3 "$HERE/small_imagenet.py" small $classes
    muster data show imagenet32 --data-dir small --classes $classes --json
    expect_code 0
    [ "$(counted <<<"$out")" = "$(cat small/count)" ] || fail "$classes classes: $(counted <<<"$out")"
done
muster train $SMALL --classes 500 --optimizer adam --lr 0.01 --epochs 10 --out half
expect_code 0
python3 - <<'P' || fail "labels and images of 500 classes do not belong together: $(cat half/x/result.json)"
import json, sys
sys.exit(not json.load(open("half/x/result.json"))["test_accuracy"] > 0.95)
P
grep -q 'classes: 500' half/effective.yaml || fail "not in effective.yaml"
muster data partition --dataset imagenet32 --data-dir small --classes 500 --workers 2
expect_code 0
expect_out "$(awk '{ n += $2 } END { print n }' <<<"$(python3 "$HERE/small_imagenet.py" small 500; cat small/count)") training samples"

case_ "a wrong number of classes is an error that says what is right"
for value in 1001 -1; do
    muster train $SMALL --classes $value --out wrong
    expect_code 2
    expect_err "--classes: $value is outside [0, 1000]"
done
muster train $SMALL --classes half --out wrong
expect_code 2
expect_err "--classes: half is not a whole number"
muster train $TINY --classes 5 --out wrong
expect_code 2
expect_err "--classes: data set figures has no such option"
expect_no_file wrong

case_ "classes have the names of imagenet1000_clsidx_to_labels.txt, in the order of the labels"
python3 - <<'P'
names = {k: f"class number {k}" for k in range(1000)}
names.update({278: "kit fox, Vulpes macrotis", 212: "English setter", 250: 'a "Siberian" husky', 400: "judge's robe"})
open("small/imagenet1000_clsidx_to_labels.txt", "w").write("{" + ",\n ".join(f"{k}: {v!r}" for k, v in names.items()) + "}")
P
muster data show imagenet32 --data-dir small --classes 3
expect_code 0
expect_out "0 kit fox, Vulpes macrotis"
expect_out "1 English setter"
expect_out '2 a "Siberian" husky'
printf 'n02119789 1 kit_fox\nn02100735 2 English_setter\nn02110185 3 Siberian_husky\n' >small/Imagenet32_train/map_clsloc.txt
muster data show imagenet32 --data-dir small --classes 3
expect_code 0
expect_out "0 kit_fox"
rm small/Imagenet32_train/map_clsloc.txt

case_ "a picture has the images with the names of their classes"
python3 "$HERE/small_imagenet.py" small 500
muster data show imagenet32 --data-dir small --classes 500 --png sheet.png --count 20
expect_code 0
expect_out "20 samples in sheet.png"
python3 "$HERE/contact_sheet.py" sheet.png small/images small/labels 3 32 $(seq 0 19) || fail "another picture"

case_ "a damaged file of names is an error with its place"
sed -i '3s/:/;/' small/imagenet1000_clsidx_to_labels.txt
muster train $SMALL --out wrong
expect_code 2
expect_err "imagenet1000_clsidx_to_labels.txt:3:3: expected : after the number of a class"
expect_no_file wrong

case_ "a file that becomes shorter while a run reads it is an error, not a crash"
muster data make imagenet32 shrinks --train 2000 --test 100 --quiet
"$MUSTER" train --dataset imagenet32 --data-dir shrinks --classes 10 --model mlp --epochs 100000 --quiet --out shrunk \
    --name x >/dev/null 2>"$WORK/.err" &
for _ in $(seq 200); do [ -s shrunk/x/metrics.jsonl ] && break; sleep 0.05; done
for file in shrinks/Imagenet32_train/train_data_batch_*; do truncate -s 1000 "$file"; done
wait $!
[ $? -eq 3 ] || fail "not 3: $(cat "$WORK/.err")"
grep -q "became shorter" "$WORK/.err" || fail "not so: $(cat "$WORK/.err")"

finish
