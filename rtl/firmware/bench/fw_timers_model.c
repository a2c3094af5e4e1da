// SPDX-License-Identifier: BSD-2-Clause
#include "fw_timers_model.h"

#include <stdlib.h>

#include "engine/test/units.h"

static const struct engine_host host = { 0 };
static struct engine *e;
static unsigned int contexts, groups;

static struct group *context_at(unsigned int context)
{
	return context < groups ? &e->groups[context] : &e->tombstones[context - groups];
}

static uint64_t *time_at(unsigned int context, int edge)
{
	struct group *g = context_at(context);

	return edge < 0 ? &g->fw_at : &g->edges[edge].fw_at;
}

/* The number of a context in the model's registers, in which all groups come before the tombstones. */
static uint32_t number_of(unsigned int context)
{
	return context < groups ? context : TALLY_MAX_GROUP + context - groups;
}

void model_reset(unsigned int num_contexts, unsigned int num_groups)
{
	unsigned int c, i;

	if (!e)
		e = engine_new(&host, NULL, 1);
	if (!e)
		abort();
	contexts = num_contexts;
	groups = num_groups;
	for (c = 0; c < contexts; c++) {
		context_at(c)->fw_at = NEVER;
		for (i = 0; i < MAX_EDGES; i++)
			context_at(c)->edges[i].fw_at = NEVER;
	}
}

void model_write(uint64_t now, unsigned int context, int edge, uint32_t at, uint64_t value)
{
	uint32_t reg = TALLY_FW_GROUP_BASE + number_of(context) * TALLY_FW_GROUP_STRIDE + at;

	if (edge >= 0)
		reg += TALLY_FW_EDGE_OFFSET + edge * TALLY_FW_EDGE_STRIDE;
	e->now = now;
	registers_write(e, reg, value);
}

void model_stop(unsigned int context, int edge)
{
	*time_at(context, edge) = NEVER;
}

uint64_t model_time(unsigned int context, int edge)
{
	return *time_at(context, edge);
}

uint64_t model_next(void)
{
	uint64_t next = NEVER;
	unsigned int c;
	int i;

	for (c = 0; c < contexts; c++)
		for (i = -1; i < (int)MAX_EDGES; i++)
			if (model_time(c, i) < next)
				next = model_time(c, i);
	return next;
}

void model_expire(uint64_t now, unsigned int context, int edge, bool place)
{
	e->now = now;
	e->event_head = e->event_tail = 0;
	e->events_shared = place ? 0 : TALLY_FW_EVENT_DEPTH;
	events_timer(e, context_at(context), edge < 0 ? NO_EDGE : (unsigned int)edge, time_at(context, edge));
}
