# An experiment file that cannot run: one line with file, line, column and key, before anything is
# computed, and no folder is left behind.
. "$(dirname "$0")/lib.sh"

DATA='data: {name: figures, train_count: 240, test_count: 40}'

# Runs the lines as bad.yaml: bad LINE...
bad() {
    printf '%s\n' "$@" >bad.yaml
    muster run bad.yaml --quiet --out out
}

# refused WHERE PART...: one line of error that begins at WHERE and has the parts.
refused() {
    expect_code 2
    [ "$(grep -c . <<<"$err")" -eq 1 ] || fail "more than one line: $err"
    case $err in
    "error: bad.yaml:$1: "*) ;;
    *) fail "not at bad.yaml:$1: $err" ;;
    esac
    shift
    for part in "$@"; do expect_err "$part"; done
    expect_no_file out
}

case_ "an unknown algorithm"
bad "$DATA" 'algorithm: {name: dsgx}'
refused 2:13 dsgx "did you mean dsgd"

case_ "an unknown key, and a value of the wrong type"
bad "$DATA" 'algorithm:' '  name: cadmm' '  rho_initt: 0.5'
refused 4:3 algorithm.rho_initt "did you mean rho_init"
bad "$DATA" 'algorithm:' '  name: cadmm' '  rho_init: big'
refused 4:3 algorithm.rho_init "big is not a number"
bad "$DATA" 'train: {epochs: 1.5}'
refused 2:9 train.epochs 1.5
bad "$DATA" 'train: [1, 2]'
expect_code 2
expect_err "bad.yaml:2:"

case_ "a key that is missing"
bad "$DATA" 'transport: {workers: 4}' 'algorithm: dsgd' 'graph: {name: file}'
refused 4:1 graph.path

case_ "more label blocks than labels, before the data are looked for"
bad 'data: {name: mnist, dir: nowhere}' 'transport: {workers: 12}' 'algorithm: dsgd' 'partition: hetero'
refused 4:1 partition: "12 workers and 10 labels"
bad 'data: {name: cifar10, dir: nowhere}' 'transport: {workers: 11}' 'partition:' '  name: hetero'
refused 3:1 partition: "11 workers and 10 labels"

case_ "a graph that is not connected"
bad "$DATA" 'transport: {workers: 5}' 'algorithm: dsgd' 'graph:' '  name: erdos_renyi' '  p: 0.01'
refused 6:3 graph.p "0.01 connects no"
bad "$DATA" 'transport: {workers: 4}' 'algorithm: dsgd' \
    'graph: {name: disk, radius: 1, positions: "0 0, 1 0, 5 0, 6 0"}'
refused 4:1 graph: disconnected "node 0" "node 2" require_connected

case_ "its parts train each for itself when asked to"
muster run bad.yaml --quiet --out out --graph.require-connected false --max-steps 2
expect_code 0

case_ "parameters that make no graph"
rm -rf out
bad "$DATA" 'transport: {workers: 5}' 'algorithm: dsgd' 'graph:' '  name: torus' '  rows: 3'
refused 6:3 graph.rows "3 does not divide"
bad "$DATA" 'transport: {workers: 6}' 'algorithm: dsgd' 'graph: hypercube'
refused 4:1 graph: "power of two"
bad "$DATA" 'transport: {workers: 6}' 'algorithm: dsgd' 'graph: {name: cycle, schedule: "star,ring"}'
refused 4:22 graph.schedule "no graph ring"
bad "$DATA" 'transport: {workers: 6}' 'algorithm: dsgd' 'graph: {name: cycle, weights: good}'
refused 4:22 graph.weights metropolis

case_ "what fits no other key"
bad "$DATA" 'delays:' '  delay: 30'
refused 3:3 delays.delay "no unit"
bad "$DATA" 'data2: 3'
refused 2:1 data2
bad "$DATA" 'transport: {workers: 3}' 'optimizer: {name: lbfgs}'
refused 3:13 optimizer.name "one worker"
bad 'data: {name: figures, train_fraction: 0}'
refused 1:23 data.train_fraction

case_ "a key that was not given is named with the file"
bad 'data: {name: sine, train_count: 9}' 'seed: [1, 2]'
expect_code 2
expect_err "bad.yaml: model: conv1 (conv2d): needs an image"

case_ "where a flag has set it, the message names the flag"
printf '%s\n' "$DATA" 'transport: {workers: 5}' 'algorithm: dsgd' 'graph: {name: erdos_renyi, p: 0.9}' >bad.yaml
muster run bad.yaml --quiet --out out --graph.p 0.01
expect_code 2
expect_err "error: --graph.p: 0.01 connects no"

finish
