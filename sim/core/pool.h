/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory for small structures that come and go with events, such as frames. A structure takes whole
 * lines of the cache, and one that is freed is the next to be allocated, so that it is in the cache.
 * The memory belongs to the thread; pool_trim() returns it. With AddressSanitizer all of this is
 * malloc() and free(), which find a use after the end.
 */
#ifndef TALLY_SIM_CORE_POOL_H
#define TALLY_SIM_CORE_POOL_H

#include <stddef.h>

/* Allocate @size bytes, at the start of a line, not initialized. Returns NULL without memory. */
void *pool_alloc(size_t size);

/* Free @p, which may be NULL and has @size bytes, in the thread that allocated it. */
void pool_free(void *p, size_t size);

/* Return the memory of the thread to the system, if nothing is allocated. */
void pool_trim(void);

/* Return the number of structures that the thread has allocated and not freed. */
size_t pool_used(void);

#endif
