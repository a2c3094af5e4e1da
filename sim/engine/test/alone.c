// SPDX-License-Identifier: BSD-2-Clause
/* One node of a group without a network. */
#include "engine/test/alone.h"
#include "engine/events.h"
#include "engine/pool.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void send(void *ctx, const struct engine_addr *to, const struct tally_tch *tch,
		 const void *payload, size_t len, uint64_t delay)
{
	struct alone *a = ctx;

	(void)to;
	(void)payload;
	(void)len;
	(void)delay;
	a->sent++;
	a->last = *tch;
}

static void count(void *ctx, enum tally_counter counter, uint64_t n)
{
	struct alone *a = ctx;

	a->counters[counter] += n;
}

static const struct engine_host host = { .send = send, .count = count };

void alone_setup(struct alone *a)
{
	struct group *g;

	memset(a, 0, sizeof(*a));
	a->e = engine_new(&host, a, 1);
	assert_non_null(a->e);
	g = a->g = &a->e->groups[0];
	a->e->now = 1 * MS;
	g->state = TALLY_GROUP_OPEN;
	g->jid = ALONE_JID;
	g->epoch = ALONE_EPOCH;
	g->mtu = 4096;
	g->modes = TALLY_MODES_TREE;
	g->mode = TALLY_MODE_TREE;
	g->num_nodes = 4;
	g->total_ranks = 4;
	g->by_ranks = divisor_of(4);
	g->rank_mask = 1;
	g->num_segs = 4;
	g->max_segs = 4;
	g->by_segs = divisor_of(4);
	g->timeout = 1000 * MS;
	g->rto = 100 * US;
	g->max_backoff = 100 * MS;
	g->retry_limit = 3;
	g->tx_free = NONE;
	g->qps = NONE;
	g->upstream = g->parent = g->left = g->right = NO_EDGE;
	g->mcast_ack_at = g->slots_next = g->fw_at = g->fence_at = NEVER;
	pool_join(a->e, g);
	pool_begin(a->e, g);
}

void alone_teardown(struct alone *a)
{
	engine_free(a->e);
}

static void open_edge(struct group *g, unsigned int idx)
{
	struct edge *ed = &g->edges[idx];

	ed->state = TALLY_EDGE_OPEN;
	ed->remote_index = idx;
	ed->key = ed->peer_key = 1;
	ed->fw_at = ed->rto_at = ed->ack_at = ed->announce_at = ed->probe_at = NEVER;
	ed->rx_seen = ~0ULL;
	ed->peer_limit = ed->told_limit = g->num_segs;
}

void alone_children(struct alone *a, unsigned int num)
{
	unsigned int i;

	for (i = 0; i < num; i++) {
		open_edge(a->g, i);
		a->g->edges[i].first = i + 1;
		a->g->edges[i].count = 1;
		a->g->children |= 1ULL << i;
	}
	a->g->contributors = a->g->children;
	a->g->num_contributors = a->g->num_edges = num;
}

void alone_parent(struct alone *a, unsigned int idx)
{
	open_edge(a->g, idx);
	a->g->parent = idx;
}

const struct fw_event *alone_exception(const struct alone *a)
{
	static const struct fw_event none;

	return events_wait(a->e) ? &a->e->events[a->e->event_head] : &none;
}

struct tch alone_chunk(uint8_t kind, uint32_t num)
{
	return (struct tch){
		.kind = kind,
		.opcode = TALLY_OPCODE_ALLREDUCE,
		.op = TALLY_OP_SUM,
		.dtype = TALLY_TYPE_INT32,
		.flags = TALLY_TCH_F_LAST,
		.total = num,
		.count = num,
	};
}
