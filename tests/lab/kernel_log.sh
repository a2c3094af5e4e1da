#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Every kind of report by the kernel counts as a complaint. The messages of a good boot do not.

export PYTHONDONTWRITEBYTECODE=1

# mistaken EXPECTED: prints the lines of standard input whose classification is wrong. EXPECTED is 1 for complaints and
# 0 for other lines.
mistaken() {
	/usr/bin/python3 -c '
import sys
sys.path.insert(0, "tools/lab.d")
import kernel_log
for line in sys.stdin.read().splitlines():
    if kernel_log.is_complaint(line) == (sys.argv[1] == "1"):
        print(line)' "$1"
}

missed=$(mistaken 0 <<'END'
WARNING: CPU: 0 PID: 75 at kernel/dma/debug.c:571 add_dma_entry+0x2ad/0x340
BUG: KASAN: use-after-free in planted_init+0x7b/0x1000 [planted]
BUG: sleeping function called from invalid context at mm/slab.h:274
BUG: scheduling while atomic: insmod/85/0x00000002
BUG: unable to handle page fault for address: ffffc90000123000
WARNING: possible circular locking dependency detected
WARNING: possible recursive locking detected
WARNING: inconsistent lock state
WARNING: suspicious RCU usage
WARNING: bad unlock balance detected!
INFO: trying to register non-static key.
INFO: task insmod:85 blocked for more than 120 seconds.
INFO: lockdep is turned off.
watchdog: BUG: soft lockup - CPU#0 stuck for 22s! [insmod:85]
rcu: INFO: rcu_sched self-detected stall on CPU
UBSAN: shift-out-of-bounds in planted.c:40:12
ODEBUG: free active (active state 0) object type: timer_list hint: tick+0x0/0x10
DMA-API: tally 0000:00:08.0: device driver has pending DMA allocations while released from device [count=1]
DMA-API: debugging out of memory - disabling
kmemleak: 3 new suspected memory leaks (see /sys/kernel/debug/kmemleak)
kmemleak: Cannot allocate a kmemleak_object structure
unreferenced object 0xffff888004a5a000 (size 64):
refcount_t: underflow; use-after-free.
list_del corruption. prev->next should be ffff888004a5a000
general protection fault, probably for non-canonical address
Kernel panic - not syncing: sysrq triggered crash
planted: module license 'Proprietary' taints kernel.
END
)
invented=$(mistaken 1 <<'END'
tally: loading out-of-tree module taints kernel.
planted: loading test module taints kernel.
tally: module verification failed: signature and/or required key missing - tainting kernel
DMA-API: preallocated 65536 debug entries
DMA-API: debugging enabled by kernel config
kasan: KernelAddressSanitizer initialized
kmemleak: Kernel memory leak detector initialized (mem pool available: 15708)
kmemleak: Kernel memory leak detector disabled
Lock dependency validator: Copyright (c) 2006 Red Hat, Inc., Ingo Molnar
END
)
# A report that is left out ends with its trace. A later report counts.
shown=$(/usr/bin/python3 -c '
import sys
sys.path.insert(0, "tools/lab.d")
import kernel_log
print(*kernel_log.complaints(sys.stdin.read().splitlines()), sep="|")' <<'END'
------------[ cut here ]------------
DMA-API: exceeded 7 overlapping mappings of cacheline 0x0000000000175400
WARNING: CPU: 0 PID: 424 at kernel/dma/debug.c:463 add_dma_entry+0x473/0x560
Call Trace:
 ? check_sync+0x1730/0x1730
---[ end trace 0000000000000000 ]---
all is well
BUG: KASAN: use-after-free in planted_init+0x7b/0x1000 [planted]
END
)
[ "$shown" = "BUG: KASAN: use-after-free in planted_init+0x7b/0x1000 [planted]" ] ||
	{ echo "wrong complaints beside a harmless report: $shown"; exit 1; }
[ -z "$missed" ] || { echo "complaints that are not recognized: $missed"; exit 1; }
[ -z "$invented" ] || { echo "lines that are no complaints: $invented"; exit 1; }
