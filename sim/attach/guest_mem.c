// SPDX-License-Identifier: BSD-2-Clause
#include "attach/guest_mem.h"

#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/stat.h>

#define MIB		(UINT64_C(1) << 20)
#define HIGH_BASE	(UINT64_C(4096) * MIB)

/*
 * QEMU's q35 keeps RAM of less than 2.75 GiB in one piece. From that size on, 2 GiB stay below the
 * PCI hole and the rest moves to 4 GiB, so that gigabyte pages stay aligned.
 */
#define Q35_SPLIT_FROM	(UINT64_C(2816) * MIB)
#define Q35_SPLIT_LOW	(UINT64_C(2048) * MIB)

int guest_mem_map(struct guest_mem *mem, int fd, uint64_t size)
{
	struct stat st;
	void *base;

	if (fstat(fd, &st))
		return -errno;
	if (!size || st.st_size < 0 || (uint64_t)st.st_size != size)
		return -EINVAL;
	base = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (base == MAP_FAILED)
		return -errno;
	*mem = (struct guest_mem){
		.base = base,
		.size = size,
		.low = size < Q35_SPLIT_FROM ? size : Q35_SPLIT_LOW,
	};
	return 0;
}

void guest_mem_unmap(struct guest_mem *mem)
{
	if (mem->base)
		munmap(mem->base, mem->size);
	*mem = (struct guest_mem){ 0 };
}

void *guest_mem_at(const struct guest_mem *mem, uint64_t addr, uint64_t len)
{
	uint64_t piece = mem->low, offset = 0;

	if (addr >= HIGH_BASE) {
		addr -= HIGH_BASE;
		offset = mem->low;
		piece = mem->size - mem->low;
	}
	if (!len || addr >= piece || len > piece - addr)
		return NULL;
	return mem->base + offset + addr;
}
