// SPDX-License-Identifier: BSD-2-Clause
/*
 * Segment buffer and compute control (003 figure 6), TREE mode. A slot belongs
 * to chunk num = slot modulo the number of segments. *Accumulate*: the first
 * arrival fills it, each later one goes through the ALU and clears its bit.
 * *Hold*: the result stays until every receiver has acknowledged it and every
 * local rank has it in memory; only then is the slot done.
 */
#include "engine/engine_int.h"
#include "engine/alu.h"

#include <string.h>

/* What makes the ranks' requests one message: compared where contributions meet. */
struct message {
	uint8_t opcode, op, dtype, root_rank;
	uint16_t root_node, len;
	uint32_t num, mid, sid, count;
};

static uint64_t receivers(const struct group *g, const struct slot *s)
{
	uint64_t root = s->root_node == g->node ? 1ULL << s->root_rank : 0;

	switch (s->opcode) {
	case TALLY_OPCODE_REDUCE:
		return root;
	case TALLY_OPCODE_BCAST:
		return g->rank_mask & ~root;
	default:
		return g->rank_mask;
	}
}

/* ---- Opening: who gives, who gets ---- */

static void plan_up(const struct group *g, struct slot *s)
{
	bool here = s->root_node == g->node;
	int route = group_route(g, s->root_node);

	if (s->opcode == TALLY_OPCODE_BCAST) {
		s->up_ranks = here ? 1ULL << s->root_rank : 0;
		s->up_contributors = route >= 0 ? 1ULL << route : 0;
		s->up_send = !is_root(g) && (here || route >= 0);
	} else {
		s->up_ranks = g->rank_mask;
		s->up_contributors = g->contributors;
		s->up_send = !is_root(g);
	}
}

static void plan_down(const struct group *g, struct slot *s)
{
	int route = group_route(g, s->root_node);

	s->deliver = receivers(g, s);
	if (s->opcode == TALLY_OPCODE_REDUCE) {
		s->down_todo = route >= 0 ? 1ULL << route : 0;
		s->down_expected = s->down_todo || s->deliver;
	} else {
		s->down_todo = g->contributors;
		s->down_expected = true;
	}
}

static void slot_open(struct engine *e, struct group *g, struct slot *s, const struct message *m)
{
	memset(s, 0, offsetof(struct slot, up));
	s->state = SLOT_BUSY;
	s->opcode = m->opcode;
	s->op = m->op;
	s->dtype = m->dtype;
	s->root_rank = m->root_rank;
	s->root_node = m->root_node;
	s->len = m->len;
	s->num = m->num;
	s->mid = m->mid;
	s->sid = m->sid;
	s->count = m->count;
	s->started = e->now;
	s->limit = g->timeout;
	plan_up(g, s);
	plan_down(g, s);
	kill_if_gone(e, g, s->num, s->mid);
}

static bool matches(const struct slot *s, const struct message *m)
{
	return s->opcode == m->opcode && s->op == m->op && s->dtype == m->dtype &&
	       s->count == m->count && s->root_node == m->root_node &&
	       s->root_rank == m->root_rank;
}

/* ---- Accumulate ---- */

static void combine(struct engine *e, struct slot *s, const void *data)
{
	if (!s->len)
		return;
	if (!s->up_filled) {
		memcpy(s->up, data, s->len);
		s->up_filled = true;
		return;
	}
	s->err_vector |= alu_reduce(s->op, s->dtype, s->up, data, s->count);
	count(e, TALLY_CTR_alu_words, (s->len + 63) / 64);
}

void slot_contribute(struct engine *e, struct group *g, struct slot *s, uint64_t ranks,
		     const void *data)
{
	if (s->up_ranks & ranks) {
		combine(e, s, data);
		s->up_ranks &= ~ranks;
	}
	slot_pump(e, g, s);
}

bool slot_post(struct engine *e, struct group *g, struct wr *wr)
{
	struct slot *s = slot_of(e, g, wr->num);
	const struct message m = {
		.opcode = wr->w.opcode,
		.op = wr->w.op,
		.dtype = wr->w.dtype,
		.root_rank = wr->w.root_rank,
		.root_node = wr->w.root_node,
		.len = wr->w.len,
		.num = wr->num,
		.mid = wr->w.mid,
		.count = wr->w.count,
	};

	if (s->state == SLOT_FREE)
		slot_open(e, g, s, &m);
	if (!group_alive(g))
		return false;
	if (!matches(s, &m)) {
		s->err_vector |= TALLY_ERR_MISMATCH;
		kill_group(e, g, TALLY_COLL_MISMATCH, 0, wr->w.rank_mask, s->mid, s->sid);
		return false;
	}
	if (wr->w.timeout && wr->w.timeout < s->limit)
		s->limit = wr->w.timeout;
	s->posted |= wr->w.rank_mask;
	return true;
}

/* ---- Packets ---- */

static bool plausible(const struct group *g, const struct tch *t, uint16_t len)
{
	if (t->sid || t->total != t->count || len > g->mtu || t->root_node >= g->num_nodes ||
	    t->root_rank >= TALLY_MAX_RANKS)
		return false;
	switch (t->opcode) {
	case TALLY_OPCODE_ALLREDUCE:
	case TALLY_OPCODE_REDUCE:
		return alu_check(t->op, t->dtype) == TALLY_COLL_OK;
	case TALLY_OPCODE_BCAST:
		return t->op == TALLY_OP_NONE;
	case TALLY_OPCODE_BARRIER:
		return t->op == TALLY_OP_NONE && t->dtype == TALLY_TYPE_NONE && !t->count;
	default:
		return false;
	}
}

static bool enters(const struct slot *s, unsigned int idx, const struct tch *t)
{
	if (s->num != t->num || s->mid != t->mid || s->sid != t->sid)
		return false;
	if (t->kind == TALLY_KIND_RESULT)
		return idx == EDGE_PARENT && s->down_expected && !s->down_have;
	return idx != EDGE_PARENT && (s->up_contributors >> idx & 1);
}

static void take(struct engine *e, struct slot *s, unsigned int idx, const struct tch *t,
		 const void *payload)
{
	s->err_vector |= t->err_vector;
	if (t->kind == TALLY_KIND_RESULT) {
		memcpy(s->down, payload, s->len);
		s->down_have = true;
	} else {
		combine(e, s, payload);
		s->up_contributors &= ~(1ULL << idx);
	}
}

enum rx_verdict slot_packet(struct engine *e, struct group *g, unsigned int idx,
			    const struct tch *t, const void *payload, uint16_t len)
{
	struct slot *s = slot_of(e, g, t->num);
	const struct message m = {
		.opcode = t->opcode,
		.op = t->op,
		.dtype = t->dtype,
		.root_rank = t->root_rank,
		.root_node = t->root_node,
		.len = len,
		.num = t->num,
		.mid = t->mid,
		.sid = t->sid,
		.count = t->count,
	};

	if (!plausible(g, t, len)) {
		count(e, TALLY_CTR_drop_tch, 1);
		return RX_DROP;
	}
	if (serial_lt(t->num, g->done))
		return RX_STORED;
	if (t->num - g->done >= g->num_segs) {
		count(e, TALLY_CTR_drop_window, 1);
		return RX_DROP;
	}
	if (t->root_node == g->node && !(g->rank_mask >> t->root_rank & 1) &&
	    (t->opcode == TALLY_OPCODE_REDUCE || t->opcode == TALLY_OPCODE_BCAST)) {
		kill_group(e, g, TALLY_COLL_BAD_ROOT, contributor_bit(idx), 0, t->mid, t->sid);
		return RX_DROP;
	}
	if (s->state == SLOT_FREE)
		slot_open(e, g, s, &m);
	if (!group_alive(g))
		return RX_DROP;
	if (s->num == t->num && s->mid == t->mid && !matches(s, &m)) {
		kill_group(e, g, TALLY_COLL_MISMATCH, contributor_bit(idx), 0, t->mid, t->sid);
		return RX_DROP;
	}
	if (s->state != SLOT_BUSY || !enters(s, idx, t)) {
		count(e, TALLY_CTR_drop_slot, 1);
		return RX_DROP;
	}
	take(e, s, idx, t, payload);
	return RX_STORED;
}

static void fill_tch(const struct group *g, const struct edge *ed, const struct slot *s,
		     struct tch *t, uint8_t kind)
{
	packet_fill(g, ed, t, kind);
	t->opcode = s->opcode;
	t->op = s->op;
	t->dtype = s->dtype;
	t->err_vector = s->err_vector;
	t->mid = s->mid;
	t->sid = s->sid;
	t->num = s->num;
	t->total = s->count;
	t->count = s->count;
	t->root_node = s->root_node;
	t->root_rank = s->root_rank;
	t->seg = s->num % g->num_segs;
}

static bool window_open(const struct group *g, const struct edge *ed, uint32_t num)
{
	return serial_lt(num, ed->peer_done + g->num_segs);
}

static bool send_chunk(struct engine *e, struct group *g, struct slot *s, unsigned int idx,
		       uint8_t kind)
{
	struct edge *ed = &g->edges[idx];
	struct tch t;

	if (!edge_can_send(e, ed) || !window_open(g, ed, s->num))
		return false;
	fill_tch(g, ed, s, &t, kind);
	edge_send(e, g, idx, &t, kind == TALLY_KIND_REDUCE ? s->up : s->down, s->len);
	return true;
}

void slot_tx_acked(struct engine *e, struct group *g, unsigned int idx, const struct tx_entry *tx)
{
	struct slot *s = slot_of(e, g, tx->tch.num);

	if (idx == EDGE_PARENT)
		s->up_waiting = false;
	else
		s->down_waiting &= ~(1ULL << idx);
}

/* ---- Progress ---- */

static void complete_up(const struct group *g, struct slot *s)
{
	if (s->up_complete || s->up_contributors || s->up_ranks)
		return;
	s->up_complete = true;
	if (is_root(g) && s->down_expected) {
		memcpy(s->down, s->up, s->len);
		s->down_have = true;
	}
}

static void send_down(struct engine *e, struct group *g, struct slot *s)
{
	uint64_t left = s->down_todo;

	for (; left; left &= left - 1) {
		unsigned int c = __builtin_ctzll(left);

		if (send_chunk(e, g, s, c, TALLY_KIND_RESULT)) {
			s->down_todo &= ~(1ULL << c);
			s->down_waiting |= 1ULL << c;
		}
	}
}

static bool finished(const struct group *g, const struct slot *s)
{
	if (!s->up_complete || s->up_send || s->up_waiting || (g->rank_mask & ~s->posted))
		return false;
	return !s->down_expected || (s->down_have && !s->down_todo && !s->down_waiting &&
				     !s->deliver && !s->delivering);
}

static void advance_done(struct engine *e, struct group *g)
{
	uint32_t before = g->done;
	struct slot *s;

	for (;;) {
		s = slot_of(e, g, g->done);
		if (s->state != SLOT_FINISHED || s->num != g->done)
			break;
		s->state = SLOT_FREE;
		g->done++;
	}
	if (g->done != before)
		edge_announce(e, g);
}

void slot_pump(struct engine *e, struct group *g, struct slot *s)
{
	uint64_t ready;

	complete_up(g, s);
	if (s->up_complete && s->up_send && send_chunk(e, g, s, EDGE_PARENT, TALLY_KIND_REDUCE)) {
		s->up_send = false;
		s->up_waiting = true;
	}
	if (s->down_have) {
		send_down(e, g, s);
		ready = s->deliver & s->posted;
		s->deliver &= ~ready;
		s->delivering |= ready;
		if (ready)
			sender_deliver(e, g, s, ready);
	}
	if (s->state == SLOT_BUSY && finished(g, s)) {
		s->state = SLOT_FINISHED;
		sender_ranks_finished(e, g, s, g->rank_mask & ~receivers(g, s));
		advance_done(e, g);
	}
}

void slot_delivered(struct engine *e, struct group *g, struct slot *s, uint64_t rank)
{
	s->delivering &= ~rank;
	sender_ranks_finished(e, g, s, rank);
}

bool slots_idle(const struct engine *e, const struct group *g)
{
	uint32_t i;

	for (i = 0; i < g->num_segs; i++)
		if (e->slots[g->seg_base + i].state == SLOT_BUSY)
			return false;
	return true;
}

/* ---- Time limit ---- */

static uint64_t missing_ranks(const struct group *g, const struct slot *s)
{
	return g->rank_mask & ~s->posted;
}

/*
 * Who knows what is missing speaks at three quarters of the limit, who only
 * waits for a result later: so the report that names the culprit comes first,
 * and every completion is there within the limit.
 */
uint64_t slot_next(const struct group *g, const struct slot *s)
{
	if (s->state != SLOT_BUSY)
		return NEVER;
	if (s->up_contributors || missing_ranks(g, s))
		return s->started + s->limit / 4 * 3;
	return s->started + s->limit / 8 * 7;
}

static bool edges_closed(const struct group *g, uint64_t contributors)
{
	for (; contributors; contributors &= contributors - 1)
		if (g->edges[__builtin_ctzll(contributors)].state == EDGE_OPENING)
			return true;
	return g->edges[EDGE_PARENT].state == EDGE_OPENING;
}

void slot_timer(struct engine *e, struct group *g, struct slot *s)
{
	/* Those whose data are missing, or who have not taken a result that is there. */
	uint64_t contributors = s->up_contributors | s->down_waiting |
				(s->down_have ? s->down_todo : 0);
	uint16_t status = TALLY_COLL_TIMEOUT;

	if (slot_next(g, s) > e->now)
		return;
	if (!missing_ranks(g, s) && edges_closed(g, contributors))
		status = TALLY_COLL_NO_HANDSHAKE;
	kill_group(e, g, status, contributors, missing_ranks(g, s), s->mid, s->sid);
}
