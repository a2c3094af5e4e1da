// SPDX-License-Identifier: BSD-2-Clause
/*
 * Calls sender_pump() of the engine for all queue pairs of several groups. The chunks enter slots of the engine, whose words are in
 * the store of the host, so posts are seen there. All data are in the requests, so what is due goes to the store at once. Each
 * group has a further queue pair, which may post for all ranks and has no requests: so no failure ends an epoch.
 */
#include "engine/common.h"
#include "engine/chunk.h"
#include "engine/events.h"
#include "engine/pool.h"
#include "engine/qp.h"
#include "engine/qp_failure.h"
#include "engine/segment.h"
#include "engine/sender.h"
#include "engine/timer.h"
#include "engine/wqe.h"

#include "sender_model.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#define POSTS (1u << 14)
#define SPARE 512 /* number of the further queue pair of group 0 */

static struct engine *e;
static struct model_post posts[POSTS];
static unsigned int first, last;
static uint16_t refusals[TALLY_MAX_QP];
static uint32_t hidden;
static unsigned int num_qps;

/* ---- What the engine asks of its host ---- */

static bool stores(void *ctx)
{
	(void)ctx;
	return true;
}

static void operate(void *ctx, const struct engine_operation *op, const void *data, uint64_t delay)
{
	struct model_post *p = &posts[(last - 1) % POSTS];

	(void)ctx;
	(void)data;
	(void)delay;
	if (op->kind == TALLY_FW_STORE_OP_POST) {
		if (last - first == POSTS)
			abort();
		posts[last++ % POSTS] = (struct model_post){
			.group = op->group,
			.num = op->num,
			.mid = op->mid,
			.sid = op->sid,
			.total = op->total,
			.count = op->count,
			.opcode = op->opcode,
			.op = op->op,
			.dtype = op->dtype,
			.root_rank = op->root_rank,
			.root_node = op->root_node,
			.mode = op->mode,
			.ranks = op->ranks,
			.absent = op->absent,
			.quits = op->quits,
			.out = op->out,
		};
	} else if (op->kind == TALLY_FW_STORE_OP_DATA) {
		if (op->num != p->num || !(p->ranks >> op->edge & 1))
			abort();
		p->due |= 1ULL << op->edge;
	}
}

static void command(void *ctx, enum tally_fw_store_command c, uint32_t group, uint32_t num)
{
	(void)ctx;
	(void)c;
	(void)group;
	(void)num;
}

static void complete(void *ctx, uint32_t cqn, const struct tally_cqe *cqe, bool solicited, uint64_t delay)
{
	const uint32_t qp = le32toh(cqe->qpn);
	const uint16_t status = le16toh(cqe->coll_status);

	(void)ctx;
	(void)cqn;
	(void)solicited;
	(void)delay;
	if (status == TALLY_COLL_MID_BEHIND || status == TALLY_COLL_RANK_TWICE || status == TALLY_COLL_MID_SKIPPED)
		refusals[qp] = status;
}

static void event(void *ctx, enum tally_eqe_type type, uint32_t id, uint64_t data)
{
	(void)ctx;
	(void)type;
	(void)id;
	(void)data;
}

static void counted(void *ctx, enum tally_counter counter, uint64_t n)
{
	(void)ctx;
	(void)counter;
	(void)n;
}

static const struct engine_host host = {
	.stores = stores,
	.operate = operate,
	.command = command,
	.complete = complete,
	.event = event,
	.count = counted,
};

static void drain(void)
{
	while (events_wait(e))
		events_next(e);
}

/* ---- Groups and queue pairs ---- */

void model_reset(void)
{
	static char busy;

	if (e)
		e->firmware = NULL;
	engine_free(e);
	e = engine_new(&host, NULL, 1);
	if (!e)
		abort();
	e->firmware = (struct fiber *)&busy; /* nobody handles events */
	e->now = 1000000;
	first = last = 0;
	hidden = 0;
	num_qps = 0;
	memset(refusals, 0, sizeof(refusals));
	for (unsigned int i = 0; i < TALLY_MAX_GROUP; i++)
		e->groups[i].qps = NONE;
}

void model_qp(unsigned int n, unsigned int group, uint64_t ranks)
{
	struct qp *qp = &e->qps[n];

	qp->cfg = (struct engine_qp_cfg){ .group = group, .ranks = ranks, .depth = TALLY_MAX_SQ_DEPTH };
	qp->state = TALLY_QPS_RTS;
	qp_create(e, n);
	if (n < SPARE)
		num_qps = n + 1 > num_qps ? n + 1 : num_qps;
}

void model_qp_reset(unsigned int n)
{
	qp_discard(e, n);
	e->qps[n].state = TALLY_QPS_RTS;
	refusals[n] = TALLY_COLL_OK;
}

void model_error(unsigned int n)
{
	qp_set_state(e, &e->qps[n], TALLY_QPS_ERROR);
}

/* Its tables, but for the list of its queue pairs. */
static void make_group(struct group *g, uint64_t ranks)
{
	uint16_t qps = g->qps;

	timers_drop(e, g);
	memset(g, 0, offsetof(struct group, ranks));
	memset(g->ranks, 0, sizeof(g->ranks));
	g->qps = qps;
	g->mtu = 4096;
	g->node = MODEL_NODE;
	g->modes = TALLY_MODES_TREE;
	g->mode = TALLY_MODE_TREE;
	g->num_nodes = MODEL_NODE + 2;
	g->total_ranks = 2 * __builtin_popcountll(ranks);
	g->by_ranks = divisor_of(g->total_ranks);
	g->rank_mask = ranks;
	g->timeout = NEVER;
	g->tx_free = NONE;
	g->parent = 0;
	g->children = MODEL_CHILDREN;
	g->contributors = 3;
	g->num_edges = g->num_contributors = 2;
	g->upstream = g->left = g->right = NO_EDGE;
	g->mcast_ack_at = g->slots_next = g->fw_at = g->fence_at = NEVER;
	g->stored = true;
}

struct model_window model_begin(unsigned int group, uint64_t ranks, uint32_t owned, uint32_t max_segs)
{
	struct group *g = &e->groups[group];

	if (g->granted) {
		g->state = TALLY_GROUP_OPEN;
		slots_clear(e, g);
		e->segs_granted -= g->granted;
	}
	make_group(g, ranks);
	g->num_segs = g->granted = owned;
	g->max_segs = max_segs;
	g->by_segs = divisor_of(max_segs);
	e->segs_granted += owned;
	e->num_groups = e->max_groups; /* so nothing is kept for further ones */
	g->state = TALLY_GROUP_OPEN;
	pool_begin(e, g);
	for (uint16_t n = g->qps; n != NONE; n = e->qps[n].next_in_group)
		model_qp_reset(n);
	if (g->qps == NONE)
		model_qp(SPARE + group, group, ranks);
	drain();
	return model_window_of(group);
}

uint64_t model_alone(unsigned int n)
{
	struct qp *qp = &e->qps[n];
	struct group *g = &e->groups[qp->cfg.group];

	e->qps[SPARE + qp->cfg.group].state = TALLY_QPS_ERROR;
	return qp_failure_mute(e, g, qp, ~g->had_qp);
}

/* ---- Windows ---- */

struct model_window model_window_of(unsigned int group)
{
	return (struct model_window){ e->groups[group].done, e->groups[group].limit };
}

void model_lend(bool lends)
{
	e->segs_granted -= hidden;
	hidden = lends ? 0 : e->max_segs - e->segs_granted - e->segs_lent;
	e->segs_granted += hidden;
}

struct model_window model_borrow(unsigned int group, uint32_t top)
{
	pool_borrow(e, &e->groups[group], top);
	return model_window_of(group);
}

struct model_window model_advance(unsigned int group, uint32_t done)
{
	slots_done(e, &e->groups[group], done);
	drain();
	return model_window_of(group);
}

/* ---- Requests ---- */

unsigned int model_room(unsigned int n)
{
	return WR_WINDOW - (e->qps[n].admit - e->qps[n].head);
}

void model_add(const struct model_request *r)
{
	struct qp *qp = &e->qps[r->qp];
	struct wr *wr = wr_take(qp, qp->admit);

	memset(wr, 0, sizeof(*wr));
	wr->state = WR_READY;
	wr->generation = 1;
	wr->w.index = qp->admit++;
	qp->posted = qp->scan = qp->admit;
	wr->w.opcode = r->opcode;
	wr->w.op = r->op;
	wr->w.dtype = r->dtype;
	wr->w.mode = TALLY_MODE_TREE;
	wr->w.flags = r->flags;
	wr->w.mid = r->mid;
	wr->w.rank_mask = r->ranks;
	wr->w.root_node = r->root_node;
	wr->w.root_rank = r->root_rank;
	wr->w.node_mask = ~r->out;
	wr->w.elem = wr->w.give = 1;
	wr->w.chunk = r->chunk;
	wr->w.chunks = r->chunks;
	wr->w.total = wr->w.count = r->total;
	wr->w.seg_count = r->seg_count;
}

/* The store of the host does not see chunks that it does not do. */
static void note_away(const struct qp *qp, const struct wr *wr, uint32_t from)
{
	for (uint32_t sid = from; sid != wr->begun; sid++) {
		if (last - first == POSTS)
			abort();
		posts[last++ % POSTS] = (struct model_post){
			.group = qp->cfg.group,
			.num = wr->num + sid,
			.mid = wr->w.mid,
			.sid = sid,
			.total = wr->w.total,
			.count = wr->w.chunk,
			.opcode = wr->w.opcode,
			.op = wr->w.op,
			.dtype = wr->w.dtype,
			.root_rank = wr->w.root_rank,
			.root_node = wr->w.root_node,
			.mode = wr->w.mode,
			.ranks = wr->w.rank_mask,
		};
	}
}

static void pump(struct qp *qp)
{
	const struct wr *away[WR_WINDOW];
	uint32_t begun[WR_WINDOW];
	unsigned int num = 0;

	for (uint32_t i = qp->head; i != qp->admit; i++) {
		const struct wr *wr = wr_at(qp, i);

		if (wr->w.opcode == TALLY_OPCODE_GATHER || wr->w.opcode == TALLY_OPCODE_SCATTER) {
			away[num] = wr;
			begun[num++] = wr->begun;
		}
	}
	sender_pump(e, qp);
	for (unsigned int k = 0; k < num; k++)
		note_away(qp, away[k], begun[k]);
}

void model_pump(void)
{
	unsigned int before;

	do {
		before = last;
		for (unsigned int n = 0; n < num_qps; n++)
			pump(&e->qps[n]);
		drain();
	} while (last != before);
}

bool model_next_post(struct model_post *p)
{
	if (first == last)
		return false;
	*p = posts[first++ % POSTS];
	return true;
}

/* ---- What has become of them ---- */

uint16_t model_refusal(unsigned int n)
{
	struct qp *qp = &e->qps[n];

	for (uint32_t i = qp->head; i != qp->admit; i++)
		if (wr_at(qp, i)->state == WR_DONE && wr_at(qp, i)->status)
			return wr_at(qp, i)->status;
	return refusals[n];
}

int64_t model_waits(unsigned int n)
{
	struct qp *qp = &e->qps[n];

	for (uint32_t i = qp->head; i != qp->admit; i++) {
		const struct wr *wr = wr_at(qp, i);

		if (wr->state == WR_READY)
			return wr->since ? (int64_t)wr->w.mid : -1;
	}
	return -1;
}

uint32_t model_next_mid(unsigned int group, unsigned int rank)
{
	return e->groups[group].ranks[rank].next_mid;
}

uint32_t model_next_num(unsigned int group, unsigned int rank)
{
	return e->groups[group].ranks[rank].next_num;
}
