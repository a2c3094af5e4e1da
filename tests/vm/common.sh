# SPDX-License-Identifier: BSD-2-Clause
# Common functions of the tests in this folder. The tests source this file in the checkout.
set -euo pipefail

bin=build/bin/tests
. "$TALLY_SHARE/guest.conf"	# KERNEL, ENGINE and MODULES

fail() {
	echo "$*"
	exit 1
}

# brief: whether the test runs on Verilated NICs, which are slow, and not all cases were requested, as by make rtl-check.
brief() {
	[ "$ENGINE" = rtl ] && [ -z "${TALLY_ALL_CASES:-}" ]
}

# start NAME COMMAND...: runs the command in the background and waits until it prints "ready". Its output goes to
# /tmp/NAME.out, close_input ends its input, and `started` is its process id.
start() {
	local name=$1
	shift
	mkfifo "/tmp/$name.in"
	"$@" < "/tmp/$name.in" > "/tmp/$name.out" 2>&1 &
	started=$!
	exec {input}> "/tmp/$name.in"
	rm "/tmp/$name.in"
	for ((i = 0; i < 100 * TALLY_SLOWNESS; i++)); do
		! grep -q ready "/tmp/$name.out" || return 0
		kill -0 "$started" 2> /dev/null || break
		sleep 0.1
	done
	fail "$* is not ready: $(cat "/tmp/$name.out")"
}

close_input() {
	exec {input}>&-
}

# finish NAME: waits for the command that was started last, which must exit with status 0.
finish() {
	wait "$started" || fail "$1 failed: $(cat "/tmp/$1.out")"
}

cmd_timeout=/sys/module/tally/parameters/cmd_timeout_ms	# that of Verilated NICs differs from the driver's default

unload() {
	cmd_timeout_ms=$(< $cmd_timeout)
	rmmod tally_ib tally
}

load() {
	local module
	for module in $MODULES; do
		insmod "build/kernel-$KERNEL/$module.ko"
	done
	echo "$cmd_timeout_ms" > $cmd_timeout
}

# kernel_mark and kernel_said: print the kernel's messages since the last kernel_mark, without time stamps.
kernel_mark() {
	mark="tally-mark $RANDOM$RANDOM"
	echo "$mark" > /dev/kmsg
}

# The kernel's timers also print messages if the host is slow.
kernel_said() {
	dmesg -t | sed "1,/$mark/d" |
		grep -vE '^(CE: .* increased min_delta_ns|hrtimer: interrupt took|clocksource: |perf: interrupt took)' || true
}

# debug_messages +p|-p: enables or disables the drivers' messages about mistakes of processes. The debug kernel has
# none.
debug_messages() {
	[ "$KERNEL" != debug ] || return 0
	echo "module tally_ib $1; module tally $1" > /sys/kernel/debug/dynamic_debug/control
}

# has_sentence PATTERN: checks that the drivers printed it since debug_messages +p. The debug kernel cannot.
has_sentence() {
	[ "$KERNEL" = debug ] || grep -qE "$1" <<< "$(kernel_said)" || fail "no '$1' in: $(kernel_said)"
}

# works WHEN: checks that collectives over all NICs work.
works() {
	"$bin/rooted" > /tmp/works.out 2>&1 || fail "$1: $(cat /tmp/works.out)"
}

# all_free WHEN: checks that no object of a program is left.
all_free() {
	local left i
	left=$(rdma resource | grep -v " pd 0 cq 0 qp 0 cm_id 0 mr 0 ctx 0 srq 0 " || true)
	[ -z "$left" ] || fail "$1: still held: $left"
	left=$("$bin/qps")
	[ -z "$left" ] || fail "$1: still held: $left"
	for ((i = 0; i < 20 * TALLY_SLOWNESS; i++)); do	# the device reports to the driver when groups have drained
		sleep 0.5
		"$bin/quota" > /tmp/quota.out 2>&1 && return
	done
	fail "$1: not all segments and groups are free: $(cat /tmp/quota.out)"
}
