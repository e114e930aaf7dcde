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
expect_err "2 of 2 runs had finished before"
printf '0 1\n1 2\n0 2\n' >links.txt
muster run study.yaml --quiet --out study
expect_code 2
expect_err "graph.links"

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
finish
