#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The cluster example, over two and over four VMs with one NIC each.

for vms in 2 4; do
	output=$(tools/lab run --vms $vms --nics 1 --all -- sh -c \
		'build/bin/tally_cluster "$TALLY_SHARE" 0x7a11 "$TALLY_VM" "$TALLY_VMS"' 2>&1) ||
		{ echo "$vms VMs: exit status $?"; echo "$output"; exit 1; }
	sum=$((vms * (vms + 1) / 2))
	for ((node = 0; node < vms; node++)); do
		grep -qx "vm$node: node $node: 1 + ... + $vms = $sum" <<< "$output" ||
			{ echo "node $node of $vms does not print $sum:"; echo "$output"; exit 1; }
	done
done
