// SPDX-License-Identifier: BSD-2-Clause
#include "hosts/arena.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define FREE_BYTE	0xdd	/* value of every byte of a free block */
#define LARGE_BLOCK	(256u << 10)	/* from here on, free blocks are zeroes and occupy no memory */

int arena_init(struct arena *a, size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	*a = (struct arena){ 0 };
	if (p == MAP_FAILED)
		return -errno;
	/* Untouched pages must occupy no memory. Kernels without huge pages fail harmlessly. */
	madvise(p, size, MADV_NOHUGEPAGE);
	a->base = p;
	a->size = size;
	return 0;
}

void arena_free(struct arena *a)
{
	for (unsigned int i = 0; i < ARENA_CLASSES; i++)
		free(a->class[i].block);
	if (a->base)
		munmap(a->base, a->size);
	*a = (struct arena){ 0 };
}

static unsigned int class_of(size_t len)
{
	unsigned int class = 0;

	while (((size_t)ARENA_MIN_BLOCK << class) < len)
		class++;
	return class;
}

/* Takes an unused block. Bytes skipped for alignment are lost: blocks of all sizes follow soon. */
static uint64_t take_fresh(struct arena *a, size_t block)
{
	size_t at = (a->fresh + block - 1) / block * block;

	if (at > a->size || block > a->size - at)
		return 0;
	a->fresh = at + block;
	return ARENA_BUS_BASE + at;
}

static uint8_t free_byte(size_t block)
{
	return block < LARGE_BLOCK ? FREE_BYTE : 0;
}

/* Takes the most recently freed block of the size, and clears it. */
static uint64_t take_used(struct arena *a, struct arena_class *c, size_t block, size_t len)
{
	uint64_t addr = c->block[--c->count];
	uint8_t *at = arena_at(a, addr, block);

	/* All bytes are equal if each equals the next one. */
	if (!a->written_after_free &&
	    (at[0] != free_byte(block) || memcmp(at, at + 1, block - 1)))
		a->written_after_free = addr;
	if (block < LARGE_BLOCK)
		memset(at, 0, len);
	else
		arena_clear(a, addr, block);
	return addr;
}

uint64_t arena_alloc(struct arena *a, size_t len)
{
	unsigned int class = class_of(len);
	size_t block = (size_t)ARENA_MIN_BLOCK << class;
	uint64_t addr = a->class[class].count ? take_used(a, &a->class[class], block, len) :
						take_fresh(a, block);

	if (addr)
		a->used += block;
	return addr;
}

void arena_release(struct arena *a, uint64_t bus_addr, size_t len)
{
	unsigned int class = class_of(len);
	size_t block = (size_t)ARENA_MIN_BLOCK << class;
	struct arena_class *c = &a->class[class];

	if (c->count == c->room) {
		c->room = c->room ? 2 * c->room : 16;
		c->block = realloc(c->block, c->room * sizeof(*c->block));
		if (!c->block)
			abort();
	}
	c->block[c->count++] = bus_addr;
	if (block < LARGE_BLOCK)
		memset(arena_at(a, bus_addr, block), FREE_BYTE, block);
	else
		arena_clear(a, bus_addr, block);
	a->used -= block;
}

void *arena_at(const struct arena *a, uint64_t bus_addr, size_t len)
{
	if (bus_addr < ARENA_BUS_BASE || bus_addr - ARENA_BUS_BASE > a->size ||
	    len > a->size - (bus_addr - ARENA_BUS_BASE))
		return NULL;
	return a->base + (bus_addr - ARENA_BUS_BASE);
}

void arena_clear(struct arena *a, uint64_t bus_addr, size_t len)
{
	uint8_t *at = arena_at(a, bus_addr, len);
	size_t page = sysconf(_SC_PAGESIZE), pages = len / page * page;

	/* A block that is as long as a page or longer begins at a page. */
	if (pages && madvise(at, pages, MADV_DONTNEED))
		pages = 0;
	memset(at + pages, 0, len - pages);
}
