// SPDX-License-Identifier: BSD-2-Clause
#include "engine/common.h"
#include "engine/events.h"
#include "engine/exception.h"

#include "exceptions_model.h"

#include <stdlib.h>

static const struct engine_host host = { 0 };
static struct engine *e;

void model_reset(void)
{
	uint32_t n;

	if (!e)
		e = engine_new(&host, NULL, 1);
	if (!e)
		abort();
	e->event_head = e->event_tail = 0;
	for (n = 0; n < TALLY_MAX_GROUP; n++)
		e->groups[n].state = TALLY_GROUP_NONE;
}

void model_begin(uint32_t group)
{
	e->groups[group].state = TALLY_GROUP_OPENING;
	events_of_group(e, &e->groups[group], TALLY_FW_EV_BEGIN);
}

void model_end(uint32_t group)
{
	e->groups[group].state = TALLY_GROUP_COLLECT;
}

bool model_exception(uint32_t group, const struct model_raised *x)
{
	struct group *g = &e->groups[group];
	bool alive = group_alive(g);

	switch (x->cause) {
	case TALLY_FW_CAUSE_TIME_OUT:
		exception_time_out(e, g);
		break;
	case TALLY_FW_CAUSE_SILENCE:
		exception_silence(e, g, x->contributors);
		break;
	default:
		exception_raise(e, g, x->status, x->contributors, x->ranks, x->mid, x->sid);
		break;
	}
	return alive && !group_alive(g);
}

void model_fenced(uint32_t group)
{
	events_of_group(e, &e->groups[group], TALLY_FW_EV_FENCED);
}

/* group_pump() raises it only for a group that drains. */
void model_drained(uint32_t group)
{
	if (group_alive(&e->groups[group]))
		events_of_group(e, &e->groups[group], TALLY_FW_EV_DRAINED);
}

bool model_next(struct model_raised *x)
{
	events_next(e);
	*x = (struct model_raised){
		.type = e->event.type,
		.group = e->event.group,
		.cause = e->event.cause,
		.status = e->event.status,
		.mid = e->event.mid,
		.sid = e->event.sid,
		.contributors = e->event.contributors,
		.ranks = e->event.ranks,
	};
	return x->type != TALLY_FW_EV_NONE;
}
