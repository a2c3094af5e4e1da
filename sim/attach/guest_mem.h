/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The memory of a VM as a NIC in the VM sees it: maps guest physical addresses to the file that
 * backs the VM's RAM (memory-backend-file, share=on, machine q35).
 */
#ifndef TALLY_SIM_ATTACH_GUEST_MEM_H
#define TALLY_SIM_ATTACH_GUEST_MEM_H

#include <stdint.h>

struct guest_mem {
	uint8_t *base;	/* mapping of the whole file */
	uint64_t size;	/* bytes of RAM */
	uint64_t low;	/* bytes of RAM below 4 GiB, which are at the beginning of the file */
};

/*
 * Map the @size bytes of the file @fd; the caller may close the descriptor afterwards. Returns 0 or
 * -errno: -EINVAL if @size is 0 or not the exact length of the file (an access beyond its end would
 * cause a SIGBUS). The file must not become shorter while it is mapped.
 */
int guest_mem_map(struct guest_mem *mem, int fd, uint64_t size);

/* Remove the mapping, if there is one. */
void guest_mem_unmap(struct guest_mem *mem);

/*
 * Return the address of the @len bytes at guest physical address @addr. Returns NULL if @len is 0
 * or any byte of the range is not RAM, because the range leaves the memory or touches the hole
 * below 4 GiB.
 */
void *guest_mem_at(const struct guest_mem *mem, uint64_t addr, uint64_t len);

#endif
