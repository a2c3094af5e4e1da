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
#ifndef TALLY_WRING_H
#define TALLY_WRING_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include "tallydv.h"

enum tally_wr_state {
	TALLY_WR_DONE,
	TALLY_WR_IN_ORDER, /* retired by its completion or a later one */
	TALLY_WR_APART,    /* retired by its own completion only */
};

struct tally_wring {
	uint64_t *wr_id;
	uint8_t *state;    /* enum tally_wr_state */
	uint32_t depth;    /* a power of two */
	uint64_t posted;   /* entries handed to the device */
	uint64_t retired;  /* entries free again */
	uint64_t in_order; /* poller's: first entry that in-order completion has not reached */
};

int tally_wring_init(struct tally_wring *ring, uint32_t depth);
void tally_wring_free(struct tally_wring *ring);
void tally_wring_reset(struct tally_wring *ring);
/*
 * The entry whose index has these low 32 bits completed: retire what it stands for.
 * Returns false if no such work request is outstanding.
 */
bool tally_wring_complete(struct tally_wring *ring, uint32_t index, uint64_t *wr_id);

static inline bool tally_wr_is_apart(uint8_t opcode)
{
	return opcode == TALLY_OPCODE_QUERY || opcode == TALLY_OPCODE_ABORT;
}

/* Take entry `next` (posted, or beyond it while a chain is built). ABORT may take the last one. */
static inline int tally_wring_take(struct tally_wring *ring, uint64_t next, uint8_t opcode,
				   uint64_t wr_id)
{
	uint64_t used = next - __atomic_load_n(&ring->retired, __ATOMIC_ACQUIRE);
	uint32_t slot = next & (ring->depth - 1);

	if (used >= ring->depth - (opcode != TALLY_OPCODE_ABORT))
		return ENOMEM;
	ring->wr_id[slot] = wr_id;
	ring->state[slot] = tally_wr_is_apart(opcode) ? TALLY_WR_APART : TALLY_WR_IN_ORDER;
	return 0;
}

#endif
