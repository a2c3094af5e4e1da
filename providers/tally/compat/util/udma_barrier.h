/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Ordering points between the CPU and a device that shares its memory, under the names rdma-core
 * gives them, for a build outside an rdma-core tree.
 */
#ifndef TALLY_COMPAT_UDMA_BARRIER_H
#define TALLY_COMPAT_UDMA_BARRIER_H

#if defined(__x86_64__)
/* Stores to ordinary memory are seen in order: only the compiler must be kept from moving them. */
#define udma_to_device_barrier() __asm__ volatile("" ::: "memory")
#define udma_from_device_barrier() __asm__ volatile("lfence" ::: "memory")
#elif defined(__aarch64__)
#define udma_to_device_barrier() __asm__ volatile("dsb st" ::: "memory")
#define udma_from_device_barrier() __asm__ volatile("dsb ld" ::: "memory")
#else
#error "no DMA barriers are known for this architecture"
#endif

#endif
