/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Ordering points between the CPU and a device that shares its memory, with the names of rdma-core,
 * for a build outside of its tree.
 */
#ifndef TALLY_COMPAT_UDMA_BARRIER_H
#define TALLY_COMPAT_UDMA_BARRIER_H

#if defined(__x86_64__)
/*
 * The CPU keeps the order of stores to ordinary memory, so only the compiler must not reorder them.
 */
#define udma_to_device_barrier() __asm__ volatile("" ::: "memory")
#define udma_from_device_barrier() __asm__ volatile("lfence" ::: "memory")
#elif defined(__aarch64__)
#define udma_to_device_barrier() __asm__ volatile("dsb st" ::: "memory")
#define udma_from_device_barrier() __asm__ volatile("dsb ld" ::: "memory")
#else
#error "no DMA barriers are known for this architecture"
#endif

#endif
