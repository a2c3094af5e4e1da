#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# No two static functions of the drivers in different files have the same name, so that a stack trace or a profile
# identifies the function. Steps that may fail are separate statements, not a chain of a ?: b ?: c.

sources=$(tests/host/list-files | grep -E '^kernel/(core|ib|debug)/[^/]*\.c$' | grep -v '_test\.c$')
[ -n "$sources" ] || { echo "no sources found"; exit 1; }
status=0

# A function that is declared first appears twice in its file.
names=$(xargs -d '\n' grep -HoE '^static [^=;(]*[ *][a-z_0-9]+\(' <<< "$sources" |
	sed -E 's/:.*[ *]([a-z_0-9]+)\($/ \1/' | sort -u | cut -d ' ' -f 2)
[ "$(wc -l <<< "$names")" -gt 100 ] || { echo "static functions are not found"; exit 1; }
for name in $(sort <<< "$names" | uniq -d); do
	echo "$name() is a static function of more than one file"
	status=1
done

# A chain may continue on the next line.
while IFS= read -r file; do
	found=$(tr '\n' ' ' < "$file" | grep -oE '[^;{}]*\?:[^;{},]*\?:[^;]*;') || continue
	echo "$file: $found"
	status=1
done <<< "$sources"
exit $status
