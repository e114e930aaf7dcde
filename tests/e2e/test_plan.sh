# `muster plan`: floor plans are made, prepared, drawn and edited; and mistakes.
. "$(dirname "$0")/lib.sh"

case_ "without a verb, or with a wrong one, it lists the verbs"
muster plan
expect_code 2
expect_err "muster plan needs one of these: make"
muster plan mkae
expect_code 2
expect_err 'muster plan: "mkae" is not one of these: make'
muster plan --help
expect_code 0
expect_out "make: generates a building"

case_ "make writes a plan and says what it is"
muster plan make a.png --size 300x200 --seed 4
expect_code 0
expect_out "300 x 200 pixels, "
expect_out "1 connected free area"
expect_file a.png
muster plan make b.png --size 300x200 --seed 4
expect_same a.png b.png
muster plan make b.png --size 300x200 --seed 5
expect_different a.png b.png
muster plan make usual.png
expect_code 0
expect_out "2167 x 1608 pixels, 3"

case_ "make: mistakes are one line"
muster plan make
expect_code 2
expect_err "muster plan make needs the name of the PNG file to write"
for size in 300 300x 63x300 300x8193 axb 3e2x200 -300x200; do
    muster plan make c.png --size=$size
    expect_code 2
    expect_err "--size: \"$size\" is not a width and a height such as 800x600, each in [64, 8192]"
done
muster plan make c.png --walls 51
expect_code 2
expect_err '--walls: "51" is not a whole number in [0, 50]'
muster plan make c.png --seed -1
expect_code 2
muster plan make no/where/c.png
expect_code 3
expect_no_file c.png
echo "my notes" >notes.txt
muster plan make notes.txt
expect_code 2
expect_err "notes.txt: exists and is another kind of file"
muster plan make notes.txt --size 64x64 --force
expect_code 0

finish
