# The code in docs/howto/extend.md is built as the page says, passes the tests, and its commands run.
. "$(dirname "$0")/lib.sh"

targets="muster test_ring test_algorithms test_partitions test_layers test_problems test_fields"

case_ "the files and lines of docs/howto/extend.md fit into the source tree"
mkdir tree
cp -r "$SOURCE_DIR"/{CMakeLists.txt,cmake,src,tests} tree/
python3 "$SOURCE_DIR/tests/e2e/docs_commands.py" extend "$SOURCE_DIR" tree >found 2>&1 ||
    fail "$(cat found)"

case_ "the tree builds with them, without a warning"
# Nothing here is timed, and unoptimised code is built several times sooner.
cmake -S tree -B build -G Ninja -DCMAKE_BUILD_TYPE=Debug -DMUSTER_WERROR=ON -DMUSTER_MPI=OFF >log 2>&1 &&
    cmake --build build --target $targets >>log 2>&1 || fail "$(tail -n 20 log)"

case_ "a problem, a partition and a layer pass the tests that all of their kind pass"
for test in ring partitions layers problems fields; do
    "build/tests/test_$test" >log 2>&1 || fail "test_$test: $(grep -v '^ok' log | tail -n 5)"
done

case_ "the algorithm passes the conformance suite"
build/test_algorithms ring >log 2>&1 || fail "test_algorithms: $(grep -v '^ok' log | tail -n 5)"
MUSTER=$WORK/build/muster SOURCE_DIR=$WORK/tree bash tree/tests/e2e/test_algorithms.sh ring >log 2>&1 ||
    fail "test_algorithms.sh: $(grep -v '^ok' log | tail -n 5)"

case_ "algorithms find the line of the problem, and a resumed run ends with the same bits"
for a in sync ring; do
    build/muster train --problem line --algorithm $a --workers 3 --lr 0.5 --quiet --out "line_$a" >log 2>&1 || fail "$(cat log)"
    grep -q "^distance to line " log || fail "no distance: $(cat log)"
    python3 -c 'import json,sys; assert json.load(open(sys.argv[1]))["distance_to_line"] < 1e-5' "line_$a/line/result.json" ||
        fail "$a does not find the line: $(cat log)"
done
build/muster train --problem line --algorithm ring --workers 3 --lr 0.5 --epochs 2 --quiet --out part >log 2>&1 &&
    build/muster train --resume part --epochs 6 --quiet >log 2>&1 || fail "$(cat log)"
expect_same line_ring/line/model.safetensors part/line/model.safetensors

case_ "every command of docs/howto/extend.md runs"
MUSTER=$WORK/build/muster python3 "$SOURCE_DIR/tests/e2e/docs_commands.py" commands "$SOURCE_DIR" \
    docs/howto/extend.md >found 2>&1
while IFS= read -r line; do fail "$line"; done <found

finish
