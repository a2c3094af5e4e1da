/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Tracks the outstanding work requests of a send queue.
 *
 * Work requests complete in order, and a completion covers all requests before it, signaled or not.
 * QUERY and ABORT complete out of order, and cover only themselves. An entry of the queue is free
 * again when its request and all requests before it are done.
 *
 * One thread posts and one thread polls at a time, each with a lock of its own. The poster writes
 * `posted` and the poller writes `retired`; these stores pass the entries from one to the other.
 */
#ifndef TALLY_WR_TRACKER_H
#define TALLY_WR_TRACKER_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include "ops.h"

struct tally_wr {
	uint64_t wr_id;
	enum tally_wr_state state;
};

struct tally_wr_tracker {
	struct tally_wr *wr;
	uint64_t mask;     /* number of entries minus one; the number is a power of two */
	uint64_t posted;   /* entries handed to the device */
	uint64_t retired;  /* entries free again */
	uint64_t in_order; /* poller: first entry that in-order completion has not reached */
};

/* `depth` is a power of two. */
int tally_wr_tracker_init(struct tally_wr_tracker *tracker, uint32_t depth);
void tally_wr_tracker_free(struct tally_wr_tracker *tracker);
void tally_wr_tracker_reset(struct tally_wr_tracker *tracker);
/* The general version of tally_wr_tracker_complete(), which handles the common case itself. */
bool tally_wr_tracker_complete_any(struct tally_wr_tracker *tracker, uint32_t index,
				   uint64_t *wr_id);

/*
 * Returns the oldest outstanding work request. `out_of_order` tells whether it completes out of
 * order; then its completion retires no other request. Returns false if no request is outstanding.
 */
bool tally_wr_tracker_oldest(const struct tally_wr_tracker *tracker, uint64_t *entry,
			     bool *out_of_order);

/*
 * Take entry `next` for a request in `state`, which is not DONE. `next` is `posted`, or an entry
 * after it while a chain is built. Only ABORT may take the last entry. Returns false if the queue
 * is full.
 */
static inline bool tally_wr_tracker_take(struct tally_wr_tracker *tracker, uint64_t next,
					 uint8_t opcode, enum tally_wr_state state, uint64_t wr_id)
{
	uint64_t used = next - __atomic_load_n(&tracker->retired, __ATOMIC_ACQUIRE);
	struct tally_wr *wr = &tracker->wr[next & tracker->mask];

	if (used >= tracker->mask && (opcode != TALLY_OPCODE_ABORT || used > tracker->mask))
		return false;
	wr->wr_id = wr_id;
	wr->state = state;
	return true;
}

/*
 * Complete the entry whose index has these low 32 bits, and retire all requests that it covers.
 * Returns false if no such work request is outstanding.
 */
static inline bool tally_wr_tracker_complete(struct tally_wr_tracker *tracker, uint32_t index,
					     uint64_t *wr_id)
{
	uint64_t posted = __atomic_load_n(&tracker->posted, __ATOMIC_ACQUIRE);
	uint64_t next = tracker->retired + 1;
	struct tally_wr *wr = &tracker->wr[tracker->retired & tracker->mask];

	/* The common case: it is the oldest request, and covers no other request that is done. */
	if (index != (uint32_t)tracker->retired || next > posted ||
	    wr->state != TALLY_WR_IN_ORDER ||
	    (next != posted && tracker->wr[next & tracker->mask].state == TALLY_WR_DONE))
		return tally_wr_tracker_complete_any(tracker, index, wr_id);
	*wr_id = wr->wr_id;
	wr->state = TALLY_WR_DONE;
	tracker->in_order = next;
	__atomic_store_n(&tracker->retired, next, __ATOMIC_RELEASE);
	return true;
}

#endif
