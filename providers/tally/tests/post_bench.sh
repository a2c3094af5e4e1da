#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# post_bench.sh BENCH [LIMITS]: count the instructions of posting one collective work request and of polling completions
# with callgrind, for each way of posting and polling, including all functions called. Fails if a count is over its limit
# in the file LIMITS, or below.
set -eu

bench=$1
# function, calls of a round, limit of a call
limits="bench_post_send 3 200
bench_post_inline 1 200
bench_post_push 1 260
bench_wr_api 2 230
bench_poll_cq 1 160
bench_poll_array 1 190
bench_start_poll 1 145
bench_next_poll 1 285"
[ $# = 1 ] || limits=$(grep -v '^#' "$2")
rounds=100
out=$(mktemp)
trap 'rm -f "$out" "$out.log"' EXIT
failed=0

while read -r function calls limit; do
	count=$((rounds * calls))
	valgrind --tool=callgrind --collect-atstart=no --toggle-collect="$function" \
		--callgrind-out-file="$out" "$bench" "$rounds" > "$out.log" 2>&1 || { cat "$out.log" >&2; exit 1; }
	total=$(awk '/^totals:/ { print $2 }' "$out")
	[ "${total:-0}" -gt "$count" ] || { echo "$function: callgrind saw none of it" >&2; exit 1; }
	each=$((total / count))
	echo "$function: $each instructions a call, of at most $limit"
	[ "$each" -le "$limit" ] || { echo "$function: that is too many" >&2; failed=1; }
done <<LIMITS
$limits
LIMITS
exit $failed
