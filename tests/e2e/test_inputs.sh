# What a run depends on belongs to the run: files that change or disappear later do not change it.
. "$(dirname "$0")/lib_workers.sh"

printf '0 1\n1 2 # a comment\n\n2 3\n3 0\n' >edges.txt
GRAPH="--workers 4 --algorithm dsgd --model mnist_conv --graph file --file.path edges.txt"

case_ "a run keeps the links of its graph file: changed or gone, it is resumed and repeated with the same bits"
trained whole $GRAPH --epochs 2
trained part $GRAPH --epochs 1
printf '0 1\n1 2\n2 3\n' >edges.txt
muster train --resume part --epochs 2 --quiet
expect_code 0
expect_same part/x/model.safetensors whole/x/model.safetensors
rm edges.txt
mkdir -p elsewhere
(cd elsewhere && "$MUSTER" run ../whole/effective.yaml --quiet --out ../again >/dev/null 2>"$WORK/.err") || fail "$(cat "$WORK/.err")"
expect_same again/x/model.safetensors whole/x/model.safetensors
expect_same again/x/graph.jsonl whole/x/graph.jsonl

case_ "a study notices that a graph file has changed between two calls"
cat >study.yaml <<'Y'
data: {name: figures, train_count: 80, test_count: 20}
model: mnist_conv
transport: {workers: 3}
algorithm: dsgd
graph: {name: file, path: links.txt}
train: {max_steps: 2}
seed: [1, 2]
Y
printf '0 1\n1 2\n' >links.txt
muster run study.yaml --quiet --out study
expect_code 0
muster run study.yaml --out study
expect_code 0
expect_err "2 of 2 runs had already finished"
printf '0 1\n1 2\n0 2\n' >links.txt
muster run study.yaml --quiet --out study
expect_code 2
expect_err "study/seed=1: was run with graph.links 0 1, 1 2, not 0 1, 1 2, 0 2 (its file has changed); choose another --out"

case_ "so it is with the file of positions"
printf '0 0\n0 1\n1 1\n' >places.txt
trained placed --workers 3 --algorithm dsgd --model mnist_conv --graph disk --disk.radius 1 --disk.positions-file places.txt
printf '0 0\n9 9\n1 1\n' >places.txt
muster run placed/effective.yaml --quiet --out placed_again
expect_code 0
expect_same placed_again/x/model.safetensors placed/x/model.safetensors

case_ "a file and its content together are rejected"
muster train $FIGURES $GRAPH --file.links "0 1, 1 2"
expect_code 2
expect_err "conflicts with graph.links; give one of the two"

case_ "a run is not resumed with other data, wherever they are"
mkdir -p digits other
python3 "$SOURCE_DIR/tests/e2e/tiny_mnist.py" digits
cp -r digits/. other/
muster train --dataset mnist --data-dir digits --model mnist_conv --epochs 1 --batch-size 8 --quiet --name x --out first
expect_code 0
mv digits moved
muster train --resume first --data-dir moved --epochs 2 --quiet
expect_code 0
python3 - other <<'PYTHON'
import glob, sys
for path in glob.glob(sys.argv[1] + "/MNIST/raw/*"):  # one pixel, the last one of the images
    data = bytearray(open(path, "rb").read())
    data[-1] ^= 1 if "images" in path else 0
    open(path, "wb").write(data)
PYTHON
muster train --resume first --data-dir other --epochs 3 --quiet
expect_code 2
expect_err "safetensors: cannot resume: the run was trained on other data (checksum "
expect_err "training and"
cp first/x/result.json result
python3 -c 'import json; assert json.load(open("result"))["data"].startswith("checksum ")' || fail "no checksum in result.json"

case_ "tasks that cannot find each other are rejected by one message, never separate trainings"
for number in 0 1 2; do
    SLURM_STEP_ID=0 SLURM_STEP_NUM_TASKS=3 SLURM_PROCID=$number muster train $FIGURES --algorithm dsgd --epochs 1 --out "task$number"
    expect_code 2
    expect_no_file "task$number"
    [ $number -gt 0 ] || expect_err "the 3 tasks that were started together cannot find each other"
    [ $number -eq 0 ] || [ -z "$err" ] || fail "task $number prints: $err"
done
PMI_SIZE=2 PMI_RANK=0 muster train $FIGURES --workers 2 --out task
expect_code 2
expect_err "start them by srun --mpi=pmix, or by mpirun of Open MPI"
case_ "a run with a relative data folder is repeated, resumed and evaluated in any folder, with the same bytes"
python3 "$HERE/tiny_mnist.py" numbers
MNIST="--dataset mnist --data-dir numbers --model mlp --quiet"
muster train $MNIST --max-steps 4 --out far
muster train $MNIST --max-steps 2 --out near
mkdir -p other/folder
cd other/folder || exit 1
muster run ../../far/effective.yaml --quiet --out ../../twice
expect_code 0
muster train --resume ../../near --max-steps 4 --quiet
expect_code 0
muster evaluate ../../far ../../far/mlp_mnist/model.safetensors
expect_code 0
cd ../..
for folder in near twice; do expect_same far/mlp_mnist/model.safetensors $folder/mlp_mnist/model.safetensors; done
grep -aq "$WORK" far/mlp_mnist/model.safetensors && fail "the model names a folder of this machine"

case_ "an experiment is resumed in any folder, with its data, links and network"
printf -- '- flatten\n- dense: {out: 10}\n' >net.yaml
printf '0 1\n1 2\n' >chain.txt
cat >inputs.yaml <<'Y'
data: {name: mnist, dir: numbers}
model: net.yaml
transport: {workers: 3}
algorithm: dsgd
graph: {name: file, path: chain.txt}
train: {max_steps: 2}
seed: [1, 2]
Y
muster run inputs.yaml --quiet --out inputs --only seed=1
expect_code 0
(cd other/folder && "$MUSTER" run --resume ../../inputs) >"$WORK/.out" 2>"$WORK/.err"
code=$? err=$(cat "$WORK/.err") out=$(cat "$WORK/.out")
expect_code 0
expect_err "1 of 2 runs had already finished"
expect_file inputs/seed=2/model.safetensors

case_ "a run with a relative floor plan and paths is resumed and evaluated in any folder, with the same bytes"
mkdir -p building/paths
muster plan make building/plan.png --size 200x160 --seed 1
for robot in 1 2; do
    muster plan path building/plan.png --random 4 --seed $robot --border 3 --clearance 3 --spacing 12 --out building/paths/$robot.npy
    expect_code 0
done
LIDAR="--dataset lidar --lidar.plan building/plan.png --lidar.paths ./building/paths/ --lidar.spline-resolution 2 \
    --lidar.test-scans 10 --lidar.border 3 --model fourier_density --workers 2 --algorithm dsgd --batch-size 500 --quiet"
muster train $LIDAR --max-steps 4 --out robots
expect_code 0
muster train $LIDAR --max-steps 2 --out fewer
expect_code 0
cd other/folder || exit 1
muster train --resume ../../fewer --max-steps 4 --quiet
expect_code 0
muster run ../../robots/effective.yaml --quiet --out ../../robots2
expect_code 0
muster evaluate ../../robots
expect_code 0
cd ../..
for folder in fewer robots2; do
    expect_same robots/fourier_density_lidar/model.safetensors $folder/fourier_density_lidar/model.safetensors
done
grep -aq "$WORK" robots/fourier_density_lidar/model.safetensors && fail "the model names a folder of this machine"
(cd other/folder && "$MUSTER" evaluate ../../robots/fourier_density_lidar/model.safetensors >/dev/null) || fail "not evaluated"

case_ "an experiment is the same experiment whatever folder it is called in, but not with another plan"
cat >plans.yaml <<'Y'
data: {name: lidar, plan: building/plan.png, paths: building/paths, spline_resolution: 2, test_scans: 10, border: 3}
model: fourier_density
transport: {workers: 2}
algorithm: dsgd
train: {max_steps: 2, batch_size: 500}
seed: [1, 2]
Y
muster run plans.yaml --quiet --out plans --only seed=1
expect_code 0
(cd other/folder && "$MUSTER" run --resume ../../plans) >"$WORK/.out" 2>"$WORK/.err"
code=$? err=$(cat "$WORK/.err")
expect_code 0
expect_err "1 of 2 runs had already finished"
expect_file plans/seed=2/model.safetensors
sed 's| building/| ../../building/|g' plans.yaml >other/folder/plans.yaml
(cd other/folder && "$MUSTER" run plans.yaml --out ../../plans) >"$WORK/.out" 2>"$WORK/.err"
code=$? err=$(cat "$WORK/.err")
expect_code 0
expect_err "2 of 2 runs had already finished"
cp building/plan.png building/plan2.png
sed 's|plan.png|plan2.png|' plans.yaml >plans2.yaml
muster run plans2.yaml --quiet --out plans
expect_code 2
expect_err "was run with data.plan"

case_ "an experiment whose data have changed between two calls says which runs cannot be compared"
sed 's/Random(1)/Random(2)/' "$HERE/tiny_mnist.py" >tiny2.py
cat >grown.yaml <<'Y'
data: {name: mnist, dir: numbers}
model: mlp
train: {max_steps: 2}
seed: [1]
optimizer: {lr: [0.1, 0.2]}
Y
muster run grown.yaml --quiet --out grown
expect_code 0
expect_no_err "cannot be compared"
rm -r numbers
python3 tiny2.py numbers
sed -i 's/seed: .*/seed: [1, 2]/' grown.yaml
muster run grown.yaml --quiet --out grown
expect_code 0
expect_err "warning: lr=0.1_seed=2 and lr=0.1_seed=1 cannot be compared: the first was trained on data with checksum"
expect_err "train all runs on the same data, in a new folder"

case_ "files of another set under a name are warned about, once in each run, and the right ones are not"
python3 - <<'P'
import pathlib, struct
folder = pathlib.Path("files/fashion-mnist")
folder.mkdir(parents=True)
for part, count in (("train", 1000), ("t10k", 20)):
    images = bytes(73 for _ in range(count * 784))  # 73 / 255 is the mean of Fashion-MNIST
    (folder / f"{part}-images-idx3-ubyte").write_bytes(struct.pack(">IIII", 2051, count, 28, 28) + images)
    (folder / f"{part}-labels-idx1-ubyte").write_bytes(struct.pack(">II", 2049, count) + bytes(i % 10 for i in range(count)))
P
muster train --dataset mnist --data-dir files/fashion-mnist --model mlp --max-steps 1 --out digits
expect_code 0
expect_err "warning: files/fashion-mnist: the mean of the pixels is 0.2863, and that of mnist is 0.1307; these seem to be the files of fashion_mnist"
[ "$(grep -c "mean of the pixels" <<<"$err")" -eq 1 ] || fail "told more than once: $err"
muster train --dataset fashion_mnist --data-dir files --model mlp --max-steps 1 --out clothes
expect_code 0
expect_no_err "mean of the pixels"

finish
