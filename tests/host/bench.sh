#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The tables and plots of docs/bench.md are those that tools/bench writes; checked for the experiments that take
# seconds.

tallysim=${TALLYSIM:-build/bin/tallysim}
status=0
bad() { echo "$*"; status=1; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

tools/bench --tallysim "$tallysim" --check topologies steps 000-table4 002-figure3 || bad "docs/bench.md or docs/bench/ is not what tools/bench makes"

# A changed digit is noticed.
cp docs/bench.md "$work/bench.md"
cp -r docs/bench "$work/bench"
sed -i '2s/[0-8]/9/' "$work/bench/topologies.csv"
tools/bench --tallysim "$tallysim" --docs "$work" --check topologies 2> "$work/said" && bad "a changed table is not noticed"
grep -q "topologies.csv differs from the output" "$work/said" || bad "the changed table is not named: $(cat "$work/said")"

# A document without the table's markers is refused, and the markers are named.
sed -i '/bench:topologies/d' "$work/bench.md"
tools/bench --tallysim "$tallysim" --docs "$work" topologies 2> "$work/said" && bad "missing markers are not noticed"
grep -q "0 pairs of markers bench:topologies" "$work/said" || bad "the missing markers are not named"

# An unknown experiment, and a simulator that is missing or fails, are refused as well.
tools/bench --tallysim "$tallysim" nothing 2> "$work/said" && bad "an unknown experiment is not refused"
grep -q "no experiment nothing" "$work/said" || bad "the unknown experiment is not named"
tools/bench --tallysim "$work/none" topologies 2> "$work/said" && bad "a missing simulator is not noticed"
grep -q "$work/none: no such program" "$work/said" || bad "the missing simulator is not named"
tools/bench --tallysim /bin/false --check topologies 2> "$work/said" && bad "a failed run is not noticed"
grep -q "/bin/false bench .*: status 1" "$work/said" || bad "the failed run is not named"

exit $status
