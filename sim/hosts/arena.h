/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The memory of a scripted host: one range of bus addresses, and an allocator for it. Pages that
 * were never written occupy no memory of the machine.
 */
#ifndef TALLY_SIM_HOSTS_ARENA_H
#define TALLY_SIM_HOSTS_ARENA_H

#include <stddef.h>
#include <stdint.h>

#define ARENA_BUS_BASE	0x100000000ull	/* bus address of the first byte */
#define ARENA_CLASSES	40		/* block sizes: powers of two from ARENA_MIN_BLOCK on */
#define ARENA_MIN_BLOCK	64

/* Free blocks of one size. */
struct arena_class {
	uint64_t *block;		/* bus addresses, the most recently freed last */
	size_t count, room;
};

struct arena {
	uint8_t *base;
	size_t size;
	size_t fresh;			/* bytes from the start that were ever allocated */
	size_t used;			/* bytes allocated at present */
	struct arena_class class[ARENA_CLASSES];
	uint64_t written_after_free;	/* a block that was written while it was free; 0: none */
};

/* Maps @size bytes, a multiple of the page size. Returns 0 or -errno. */
int arena_init(struct arena *a, size_t size);

/* Unmaps the memory. Accepts an arena of all zeroes. */
void arena_free(struct arena *a);

/*
 * Allocates @len zeroed bytes. Returns their bus address, or 0 when there is no room. A block is
 * aligned to its size rounded up to a power of two.
 */
uint64_t arena_alloc(struct arena *a, size_t len);

/*
 * Frees the @len bytes that arena_alloc() returned. A later write to them is detected when the
 * block is allocated again.
 */
void arena_release(struct arena *a, uint64_t bus_addr, size_t len);

/* Returns the memory behind @len bytes at a bus address, or NULL unless all are in the arena. */
void *arena_at(const struct arena *a, uint64_t bus_addr, size_t len);

/*
 * Clears a block of arena_alloc(), @len bytes. Whole pages of it occupy no memory until they are
 * written.
 */
void arena_clear(struct arena *a, uint64_t bus_addr, size_t len);

#endif
