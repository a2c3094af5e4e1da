// SPDX-License-Identifier: BSD-2-Clause
#include "edge_probes_model.h"

#include <stdlib.h>

#include "engine/test/units.h"

#define ROWS 16

static struct engine *engine;
static unsigned int edges[ROWS];
static unsigned int queries; /* that have been sent */

static void host_send(void *ctx, const struct engine_addr *to, const struct tally_tch *tch,
		      const void *payload, size_t len, uint64_t delay)
{
	(void)ctx;
	(void)to;
	(void)payload;
	(void)len;
	(void)delay;
	queries += tch->kind == TALLY_KIND_QUERY;
}

static void host_count(void *ctx, enum tally_counter counter, uint64_t n)
{
	(void)ctx;
	(void)counter;
	(void)n;
}

static const struct engine_host host = { .send = host_send, .count = host_count };

static struct group *group_of(unsigned int row)
{
	return &engine->groups[row];
}

static struct edge *edge_of(unsigned int row)
{
	return &group_of(row)->edges[edges[row]];
}

void probes_model_reset(void)
{
	unsigned int row;

	if (!engine)
		engine = engine_new(&host, NULL, 1);
	if (!engine)
		abort();
	for (row = 0; row < ROWS; row++)
		probes_model_close(row);
}

void probes_model_open(unsigned int row, unsigned int edge, uint64_t rto, uint64_t cap, uint32_t limit)
{
	struct group *g = group_of(row);
	struct edge *ed;

	edges[row] = edge;
	ed = edge_of(row);
	g->state = TALLY_GROUP_OPEN;
	g->mode = TALLY_MODE_TREE;
	g->modes = TALLY_MODES_TREE;
	g->qps = NONE;
	g->parent = NO_EDGE;
	g->contributors = g->children = 1ULL << edge;
	g->rto = rto;
	g->max_backoff = cap;
	g->retry_limit = limit;
	g->timeout = 0; /* so no descriptor makes anybody wait */
	g->watched = 0;
	g->done = 0;
	g->limit = 1;
	g->seg[0] = row;
	ed->state = TALLY_EDGE_OPEN;
	ed->probes = 0;
	ed->probe_at = NEVER;
}

void probes_model_close(unsigned int row)
{
	struct edge *ed = edge_of(row);

	ed->state = TALLY_EDGE_NONE;
	ed->probe_at = NEVER;
	ed->probes = 0;
	group_of(row)->watched = 0;
}

/* Whether the chunk needs the acknowledgement of its result by the neighbour. */
static void set_waits(uint64_t now, unsigned int row, bool waits)
{
	struct slot *s = &engine->slots[row];

	engine->now = now;
	s->state = TALLY_SEG_BUSY;
	s->mode = TALLY_MODE_TREE;
	s->down_todo = waits ? 1ULL << edges[row] : 0;
}

void probes_model_watch(uint64_t now, unsigned int row)
{
	set_waits(now, row, true);
	probe_watch(engine, group_of(row));
}

void probes_model_heard(uint64_t now, unsigned int row)
{
	const struct tch t = { 0 };

	if (edge_of(row)->state != TALLY_EDGE_OPEN)
		return;
	engine->now = now;
	edge_heard(engine, group_of(row), edges[row], &t);
}

uint64_t probes_model_due(unsigned int row)
{
	return edge_of(row)->probe_at;
}

enum probes_model_result probes_model_timer(uint64_t now, unsigned int row, bool waits)
{
	struct group *g = group_of(row);

	set_waits(now, row, waits);
	queries = 0;
	probe_timer(engine, g, edges[row]);
	if (queries)
		return PROBES_QUERY;
	if (group_alive(g))
		return PROBES_NOTHING;
	engine->event_head = engine->event_tail = 0;
	return PROBES_SILENT;
}
