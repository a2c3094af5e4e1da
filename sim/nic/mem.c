// SPDX-License-Identifier: BSD-2-Clause
#include "nic/mem.h"

#include <endian.h>
#include <string.h>

#define TABLE_BITS	9	/* log2 of the number of addresses in a page of the list */

_Static_assert((sizeof(uint64_t) << TABLE_BITS) == TALLY_PAGE_SIZE, "a table fills its page");
_Static_assert((1u << TALLY_MIN_PAGE_SHIFT) == TALLY_PAGE_SIZE, "pages are at least BAR pages");

#define MEM_FIELD(name) offsetof(struct tally_mem, name)

static bool bad_field(uint16_t *bad, size_t offset)
{
	*bad = (uint16_t)offset;
	return false;
}

static bool decode_flat(const struct host_mem *mem, uint16_t *bad)
{
	if (mem->offset)
		return bad_field(bad, MEM_FIELD(offset));
	if (mem->page_shift &&
	    (mem->page_shift < TALLY_MIN_PAGE_SHIFT || mem->page_shift > TALLY_MAX_PAGE_SHIFT))
		return bad_field(bad, MEM_FIELD(page_shift));
	if (mem->length - 1 > UINT64_MAX - mem->addr)
		return bad_field(bad, MEM_FIELD(length));
	return true;
}

static bool decode_paged(const struct host_mem *mem, uint16_t *bad)
{
	uint64_t capacity;

	if (mem->page_shift < TALLY_MIN_PAGE_SHIFT || mem->page_shift > TALLY_MAX_PAGE_SHIFT)
		return bad_field(bad, MEM_FIELD(page_shift));
	if (mem->addr % TALLY_PAGE_SIZE)
		return bad_field(bad, MEM_FIELD(addr));
	if (mem->offset >> mem->page_shift)
		return bad_field(bad, MEM_FIELD(offset));
	capacity = 1ull << (TABLE_BITS * mem->levels + mem->page_shift);
	if (mem->length > capacity - mem->offset)
		return bad_field(bad, MEM_FIELD(length));
	return true;
}

bool mem_decode(struct host_mem *mem, const struct tally_mem *raw, uint16_t *bad)
{
	*mem = (struct host_mem){
		.addr = le64toh(raw->addr),
		.length = le64toh(raw->length),
		.offset = le32toh(raw->offset),
		.levels = raw->levels,
		.page_shift = raw->page_shift,
	};
	if (raw->rsvd0)
		return bad_field(bad, MEM_FIELD(rsvd0));
	if (raw->rsvd1)
		return bad_field(bad, MEM_FIELD(rsvd1));
	if (mem->levels > TALLY_MEM_LEVELS)
		return bad_field(bad, MEM_FIELD(levels));
	if (!mem->length)
		return bad_field(bad, MEM_FIELD(length));
	return mem->levels ? decode_paged(mem, bad) : decode_flat(mem, bad);
}

bool mem_decode_ring(struct host_mem *mem, const struct tally_mem *raw, uint32_t depth,
		     uint32_t size, uint16_t *bad)
{
	if (!mem_decode(mem, raw, bad))
		return false;
	if (mem->length < (uint64_t)depth * size)
		return bad_field(bad, MEM_FIELD(length));
	if (mem->levels && mem->offset % size)
		return bad_field(bad, MEM_FIELD(offset));
	if (!mem->levels && mem->addr % size)
		return bad_field(bad, MEM_FIELD(addr));
	return true;
}

bool mem_contiguous(struct host_mem *mem, uint64_t addr, uint64_t len)
{
	*mem = (struct host_mem){ .addr = addr, .length = len };
	return len && len - 1 <= UINT64_MAX - addr;
}

/* Follow entry @index of the table at @table to a page of 1 << @shift bytes. */
static bool step(const struct bus *bus, uint64_t table, unsigned int index, unsigned int shift,
		 uint64_t *page)
{
	const uint64_t *entry = bus->ops->map(bus->ctx, table + index * sizeof(*entry),
					      sizeof(*entry));

	if (!entry)
		return false;
	*page = le64toh(__atomic_load_n(entry, __ATOMIC_RELAXED));
	return !(*page & ((1ull << shift) - 1));
}

/* Compute the bus address of the byte at @offset, which is within the buffer. */
static bool locate(const struct bus *bus, const struct host_mem *mem, uint64_t offset, uint64_t *at)
{
	uint64_t page = mem->addr, number;
	unsigned int level;

	if (!mem->levels) {
		*at = mem->addr + offset;
		return true;
	}
	offset += mem->offset;
	number = offset >> mem->page_shift;
	for (level = mem->levels; level; level--) {
		unsigned int index = (number >> (TABLE_BITS * (level - 1))) &
				     ((1u << TABLE_BITS) - 1);
		unsigned int shift = level > 1 ? TALLY_MIN_PAGE_SHIFT : mem->page_shift;

		if (!step(bus, page, index, shift, &page))
			return false;
	}
	*at = page + (offset & ((1ull << mem->page_shift) - 1));
	return true;
}

/*
 * Return a pointer to the part of the *len bytes at @offset that is in one page, and set *len to
 * its length.
 */
static void *piece(const struct bus *bus, const struct host_mem *mem, uint64_t offset, size_t *len)
{
	uint64_t at;
	size_t room;

	if (!locate(bus, mem, offset, &at))
		return NULL;
	room = TALLY_PAGE_SIZE - at % TALLY_PAGE_SIZE;
	if (*len > room)
		*len = room;
	return bus->ops->map(bus->ctx, at, *len);
}

static bool inside(const struct host_mem *mem, uint64_t offset, uint64_t len)
{
	return offset <= mem->length && len <= mem->length - offset;
}

bool mem_present(const struct bus *bus, const struct host_mem *mem, uint64_t len)
{
	uint64_t done = 0;

	if (!inside(mem, 0, len))
		return false;
	while (done < len) {
		size_t n = len - done;

		if (!piece(bus, mem, done, &n))
			return false;
		done += n;
	}
	return true;
}

bool mem_copy_in(const struct bus *bus, const struct host_mem *mem, uint64_t offset, void *to,
		 size_t len)
{
	if (!inside(mem, offset, len))
		return false;
	while (len) {
		size_t n = len;
		const void *from = piece(bus, mem, offset, &n);

		if (!from)
			return false;
		memcpy(to, from, n);
		to = (uint8_t *)to + n;
		offset += n;
		len -= n;
	}
	return true;
}

bool mem_copy_out(const struct bus *bus, const struct host_mem *mem, uint64_t offset,
		  const void *from, size_t len)
{
	if (!inside(mem, offset, len))
		return false;
	while (len) {
		size_t n = len;
		void *to = piece(bus, mem, offset, &n);

		if (!to)
			return false;
		memcpy(to, from, n);
		from = (const uint8_t *)from + n;
		offset += n;
		len -= n;
	}
	return true;
}

bool mem_find(const struct bus *bus, const struct host_mem *mem, uint64_t offset, size_t len,
	      struct mem_piece *pieces, size_t *num)
{
	*num = 0;
	if (!inside(mem, offset, len))
		return false;
	while (len) {
		size_t n = len;
		void *at = piece(bus, mem, offset, &n);

		if (!at)
			return false;
		pieces[(*num)++] = (struct mem_piece){ at, n };
		offset += n;
		len -= n;
	}
	return true;
}

bool mem_ring_write(const struct bus *bus, const struct host_mem *ring, uint64_t slot,
		    const void *entry, size_t size)
{
	size_t body = size - sizeof(uint64_t), n = size;
	uint8_t *to;
	uint64_t last;

	if (!inside(ring, slot * size, size))
		return false;
	to = piece(bus, ring, slot * size, &n);
	if (!to || n != size)
		return false;
	memcpy(to, entry, body);
	memcpy(&last, (const uint8_t *)entry + body, sizeof(last));
	__atomic_store_n((uint64_t *)(to + body), last, __ATOMIC_RELEASE);
	bus_written(bus, to, size);
	return true;
}
