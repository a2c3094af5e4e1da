/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The memory of a scripted host: one range of bus addresses, and an allocator for it. Pages that
 * were never written take no memory of the machine.
 */
#ifndef TALLY_SIM_HOSTS_ARENA_H
#define TALLY_SIM_HOSTS_ARENA_H

#include <stddef.h>
#include <stdint.h>

#define ARENA_BUS_BASE	0x100000000ull	/* bus address of the first byte */
#define ARENA_CLASSES	40		/* block sizes: powers of two from ARENA_MIN_BLOCK on */
#define ARENA_MIN_BLOCK	64

/* Blocks of one size that were given back. */
struct arena_class {
	uint64_t *block;		/* bus addresses, the newest last */
	size_t count, room;
};

struct arena {
	uint8_t *base;
	size_t size;
	size_t fresh;			/* bytes from the start that were ever given out */
	size_t used;			/* bytes given out and not given back */
	struct arena_class class[ARENA_CLASSES];
	uint64_t trespass;		/* a block that was written while free; 0: none seen */
};

/* Maps @size bytes, a multiple of the page size. Returns 0 or -errno. */
int arena_init(struct arena *a, size_t size);

/* Unmaps. An arena of all zeroes is allowed. */
void arena_free(struct arena *a);

/*
 * The bus address of @len zeroed bytes, or 0 when there is no room. A block is aligned to its size
 * rounded up to a power of two.
 */
uint64_t arena_alloc(struct arena *a, size_t len);

/*
 * Gives back what arena_alloc() gave for @len bytes. Who writes there afterwards is noticed when
 * the block is given out again.
 */
void arena_release(struct arena *a, uint64_t bus_addr, size_t len);

/* The memory behind @len bytes at a bus address, or NULL unless all of them are in the arena. */
void *arena_at(const struct arena *a, uint64_t bus_addr, size_t len);

#endif
