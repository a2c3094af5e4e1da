// SPDX-License-Identifier: BSD-2-Clause
/* One node of a group without a network. */
#include "engine/test/alone.h"
#include "engine/common.h"
#include "engine/events.h"
#include "engine/pool.h"
#include "engine/qp.h"

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

	a->packet[a->sent++ % ALONE_KEPT] = *tch;
	a->last = *tch;
	a->to = *to;
	a->len = len;
	a->delay = delay;
	assert_true(len <= sizeof(a->payload));
	if (len)
		memcpy(a->payload, payload, len);
}

static void fetch_wqe(void *ctx, uint32_t qpn, uint32_t index)
{
	struct alone *a = ctx;

	a->fetches++;
	a->fetch_qp = qpn;
	a->fetch_index = index;
}

static enum tally_coll_status check(void *ctx, uint32_t pd, const struct engine_sge *sge,
				    bool write)
{
	struct alone *a = ctx;

	a->check_pd = pd;
	a->checked = *sge;
	a->check_write = write;
	return ++a->checks == a->refuse ? TALLY_COLL_BAD_LKEY : TALLY_COLL_OK;
}

static struct alone_access *keep(struct alone_access *kept, unsigned int num, uint32_t pd,
				 const struct engine_sge *sge, uint64_t tag, uint64_t delay)
{
	struct alone_access *x = &kept[num % ALONE_KEPT];

	*x = (struct alone_access){ .pd = pd, .sge = *sge, .tag = tag, .delay = delay };
	return x;
}

static void read(void *ctx, uint32_t pd, const struct engine_sge *sge, uint64_t tag, uint64_t delay)
{
	struct alone *a = ctx;

	keep(a->read, a->reads++, pd, sge, tag, delay);
}

static void write(void *ctx, uint32_t pd, const struct engine_sge *sge, const void *data,
		  uint64_t tag, uint64_t delay)
{
	struct alone *a = ctx;
	struct alone_access *x = keep(a->write, a->writes++, pd, sge, tag, delay);

	memcpy(x->data, data, sge->length < sizeof(x->data) ? sge->length : sizeof(x->data));
}

static void complete(void *ctx, uint32_t cqn, const struct tally_cqe *cqe, bool solicited,
		     uint64_t delay)
{
	struct alone *a = ctx;

	a->cqe[a->cqes++ % ALONE_KEPT] = (struct alone_cqe){ *cqe, cqn, solicited, delay };
}

static void event(void *ctx, enum tally_eqe_type type, uint32_t id, uint64_t data)
{
	struct alone *a = ctx;

	a->eqes++;
	a->eqe.type = type;
	a->eqe.id = id;
	a->eqe.data = data;
}

static void add(void *ctx, enum tally_counter counter, uint64_t n)
{
	struct alone *a = ctx;

	a->counters[counter] += n;
}

static const struct engine_host host = {
	.fetch_wqe = fetch_wqe,
	.check = check,
	.read = read,
	.write = write,
	.complete = complete,
	.send = send,
	.event = event,
	.count = add,
};

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
	a->g->num_edges += idx == EDGE_PARENT;
}

struct qp *alone_qp(struct alone *a, unsigned int n, uint64_t ranks)
{
	struct qp *qp = &a->e->qps[n];

	qp->state = TALLY_QPS_RTS;
	qp->cfg = (struct engine_qp_cfg){
		.pd = 100 + n,
		.cqn = 200 + n,
		.ranks = ranks,
		.holder = ranks,
		.depth = TALLY_MAX_SQ_DEPTH,
		.stride = TALLY_MAX_WQE_SIZE,
		.port = n,
	};
	qp_create(a->e, n);
	return qp;
}

struct wr *alone_wr(struct qp *qp, enum wr_state wr_state, uint8_t opcode, uint32_t mid,
		    uint64_t ranks)
{
	struct wr *wr = wr_take(qp, qp->admit);

	memset(wr, 0, sizeof(*wr));
	wr->state = wr_state;
	wr->generation = 1;
	wr->w.index = qp->admit++;
	if (serial_lt(qp->posted, qp->admit))
		qp->posted = qp->admit;
	wr->w.opcode = opcode;
	wr->w.mode = TALLY_MODE_TREE;
	wr->w.mid = mid;
	wr->w.rank_mask = ranks;
	wr->w.chunk = wr->w.chunks = 1;
	wr->w.elem = wr->w.give = 1;
	return wr;
}

void alone_forget_events(struct alone *a)
{
	while (events_wait(a->e))
		events_next(a->e);
}

const struct fw_event *alone_exception(const struct alone *a)
{
	static const struct fw_event none;

	return events_wait(a->e) ? &a->e->events[a->e->event_head] : &none;
}

bool alone_touched(struct alone *a, struct timer *t)
{
	struct timer **link = &a->e->touched;

	while (*link && *link != t)
		link = &(*link)->next_touched;
	assert_int_equal(t->touched, *link != NULL);
	if (!*link)
		return false;
	*link = t->next_touched;
	t->touched = false;
	return true;
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

struct wr *alone_sum(struct alone *a)
{
	struct wr *wr;

	alone_setup(a);
	alone_children(a, 2);
	alone_parent(a, EDGE_PARENT);
	a->g->rank_mask = 0x13;
	wr = alone_wr(alone_qp(a, 0, 0x13), WR_ACTIVE, TALLY_OPCODE_ALLREDUCE, 0, 0x13);
	wr->begun = 1;
	wr->to_go = 100;
	wr->w.op = TALLY_OP_SUM;
	wr->w.dtype = TALLY_TYPE_INT32;
	wr->w.elem = wr->w.give = 4;
	wr->w.chunk = wr->w.count = wr->w.total = 5;
	wr->w.node_mask = 3;
	return wr;
}
