# The code in docs/extend.md is built as the page says, passes the tests, and its commands run.
. "$(dirname "$0")/lib.sh"

targets="muster test_line test_partitions test_layers test_fields"

case_ "the files and lines of docs/extend.md fit into the source tree"
mkdir tree
cp -r "$SOURCE_DIR"/{CMakeLists.txt,cmake,src,tests} tree/
python3 "$SOURCE_DIR/tests/e2e/docs_commands.py" extend "$SOURCE_DIR" tree >found 2>&1 ||
    fail "$(cat found)"

case_ "the tree builds with them, without a warning"
# Nothing here is timed, and unoptimised code is built several times sooner.
cmake -S tree -B build -G Ninja -DCMAKE_BUILD_TYPE=Debug -DMUSTER_WERROR=ON -DMUSTER_MPI=OFF >log 2>&1 &&
    cmake --build build --target $targets >>log 2>&1 || fail "$(tail -n 20 log)"

case_ "a problem, a partition and a layer pass the tests that all of their kind pass"
for test in line partitions layers fields; do
    "build/tests/test_$test" >log 2>&1 || fail "test_$test: $(grep -v '^ok' log | tail -n 5)"
done

case_ "every command of docs/extend.md runs"
MUSTER=$WORK/build/muster python3 "$SOURCE_DIR/tests/e2e/docs_commands.py" commands "$SOURCE_DIR" \
    docs/extend.md >found 2>&1
while IFS= read -r line; do fail "$line"; done <found

finish
