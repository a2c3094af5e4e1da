// SPDX-License-Identifier: BSD-2-Clause
/* The queue of groups with an exception. */
#include "engine/exception.h"
#include "engine/common.h"

static void raise_exception(struct engine *e, struct group *g, const struct exception *x)
{
	struct group **end = &e->exceptions;

	if (!group_alive(g))
		return;
	g->state = TALLY_GROUP_COLLECT;
	g->state_until = NEVER; /* until the exception is handled */
	g->exception = *x;
	g->next_exception = NULL;
	while (*end)
		end = &(*end)->next_exception;
	*end = g;
}

void exception_raise(struct engine *e, struct group *g, uint16_t status, uint64_t contributors,
		     uint64_t ranks, uint32_t mid, uint32_t sid)
{
	const struct exception x = {
		.cause = CAUSE_KNOWN,
		.report = {
			.status = status,
			.detector = g->node,
			.level = g->level,
			.contributors = contributors,
			.ranks = ranks,
			.mid = mid,
			.sid = sid,
		},
	};

	raise_exception(e, g, &x);
}

void exception_time_out(struct engine *e, struct group *g)
{
	const struct exception x = { .cause = CAUSE_TIME_OUT };

	raise_exception(e, g, &x);
}

void exception_silence(struct engine *e, struct group *g, uint64_t contributors)
{
	const struct exception x = { .cause = CAUSE_SILENCE,
				     .report.contributors = contributors };

	raise_exception(e, g, &x);
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

struct group *exception_take(struct engine *e)
{
	struct group *g = e->exceptions;

	if (g)
		e->exceptions = g->next_exception;
	return g;
}
