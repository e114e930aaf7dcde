#!/usr/bin/env bash
# check_tidy.sh BUILD [FILE...] - clang-tidy finds nothing in the files of src/ (or in those named).
# BUILD is a folder that clang was configured in, such as build/fuzz: it says how each file is
# compiled. The per-ISA kernels are left out: the analyzer follows their unrolled loops for minutes.
set -euo pipefail

if [ $# -eq 0 ] || [ ! -e "$1/compile_commands.json" ]; then
    echo "check_tidy.sh: give the folder of a clang build, as made by: cmake --preset fuzz" >&2
    exit 2
fi
build=$1
shift
if [ $# -gt 0 ]; then
    printf '%s\0' "$@"
else
    find src -name '*.c' -not -path 'src/kernel/simd/*' -print0
fi | sort -z | xargs -0 -r -n 3 -P "$(nproc)" clang-tidy -p "$build" --quiet 2>/dev/null
