#!/usr/bin/env bash
# Runs a program under mpirun: under_mpirun.sh PROCESSES PROGRAM [ARGUMENT...]
# Ends with 77, and says why, where that cannot be done.
set -euo pipefail

if ! command -v mpirun >/dev/null; then
    echo "skipped: there is no mpirun (openmpi-bin)"
    exit 77
fi
processes=$1
shift
if ! [ -e "$(dirname "$1")/libmuster_mpi.so" ]; then
    echo "skipped: this build has no transport mpi (libopenmpi-dev was missing, or MUSTER_MPI=OFF)"
    exit 77
fi
# Open MPI keeps what it allocated until the end, and is not instrumented.
export ASAN_OPTIONS="detect_leaks=0:${ASAN_OPTIONS:-}"
export TSAN_OPTIONS="ignore_noninstrumented_modules=1:${TSAN_OPTIONS:-}"
exec mpirun --allow-run-as-root --oversubscribe --bind-to none --mca mpi_yield_when_idle 1 \
    --mca btl self,vader -n "$processes" "$@"
