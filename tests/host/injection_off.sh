#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Where the driver asks whether to inject a fault, the module for the stock kernel has a no-op, which the kernel replaces
# by a jump while a fault is set up.
module=build/kernel-stock/tally.ko
names=7	# faults of the driver, each with a place at least
[ -e "$module" ] || { echo "no $module: run make kernel"; exit 1; }

# An entry of the table is code, target, key: what comes two lines before a key is the code that it switches.
places=$(readelf -rW "$module" |
	awk '/\.rela__jump_table/ { inside = 1 } /^$/ { inside = 0 }
	     inside && /tally_inject_armed/ { print place } inside { place = last; last = $5 " " $7 }')
[ "$(grep -c . <<< "$places")" -ge $names ] || { echo "$module: places: $places"; exit 1; }
code=$(objdump -d --section=.text "$module")

status=0
while read -r section offset; do
	[ "$section" = .text ] || { echo "$module: a place in $section"; status=1; continue; }
	line=$(grep -E "^ *$offset:" <<< "$code")
	grep -qE 'xchg +%ax,%ax|nopl +0x0\(%rax,%rax,1\)' <<< "$line" ||
		{ echo "$module: no no-op: $line"; status=1; }
done <<< "$places"
exit $status
