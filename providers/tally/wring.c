// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "wring.h"

#include <stdlib.h>

int tally_wring_init(struct tally_wring *ring, uint32_t depth)
{
	*ring = (struct tally_wring){ .mask = depth - 1 };
	ring->wr = calloc(depth, sizeof(*ring->wr));
	return ring->wr ? 0 : ENOMEM;
}

void tally_wring_free(struct tally_wring *ring)
{
	free(ring->wr);
	ring->wr = NULL;
}

void tally_wring_reset(struct tally_wring *ring)
{
	ring->posted = 0;
	ring->retired = 0;
	ring->in_order = 0;
}

static struct tally_wr *wr_of(const struct tally_wring *ring, uint64_t entry)
{
	return &ring->wr[entry & ring->mask];
}

/* Every in-order entry up to and including `last` is done. */
static void complete_in_order(struct tally_wring *ring, uint64_t last)
{
	for (; ring->in_order <= last; ring->in_order++) {
		struct tally_wr *wr = wr_of(ring, ring->in_order);

		if (wr->state == TALLY_WR_IN_ORDER)
			wr->state = TALLY_WR_DONE;
	}
}

static void advance_retired(struct tally_wring *ring, uint64_t posted)
{
	uint64_t retired = ring->retired;

	while (retired != posted && wr_of(ring, retired)->state == TALLY_WR_DONE)
		retired++;
	/* In-order completion need not look at what is gone. */
	if (ring->in_order < retired)
		ring->in_order = retired;
	__atomic_store_n(&ring->retired, retired, __ATOMIC_RELEASE);
}

bool tally_wring_complete_any(struct tally_wring *ring, uint32_t index, uint64_t *wr_id)
{
	uint64_t posted = __atomic_load_n(&ring->posted, __ATOMIC_ACQUIRE);
	uint32_t ahead = index - (uint32_t)ring->retired;
	uint64_t entry = ring->retired + ahead;
	struct tally_wr *wr = wr_of(ring, entry);

	if (ahead >= posted - ring->retired || wr->state == TALLY_WR_DONE)
		return false;
	*wr_id = wr->wr_id;
	if (wr->state == TALLY_WR_APART)
		wr->state = TALLY_WR_DONE;
	else
		complete_in_order(ring, entry);
	advance_retired(ring, posted);
	return true;
}

/* What is retired ends at the first that is not done. */
bool tally_wring_oldest(const struct tally_wring *ring, uint64_t *entry, bool *apart)
{
	uint64_t posted = __atomic_load_n(&ring->posted, __ATOMIC_ACQUIRE);

	*entry = ring->retired;
	*apart = wr_of(ring, *entry)->state == TALLY_WR_APART;
	return *entry != posted;
}
