// SPDX-License-Identifier: BSD-2-Clause
#include "nic/priv.h"

_Static_assert(TALLY_UAR_SLOTS == 64, "one bit of bound for each slot");

struct tally_uar_slot *slot_at(const struct nic *nic, struct slot_id id)
{
	struct tally_uar_slot *slots = (void *)(nic->bar + TALLY_BAR_UAR_OFFSET);

	_Static_assert(sizeof(*slots) * TALLY_UAR_SLOTS == TALLY_PAGE_SIZE, "slots fill a page");
	return slots + (size_t)id.uar * TALLY_UAR_SLOTS + id.slot;
}

bool slot_bind(struct nic *nic, struct slot_id id)
{
	uint64_t bit = 1ULL << id.slot;

	if (nic->bound[id.uar] & bit)
		return false;
	nic->bound[id.uar] |= bit;
	return true;
}

void slot_unbind(struct nic *nic, struct slot_id id)
{
	nic->bound[id.uar] &= ~(1ULL << id.slot);
}
