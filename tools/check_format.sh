#!/bin/bash
# check_format.sh [ROOT] - every C file of src/ and tests/ is as clang-format leaves it.
set -eu
cd "${1:-.}"
if ! command -v clang-format >/dev/null; then
    echo "check_format.sh: clang-format is missing; install the package clang-format" >&2
    exit 1
fi
find src tests -name '*.[ch]' -print0 | sort -z | xargs -0 -r clang-format --dry-run -Werror || exit 1
