// SPDX-License-Identifier: BSD-2-Clause
/* Exceptions freeze their group, and are events for the firmware. */
#include "engine/exception.h"
#include "engine/common.h"
#include "engine/events.h"
#include "engine/mirror.h"

void exception_freeze(struct engine *e, struct group *g)
{
	g->state = TALLY_GROUP_COLLECT;
	mirror_state(e, g);
	mirror_sender_freeze(e, g);
	g->fw_at = NEVER; /* until the firmware handles the exception */
}

static void raise_exception(struct engine *e, struct group *g, enum tally_fw_cause cause,
			    const struct report *r)
{
	if (!group_alive(g))
		return;
	exception_freeze(e, g);
	events_exception(e, g, cause, r);
}

void exception_raise(struct engine *e, struct group *g, uint16_t status, uint64_t contributors,
		     uint64_t ranks, uint32_t mid, uint32_t sid)
{
	const struct report r = {
		.status = status,
		.contributors = contributors,
		.ranks = ranks,
		.mid = mid,
		.sid = sid,
	};

	raise_exception(e, g, TALLY_FW_CAUSE_KNOWN, &r);
}

void exception_time_out(struct engine *e, struct group *g)
{
	const struct report r = { 0 };

	raise_exception(e, g, TALLY_FW_CAUSE_TIME_OUT, &r);
}

void exception_silence(struct engine *e, struct group *g, uint64_t contributors)
{
	const struct report r = { .contributors = contributors };

	raise_exception(e, g, TALLY_FW_CAUSE_SILENCE, &r);
}

static uint64_t ranks_before(const struct group *g, uint32_t num)
{
	uint64_t ranks = g->rank_mask, behind = 0;

	for (; ranks; ranks &= ranks - 1) {
		unsigned int r = __builtin_ctzll(ranks);

		if (!serial_lt(num, g->ranks[r].next_num))
			behind |= 1ULL << r;
	}
	return behind;
}

void exception_if_gone(struct engine *e, struct group *g, uint32_t num, uint32_t mid)
{
	uint64_t gone = ranks_before(g, num) & g->gone;

	if (gone)
		exception_raise(e, g, TALLY_COLL_RANK_GONE, 0, gone, mid, 0);
}
