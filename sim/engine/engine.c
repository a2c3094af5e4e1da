// SPDX-License-Identifier: BSD-2-Clause
/* Creation, reset and time of the collective engine. */
#include "engine/common.h"
#include "engine/firmware_run.h"
#include "engine/memory.h"
#include "engine/random.h"
#include "engine/timers.h"
#include "engine/tombstone.h"

#include <sys/mman.h>

/* Set the fields whose initial value is not 0. */
static void begin_empty(struct engine *e)
{
	e->cell_free = e->seg_free = e->owed_first = NONE;
	e->tombs_next = NEVER;
}

/*
 * The tables are large and mostly unused. An anonymous mapping needs memory only for the pages that
 * are used, and can be cleared without touching them.
 */
struct engine *engine_new(const struct engine_host *host, void *ctx, uint64_t seed)
{
	struct engine *e = mmap(NULL, sizeof(*e), PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (e == MAP_FAILED)
		return NULL;
	e->host = host;
	e->ctx = ctx;
	e->seed = seed;
	e->max_groups = TALLY_MAX_GROUP;
	e->max_segs = TALLY_MAX_SEG;
	begin_empty(e);
	return e;
}

void engine_free(struct engine *e)
{
	if (!e)
		return;
	firmware_stop(e);
	munmap(e, sizeof(*e));
}

void engine_set_timing(struct engine *e, const struct engine_timing *timing)
{
	e->timing = *timing;
}

void engine_set_limits(struct engine *e, uint32_t groups, uint32_t segs)
{
	e->max_groups = groups;
	e->max_segs = segs;
}

void engine_set_lacking(struct engine *e, uint32_t lacking)
{
	e->no_opcodes = lacking;
}

void engine_reset(struct engine *e)
{
	const struct engine_host *host = e->host;
	void *ctx = e->ctx;
	uint64_t seed = engine_random(e), now = e->now;
	uint32_t generation = e->generation;
	struct engine_timing timing = e->timing;
	uint16_t groups = e->max_groups, segs = e->max_segs;
	uint32_t lacking = e->no_opcodes;

	firmware_stop(e);
	memory_forget(e, sizeof(*e));
	e->host = host;
	e->ctx = ctx;
	e->seed = seed;
	e->timing = timing;
	e->now = now;
	e->generation = generation; /* keeps earlier tags invalid */
	e->max_groups = groups;
	e->max_segs = segs;
	e->no_opcodes = lacking;
	begin_empty(e);
}

void engine_prefetch(const struct engine *e)
{
	__builtin_prefetch(e);
	__builtin_prefetch((const char *)e + CACHE_LINE);
	__builtin_prefetch(e->heap);
}

#define EXPECTED_EDGES 10 /* of a group that exchanges with 1,024 nodes */

static inline __attribute__((always_inline)) void expect_group(const struct group *g)
{
	unsigned int i;

	prefetch(g, PACKET_FIELDS);
	prefetch(g->seg, CACHE_LINE);
	for (i = 0; i < EXPECTED_EDGES; i++)
		prefetch(&g->edges[i], 2 * CACHE_LINE);
}

/* The same of the tables that the group refers to. */
static inline __attribute__((always_inline)) void expect_tables(const struct engine *e,
								const struct group *g)
{
	if (g->qps != NONE)
		prefetch(&e->qps[g->qps], 2 * CACHE_LINE);
	prefetch(&e->slots[g->seg[g->done % TALLY_MAX_GROUP_SEGS]], 4 * CACHE_LINE);
	prefetch(&g->tx[g->tx_free == NONE ? g->tx_fresh : g->tx_free], sizeof(struct tx_entry));
}

void engine_expect(const struct engine *e, unsigned int ahead)
{
	if (ahead == 3)
		prefetch(e, offsetof(struct engine, heap) + CACHE_LINE);
	else if (ahead == 2 && e->recent)
		expect_group(e->recent);
	else if (ahead == 1 && e->recent)
		expect_tables(e, e->recent);
}

void engine_advance(struct engine *e, uint64_t now)
{
	if (now > e->now)
		e->now = now;
	begin_work(e, 0);
	timers_run(e);
	if (e->tombs_next <= e->now)
		tombstone_timers(e);
	firmware_resume(e);
	firmware_run(e);
}

uint64_t engine_next(struct engine *e)
{
	uint64_t next = timers_next(e);

	if (e->firmware && e->firmware_at < next)
		next = e->firmware_at;
	return e->tombs_next < next ? e->tombs_next : next;
}
