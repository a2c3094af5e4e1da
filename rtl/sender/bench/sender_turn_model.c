// SPDX-License-Identifier: BSD-2-Clause
/*
 * Calls sender_pump() of the engine for one request of one queue pair. The chunks enter slots of the engine, whose words are in
 * the store of the host, so each post is seen there. The ranks of the request take no part (EMPTY), so nothing else happens.
 */
#include "engine/common.h"
#include "engine/events.h"
#include "engine/late.h"
#include "engine/pool.h"
#include "engine/qp.h"
#include "engine/qp_failure.h"
#include "engine/sender.h"
#include "engine/timer.h"
#include "engine/wr.h"

#include "sender_turn_model.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

static struct engine *e;
static struct turn_result *told;
static uint64_t others[2], had_qp;
static bool works[2];

/* ---- What the engine asks of its host ---- */

static bool stores(void *ctx)
{
	(void)ctx;
	return true;
}

static void operate(void *ctx, const struct engine_operation *op, const void *data, uint64_t delay)
{
	(void)ctx;
	(void)data;
	(void)delay;
	if (op->kind != TALLY_FW_STORE_OP_POST)
		return;
	if (told->posts == TURN_POSTS)
		abort();
	told->num[told->posts] = op->num;
	told->sid[told->posts++] = op->sid;
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
	(void)ctx;
	(void)cqn;
	(void)solicited;
	(void)delay;
	told->status = le16toh(cqe->coll_status);
	told->refused = told->status != TALLY_COLL_OK; /* all ranks have finished a request of which all chunks are posted */
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

/* ---- Group and queue pairs ---- */

void turn_reset(void)
{
	static char busy;

	if (e)
		e->firmware = NULL;
	engine_free(e);
	e = engine_new(&host, NULL, 1);
	if (!e)
		abort();
	e->firmware = (struct fiber *)&busy; /* nobody handles exceptions: each request has a new group */
	e->now = 1000000;
}

static struct group *make_group(void)
{
	struct group *g = &e->groups[0];

	timers_drop(e, g);
	memset(g, 0, offsetof(struct group, ranks));
	g->mtu = 4096;
	g->modes = TALLY_MODES_TREE;
	g->mode = TALLY_MODE_TREE;
	g->num_nodes = 2;
	g->total_ranks = 2 * TURN_RANKS;
	g->by_ranks = divisor_of(g->total_ranks);
	g->rank_mask = (1u << TURN_RANKS) - 1;
	g->timeout = NEVER;
	g->tx_free = g->qps = NONE;
	g->parent = 0;
	g->children = 2;
	g->contributors = 3;
	g->num_edges = g->num_contributors = 2;
	g->upstream = g->left = g->right = NO_EDGE;
	g->mcast_ack_at = g->slots_next = g->fw_at = g->fence_at = NEVER;
	g->stored = true;
	g->had_qp = had_qp;
	return g;
}

static void make_qp(unsigned int n, uint64_t ranks, enum tally_qp_state state)
{
	struct qp *qp = &e->qps[n];

	if (qp->used)
		qp_discard(e, n);
	qp->state = state;
	qp->cfg = (struct engine_qp_cfg){ .ranks = ranks, .depth = TALLY_MAX_SQ_DEPTH };
	qp_create(e, n);
}

static struct group *make(void)
{
	struct group *g = make_group();

	make_qp(0, g->rank_mask, TALLY_QPS_RTS);
	for (unsigned int i = 0; i < 2; i++)
		make_qp(1 + i, others[i], works[i] ? TALLY_QPS_RTS : TALLY_QPS_ERROR);
	return g;
}

uint64_t turn_others(const uint64_t ranks[2], const bool may[2], uint64_t had)
{
	struct group *g;

	memcpy(others, ranks, sizeof(others));
	memcpy(works, may, sizeof(works));
	had_qp = had;
	g = make();
	return qp_failure_mute(e, g, &e->qps[0], ~g->had_qp);
}

/* Without queue pairs, the ranks that have not posted a message are those that have not begun it. */
bool turn_begun(const struct turn_group *group, uint32_t mid, uint64_t *behind)
{
	struct group *g = &e->groups[1];
	unsigned int i;

	g->rank_mask = (1u << TURN_RANKS) - 1;
	g->qps = NONE;
	for (i = 0; i < TURN_RANKS; i++)
		g->ranks[i].next_mid = group->rank[i].mid;
	*behind = late_ranks(e, g, mid);
	return late_begun(g, mid);
}

/* ---- A request ---- */

static struct wr *make_request(struct qp *qp, const struct turn_request *r, uint32_t num)
{
	struct wr *wr = wr_take(qp, qp->admit);

	memset(wr, 0, sizeof(*wr));
	wr->state = r->begun ? WR_ACTIVE : WR_READY;
	wr->generation = 1;
	wr->begun = r->begun;
	wr->num = num - r->begun;
	wr->to_go = UINT32_MAX;
	wr->w.index = qp->admit++;
	qp->posted = qp->admit;
	wr->w.opcode = TALLY_OPCODE_ALLREDUCE;
	wr->w.op = TALLY_OP_SUM;
	wr->w.dtype = TALLY_TYPE_INT8;
	wr->w.mode = TALLY_MODE_TREE;
	wr->w.flags = TALLY_WQE_F_EMPTY | TALLY_WQE_F_SIGNALED;
	wr->w.mid = r->mid;
	wr->w.rank_mask = r->ranks;
	wr->w.node_mask = ~0ULL;
	wr->w.chunk = wr->w.elem = wr->w.give = 1;
	wr->w.chunks = wr->w.total = wr->w.count = r->chunks;
	wr->w.seg_count = r->seg_count;
	return wr;
}

/* Sets the segments of the window aside; each rank's last chunk is in its slot, unless the request may post its own. */
static void open_window(struct group *g, const struct turn_group *from, const struct turn_request *r)
{
	bool next = true;

	e->segs_granted = 0;
	e->num_groups = e->max_groups;
	g->max_segs = from->max_segs;
	g->done = g->limit = g->top = from->done;
	pool_borrow(e, g, from->limit);
	if (g->limit != from->limit)
		abort();
	for (unsigned int i = 0; i < TURN_RANKS; i++)
		if (r->ranks >> i & 1 && g->ranks[i].next_mid != r->mid)
			next = false;
	for (uint32_t num = g->done; !r->begun && !next && num != g->limit; num++)
		slot_of(e, g, num)->state = TALLY_SEG_BUSY;
}

void turn_pump(struct turn_group *group, const struct turn_request *r, bool lends, struct turn_result *result)
{
	struct group *g = make();
	struct wr *wr;

	told = result;
	memset(result, 0, sizeof(*result));
	for (unsigned int i = 0; i < TURN_RANKS; i++)
		g->ranks[i] = (struct rank){ group->rank[i].mid, group->rank[i].num, group->rank[i].streams };
	g->state = TALLY_GROUP_OPEN;
	open_window(g, group, r);
	g->state = group->runs ? TALLY_GROUP_OPEN : TALLY_GROUP_DEAD;
	if (!lends)
		e->segs_granted = e->max_segs - e->segs_lent;
	wr = make_request(&e->qps[0], r, g->ranks[__builtin_ctzll(r->ranks)].next_num);
	sender_pump(e, &e->qps[0]);
	result->waits = wr->since && !result->refused;
	group->limit = g->limit;
	for (unsigned int i = 0; i < TURN_RANKS; i++) {
		group->rank[i].mid = g->ranks[i].next_mid;
		group->rank[i].num = g->ranks[i].next_num;
		group->rank[i].streams = g->ranks[i].streaming;
	}
	pool_end(e, g);
	while (events_wait(e))
		events_next(e);
}
