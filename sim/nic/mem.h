/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Host memory by lists of pages (struct tally_mem). Every step of a walk goes through the bus and
 * is checked, because the tables are in host memory and may change after they were described.
 */
#ifndef TALLY_SIM_NIC_MEM_H
#define TALLY_SIM_NIC_MEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nic/nic.h"

struct bus {
	const struct nic_bus *ops;
	void *ctx;
};

/* A buffer in host memory: struct tally_mem, checked and in host byte order. */
struct host_mem {
	uint64_t addr;
	uint64_t length;	/* bytes; not 0 */
	uint32_t offset;
	uint8_t levels;
	uint8_t page_shift;
};

/*
 * Checks @raw and writes @mem. False: *bad is the offset in struct tally_mem of the field at fault.
 * A buffer of level 0 has no pages: its offset is 0, its page_shift 0 or that of other levels.
 */
bool mem_decode(struct host_mem *mem, const struct tally_mem *raw, uint16_t *bad);

/*
 * The same for a ring of @depth entries of @size bytes (a power of two up to a page): the buffer
 * holds all of them, each at a multiple of @size, so that no entry crosses a page.
 */
bool mem_decode_ring(struct host_mem *mem, const struct tally_mem *raw, uint32_t depth,
		     uint32_t size, uint16_t *bad);

/* The @len bytes at bus address @addr. False if that range is empty or wraps. */
bool mem_contiguous(struct host_mem *mem, uint64_t addr, uint64_t len);

/* Is every one of the first @len bytes of @mem host memory now? */
bool mem_present(const struct bus *bus, const struct host_mem *mem, uint64_t len);

/* Copies @len bytes at @offset. False: outside the buffer, or some of it is not host memory. */
bool mem_copy_in(const struct bus *bus, const struct host_mem *mem, uint64_t offset, void *to,
		 size_t len);

/* The same the other way; on failure the pieces before the bad one are written. */
bool mem_copy_out(const struct bus *bus, const struct host_mem *mem, uint64_t offset,
		  const void *from, size_t len);

/* Where bytes of a buffer are. */
struct mem_piece {
	void *at;
	size_t len;
};

/* Pieces that @len bytes may lie in. */
static inline size_t mem_pieces(size_t len)
{
	return len / TALLY_PAGE_SIZE + 2;
}

/*
 * Finds @len bytes at @offset, to be written later: up to mem_pieces(@len) pieces, their number in
 * *num. False as with mem_copy_out().
 */
bool mem_find(const struct bus *bus, const struct host_mem *mem, uint64_t offset, size_t len,
	      struct mem_piece *pieces, size_t *num);

/*
 * Writes @entry of @size bytes (a multiple of 8) as entry @slot of a ring. The last eight bytes, in
 * which the owner byte is, become visible after all others.
 */
bool mem_ring_write(const struct bus *bus, const struct host_mem *ring, uint64_t slot,
		    const void *entry, size_t size);

#endif
