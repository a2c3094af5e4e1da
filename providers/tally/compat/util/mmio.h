/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Stores to the device's memory, with the names of rdma-core, for a build outside of its tree. */
#ifndef TALLY_COMPAT_MMIO_H
#define TALLY_COMPAT_MMIO_H

#include <linux/types.h>

/* A single store, which is never split. */
static inline void mmio_write64_le(void *addr, __le64 value)
{
	*(volatile __le64 *)addr = value;
}

static inline void mmio_write32_le(void *addr, __le32 value)
{
	*(volatile __le32 *)addr = value;
}

#if defined(__x86_64__)
/* Orders stores to write-combined memory before all later stores. */
#define mmio_flush_writes() __asm__ volatile("sfence" ::: "memory")
#elif defined(__aarch64__)
#define mmio_flush_writes() __asm__ volatile("dsb st" ::: "memory")
#else
#error "no MMIO barriers are known for this architecture"
#endif

#endif
