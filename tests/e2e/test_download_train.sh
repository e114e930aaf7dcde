# --download: runs and experiments that fetch their data set, from a server on this machine.
. "$(dirname "$0")/lib_download.sh"

export MUSTER_MIRROR=$URL/good
QUICK="--dataset fashion_mnist --model mlp --max-steps 2 --no-save"

case_ "a missing data set is an error that names the command to get it, and nothing is downloaded"
: >log
muster train $QUICK --data-dir none --out none_out
expect_code 3
expect_err "data set fashion_mnist not found"
expect_err "to get it: muster data get fashion_mnist --dir none, or "
expect_no_file none
[ -s log ] && fail "requests: $(cat log)"

case_ "with --download a run fetches it and says so, and the next run finds it"
muster train $QUICK --data-dir one --download --out one_out
expect_code 0
expect_err "data set fashion_mnist is not here; downloading it"
expect_err "fashion_mnist is in one/fashion-mnist"
expect_installed one
grep -q 'download: true' one_out/effective.yaml || grep -rq 'download: true' one_out || fail "not in effective.yaml"
: >log
muster train $QUICK --data-dir one --download --out two_out
expect_code 0
expect_no_err "downloading"
[ -s log ] && fail "requests: $(cat log)"

case_ "whether the data were downloaded does not change the model"
for flag in "" --download; do
    muster train --dataset figures --figures.train-count 200 --figures.test-count 20 --model mlp --max-steps 2 --quiet --name x --out "model$flag" $flag
    expect_code 0
done
expect_same model/x/model.safetensors model--download/x/model.safetensors

case_ "a download that fails is the error of the run, with its address, before any file is written"
MUSTER_MIRROR=$URL/missing muster train $QUICK --data-dir four --download --out four_out
expect_code 3
expect_err "error: $URL/missing/fashion-mnist/$IMAGES: the server answers 404 (not found)"
expect_no_file four_out

case_ "an experiment downloads what its runs need, once, before the first one; a list does not"
cat >study.yaml <<'Y'
data: {name: fashion_mnist, dir: five, download: true}
model: mlp
train: {max_steps: 2}
seed: [1, 2]
Y
: >log
muster run study.yaml --list
expect_code 0
[ -s log ] && fail "requests: $(cat log)"
muster run study.yaml --no-save --out five_out
expect_code 0
[ "$(wc -l <log)" -eq 4 ] || fail "requests: $(cat log)"
expect_installed five
muster run study.yaml --no-save --out five_out
expect_code 0
expect_err "2 of 2 runs had already finished"
sed 's/, download: true//' study.yaml >plain.yaml
muster run plain.yaml --no-save --out five_out
expect_code 0
expect_err "2 of 2 runs had already finished"

case_ "S001's layout downloads to an empty data_dir, unless that is switched off, and a failure names the command"
sed '/^\.\.\.$/d; s,data_dir: .*,data_dir: "data/",' "$HERE/s001_template.yaml" >template.yaml
mkdir data
: >log
MUSTER_MIRROR=$URL/missing muster run template.yaml --max-steps 1 --data.download false --out s001
expect_code 3
expect_err "to get it: muster data get mnist --dir data/, or "
MUSTER_MIRROR=$URL/missing muster run template.yaml --list
expect_code 0
[ -s log ] && fail "requests: $(cat log)"
MUSTER_MIRROR=$URL/missing muster run template.yaml --max-steps 1 --out s001
expect_code 3
expect_err "data set mnist is not here; downloading it"
expect_err "$URL/missing/mnist/$IMAGES: the server answers 404 (not found)"
expect_err "data set mnist is missing; to get it: muster data get mnist --dir data/"
[ -d data/mnist ] || fail "not in data_dir"
MUSTER_MIRROR=http://127.0.0.1:1 muster run template.yaml --max-steps 1 --out s001
expect_code 3
expect_err "to get it: muster data get mnist --dir data/"
expect_no_file s001
mkdir fashion
sed 's,data_dir: .*,data_dir: "fashion/"\n  dataset: fashion_mnist,' template.yaml >fashion.yaml
: >log
MUSTER_DATA=$WORK/one muster run fashion.yaml --max-steps 1 --no-save --out s001
expect_code 0
expect_err "data_dir: fashion/ has no fashion_mnist; using the one in $WORK/one/fashion-mnist"
[ -s log ] && fail "requests: $(cat log)"

under_mpirun 1 --version
if [ "$code" -ne 77 ]; then
    case_ "of several processes one downloads, and a failure is one message"
    : >log
    under_mpirun 2 train $QUICK --algorithm sync --data-dir six --download --out six_out
    expect_code 0
    [ "$(wc -l <log)" -eq 4 ] || fail "requests: $(cat log)"
    expect_installed six
    sed 's/five/seven/; s/^train/transport: {workers: 2}\ntrain/' study.yaml >both.yaml
    : >log
    under_mpirun 2 run both.yaml --no-save --out seven_out
    expect_code 0
    [ "$(wc -l <log)" -eq 4 ] || fail "requests: $(cat log)"
    expect_installed seven
    export MUSTER_MIRROR=$URL/missing
    under_mpirun 2 train $QUICK --algorithm sync --data-dir eight --download --out eight_out
    expect_code 3
    expect_one_error "the server answers 404 (not found)"
    sed 's/five/nine/' study.yaml >both.yaml
    under_mpirun 2 run both.yaml --no-save --out nine_out
    expect_code 3
    expect_one_error "the server answers 404 (not found)"
fi

finish
