// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "wr_tracker.h"

#include <stdlib.h>

int tally_wr_tracker_init(struct tally_wr_tracker *tracker, uint32_t depth)
{
	*tracker = (struct tally_wr_tracker){ .mask = depth - 1 };
	tracker->wr = calloc(depth, sizeof(*tracker->wr));
	return tracker->wr ? 0 : ENOMEM;
}

void tally_wr_tracker_free(struct tally_wr_tracker *tracker)
{
	free(tracker->wr);
	tracker->wr = NULL;
}

void tally_wr_tracker_reset(struct tally_wr_tracker *tracker)
{
	tracker->posted = 0;
	tracker->retired = 0;
	tracker->in_order = 0;
}

static struct tally_wr *wr_of(const struct tally_wr_tracker *tracker, uint64_t entry)
{
	return &tracker->wr[entry & tracker->mask];
}

/* Marks every in-order entry up to and including `last` as done. */
static void complete_in_order(struct tally_wr_tracker *tracker, uint64_t last)
{
	for (; tracker->in_order <= last; tracker->in_order++) {
		struct tally_wr *wr = wr_of(tracker, tracker->in_order);

		if (wr->state == TALLY_WR_IN_ORDER)
			wr->state = TALLY_WR_DONE;
	}
}

static void advance_retired(struct tally_wr_tracker *tracker, uint64_t posted)
{
	uint64_t retired = tracker->retired;

	while (retired != posted && wr_of(tracker, retired)->state == TALLY_WR_DONE)
		retired++;
	/* In-order completion need not look at retired entries. */
	if (tracker->in_order < retired)
		tracker->in_order = retired;
	__atomic_store_n(&tracker->retired, retired, __ATOMIC_RELEASE);
}

bool tally_wr_tracker_complete_any(struct tally_wr_tracker *tracker, uint32_t index,
				   uint64_t *wr_id)
{
	uint64_t posted = __atomic_load_n(&tracker->posted, __ATOMIC_ACQUIRE);
	uint32_t ahead = index - (uint32_t)tracker->retired;
	uint64_t entry = tracker->retired + ahead;
	struct tally_wr *wr = wr_of(tracker, entry);

	if (ahead >= posted - tracker->retired || wr->state == TALLY_WR_DONE)
		return false;
	*wr_id = wr->wr_id;
	if (wr->state == TALLY_WR_OUT_OF_ORDER)
		wr->state = TALLY_WR_DONE;
	else
		complete_in_order(tracker, entry);
	advance_retired(tracker, posted);
	return true;
}

/* `retired` is the first entry that is not done. */
bool tally_wr_tracker_oldest(const struct tally_wr_tracker *tracker, uint64_t *entry,
			     bool *out_of_order)
{
	uint64_t posted = __atomic_load_n(&tracker->posted, __ATOMIC_ACQUIRE);

	*entry = tracker->retired;
	*out_of_order = wr_of(tracker, *entry)->state == TALLY_WR_OUT_OF_ORDER;
	return *entry != posted;
}
