/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The memory of a VM, as a NIC in it sees it: guest physical addresses onto the file that backs
 * the VM's RAM (memory-backend-file, share=on, machine q35).
 */
#ifndef TALLY_SIM_ATTACH_GUEST_MEM_H
#define TALLY_SIM_ATTACH_GUEST_MEM_H

#include <stdint.h>

struct guest_mem {
	uint8_t *base;	/* the whole file, mapped */
	uint64_t size;	/* bytes of RAM */
	uint64_t low;	/* bytes of RAM below 4 GiB: the file's beginning */
};

/*
 * Maps the @size bytes of the file @fd; the descriptor may be closed afterwards. Returns 0 or
 * -errno: -EINVAL when @size is 0 or the file is not exactly that long (touching what lies behind
 * its end would be a SIGBUS). The file must not be made shorter while it is mapped.
 */
int guest_mem_map(struct guest_mem *mem, int fd, uint64_t size);

/* Ends the mapping; no effect on one that was never made or is already gone. */
void guest_mem_unmap(struct guest_mem *mem);

/*
 * Where the @len bytes at guest physical address @addr are. NULL when @len is 0 or any byte of
 * the range is not RAM: the range leaves the memory, or touches the hole below 4 GiB.
 */
void *guest_mem_at(const struct guest_mem *mem, uint64_t addr, uint64_t len);

#endif
