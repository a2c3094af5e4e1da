#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The units of the engine divide only by constants that are powers of two (docs/engine.md, "Division").
set -euo pipefail
cd sim/engine
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# What docs/engine.md lists as firmware, and arithmetic of the model that has no counterpart in hardware: the length of a
# clock cycle, and the index of an element of a C array. wqe.c divides once for each request.
is_firmware() {
	case $1 in
	registers.c | commands.c | tombstone.c | group.c | group_admin.c | query.c | \
		query_group.c) ;;
	*) return 1 ;;
	esac
}
allowed='^(firmware_run\.c .* / e->timing\.clock_mhz.*|common\.h .* / e->timing\.clock_mhz .*|timer\.c .* / sizeof\(struct group\).*|wqe\.c .*\(w->total - 1\) / w->chunk \+ 1.*)$'

# Prints the divisions in a file with their lines, without comments, strings and preprocessor lines.
divisions() {
	gcc -fpreprocessed -E -P -w - < "$1" | sed -E -e '/^ *#/d' -e 's/"[^"]*"/""/g' -e 's|sizeof\(([a-z]+)\) / sizeof\(\1\[0\]\)|ARRAY_SIZE(\1)|' |
		awk -v file="$1" '/[\/%]/ { sub(/^[ \t]+/, ""); print file, $0 }'
}

# Writes an assertion about each divisor: a name, a number, a field, a call, or an expression in parentheses.
asserts() {
	local line rest divisor
	while IFS= read -r line; do
		if [[ $line =~ $allowed ]]; then
			continue
		fi
		rest=${line#* }
		while [[ $rest =~ ^[^/%]*[/%]=?\ *(\([^\)]*\)|[A-Za-z0-9_.>-]+(\([^\)]*\))?)(.*)$ ]]; do
			divisor=${BASH_REMATCH[1]} rest=${BASH_REMATCH[3]}
			printf '_Static_assert((%s) && !((%s) & ((%s) - 1)), "");\t// %s\n' \
				"$divisor" "$divisor" "$divisor" "$line"
		done
		[[ ! $rest == *[/%]* ]] || printf '#error %s\n' "$line"
	done
}

check() {
	local errors
	{
		printf '#include "engine/common.h"\n#include "engine/payload.h"\n'
		for file in "$@"; do
			is_firmware "$file" || divisions "$file"
		done | asserts
	} > "$scratch/divisors.c"
	gcc -I../.. -I.. -I../../uapi -fsyntax-only "$scratch/divisors.c" 2> "$scratch/errors" && return
	errors=$(sed -nE 's/^.*divisors\.c:([0-9]+):.*error.*/\1/p' "$scratch/errors" | sort -un)
	for line in $errors; do
		sed -n "${line}s|.*\t// ||p;${line}s|^#error ||p" "$scratch/divisors.c"
	done
	[ -n "$errors" ] || cat "$scratch/errors"
	return 1
}

check *.c *.h || { echo "these lines divide by a number that is not a constant power of two"; exit 1; }
[ "$(grep -c Static_assert "$scratch/divisors.c")" -gt 20 ] || { echo "few divisions were found"; exit 1; }

# The check finds what it looks for.
for division in 'sid % g->num_nodes' 'total / 3' 'total / (n + 1)' 'sid %= nodes'; do
	printf 'uint32_t f(void)\n{\n\treturn %s;\n}\n' "$division" > "$scratch/found.c"
	! check "$scratch/found.c" > /dev/null || { echo "not found: $division"; exit 1; }
done
