# The pictures of docs/pictures/ are what tools/make_pictures.py makes by this program.
. "$(dirname "$0")/lib.sh"

folder=$SOURCE_DIR/docs/pictures

# Checks a folder; its findings are in $out.
check_folder() {
    out=$(python3 -B "$SOURCE_DIR/tools/make_pictures.py" --check "$MUSTER" "$1" 2>"$WORK/.err")
    code=$?
    err=$(cat "$WORK/.err")
}

case_ "every picture is what the script and the program make"
check_folder "$folder"
expect_code 0
[ -z "$out" ] || fail "$out"

case_ "pictures that are changed, missing or too many are found"
cp -r "$folder" planted
sed -i 's/3000 samples/4000 samples/' planted/partitions.svg
rm planted/run.svg
cp planted/graphs.svg planted/other.svg
check_folder planted
expect_code 1
expect_out "planted/partitions.svg: not what the program and the script make"
expect_out "planted/run.svg: missing"
expect_out "planted/other.svg: not made by tools/make_pictures.py"
[ "$(wc -l <<<"$out")" -eq 3 ] || fail "other findings: $out"

case_ "a picture has a title, a description and both colour schemes, and its text is within it"
for picture in "$folder"/*.svg; do
    python3 - "$picture" <<'PYTHON' || fail "$(basename "$picture")"
import sys, xml.etree.ElementTree as tree
SVG = "{http://www.w3.org/2000/svg}"
root = tree.parse(sys.argv[1]).getroot()
assert root.find(SVG + "title").text and root.find(SVG + "desc").text
assert "prefers-color-scheme: dark" in root.find(SVG + "style").text
_, _, width, height = map(float, root.get("viewBox").split())
for text in root.iter(SVG + "text"):
    size, x = float(text.get("font-size")), float(text.get("x"))
    long = 0.5 * size * len(text.text)  # of a narrow font
    left = x - long * {"middle": 0.5, "end": 1}.get(text.get("text-anchor"), 0)
    assert size >= 11 and 0 <= left and left + long <= width, text.text
    assert size < float(text.get("y")) < height, text.text
PYTHON
done

case_ "every picture is shown on a page"
for picture in "$folder"/*.svg; do
    name=$(basename "$picture")
    grep -rqF --include=*.md "pictures/$name)" "$SOURCE_DIR/docs" "$SOURCE_DIR/ARCHITECTURE.md" ||
        fail "no page shows $name"
done

finish
