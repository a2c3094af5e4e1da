#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# post_bench.sh BENCH: count the instructions of posting one collective work request, by callgrind, in both ways of
# posting, everything called included. Fails if either is over its limit below.
set -eu

bench=$1
posts=100
out=$(mktemp)
trap 'rm -f "$out" "$out.log"' EXIT
failed=0

while read -r function limit; do
	valgrind --tool=callgrind --collect-atstart=no --toggle-collect="$function" \
		--callgrind-out-file="$out" "$bench" "$posts" > "$out.log" 2>&1 || { cat "$out.log" >&2; exit 1; }
	total=$(awk '/^totals:/ { print $2 }' "$out")
	[ "${total:-0}" -gt "$posts" ] || { echo "$function: callgrind saw none of it" >&2; exit 1; }
	each=$((total / posts))
	echo "$function: $each instructions a work request, of at most $limit"
	[ "$each" -le "$limit" ] || { echo "$function: that is too many" >&2; failed=1; }
done <<LIMITS
bench_post_send 205
bench_wr_api 230
LIMITS
exit $failed
