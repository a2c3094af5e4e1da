// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "wring.h"

#include <stdlib.h>

int tally_wring_init(struct tally_wring *ring, uint32_t depth)
{
	*ring = (struct tally_wring){ .depth = depth };
	ring->wr_id = calloc(depth, sizeof(*ring->wr_id));
	ring->state = calloc(depth, sizeof(*ring->state));
	if (ring->wr_id && ring->state)
		return 0;
	tally_wring_free(ring);
	return ENOMEM;
}

void tally_wring_free(struct tally_wring *ring)
{
	free(ring->wr_id);
	free(ring->state);
	ring->wr_id = NULL;
	ring->state = NULL;
}

void tally_wring_reset(struct tally_wring *ring)
{
	ring->posted = 0;
	ring->retired = 0;
	ring->in_order = 0;
}

static uint8_t *state_of(struct tally_wring *ring, uint64_t entry)
{
	return &ring->state[entry & (ring->depth - 1)];
}

/* Every in-order entry up to and including `last` is done. */
static void complete_in_order(struct tally_wring *ring, uint64_t last)
{
	for (; ring->in_order <= last; ring->in_order++) {
		uint8_t *state = state_of(ring, ring->in_order);

		if (*state == TALLY_WR_IN_ORDER)
			*state = TALLY_WR_DONE;
	}
}

static void advance_retired(struct tally_wring *ring, uint64_t posted)
{
	uint64_t retired = ring->retired;

	while (retired != posted && *state_of(ring, retired) == TALLY_WR_DONE)
		retired++;
	/* In-order completion need not look at what is gone. */
	if (ring->in_order < retired)
		ring->in_order = retired;
	__atomic_store_n(&ring->retired, retired, __ATOMIC_RELEASE);
}

bool tally_wring_complete(struct tally_wring *ring, uint32_t index, uint64_t *wr_id)
{
	uint64_t posted = __atomic_load_n(&ring->posted, __ATOMIC_ACQUIRE);
	uint32_t ahead = index - (uint32_t)ring->retired;
	uint64_t entry = ring->retired + ahead;
	uint8_t *state = state_of(ring, entry);

	if (ahead >= posted - ring->retired || *state == TALLY_WR_DONE)
		return false;
	*wr_id = ring->wr_id[entry & (ring->depth - 1)];
	if (*state == TALLY_WR_APART)
		*state = TALLY_WR_DONE;
	else
		complete_in_order(ring, entry);
	advance_retired(ring, posted);
	return true;
}
