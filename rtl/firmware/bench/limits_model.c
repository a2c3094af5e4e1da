// SPDX-License-Identifier: BSD-2-Clause
/* Includes the engine's time limits of requests, with what is late as this file says. */
#include "engine/late.h"
#include "engine/trigger.h"

static bool late_now;

#define trigger_lacks_messages(qp, wr) ((void)(qp), (void)(wr), false)
#define late_ranks(e, g, mid) ((void)(g), (void)(mid), (uint64_t)late_now)
#include "engine/wr_timeout.c"

#include "engine/segment.h"
#include "limits_model.h"

#include <stdlib.h>
#include <string.h>

#define GROUP 1 /* the only one; whatever concerns a group is set before each question */

static const struct engine_host host = { 0 };
static struct engine *e;
static struct slot slots[LIMITS_MODEL_SLOTS];
static struct wr wrs[LIMITS_MODEL_REQUESTS];
static uint64_t limits[LIMITS_MODEL_REQUESTS];

static struct group *group_with(uint64_t limit)
{
	struct group *g = &e->groups[GROUP];

	g->timeout = limit;
	g->state = TALLY_GROUP_OPEN;
	g->rank_mask = 1;
	e->event_head = e->event_tail = 0;
	return g;
}

void model_reset(void)
{
	if (!e)
		e = engine_new(&host, NULL, 1);
	if (!e)
		abort();
	memset(slots, 0, sizeof(slots));
	memset(wrs, 0, sizeof(wrs));
}

/* What slot_open() and slot_post() do with limits. */
void model_open(unsigned int slot, uint64_t now, uint64_t group_limit)
{
	struct slot *s = &slots[slot];

	s->state = TALLY_SEG_BUSY;
	s->started = now;
	s->limit = group_limit;
	s->posted = 0;
	s->up_contributors = 0;
}

void model_post(unsigned int slot, uint32_t ms)
{
	struct slot *s = &slots[slot];
	uint64_t own = ms * 1000000000ULL;

	if (own && own < s->limit)
		s->limit = own;
}

void model_whole(unsigned int slot)
{
	slots[slot].posted = 1;
}

void model_end(unsigned int slot)
{
	slots[slot].state = TALLY_SEG_FREE;
}

uint64_t model_slot_due(unsigned int slot)
{
	return slot_next(group_with(0), &slots[slot]);
}

bool model_slot_timer(unsigned int slot, uint64_t now)
{
	struct group *g = group_with(0);

	e->now = now;
	slot_timer(e, g, &slots[slot]);
	return !group_alive(g);
}

void model_wait(unsigned int request, uint64_t now, uint32_t ms, uint64_t group_limit)
{
	struct wr *wr = &wrs[request];

	wr->state = WR_READY;
	wr->since = now;
	wr->w.timeout = ms * 1000000000ULL;
	limits[request] = group_limit;
}

void model_wait_end(unsigned int request)
{
	wrs[request].since = 0;
}

uint64_t model_wait_due(unsigned int request)
{
	return limit_of(group_with(limits[request]), NULL, &wrs[request]);
}

bool model_wait_timer(unsigned int request, bool late)
{
	struct group *g = group_with(limits[request]);

	late_now = late;
	ahead_out(e, g, &wrs[request]);
	return !group_alive(g);
}
