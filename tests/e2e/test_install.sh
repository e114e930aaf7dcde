# An installation is complete: it works wherever it is, without the sources and the build.
. "$(dirname "$0")/lib_workers.sh"
BUILD=$(dirname "$MUSTER")

case_ "cmake --install installs the program, its modules, the experiments and the documents"
cmake --install "$BUILD" --prefix "$WORK/first" >"$WORK/.out" 2>&1 || fail "$(cat "$WORK/.out")"
mv first moved # nothing may remember the prefix
for file in bin/muster share/muster/experiments/reproduce/R1.yaml share/doc/muster/README.md share/doc/muster/docs/reference/training.md; do
    expect_file "moved/$file"
done
if [ -e "$BUILD/libmuster_mpi.so" ]; then
    [ -n "$(find moved/lib* -name libmuster_mpi.so)" ] || fail "the module of mpi is missing"
fi

# Runs a command of the shell where the sources and the build are empty folders.
hidden() {
    unshare --map-root-user --mount bash -c "mount -t tmpfs none '$SOURCE_DIR' &&
        { [ ! -d '$BUILD' ] || mount -t tmpfs none '$BUILD'; } && cd '$WORK' && $1" >"$WORK/.out" 2>"$WORK/.err"
    code=$?
    out=$(cat "$WORK/.out")
    err=$(cat "$WORK/.err")
}

case_ "it trains and finds its experiments with the sources out of reach"
if unshare --map-root-user --mount true 2>/dev/null; then
    hidden "[ ! -e '$MUSTER' ] && moved/bin/muster train --dataset figures --figures.train-count 200 \
        --figures.test-count 40 --epochs 1 --quiet --out run && moved/bin/muster reproduce"
    expect_code 0
    expect_out "R1"
    expect_file run/lenet5_figures/model.safetensors
else
    echo "# skipped: this system allows no mount namespaces"
fi

case_ "under mpirun it opens the installed module"
if [ -e "$BUILD/libmuster_mpi.so" ] && [ -x "$(command -v mpirun)" ]; then
    MUSTER=$WORK/moved/bin/muster under_mpirun 2 train $FIGURES --epochs 1 --algorithm sync --quiet --out two
    expect_code 0
    grep -q '"transport": *"mpi"' two/x/result.json || fail "it did not use mpi: $(cat two/x/result.json)"
fi
finish
