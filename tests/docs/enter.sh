#!/bin/sh
# enter.sh REPOSITORY BIN: in mount and network namespaces of its own, a bash that reads commands from its stdin.
# Its root is a copy on write of this machine's; 10.0.0.1 is this machine.
set -e
mount --make-rprivate /
ip link set lo up
ip address add 10.0.0.1/32 dev lo
scratch=$(mktemp -d)
mount -t tmpfs -o mode=755 docs "$scratch"
mkdir "$scratch/upper" "$scratch/work" "$scratch/root"
mount -t overlay -o "lowerdir=/,upperdir=$scratch/upper,workdir=$scratch/work" docs "$scratch/root"
for there in /proc /sys /dev; do mount --rbind "$there" "$scratch/root$there"; done
mkdir -p "$scratch/root/stand-ins" "$scratch/root/srv"
chroot "$scratch/root" useradd --create-home ana
# Users work in the checkout, which may lie in a home that is closed to them.
passed=$1
while [ "$passed" != / ]; do chmod o+rx "$scratch/root$passed"; passed=$(dirname "$passed"); done
cp "$1/tests/docs/systemctl" "$scratch/root/stand-ins"
printf "fail\nsilent\n" > "$scratch/root/root/.curlrc"
exec chroot "$scratch/root" /usr/bin/env -i HOME=/root LANG=C.UTF-8 TERM=dumb CI="$CI" \
  PATH="$2:/stand-ins:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" \
  bash --norc --noprofile -c 'cd "$1"; exec bash --norc --noprofile' enter "$1"
