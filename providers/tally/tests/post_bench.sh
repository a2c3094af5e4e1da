#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# post_bench.sh BENCH [LIMIT]: count the instructions of posting one collective work request, by callgrind, in
# both ways of posting, everything called included. Fails if either is not below LIMIT (300).
set -eu

bench=$1
limit=${2:-300}
posts=100
out=$(mktemp)
trap 'rm -f "$out" "$out.log"' EXIT
failed=0

for function in bench_post_send bench_wr_api; do
	valgrind --tool=callgrind --collect-atstart=no --toggle-collect="$function" \
		--callgrind-out-file="$out" "$bench" "$posts" > "$out.log" 2>&1 || { cat "$out.log" >&2; exit 1; }
	total=$(awk '/^totals:/ { print $2 }' "$out")
	[ "${total:-0}" -gt "$posts" ] || { echo "$function: callgrind saw none of it" >&2; exit 1; }
	each=$((total / posts))
	echo "$function: $each instructions a work request"
	[ "$each" -lt "$limit" ] || { echo "$function: that is not below $limit" >&2; failed=1; }
done
exit $failed
