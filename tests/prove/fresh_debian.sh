#!/bin/sh
# Clones this checkout into a fresh Debian 12 and runs the README's two commands there.
# Needs root and debootstrap; leaves nothing but its log.
set -eu

source=$(cd "$(dirname "$0")/../.." && pwd)
mirror=${MIRROR:-http://deb.debian.org/debian}
root=$(mktemp -d /var/tmp/fresh-debian-XXXXXX)

[ "$(id -u)" -eq 0 ] || { echo "fresh_debian.sh needs root: it makes a Debian in a folder" >&2; exit 1; }
command -v debootstrap >/dev/null || apt-get install -y -qq --no-install-recommends debootstrap

chmod 755 "$root"  # as a Debian has it: users must be able to pass

clean() {
  for mount in dev sys proc; do umount -R -l "$root/$mount" 2>/dev/null || true; done
  umount -l "$root" 2>/dev/null || true
  rm -rf --one-file-system "$root"
}
trap clean EXIT INT TERM

# A mount of its own, so that tests can have namespaces of mounts in there.
mount --bind "$root" "$root" && mount --make-private "$root"
debootstrap --variant=minbase bookworm "$root" "$mirror" >/dev/null
cp /etc/resolv.conf "$root/etc/resolv.conf"
# Where a proxy stands before the registries, the authorities that this host trusts must be trusted there too.
trusted=
if [ -e /etc/ssl/certs/ca-certificates.crt ]; then
  cp /etc/ssl/certs/ca-certificates.crt "$root/etc/trusted-by-host.pem"
  trusted=NODE_EXTRA_CA_CERTS=/etc/trusted-by-host.pem
fi
mount -t proc proc "$root/proc"
for tree in sys dev; do mount --rbind "/$tree" "$root/$tree" && mount --make-rslave "$root/$tree"; done
chroot "$root" sh -ec 'apt-get update -qq && apt-get install -y -qq --no-install-recommends git make >/dev/null'
git clone -q "$source" "$root/root/gpu-platform"

for target in ${TARGETS:-demo test}; do
  begin=$(date +%s)
  chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root CI=true $trusted make -C /root/gpu-platform $target
  echo "make $target: ok after $(($(date +%s) - begin)) s"
done
