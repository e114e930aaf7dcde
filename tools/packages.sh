#!/usr/bin/env bash
# Installs the Debian packages that are missing: packages.sh NAME...
# Works as root or with sudo, says what it does, and does nothing when all are there.
set -euo pipefail

if ! command -v dpkg-query >/dev/null; then
    echo "not a Debian or Ubuntu system; what these packages hold is taken to be there: $*"
    exit 0
fi
missing=()
for name in "$@"; do
    status=$(dpkg-query -W -f '${Status}\n' "$name" 2>/dev/null || true)
    grep -qx 'install ok installed' <<<"$status" || missing+=("$name")
done
[ ${#missing[@]} -eq 0 ] && exit 0

echo "installing Debian packages: ${missing[*]}"
as_root=()
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "not root, and no sudo: ask your administrator for: apt-get install ${missing[*]}" >&2
        exit 1
    fi
    as_root=(sudo)
fi
install=(env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}")

# The lists of packages are fetched only when those at hand do not do.
if ! "${as_root[@]}" "${install[@]}" >/dev/null 2>&1; then
    "${as_root[@]}" apt-get update -qq
    "${as_root[@]}" "${install[@]}" >/dev/null
fi
