#!/bin/sh
# enter.sh REPOSITORY BIN [USED]: in mount and network namespaces of its own, a bash that reads commands from its stdin.
# Its root is a copy on write of this machine's; 10.0.0.1 is this machine.  What lies below the directory USED seems to
# lie on this machine.
set -e
mount --make-rprivate /
ip link set lo up
ip address add 10.0.0.1/32 dev lo
scratch=/media  # on every Debian, and nothing is below it that is needed here
mount -t tmpfs -o mode=755 docs "$scratch"

# copy DIRECTORY [LAYERS:]: on write, at its place in the new root, with these layers over it
copy() {
  name=$(echo "$1" | tr / _)
  mkdir -p "$scratch/upper$name" "$scratch/work$name" "$scratch/root$1"
  mount -t overlay -o "lowerdir=$2$1,upperdir=$scratch/upper$name,workdir=$scratch/work$name" docs "$scratch/root$1"
}
[ -z "$3" ] || cp -a "$3" "$scratch/used"
copy / "${3:+$scratch/used:}"
for there in /proc /sys /dev; do mount --rbind "$there" "$scratch/root$there"; done
mount -t tmpfs -o mode=1777 docs "$scratch/root/dev/shm"
# As if nobody had followed the documents here before.  The machine itself keeps what it has.
for left in /var/lib/gpu-platform /run/gpu-platform /etc/gpu-platform /var/backups/gpu-platform /root/.config/gpu-platform \
    /root/.local/state/gpu-platform /home/ana; do
  rm -rf "$scratch/root$left"
done
chroot "$scratch/root" userdel ana 2> /dev/null || true
# Other tests write here meanwhile, and an overlay does not remove a directory whose lower layer changes: cover them.
for shared in /var/tmp /srv; do
  case "$1/ $2/" in
    "$shared"/* | *" $shared"/*) ;;  # what is tested lies there
    *)
      mkdir -p "$scratch/root$shared"
      mount -t tmpfs -o "mode=$(stat -c %a "$scratch/root$shared")" docs "$scratch/root$shared" ;;
  esac
done
# They may lie on file systems of their own.
for there in "$1" "$2"; do
  [ -n "$(ls "$scratch/root$there" 2>/dev/null)" ] || copy "$there"
done
mkdir -p "$scratch/root/stand-ins"
chroot "$scratch/root" useradd --create-home ana
# Users work in the checkout, which may lie in a home that is closed to them.
passed=$1
while [ "$passed" != / ]; do
  chmod o+rx "$scratch/root$passed"
  passed=$(dirname "$passed")
done
cp "$1/tests/docs/systemctl" "$scratch/root/stand-ins"
printf "fail\nsilent\n" > "$scratch/root/root/.curlrc"
exec chroot "$scratch/root" /usr/bin/env -i HOME=/root LANG=C.UTF-8 TERM=dumb CI="$CI" \
  PATH="$2:/stand-ins:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" \
  bash --norc --noprofile -c 'cd "$1" && exec bash --norc --noprofile' enter "$1"
