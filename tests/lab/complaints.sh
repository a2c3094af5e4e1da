#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Complaints of the guest's kernel fail the run and are shown. The kernel's log can be kept.

fail() { echo "$*"; echo "$output"; exit 1; }

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

output=$(tools/lab run --nics 0 --log "$scratch/log" -- sh -c 'echo "WARNING: planted" > /dev/kmsg' 2>&1)
status=$?
[ $status -eq 1 ] || fail "a planted warning: exit status $status, not 1"
[[ $output == *"WARNING: planted"* ]] || fail "the planted warning is not shown"
grep -q 'WARNING: planted' "$scratch/log" || fail "the planted warning is not in the kept log"

# If the command fails, its status is that of the run, and the complaint is still shown.
output=$(tools/lab run --nics 0 -- sh -c 'echo "BUG: planted" > /dev/kmsg; exit 9' 2>&1)
status=$?
[ $status -eq 9 ] || fail "a planted bug and exit status 9: exit status $status"
[[ $output == *"BUG: planted"* ]] || fail "the planted bug is not shown"

output=$(tools/lab run --nics 0 -- sh -c 'echo c > /proc/sysrq-trigger' 2>&1)
status=$?
[ $status -eq 125 ] || fail "a panic: exit status $status, not 125"
[[ $output == *"Kernel panic"* && $output == *"vm0 ended before"* ]] || fail "the panic is not shown"
