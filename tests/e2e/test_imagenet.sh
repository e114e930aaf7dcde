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

finish
