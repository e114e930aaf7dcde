# The pages say what is true: their commands run, their links lead somewhere.
. "$(dirname "$0")/lib.sh"

case_ "docs/reference/config.md is what muster help config prints"
muster help config
expect_code 0
diff "$SOURCE_DIR/docs/reference/config.md" "$WORK/.out" >"$WORK/.diff" ||
    fail "make it again: muster help config > docs/reference/config.md; $(head -n 4 "$WORK/.diff" | tr '\n' ' ')"

case_ "the tables of docs/reference/algorithms/README.md are what the algorithms declare"
cp "$SOURCE_DIR/docs/reference/algorithms/README.md" tables.md
python3 "$SOURCE_DIR/tools/algorithm_tables.py" "$MUSTER" tables.md || fail "no tables"
diff "$SOURCE_DIR/docs/reference/algorithms/README.md" tables.md >"$WORK/.diff" ||
    fail "make them again: tools/algorithm_tables.py build/release/muster; $(head -n 4 "$WORK/.diff" | tr '\n' ' ')"

case_ "docs/reference/commands.md is what muster help prints"
python3 "$SOURCE_DIR/tools/command_pages.py" "$MUSTER" commands.md || fail "no page"
diff "$SOURCE_DIR/docs/reference/commands.md" commands.md >"$WORK/.diff" ||
    fail "make it again: tools/command_pages.py build/release/muster; $(head -n 4 "$WORK/.diff" | tr '\n' ' ')"

# Runs a check of the pages and tells each of its findings.
check_pages() {
    MUSTER=$MUSTER python3 "$SOURCE_DIR/tests/e2e/docs_commands.py" "$1" "$2" >"$WORK/.found" 2>&1
    code=$?
    while IFS= read -r line; do fail "$line"; done <"$WORK/.found"
}

case_ "every command in README.md and docs/ runs"
check_pages commands "$SOURCE_DIR"

case_ "the newest version of CHANGELOG.md is the program's"
newest=$(sed -n 's/^## \[\([0-9.]*\)\].*/\1/p' "$SOURCE_DIR/CHANGELOG.md" | head -n 1)
muster --version
[ "$out" = "muster $newest" ] || fail "CHANGELOG.md begins with version '$newest', but this is $out"

case_ "every relative link in the pages leads to a file and a heading"
check_pages links "$SOURCE_DIR"

case_ "a command, an output, a piece of Python and a link that are wrong are found"
mkdir -p planted/docs
cat >planted/README.md <<'PAGE'
[gone](docs/gone.md) and [no heading](#nowhere)

    $ muster train --dataset figures --epochz 1

<!-- output -->

    $ muster models lenet5
    parameters       61707 (246.8 kB)

```python
import json
open("no-such-run/result.json")
```
PAGE
planted() {
    out=$(python3 "$SOURCE_DIR/tests/e2e/docs_commands.py" "$1" planted)
    code=$?
    expect_code 1
}
planted commands
expect_out "README.md:3: exit code 2, not 0"
expect_out "the program does not say: parameters       61707"
expect_out "README.md:11: exit code 1 of this Python"
planted links
expect_out "docs/gone.md, which does not exist"
expect_out "#nowhere: there is no such heading"

finish
