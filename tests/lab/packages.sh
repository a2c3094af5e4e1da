#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Debian packages on a plain Debian: DKMS builds the drivers, the system boots with NICs, the demo passes, and removed
# packages leave nothing behind. Nothing of this machine changes: the packages are installed over the root of
# tools/lab.d/debian-root, in memory and in separate namespaces.
set -u
[ "$(id -u)" -eq 0 ] || { echo "only root can install in a root"; exit 77; }
unshare --mount --pid --fork true 2> /dev/null || { echo "no namespaces here"; exit 77; }
base=$(tools/lab.d/debian-root folder)
[ -e "$base" ] || { echo "there is no $base: run tools/setup deb-check"; exit 1; }
work=$(mktemp -d)
trap 'rm -rf --one-file-system "$work"' EXIT

debs=$(tests/host/built-debs 2> "$work/said") || { cat "$work/said"; exit 1; }

# Script for the guest: runs the demo and checks that the installed parts are used.
guest=$(cat <<'END_OF_GUEST'
status=0
bad() { echo "guest: $*"; status=1; }
for module in tally tally_ib; do
	modinfo -n $module | grep -q "^/lib/modules/$(uname -r)/updates/dkms/$module.ko" || bad "$module is $(modinfo -n $module)"
done
[ "$(ibv_devices | grep -c tally)" -eq 4 ] || bad "no four devices: $(ibv_devices)"
[ "$(tallyctl devices | grep -c tally)" -eq 4 ] || bad "tallyctl finds no four devices: $(tallyctl devices 2>&1)"
tally_demo || bad "tally_demo: exit status $?"
exit $status
END_OF_GUEST
)

inside=$(cat <<'END_OF_INSIDE'
set -u
work=$1 base=$2 guest=$3 debs=$4 root=$work/over/root status=0
bad() { echo "$*"; status=1; }
mkdir "$work/over"
mount -t tmpfs tmpfs "$work/over" || exit
mkdir "$work"/over/{root,changed,work}
mount -t overlay -o "lowerdir=$base,upperdir=$work/over/changed,workdir=$work/over/work" overlay "$root" ||
	{ echo "no overlay of $base here"; exit 77; }
mount -t proc proc "$root/proc" || exit
cp "$debs"/*.deb "$root/tmp"
rm "$root"/tmp/*-dbgsym_*
in_root() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C DEBIAN_FRONTEND=noninteractive "$@" < /dev/null; }

in_root sh -c 'dpkg -i $(ls /tmp/*.deb | grep -vE "libtally-dev|libtallycoll-")' || { echo "dpkg cannot install"; exit 1; }
in_root dkms status | grep -q '^tally/.*: installed$' || bad "DKMS has not built: $(in_root dkms status)"
in_root tallysim bench --op allreduce --size 8 --nodes 4 --no-host --params /usr/share/tally/params/ethernet100g.params ||
	bad "tallysim fails"
tools/lab run --root "$root" --nics 4 -- sh -c "$guest" || bad "lab: exit status $?"

in_root sh -c 'dpkg -P tally-dkms tally-tools tallysim libtallycoll0 libtally1' || bad "dpkg cannot remove"
left=$(find "$work/over/changed" -name '*tally*' ! -name '*.deb' ! -type c)
[ -z "$left" ] || bad "left after removal: $left"
exit $status
END_OF_INSIDE
)

unshare --mount --pid --fork --kill-child --propagation private \
	/bin/bash -c "$inside" inside "$work" "$base" "$guest" "$debs" > "$work/said" 2>&1
status=$?
[ $status -ne 0 ] || grep -q '^demo: PASS' "$work/said" || status=1
[ $status -eq 0 ] || cat "$work/said"
exit $status
