#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# A command on the host runs beside the guest's command, shares a folder with it and knows the control socket. Its
# failure ends the run, and the end of the run ends it. Options for the kernel's command line take effect.

fail() { echo "$*"; echo "$output"; exit 1; }

scratch=$(mktemp -d /tmp/tally-host-XXXXXX)
trap 'rm -rf "$scratch"' EXIT
wait_for='for i in $(seq 300); do [ ! -e "$TALLY_SHARE/answer" ] || break; sleep 0.1; done'

output=$(TALLY_CONTROL=foreign tools/lab run --nics 0 --append quiet --append probe=yes --host \
	"$wait_for; echo \"\$TALLY_CONTROL\" > \"\$TALLY_SHARE/control\"; mv \"\$TALLY_SHARE/control\" \"\$TALLY_SHARE/done\"
	echo \$\$ > $scratch/pid; sleep 1000" -- \
	sh -c 'grep -o "quiet probe=yes" /proc/cmdline; touch "$TALLY_SHARE/answer"; until [ -e "$TALLY_SHARE/done" ]; do sleep 0.1; done
	[ "$(cat "$TALLY_SHARE/done")" = "$TALLY_CONTROL" ] && echo "control $TALLY_CONTROL"' 2>&1) || fail "exit status $?"
grep -q '^control /.*/control.sock$' <<< "$output" || fail "guest and host do not know the same control socket"
grep -qx 'quiet probe=yes' <<< "$output" || fail "the kernel's options do not arrive"
pid=$(< "$scratch/pid")
for _ in $(seq 50); do [ ! -e "/proc/$pid" ] || sleep 0.1; done
[ ! -e "/proc/$pid" ] || fail "the command on the host still runs"

output=$(tools/lab run --nics 0 --host 'exit 6' -- sleep 1000 2>&1)
status=$?
[ $status -eq 125 ] || fail "the command on the host fails: exit status $status, not 125"
[[ $output == *"ended with status 6: exit 6"* ]] || fail "the failure on the host is not shown"
