#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# times.sh TALLYSIM SOURCES: operations of 8 bytes take the same time with the model as with the hardware, within 5%, where one
# packet at a time is in a NIC. Where several meet, the model takes less time (docs/engine.md, "Times"), but not ever less.
set -euo pipefail
tallysim=$1
sources=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
params=$sources/sim/bench/params/ethernet100g.params
status=0

# time_of ENGINE PARAMS OPTION...: prints the time in nanoseconds.
time_of() {
	"$tallysim" bench --engine "$1" --params "$2" --op allreduce --type int64 --size 8 --seed 1 --no-host --json "${@:3}" \
		> "$work/said" || { cat "$work/said" >&2; exit 1; }
	sed -n 's/.*"offload_ns": *\([0-9][0-9]*\).*/\1/p' "$work/said" | grep . || { echo "no time in $(< "$work/said")" >&2; exit 1; }
}
# close PERCENT A B: whether A differs from B by at most as many percent of B.
close() { local off=$(($2 > $3 ? $2 - $3 : $3 - $2)); [ $((off * 100)) -le $(($1 * $3)) ]; }
# same PERCENT OPTION...: compares both engines.
same() {
	local model rtl

	model=$(time_of model "$params" "${@:2}")
	rtl=$(time_of rtl "$params" "${@:2}")
	echo "${*:2}: $model ns with the model, $rtl ns with the hardware"
	close "$1" "$model" "$rtl" || { echo "they differ by more than $1%"; status=1; }
}

same 5 --nodes 3 --mode tree
same 5 --nodes 2 --mode tree
hardware=$(time_of rtl "$params" --nodes 2 --mode tree)
same 15 --nodes 4 --mode exchange --shared
same 15 --nodes 4 --topology ring --mode ring

# A model that takes the cycles of single blocks is noticed.
{ cat "$params"; printf 'nic.%s cycles -- planted\n' 'request = 25' 'parse = 12' 'alu = 22' 'encap = 13' 'status = 25'; } > "$work/blocks.params"
model=$(time_of model "$work/blocks.params" --nodes 2 --mode tree)
if close 5 "$model" "$hardware"; then
	echo "$model ns, with the cycles of single blocks, are not noticed"
	status=1
fi
exit $status
