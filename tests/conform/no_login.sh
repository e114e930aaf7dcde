#!/bin/sh
# Stands in for ssh: runs the command here, whatever the host's name. MPI's daemons on one host would clear away each
# other's files, so each of the pretended hosts has a folder of its own.
TMPDIR=${TMPDIR:-/tmp}/muster-host-$1
export TMPDIR
mkdir -p "$TMPDIR"
shift
exec sh -c "$*"
