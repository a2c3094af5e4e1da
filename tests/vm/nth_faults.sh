# SPDX-License-Identifier: BSD-2-Clause
# Sourced by tests that use the kernel's own fault injection: only who asks for a failure gets it.
for kind in failslab fail_page_alloc fail_usercopy; do
	echo 0 > /sys/kernel/debug/$kind/verbose	# the trace of a fault is a complaint like any other
done
for kind in failslab fail_page_alloc; do
	echo N > /sys/kernel/debug/$kind/ignore-gfp-wait	# also what may wait for memory
done
echo 0 > /sys/kernel/debug/fail_page_alloc/min-order
