#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# ops_order.sh PRINTER LIBIBVERBS.a: compare our struct verbs_context_ops with the one that
# libibverbs was built with. The archive contains the table of default operations, each of them a
# function with a relocation in the table and a name; PRINTER prints our order. Both must give the
# same list of offsets and names.
set -eu

printer=$1
archive=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

(cd "$dir" && ar x "$archive" dummy_ops.c.o)
objdump -t "$dir/dummy_ops.c.o" | awk '/ F \.text/ { print $1, $NF }' > "$dir/functions"
objdump -r -j .data.rel.ro.local "$dir/dummy_ops.c.o" |
	awk 'NR == FNR { name[$1] = $2; next }
	     $2 == "R_X86_64_64" {
		at = "0000000000000000"
		if (split($3, part, /\+0x/) == 2)
			at = part[2]
		print substr($1, 13), (at in name) ? name[at] : "?"
	     }' "$dir/functions" - > "$dir/theirs"
"$printer" > "$dir/ours"
# Without this many operations the archive does not have the expected form.
[ "$(wc -l < "$dir/theirs")" -ge 70 ] || { echo "no table of operations found in $archive" >&2; exit 1; }
diff "$dir/theirs" "$dir/ours" || { echo "private ABI differs: < $archive, > compat/infiniband/driver.h" >&2; exit 1; }
echo "$(wc -l < "$dir/ours") operations in the same order"
