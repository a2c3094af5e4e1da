// SPDX-License-Identifier: BSD-2-Clause
/* Calls the engine's pool. */
#include "engine/common.h"
#include "engine/pool.h"
#include "engine/timer.h"

#include "pool_model.h"

#include <stdlib.h>

static struct engine *e;
static uint64_t counters[256];

static void counted(void *ctx, enum tally_counter counter, uint64_t n)
{
	(void)ctx;
	counters[counter] += n;
}

static const struct engine_host host = { .count = counted };

void pool_reset(uint32_t groups, uint32_t segs)
{
	engine_free(e);
	e = engine_new(&host, NULL, 1);
	if (!e)
		abort();
	engine_set_limits(e, groups, segs);
	engine_reset(e);
	counters[TALLY_CTR_segs_lent] = counters[TALLY_CTR_groups_owed] = 0;
}

uint32_t pool_model_left(void)
{
	return pool_left(e);
}

void pool_model_join(unsigned int group, uint32_t num, uint32_t max)
{
	struct group *g = &e->groups[group];

	g->num_segs = num;
	g->max_segs = max;
	g->granted = g->done = g->limit = 0;
	pool_join(e, g);
}

void pool_model_leave(unsigned int group)
{
	pool_leave(e, &e->groups[group]);
	timers_drop(e, &e->groups[group]);
}

void pool_model_begin(unsigned int group)
{
	pool_begin(e, &e->groups[group]);
}

void pool_model_borrow(unsigned int group, uint32_t top)
{
	pool_borrow(e, &e->groups[group], top);
}

void pool_model_advance(unsigned int group)
{
	pool_advance(e, &e->groups[group]);
}

void pool_model_end(unsigned int group)
{
	pool_end(e, &e->groups[group]);
}

uint32_t pool_model_limit(unsigned int group)
{
	return e->groups[group].limit;
}

uint32_t pool_model_granted(unsigned int group)
{
	return e->groups[group].granted;
}

uint64_t pool_model_lent(void)
{
	return counters[TALLY_CTR_segs_lent];
}

uint64_t pool_model_owed(void)
{
	return counters[TALLY_CTR_groups_owed];
}
