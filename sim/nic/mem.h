/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Access to host memory by lists of pages (struct tally_mem). Every step of a walk goes through the
 * bus and is checked, because the tables are in host memory and may change after the driver has
 * described them.
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

/* Tell the host of a write, if it wants to know. */
static inline void bus_written(const struct bus *bus, const void *at, size_t len)
{
	if (bus->ops->written)
		bus->ops->written(bus->ctx, at, len);
}

/* A buffer in host memory: struct tally_mem, checked and in host byte order. */
struct host_mem {
	uint64_t addr;
	uint64_t length;	/* in bytes, not 0 */
	uint32_t offset;
	uint8_t levels;
	uint8_t page_shift;
};

/*
 * Check @raw and fill in @mem. Returns false with the offset of the field at fault, in struct
 * tally_mem, in *bad. A buffer of level 0 has no pages: its offset must be 0, its page_shift 0 or
 * one that is valid for other levels.
 */
bool mem_decode(struct host_mem *mem, const struct tally_mem *raw, uint16_t *bad);

/*
 * Like mem_decode(), for a ring of @depth entries of @size bytes (a power of two, at most a page).
 * The buffer must hold all of them, each at a multiple of @size, so that no entry crosses a page.
 */
bool mem_decode_ring(struct host_mem *mem, const struct tally_mem *raw, uint32_t depth,
		     uint32_t size, uint16_t *bad);

/* Describe the @len bytes at bus address @addr. Returns false if that range is empty or wraps. */
bool mem_contiguous(struct host_mem *mem, uint64_t addr, uint64_t len);

/* Return whether all of the first @len bytes of @mem are host memory now. */
bool mem_present(const struct bus *bus, const struct host_mem *mem, uint64_t len);

/*
 * Copy @len bytes at @offset. Returns false if they are outside the buffer or not all are host
 * memory.
 */
bool mem_copy_in(const struct bus *bus, const struct host_mem *mem, uint64_t offset, void *to,
		 size_t len);

/* Copy in the other direction. On failure, the pieces before the bad one have been written. */
bool mem_copy_out(const struct bus *bus, const struct host_mem *mem, uint64_t offset,
		  const void *from, size_t len);

/* Location of some bytes of a buffer. */
struct mem_piece {
	void *at;
	size_t len;
};

/* Return the largest number of pieces that @len bytes may be in. */
static inline size_t mem_pieces(size_t len)
{
	return len / TALLY_PAGE_SIZE + 2;
}

/*
 * Find @len bytes at @offset, to be written later. Sets up to mem_pieces(@len) pieces, and their
 * number in *num. Returns false in the same cases as mem_copy_out().
 */
bool mem_find(const struct bus *bus, const struct host_mem *mem, uint64_t offset, size_t len,
	      struct mem_piece *pieces, size_t *num);

/*
 * Write @entry of @size bytes (a multiple of 8) as entry @slot of a ring. The last eight bytes,
 * which contain the owner byte, become visible after all others.
 */
bool mem_ring_write(const struct bus *bus, const struct host_mem *ring, uint64_t slot,
		    const void *entry, size_t size);

#endif
