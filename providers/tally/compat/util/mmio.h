/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Stores to the device's memory, under the names rdma-core gives them, for a build outside its tree. */
#ifndef TALLY_COMPAT_MMIO_H
#define TALLY_COMPAT_MMIO_H

#if defined(__x86_64__)
/* What was written to write-combined memory has left the CPU before what is stored next. */
#define mmio_flush_writes() __asm__ volatile("sfence" ::: "memory")
#elif defined(__aarch64__)
#define mmio_flush_writes() __asm__ volatile("dsb st" ::: "memory")
#else
#error "no MMIO barriers are known for this architecture"
#endif

#endif
