/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Which work requests of a send queue are outstanding.
 *
 * Work requests complete in order, and a completion stands for all before it, signalled or not;
 * QUERY and ABORT complete apart from that order and stand for themselves only. An entry of the
 * queue is free again when it and all before it are done.
 *
 * One thread posts and one polls at a time, each under a lock of its own: `posted` is written by
 * the poster and `retired` by the poller, and with them the entries change hands.
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
	uint64_t mask;     /* entries less one; a power of two of them */
	uint64_t posted;   /* entries handed to the device */
	uint64_t retired;  /* entries free again */
	uint64_t in_order; /* poller's: first entry that in-order completion has not reached */
};

/* `depth`: a power of two. */
int tally_wr_tracker_init(struct tally_wr_tracker *tracker, uint32_t depth);
void tally_wr_tracker_free(struct tally_wr_tracker *tracker);
void tally_wr_tracker_reset(struct tally_wr_tracker *tracker);
/* As tally_wr_tracker_complete(), which is the same for what comes most often. */
bool tally_wr_tracker_complete_any(struct tally_wr_tracker *tracker, uint32_t index,
				   uint64_t *wr_id);

/*
 * The oldest outstanding work request; `apart`: from the order. Completing it retires nothing else.
 * Returns false if none is outstanding.
 */
bool tally_wr_tracker_oldest(const struct tally_wr_tracker *tracker, uint64_t *entry, bool *apart);

/*
 * Take entry `next`, which is to be in `state`, not DONE (posted, or beyond it while a chain is
 * built). ABORT may take the last one. Returns false if the queue is full.
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
 * The entry whose index has these low 32 bits completed: retire what it stands for.
 * Returns false if no such work request is outstanding.
 */
static inline bool tally_wr_tracker_complete(struct tally_wr_tracker *tracker, uint32_t index,
					     uint64_t *wr_id)
{
	uint64_t posted = __atomic_load_n(&tracker->posted, __ATOMIC_ACQUIRE);
	uint64_t next = tracker->retired + 1;
	struct tally_wr *wr = &tracker->wr[tracker->retired & tracker->mask];

	/* The oldest of several, or the only one, and it stands for itself alone. */
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
