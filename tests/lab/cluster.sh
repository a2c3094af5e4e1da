#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Several VMs with several NICs each on one fabric: a command runs in all of them, and one failure fails the run.

fail() { echo "$*"; echo "$output"; exit 1; }

output=$(tools/lab run --vms 2 --nics 2 --all -- true 2>&1) || fail "two VMs: exit status $?"

output=$(tools/lab run --vms 2 --nics 2 --all -- sh -c \
	'echo "$TALLY_VM/$TALLY_VMS has $(ls /sys/class/infiniband | wc -l)"; exit $((TALLY_VM * 4))' 2>&1)
status=$?
[ $status -eq 4 ] || fail "VM 1 fails with 4: exit status $status"
for line in "vm0: 0/2 has 2" "vm1: 1/2 has 2"; do
	grep -qx "$line" <<< "$output" || fail "no line '$line'"
done
