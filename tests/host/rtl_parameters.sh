#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# A value of a parameter with which the NIC would not work ends elaboration, with an error that names the parameter. Each
# parameter that tally_nic has is tried, and those of its bench and of the simulator pass in rtl/nic_bench and rtl/nic_lint.
wrong=(-GGroups=6 -GTombs=100000 -GBucketW=17 -GFlights=3 -GEdges=1 -GNumCq=3 -GSlots=5 -GQps=3 -GEntries=100 -GUars=1
	-GNumMr=1 -GDescs=1024 -GCells=1 -GLines=1 -GAccessTagW=9)
status=0
bad() { echo "$*"; status=1; }

lint=$(ctest --test-dir build --show-only=json-v1 -R '^rtl/nic_lint$' |
	python3 -c 'import json, sys; print(*json.load(sys.stdin)["tests"][0]["command"], sep="\n")')
mapfile -t command <<< "$lint"
said=$("${command[@]}" "${wrong[@]}" 2>&1) && bad "a NIC with wrong parameters is elaborated"
while read -r parameter; do
	grep -q "USERERROR.*tally_nic: $parameter must be" <<< "$said" || bad "$parameter: no error names it"
done < <(sed -n 's/^  parameter int unsigned \([A-Za-z]*\) = .*/\1/p' rtl/nic/tally_nic.sv)
exit $status
