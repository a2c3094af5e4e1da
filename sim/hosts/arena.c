// SPDX-License-Identifier: BSD-2-Clause
#include "hosts/arena.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define FREE_BYTE	0xdd	/* what a block given back is made of */

int arena_init(struct arena *a, size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	*a = (struct arena){ 0 };
	if (p == MAP_FAILED)
		return -errno;
	/* Pages are what is touched, no more; a kernel without huge ones refuses, and is right. */
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

/* A block never used before; what alignment skips is lost, as blocks of all sizes come soon. */
static uint64_t take_fresh(struct arena *a, size_t block)
{
	size_t at = (a->fresh + block - 1) / block * block;

	if (at > a->size || block > a->size - at)
		return 0;
	a->fresh = at + block;
	return ARENA_BUS_BASE + at;
}

/* The newest block of its size, wiped. */
static uint64_t take_used(struct arena *a, struct arena_class *c, size_t block, size_t len)
{
	uint64_t addr = c->block[--c->count];
	uint8_t *at = arena_at(a, addr, block);

	/* All alike if each is as the one after it. */
	if (!a->trespass && (at[0] != FREE_BYTE || memcmp(at, at + 1, block - 1)))
		a->trespass = addr;
	memset(at, 0, len);
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
	memset(arena_at(a, bus_addr, block), FREE_BYTE, block);
	a->used -= block;
}

void *arena_at(const struct arena *a, uint64_t bus_addr, size_t len)
{
	if (bus_addr < ARENA_BUS_BASE || bus_addr - ARENA_BUS_BASE > a->size ||
	    len > a->size - (bus_addr - ARENA_BUS_BASE))
		return NULL;
	return a->base + (bus_addr - ARENA_BUS_BASE);
}
