#!/usr/bin/env bash
# Runs a command on the first of several hosts: with_hosts.sh NUMBER COMMAND...
#
# The hosts host1, host2, ... are network namespaces of this machine. Each has its own host name, its own address in
# 10.77.0.0/24 and its own ssh server, and they are joined by a bridge. ssh between them needs no password. They share
# this machine's files, processes and clock. Everything is removed at the end, however it comes.
#
# Ends with 77, and says why, where that cannot be done. For the command, LINKS is a folder of two scripts:
#   $LINKS/down 2, $LINKS/up 2     cut host2 off, and join it again
set -uo pipefail

skip() {
    echo "skipped: $1"
    exit 77
}
for program in ip unshare nsenter ssh ssh-keygen dropbear dropbearkey; do
    command -v "$program" >/dev/null || skip "there is no $program (packages iproute2 util-linux openssh-client dropbear-bin)"
done
[ "$(id -u)" -eq 0 ] || skip "only root may make network namespaces"

count=$1
shift
name=muster$$
folder=$(mktemp -d)
hub=$name-hub

remove() {
    local p
    for i in $(seq "$count"); do
        for p in $(ip netns pids "$name-$i" 2>/dev/null); do kill -9 "$p" 2>/dev/null; done
        ip netns del "$name-$i" 2>/dev/null
    done
    ip netns del "$hub" 2>/dev/null
    rm -rf "$folder"
}
trap remove EXIT
trap 'exit 143' TERM INT HUP

make_network() {
    ip netns add "$hub" && ip -n "$hub" link add bridge type bridge && ip -n "$hub" link set bridge up || return 1
    for i in $(seq "$count"); do
        ip netns add "$name-$i" &&
            ip -n "$name-$i" link set lo up &&
            ip -n "$name-$i" link add eth0 type veth peer name "port$i" netns "$hub" &&
            ip -n "$hub" link set "port$i" master bridge up &&
            ip -n "$name-$i" address add "10.77.0.$i/24" dev eth0 &&
            ip -n "$name-$i" link set eth0 up || return 1
    done
}
make_network 2>"$folder/errors" || skip "network namespaces are not allowed here: $(head -n 1 "$folder/errors")"

mkdir -p "$folder/ssh" "$folder/links"
ssh-keygen -q -t ed25519 -N '' -f "$folder/ssh/key"
cp "$folder/ssh/key.pub" "$folder/ssh/authorized_keys"
printf 'Host *\n  IdentityFile %s\n  StrictHostKeyChecking no\n  UserKnownHostsFile /dev/null\n  LogLevel ERROR\n' \
    "$HOME/.ssh/key" >"$folder/ssh/config"
chmod -R go= "$folder/ssh"
dropbearkey -t ed25519 -f "$folder/host_key" >/dev/null 2>&1 || skip "dropbearkey fails"
{
    echo "127.0.0.1 localhost"
    for i in $(seq "$count"); do echo "10.77.0.$i host$i"; done
} >"$folder/hosts"
for action in up down; do
    printf '#!/bin/sh\nexec ip -n %s link set "port$1" %s\n' "$hub" "$action" >"$folder/links/$action"
    chmod +x "$folder/links/$action"
done

# What runs inside a host: on_host NUMBER COMMAND...
cat >"$folder/enter" <<S
set -e
hostname "\$1"
shift
mkdir -p "$HOME/.ssh"
mount --bind "$folder/ssh" "$HOME/.ssh"
mount --bind "$folder/hosts" /etc/hosts
exec "\$@"
S
on_host() {
    local i=$1
    shift
    ip netns exec "$name-$i" unshare --uts --mount bash "$folder/enter" "host$i" "$@"
}
for i in $(seq "$count"); do
    on_host "$i" dropbear -F -E -s -m -r "$folder/host_key" -p "10.77.0.$i:22" -P "$folder/pid$i" >"$folder/log$i" 2>&1 &
done
for i in $(seq "$count"); do
    for attempt in $(seq 50); do
        on_host 1 ssh -o ConnectTimeout=2 "host$i" hostname >"$folder/name" 2>"$folder/errors" && break
        sleep 0.1
    done
    [ "$(cat "$folder/name")" = "host$i" ] || skip "ssh to host$i does not work: $(cat "$folder/errors" "$folder/log$i")"
done
export LINKS=$folder/links
on_host 1 "$@"
