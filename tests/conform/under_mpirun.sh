#!/usr/bin/env bash
# Runs a program under mpirun: under_mpirun.sh PROCESSES PROGRAM [ARGUMENT...]
# Ends with 77, and says why, where that cannot be done. With HOSTS=a,b,... the processes are started as if on these
# hosts: MPI believes it, and talks over the loopback network instead of memory.
set -euo pipefail

if ! command -v mpirun >/dev/null; then
    echo "skipped: there is no mpirun (openmpi-bin)"
    exit 77
fi
processes=$1
shift
folder=$(dirname "$1")
if ! [ -e "$folder/libmuster_mpi.so" ] && ! [ -e "$folder/../lib/muster/libmuster_mpi.so" ]; then
    echo "skipped: this build has no transport mpi (libopenmpi-dev was missing, or MUSTER_MPI=OFF)"
    exit 77
fi
# Open MPI keeps what it allocated until the end, and is not instrumented.
export ASAN_OPTIONS="detect_leaks=0:${ASAN_OPTIONS:-}"
export TSAN_OPTIONS="ignore_noninstrumented_modules=1:${TSAN_OPTIONS:-}"
launch=(mpirun --allow-run-as-root --oversubscribe --bind-to none --mca mpi_yield_when_idle 1)
if [ -n "${WORKERS:-}" ]; then
    launch+=(-x WORKERS) # in all processes together
fi
if [ -z "${HOSTS:-}" ]; then
    exec "${launch[@]}" --mca btl self,vader -n "$processes" "$@"
fi
launch+=(--mca plm_rsh_agent "$(realpath "$(dirname "$0")")/no_login.sh" --host "$HOSTS" --map-by node
    --mca oob_tcp_if_include lo --mca btl "self,tcp" --mca btl_tcp_if_include lo)
for _ in 1 2 3; do # on a busy machine the daemons miss each other now and then
    if timeout 20 "${launch[@]}" -n 2 true >/dev/null 2>&1; then
        exec "${launch[@]}" -n "$processes" "$@"
    fi
done
echo "skipped: this MPI cannot pretend to have several hosts"
exit 77
