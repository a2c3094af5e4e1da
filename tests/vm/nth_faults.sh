# SPDX-License-Identifier: BSD-2-Clause
# Configures the kernel's own fault injection for the tests that source this file: only a thread that asks for a failure
# gets one.
for kind in failslab fail_page_alloc fail_usercopy; do
	echo 0 > /sys/kernel/debug/$kind/verbose	# a trace would count as a complaint of the kernel
done
for kind in failslab fail_page_alloc; do
	echo N > /sys/kernel/debug/$kind/ignore-gfp-wait	# allocations that may sleep fail as well
done
echo 0 > /sys/kernel/debug/fail_page_alloc/min-order
