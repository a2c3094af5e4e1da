#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The table of libtallycoll's cost model is the one that tools/cost-table makes of the measured times.

status=0
bad() { echo "$*"; status=1; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

tools/cost-table --check || bad "collectives/core/cost_table.c is not what tools/cost-table makes"

# A changed time is noticed.
sed '0,/^allreduce,1,2,8,/s/^allreduce,1,2,8,/&1/' docs/bench/coll-ways.csv > "$work/ways.csv"
tools/cost-table --check --from "$work/ways.csv" 2> "$work/said" && bad "a changed time is not noticed"
grep -q "cost_table.c is not what this command makes" "$work/said" || bad "the file is not named: $(cat "$work/said")"
exit $status
