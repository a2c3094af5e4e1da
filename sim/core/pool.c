// SPDX-License-Identifier: BSD-2-Clause
#include "core/pool.h"

#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>

#define LINE		64			/* bytes of a line of the cache */
#define CLASSES		32			/* sizes of 1 to 32 lines; malloc() serves larger ones */
#define SLAB_FIRST	((size_t)64 * 1024)
#define SLAB_LARGEST	((size_t)2 * 1024 * 1024)	/* a huge page */

struct item {
	struct item *next;
};

/* A piece of memory that is cut into structures; its first line holds this. */
struct slab {
	struct slab *next;
};

static __thread struct {
	size_t used;
	struct item *free[CLASSES];
	struct slab *slabs;
	char *rest;				/* of the newest slab, not cut yet */
	size_t rest_bytes;
	size_t slab_bytes;			/* of the newest slab; 0: none */
} pool;

#ifdef __SANITIZE_ADDRESS__
#define LARGEST		0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define LARGEST		0
#endif
#endif
#ifndef LARGEST
#define LARGEST		((size_t)CLASSES * LINE)
#endif

/* Each slab is twice as large as the one before it. Returns false if there is no memory. */
static bool add_slab(void)
{
	size_t bytes = pool.slab_bytes ? 2 * pool.slab_bytes : SLAB_FIRST;
	struct slab *slab;

	if (bytes > SLAB_LARGEST)
		bytes = SLAB_LARGEST;
	slab = aligned_alloc(bytes < SLAB_LARGEST ? LINE : bytes, bytes);
	if (!slab)
		return false;
	if (bytes == SLAB_LARGEST)
		madvise(slab, bytes, MADV_HUGEPAGE);
	slab->next = pool.slabs;
	pool.slabs = slab;
	pool.slab_bytes = bytes;
	pool.rest = (char *)slab + LINE;
	pool.rest_bytes = bytes - LINE;
	return true;
}

/* Cuts @bytes from a slab. What is left of the slab before is too small, and lost. */
static void *cut(size_t bytes)
{
	void *p;

	if (pool.rest_bytes < bytes && !add_slab())
		return NULL;
	p = pool.rest;
	pool.rest += bytes;
	pool.rest_bytes -= bytes;
	return p;
}

void *pool_alloc(size_t size)
{
	size_t class = size ? (size - 1) / LINE : 0;
	void *memory;
	struct item *p;

	if (size > LARGEST) {
		if (posix_memalign(&memory, LINE, size))
			return NULL;
		p = memory;
	} else if ((p = pool.free[class])) {
		pool.free[class] = p->next;
		__builtin_prefetch(p->next);
	} else {
		p = cut((class + 1) * LINE);
	}
	pool.used += p != NULL;
	return p;
}

void pool_free(void *p, size_t size)
{
	size_t class = size ? (size - 1) / LINE : 0;
	struct item *item = p;

	if (!p)
		return;
	pool.used--;
	if (size > LARGEST) {
		free(p);
		return;
	}
	item->next = pool.free[class];
	pool.free[class] = item;
}

size_t pool_used(void)
{
	return pool.used;
}

void pool_trim(void)
{
	struct slab *slab;

	if (pool.used)
		return;
	while ((slab = pool.slabs)) {
		pool.slabs = slab->next;
		free(slab);
	}
	for (size_t i = 0; i < CLASSES; i++)
		pool.free[i] = NULL;
	pool.rest = NULL;
	pool.rest_bytes = 0;
	pool.slab_bytes = 0;
}
