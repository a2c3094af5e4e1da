#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# A stack trace or a profile of the drivers names one function only: no static function has the name of one in another
# file. Steps that may fail follow one another as statements, not as a ?: b ?: c.

sources=$(tests/host/list-files | grep -E '^kernel/(core|ib|debug)/[^/]*\.c$' | grep -v '_test\.c$')
[ -n "$sources" ] || { echo "no sources found"; exit 1; }
status=0

# A function that is declared first stands twice in its file.
names=$(xargs -d '\n' grep -HoE '^static [^=;(]*[ *][a-z_0-9]+\(' <<< "$sources" |
	sed -E 's/:.*[ *]([a-z_0-9]+)\($/ \1/' | sort -u | cut -d ' ' -f 2)
[ "$(wc -l <<< "$names")" -gt 100 ] || { echo "static functions are not found"; exit 1; }
for name in $(sort <<< "$names" | uniq -d); do
	echo "$name() is a static function of more than one file"
	status=1
done

# Such a chain may go on in the next line.
while IFS= read -r file; do
	found=$(tr '\n' ' ' < "$file" | grep -oE '[^;{}]*\?:[^;{},]*\?:[^;]*;') || continue
	echo "$file: $found"
	status=1
done <<< "$sources"
exit $status
