#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The debug kernel finds the faults that it is built for, tools/check attributes each to the right test, and allocations
# can be made to fail. The test uses a small tree of its own, with a module of planted bugs.

fail() { echo "$*"; echo "$output"; exit 1; }

tree=$(mktemp -d /tmp/tally-debug-XXXXXX)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree"/tests/vm
cp -r tools "$tree"
cp -r tests/lab/planted "$tree"

kernel=$(tools/lab.d/debug-kernel folder) && [ -e "$kernel" ] || fail "no debug kernel: run make kernel-debug"
output=$(make -C "$kernel/build" M="$tree/planted" modules 2>&1) || fail "cannot build planted"

script() { # name, commands
	printf '#!/bin/sh\n# lab: --nics 0 --append kmemleak=on\n# kernels: debug (planted mistakes)\n%s\n' "$2" \
		> "$tree/tests/vm/$1.test"
	chmod +x "$tree/tests/vm/$1.test"
}

plant() { # name of the test, bug...
	local name=$1 commands=
	shift
	for bug; do
		commands+="insmod planted/planted.ko bug=$bug; [ \$? = 1 ] || exit"$'\n'
	done
	script "$name" "$commands"
}

script a_good 'exit 0'
plant b_lock lock-order	# alone: lockdep is off after the first report of another checker
plant c_memory use-after-free shift sleep-in-atomic
plant d_dma dma-size use-after-free
script h_leak 'insmod planted/planted.ko bug=leak
leaks=/sys/kernel/debug/kmemleak
for pass in 1 2 3 4 5 6 7 8; do [ -s $leaks ] || { sleep 6; echo scan > $leaks; }; done'
script i_fault 'echo 0 > /sys/kernel/debug/failslab/verbose
echo N > /sys/kernel/debug/failslab/ignore-gfp-wait
insmod planted/planted.ko bug=failing-allocation 2>&1 | grep "Cannot allocate memory"'
script j_reason 'exit 0'
sed -i 's/^# kernels: .*/# kernels: stock/' "$tree/tests/vm/j_reason.test"

output=$("$tree/tools/check" vm-debug/ 2>&1)
status=$?
[ $status -eq 1 ] || fail "exit status $status, not 1"

# reports TEST TEXT: checks that the test failed with this text. The lines of a test come before the next test's
# verdict.
reports() { # test, text
	sed -n "/^FAIL vm-debug\/$1: the guest's kernel complained/,/^[A-Z]/p" <<< "$output" | grep -qF "$2" ||
		fail "$1 does not fail with '$2'"
}
grep -q '^PASS vm-debug/a_good ' <<< "$output" || fail "the good test does not pass"
reports b_lock 'WARNING: possible circular locking dependency detected'
reports c_memory 'BUG: KASAN: use-after-free'
reports d_dma 'BUG: KASAN: use-after-free'
reports c_memory 'UBSAN: shift-out-of-bounds'
reports c_memory 'BUG: sleeping function called from invalid context'
reports d_dma 'device driver frees DMA memory with different size'
reports h_leak 'new suspected memory leaks'
grep -q '^PASS vm-debug/i_fault ' <<< "$output" || fail "an allocation does not fail when it should"
grep -q "^FAIL vm-debug/j_reason: '# kernels: stock' is not" <<< "$output" || fail "an opt-out without reason is accepted"
grep -qx '2 passed, 5 failed, 0 skipped' <<< "$output" || fail "wrong counts"
