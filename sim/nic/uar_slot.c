// SPDX-License-Identifier: BSD-2-Clause
#include "nic/priv.h"

struct tally_uar_slot *slot_at(const struct nic *nic, struct slot_id id)
{
	struct tally_uar_slot *slots = (void *)(nic->bar + TALLY_BAR_UAR_OFFSET);

	_Static_assert(sizeof(*slots) * TALLY_UAR_SLOTS == TALLY_PAGE_SIZE, "slots fill a page");
	return slots + (size_t)id.uar * TALLY_UAR_SLOTS + id.slot;
}

bool slot_bind(struct nic *nic, struct slot_id id)
{
	bool *bound = &nic->bound[id.uar][id.slot];

	if (*bound)
		return false;
	*bound = true;
	return true;
}

void slot_unbind(struct nic *nic, struct slot_id id)
{
	nic->bound[id.uar][id.slot] = false;
}
