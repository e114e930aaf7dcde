# lib_download.sh - for scripts about downloads: the files of Fashion-MNIST, and a server on this machine that fails in the ways in
# which servers fail (download_server.py): $URL/<way>/<file>, or $URL/<way>/fashion-mnist/<file>. log has the requests.
. "$(dirname "${BASH_SOURCE[0]}")/lib_workers.sh"

export XDG_DATA_HOME=$WORK/home no_proxy=127.0.0.1 NO_PROXY=127.0.0.1
IMAGES=train-images-idx3-ubyte.gz
python3 "$HERE/fashion_originals.py" originals || exit 1
(cd originals && sha256sum -- *) >sums
ln -s . originals/fashion-mnist

python3 "$HERE/download_server.py" originals port log >server.txt 2>&1 &
server=$!
trap 'kill $server; wait 2>/dev/null; rm -rf "$WORK"' EXIT
for _ in $(seq 100); do [ -s port ] && break || sleep 0.1; done
URL=http://127.0.0.1:$(cat port)

expect_installed() {
    (cd "$1/fashion-mnist" && sha256sum -c --quiet "$WORK/sums") || fail "$1 has other files"
    [ "$(ls -A "$1/fashion-mnist" | wc -l)" -eq 4 ] || fail "$1 has more files: $(ls -A "$1/fashion-mnist")"
}
