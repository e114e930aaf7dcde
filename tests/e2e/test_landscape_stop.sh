# A landscape that is stopped or killed is continued by the same command, to the same numbers.
. "$(dirname "$0")/lib_workers.sh"

trained run --batch-size 16 --model mnist_conv --epochs 1 --saves-per-epoch 3 --no-report
PARTIAL=landscape.partial
HEADER=200 # bytes; records have 24

# Starts a landscape, waits until it has measured some points, and sends a signal. One that came to its end before is
# tried again with a finer grid, which stays in `grid`: stopped_landscape SIGNAL FOLDER
stopped_landscape() {
    local signal=$1 folder=$2
    for grid in 40 80 160; do
        rm -rf "$folder"
        "$MUSTER" landscape run --grid $grid --out "$folder" >/dev/null 2>"$WORK/.err" &
        local pid=$!
        while kill -0 $pid 2>/dev/null && [ "$(stat -c %s "$folder/$PARTIAL" 2>/dev/null || echo 0)" -lt $((HEADER + 24 * 50)) ]; do
            sleep 0.01
        done
        kill "-$signal" $pid 2>/dev/null
        wait $pid 2>/dev/null
        code=$?
        err=$(cat "$WORK/.err")
        [ $code -ne 0 ] && return
    done
}

case_ "Ctrl-C keeps what is measured, and says so"
stopped_landscape INT part
expect_code 75
expect_err "warning: stopped by SIGINT after "
expect_err "of $((grid * grid + 8)) points; the same command resumes"
expect_file part/$PARTIAL
expect_no_file part/landscape.json
expect_no_file part/landscape.html

case_ "the same command continues to the same losses, and the file is removed"
muster landscape run --grid $grid --out part
expect_code 0
expect_err "resuming: "
expect_err "of $((grid * grid + 8)) points are measured already"
expect_no_file part/$PARTIAL
muster landscape run --grid $grid --out whole
expect_code 0
expect_no_err "resuming"
expect_no_file whole/$PARTIAL
for file in landscape.npy landscape_path.npy landscape.json; do
    expect_same part/$file whole/$file
done

case_ "a killed one too, and what it had measured is not measured again"
stopped_landscape KILL part
[ $code -gt 128 ] || fail "code $code"
python3 - part/$PARTIAL <<'P' || fail "no record to change"
import struct, sys
data = bytearray(open(sys.argv[1], "rb").read())
version, key = struct.unpack_from("<II", data, 8)
begin = 24 + key + 4
def crc32c(part):
    crc = 0xFFFFFFFF
    for byte in part:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF
assert version == 2 and crc32c(data[: begin - 4]) == struct.unpack_from("<I", data, begin - 4)[0], "another header"
record = data[begin : begin + 20]
assert crc32c(record) == struct.unpack_from("<I", data, begin + 20)[0], "another checksum"
struct.pack_into("<d", record, 8, 123.25)
data[begin : begin + 24] = record + struct.pack("<I", crc32c(record))
open(sys.argv[1], "wb").write(data + b"cut off")
P
muster landscape run --grid $grid --out part
expect_code 0
expect_err "points are measured already"
/usr/bin/python3 -c 'import numpy; assert (numpy.load("part/landscape.npy")[2] == 123.25).sum() == 1' || fail "measured again"

case_ "with other inputs, or --again, it starts from the beginning"
stopped_landscape INT part
cp -r part other
muster landscape run --grid 3 --out part
expect_code 0
expect_no_err "resuming"
expect_no_file part/$PARTIAL
muster landscape run --grid $grid --again --out other
expect_code 0
expect_no_err "resuming"
muster landscape run --grid $grid --out fresh
expect_same other/landscape.npy fresh/landscape.npy

case_ "--quiet says nothing of it"
stopped_landscape TERM part
expect_err "stopped by SIGTERM"
muster landscape run --grid $grid --out part --quiet
expect_code 0
[ -z "$err" ] || fail "stderr: $err"

finish
