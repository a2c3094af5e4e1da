#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The driver has hooks for fault injection only if the kernel supports it: the debug kernel does, Debian's does not.

# symbols KERNEL: prints the symbols of fault injection in the module for this kernel.
symbols() {
	local module=build/kernel-$1/tally.ko
	[ -e "$module" ] || { echo "no $module: run make kernel kernel-debug" >&2; exit 1; }
	nm "$module" | grep -E 'inject|fault_|should_fail'
}

stock=$(symbols stock) && { echo "build/kernel-stock/tally.ko: $stock"; exit 1; }
symbols debug | grep -q ' U should_fail$' || { echo "the debug kernel's module injects nothing"; exit 1; }
