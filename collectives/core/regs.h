/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Registrations of user memory. Where the runtime tells of memory that is released, they are kept for
 * the next operation with the same memory, otherwise they end with their last user.
 *
 * A kept registration refers to the pages that the address had, so it is right only as long as the
 * address keeps them. tc_regs_released() may run in any thread, even in one that holds the context's
 * lock, as the driver's library unmaps memory, too. Therefore it only marks what it finds in a table
 * of fixed size. The marks are seen in time: memory can be used anew only after the release, and a
 * program that uses it in another thread orders the two.
 */
#ifndef TALLYCOLL_CORE_REGS_H
#define TALLYCOLL_CORE_REGS_H

#include <stdatomic.h>

#include "transport.h"

#define TC_REGS_KEPT 128	     /* registrations at most, */
#define TC_REGS_BYTES (256ULL << 20) /* and bytes of all of them */

/* The pages of a registration. The release reads the atomic members without the lock. */
struct tc_reg {
	_Atomic uint64_t start, end; /* addresses; start == end: the place is free */
	_Atomic bool stale;	     /* some of the memory was released */
	bool kept;		     /* it is in the table */
	uint32_t users;
	uint64_t used; /* when it was used last, in calls of tc_regs_get() */
	struct tc_region region;
};

struct tc_regs_count {
	uint64_t made, hits, stale, evicted;
};

struct tc_regs {
	struct tc_net *net;
	bool keeps;
	uint64_t most; /* bytes that are kept */
	uint64_t bytes, calls;
	struct tc_regs_count count;
	_Atomic bool any_stale;
	_Atomic uint32_t places; /* places of the table that were ever taken */
	struct tc_reg reg[TC_REGS_KEPT];
};

/* @keeps: the runtime calls tc_regs_released(). @most: bytes to keep; 0: TC_REGS_BYTES. */
void tc_regs_init(struct tc_regs *s, struct tc_net *net, bool keeps, uint64_t most);
/* Closes all registrations; they have no users. */
void tc_regs_free(struct tc_regs *s);
/* Returns a registration of this memory, for one user; NULL: it cannot be registered. */
struct tc_reg *tc_regs_get(struct tc_regs *s, const void *start, uint64_t bytes);
void tc_regs_put(struct tc_regs *s, struct tc_reg *reg);
/* Marks registrations of which some memory is about to be released. */
void tc_regs_released(struct tc_regs *s, const void *start, uint64_t bytes);
/* Closes registrations that are stale and have no users. */
void tc_regs_sweep(struct tc_regs *s);

/* Called often; there is seldom anything to do. */
static inline void tc_regs_look(struct tc_regs *s)
{
	if (atomic_load_explicit(&s->any_stale, memory_order_relaxed))
		tc_regs_sweep(s);
}

/* The address in work requests of a byte of the memory. */
static inline uint64_t tc_reg_addr(const struct tc_reg *reg, const void *at)
{
	return reg->region.start + ((uintptr_t)at - reg->start);
}

#endif
