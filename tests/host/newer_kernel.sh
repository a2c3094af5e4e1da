#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The drivers compile without a warning against the newest kernel headers of Debian's archives. The modules of the VM
# tests are built with the headers of the guest's kernel, which is older.

headers=$(tools/lab.d/newer-headers folder) || exit 1
cache=${XDG_CACHE_HOME:-$HOME/.cache}/tally
# The compiler's cache finds its output again only below the same path, so all checkouts take turns in one folder.
work=$cache/newer-kernel
exec {turn}> "$cache/lock.newer-kernel"
flock "$turn"
rm -rf "$work"
mkdir "$work" || exit 1
trap 'rm -rf "$work"' EXIT

cp -as "$PWD/Kbuild" "$PWD/kernel" "$work"	# from the top, as on a user's machine
ccache="env CCACHE_DIR=$cache/ccache ccache"
make --no-print-directory -j"$(nproc)" -C "$headers" M="$work" CC="$ccache gcc" modules > "$work/log" 2>&1 ||
	{ grep -E 'error|Error' "$work/log" || tail "$work/log"; exit 1; }
grep -F 'warning:' "$work/log" && exit 1

# modpost warns in the last step about symbols that the kernel does not export, or exports under another name.
grep -E '^(WARNING|ERROR): ' "$work/log" | grep -v 'missing MODULE_DESCRIPTION' && exit 1
for module in tally tally_ib; do
	[ -e "$work/kernel/$module.ko" ] || { echo "there is no $module.ko"; exit 1; }
	modinfo -F vermagic "$work/kernel/$module.ko" | grep -q "^$(basename "$headers" | sed 's/^linux-headers-//') " ||
		{ echo "$module.ko is for another kernel: $(modinfo -F vermagic "$work/kernel/$module.ko")"; exit 1; }
done
