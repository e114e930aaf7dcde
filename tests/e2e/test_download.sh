# muster data get and verify, from a server on this machine that fails in the ways in which servers fail.
. "$(dirname "$0")/lib_download.sh"

get() { # WAY DIR [FLAG...]
    local way=$1 dir=$2
    shift 2
    : >log
    muster data get fashion_mnist --dir "$dir" --from "$URL/$way" "$@"
}
expect_nothing_installed() {
    ls "$1"/fashion-mnist/*.gz >/dev/null 2>&1 && fail "$1 has $(ls "$1/fashion-mnist")"
    muster data show fashion_mnist --data-dir "$1"
    expect_code 3
}
part_size() { stat -c %s "$1/fashion-mnist/$IMAGES.part"; }
wait_for_part() { for _ in $(seq 200); do [ -s "$1/fashion-mnist/$IMAGES.part" ] && break || sleep 0.05; done; }

case_ "a data set is downloaded, checked and found; a second call downloads nothing"
get good whole
expect_code 0
expect_out "fashion_mnist is in whole/fashion-mnist"
expect_err "downloading $URL/good/$IMAGES (26.4 MB)"
expect_installed whole
[ "$(wc -l <log)" -eq 4 ] || fail "requests: $(cat log)"
muster data show fashion_mnist --data-dir whole --count 0
expect_out "from whole/fashion-mnist"
expect_out "60000 training and 10000 test samples"
get good whole
expect_code 0
expect_out "fashion_mnist is in whole/fashion-mnist"
[ -s log ] && fail "requests: $(cat log)"

case_ "without --dir it goes to MUSTER_DATA, and an intact one elsewhere is enough"
MUSTER_DATA=$WORK/named muster data get fashion_mnist --from "$URL/missing"
expect_code 0
expect_out "fashion_mnist is in /usr/share/datasets/fashion-mnist"
expect_no_file named
MUSTER_DATA=$WORK/named muster data get mnist --from "$URL/missing"
expect_code 3
expect_err "$URL/missing/train-images-idx3-ubyte.gz: the server answers 404 (not found)"
[ -d named/mnist ] || fail "not in MUSTER_DATA"
muster data get mnist --from "$URL/missing"
expect_code 3
[ -d home/muster/mnist ] || fail "not in the user's data folder"

case_ "verify prints a line for each file, and finds what is missing, changed, cut or plain"
muster data verify fashion_mnist --data-dir whole
expect_code 0
[ "$(grep -c '^right ' <<<"$out")" -eq 4 ] || fail "$out"
muster data verify fashion_mnist # Debian's files have other gzip headers
expect_code 0
expect_out "fashion_mnist in /usr/share/datasets/fashion-mnist"
mkdir -p damaged/fashion-mnist
cp whole/fashion-mnist/* damaged/fashion-mnist
cd damaged/fashion-mnist || exit 1
gunzip $IMAGES t10k-labels-idx1-ubyte.gz
printf x | dd of=${IMAGES%.gz} conv=notrunc bs=1 seek=5000 2>/dev/null
head -c 1000 "$WORK/originals/t10k-images-idx3-ubyte.gz" >t10k-images-idx3-ubyte.gz
rm train-labels-idx1-ubyte.gz
cd "$WORK" || exit 1
muster data verify fashion_mnist --data-dir damaged
expect_code 3
expect_out "wrong    train-images-idx3-ubyte: its SHA-256 is "
expect_out "missing  train-labels-idx1-ubyte"
expect_out "wrong    t10k-images-idx3-ubyte.gz: ends in the middle of its gzip data"
expect_out "right    t10k-labels-idx1-ubyte"
expect_err "3 of 4 files of fashion_mnist are missing or wrong"
get good damaged
expect_code 3
expect_err "has other files that are wrong; remove them"
rm damaged/fashion-mnist/${IMAGES%.gz}
get good damaged
expect_code 0
muster data verify fashion_mnist --data-dir damaged
expect_code 0

case_ "a connection that breaks off is resumed by the same call"
get breaks breaks
expect_code 0
expect_err "the connection ended after 9000000 of 26421880 bytes; trying again"
expect_installed breaks
grep -qx "/breaks/$IMAGES bytes=18000000-" log || fail "requests: $(cat log)"

case_ "what a failed download has is kept, and a later call requests the rest"
get dead dead
expect_code 3
expect_err "error: $URL/dead/$IMAGES: the connection ended after 9000000 of 26421880 bytes"
expect_nothing_installed dead
[ "$(part_size dead)" -eq 9000000 ] || fail "part of $(part_size dead) bytes"
cp -r dead dead2
cp -r dead dead3
cp -r dead dead4
get good dead
expect_code 0
expect_err ", the rest of it"
grep -qx "/good/$IMAGES bytes=9000000-" log || fail "requests: $(cat log)"
expect_installed dead

case_ "a server without ranges restarts"
get norange dead2
expect_code 0
expect_installed dead2

case_ "a server that sends another range is rejected, and so are its bytes"
get otherrange dead3
expect_code 3
expect_err "the server sends another part of the file than was requested"
expect_no_file dead3/fashion-mnist/$IMAGES.part
expect_nothing_installed dead3

case_ "a part of another file is noticed, and the next call restarts"
head -c 9000000 /dev/urandom >dead4/fashion-mnist/$IMAGES.part
get good dead4
expect_code 3
expect_err "the downloaded bytes are wrong and were removed"
expect_no_file dead4/fashion-mnist/$IMAGES.part
get good dead4
expect_code 0
expect_installed dead4

case_ "wrong bytes are rejected and removed, and nothing is installed"
get wrong wrong
expect_code 3
expect_err "error: $URL/wrong/$IMAGES: the downloaded bytes are wrong and were removed: "
expect_err "its SHA-256 is "
expect_nothing_installed wrong
expect_no_file wrong/fashion-mnist/$IMAGES.part
expect_no_file wrong/fashion-mnist/.lock

case_ "wrong sizes are rejected, whether the server says them or not"
get short short
expect_code 3
expect_err "the file at this address has 26421873 bytes, not 26421880"
get long long
expect_code 3
expect_err "the file at this address has 26421887 bytes, not 26421880"
get endless endless
expect_code 3
expect_err "the file at this address has more than 26421880 bytes"
for way in short long endless; do
    expect_nothing_installed $way
    expect_no_file $way/fashion-mnist/$IMAGES.part
done
get cut cut
expect_code 3
expect_err "the connection ended after 1000 of 26421880 bytes"
expect_nothing_installed cut

case_ "answers of the server are reported: 404 at once, 500 after some attempts"
get missing none
expect_code 3
expect_err "error: $URL/missing/$IMAGES: the server answers 404 (not found)"
[ "$(wc -l <log)" -eq 1 ] || fail "requests: $(cat log)"
expect_nothing_installed none
get broken none
expect_code 3
expect_err "error: $URL/broken/$IMAGES: the server answers 500"
[ "$(wc -l <log)" -eq 3 ] || fail "requests: $(cat log)"
muster data get fashion_mnist --dir none --from http://127.0.0.1:1
expect_code 3
expect_err "error: http://127.0.0.1:1/$IMAGES: Failed to connect"

case_ "a server that sends nothing, or nothing more, is given up"
get silent silent --timeout 1
expect_code 3
expect_err "the server has sent nothing for 1 s (0 of 26421880 bytes)"
get hangs silent --timeout 1
expect_code 3
expect_err "the server has sent nothing for 1 s (1000 of 26421880 bytes)"
expect_nothing_installed silent
get good silent --timeout 0
expect_code 2
expect_err '--timeout: "0" is not a whole number in [1, 86400]'

case_ "redirects are followed, but not in circles and not to files of this machine"
get moved moved
expect_code 0
expect_installed moved
get loop loop
expect_code 3
expect_err "redirects"
get tofile tofile
expect_code 3
expect_nothing_installed tofile

case_ "a folder of this machine serves as well"
muster data get fashion_mnist --dir local --from "file://$WORK/originals" --quiet
expect_code 0
[ -z "$err" ] || fail "prints: $err"
expect_installed local
muster data get fashion_mnist --dir local2 --from "file://$WORK/nothing"
expect_code 3
muster data get fashion_mnist --dir local2 --from "ftp://127.0.0.1/x"
expect_code 3
expect_err "ftp"

case_ "a download that was killed is resumed"
"$MUSTER" data get fashion_mnist --dir killed --from "$URL/slow" 2>/dev/null &
process=$!
wait_for_part killed
kill -9 $process
wait $process 2>/dev/null
size=$(part_size killed)
[ "$size" -gt 0 ] && [ "$size" -lt 26421880 ] || fail "part of $size bytes"
get good killed
expect_code 0
grep -qx "/good/$IMAGES bytes=$size-" log || fail "after $size bytes: $(cat log)"
expect_installed killed

case_ "a signal stops it, with exit code 75 and the part that is there"
for signal in INT TERM; do
    setsid "$MUSTER" data get fashion_mnist --dir "stopped$signal" --from "$URL/slow" 2>"stopped$signal.err" &
    process=$!
    wait_for_part "stopped$signal"
    python3 -c 'import os, signal, sys; os.kill(int(sys.argv[1]), getattr(signal, "SIG" + sys.argv[2]))' $process $signal
    wait $process
    code=$? err=$(cat "stopped$signal.err")
    expect_code 75
    expect_err "stopped by SIG$signal; stopped$signal/fashion-mnist/$IMAGES.part has "
    expect_err " of 26421880 bytes, and the same command resumes"
    expect_no_file "stopped$signal/fashion-mnist/.lock"
    get good "stopped$signal"
    expect_code 0
    expect_installed "stopped$signal"
done

case_ "a full disk is reported, and the download resumes when there is room"
(ulimit -f 4000 && "$MUSTER" data get fashion_mnist --dir full --from "$URL/good") >/dev/null 2>full.err
code=$? err=$(cat full.err)
expect_code 3
expect_err "error: full/fashion-mnist/$IMAGES.part: cannot write: File too large"
expect_nothing_installed full
get good full
expect_code 0
expect_installed full
mkdir -p unwritable/fashion-mnist/$IMAGES.part
get good unwritable
expect_code 3
expect_err "unwritable/fashion-mnist/$IMAGES.part: cannot create the file: Is a directory"

case_ "two processes do not download into one folder at once"
"$MUSTER" data get fashion_mnist --dir both --from "$URL/slow" >both.out 2>both.err &
process=$!
wait_for_part both
get good both
expect_code 3
expect_err "both/fashion-mnist: the folder is in use by process $process on "
wait $process || fail "the first one: $(cat both.err)"
expect_installed both

case_ "what cannot be downloaded says why"
muster data get figures
expect_code 2
expect_err "data set figures is generated: there is nothing to download"
muster data verify figures
expect_code 2
expect_err "data set figures has no published files to compare with"
muster data get fashoin_mnist
expect_code 2
expect_err "fashion_mnist"
muster data get
expect_code 2
expect_err "muster data get needs the name of a data set"
muster data verify mnist --data-dir nowhere
expect_code 3
expect_err "data set mnist not found"
expect_err "to get it: muster data get mnist --dir nowhere, or "

finish
