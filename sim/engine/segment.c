// SPDX-License-Identifier: BSD-2-Clause
/*
 * Segment buffer and compute control (003 figure 6), TREE mode. A slot belongs
 * to chunk num = slot modulo the number of segments. *Accumulate*: the first
 * arrival fills it, each later one goes through the ALU and clears its bit.
 * *Hold*: the result stays until every receiver has acknowledged it and every
 * local rank has it in memory; only then is the slot done.
 */
#include "engine/engine_int.h"
#include "alu/alu.h"

#include <string.h>

/* ---- Opening ---- */

static void slot_open(struct engine *e, struct group *g, struct slot *s, const struct message *m)
{
	memset(s, 0, offsetof(struct slot, up));
	s->state = TALLY_SEG_BUSY;
	s->opcode = m->opcode;
	s->op = m->op;
	s->dtype = m->dtype;
	s->root_rank = m->root_rank;
	s->root_node = m->root_node;
	s->num = m->num;
	s->mid = m->mid;
	s->sid = m->sid;
	s->total = m->total;
	s->first = m->first;
	s->count = m->count;
	s->elem = alu_elem_size(m->op, m->dtype);
	s->started = e->now;
	s->limit = g->timeout;
	chunk_plan(g, s);
	arrival_begin(e, g, s);
	kill_if_gone(e, g, s->num, s->mid);
}

static void disagree(struct engine *e, struct group *g, struct slot *s, uint16_t status,
		     uint64_t contributors, uint64_t ranks)
{
	s->err_vector |= TALLY_ERR_MISMATCH;
	kill_group(e, g, status, contributors, ranks, s->mid, s->sid);
}

/* ---- Accumulate ---- */

static void combine(struct engine *e, struct slot *s, struct span sp, const void *data)
{
	uint32_t len = (sp.hi - sp.lo) * s->elem;

	if (!len)
		return;
	if (!s->up_filled || !opcode_reduces(s->opcode)) {
		memcpy(s->up + (sp.lo - s->first) * s->elem, data, len);
		s->up_filled = true;
		return;
	}
	s->err_vector |= alu_reduce(s->op, s->dtype, s->up, data, s->count);
	count(e, TALLY_CTR_alu_words, (len + 63) / 64);
}

void slot_contribute(struct engine *e, struct group *g, struct slot *s, unsigned int rank,
		     const void *data)
{
	if (!(s->up_ranks >> rank & 1))
		return;
	if (ordered_applies(g, s))
		ordered_give(e, g, s, group_rank_index(g, rank), data);
	else
		combine(e, s, chunk_given(g, s, rank), data);
	s->up_ranks &= ~(1ULL << rank);
}

/* ---- Local requests ---- */

/* Inputs of the fixed shape that do not take part. */
static void leave_out(struct engine *e, struct group *g, struct slot *s, uint64_t ranks,
		      uint64_t contributors)
{
	unsigned int first = __builtin_popcountll(g->rank_mask);

	if (!ordered_applies(g, s))
		return;
	for (; ranks; ranks &= ranks - 1)
		ordered_absent(e, g, s, group_rank_index(g, __builtin_ctzll(ranks)));
	for (; contributors; contributors &= contributors - 1)
		ordered_absent(e, g, s, first + __builtin_ctzll(contributors));
}

/* Who takes part, as this request says; false: it disagrees with another, or with what has come. */
static bool narrow(struct engine *e, struct group *g, struct slot *s, const struct wqe *w)
{
	uint64_t planned = g->contributors, out;
	bool first = !s->masked;

	if (!chunk_narrow(g, s, w))
		return false;
	if (w->flags & TALLY_WQE_F_EMPTY) {
		leave_out(e, g, s, w->rank_mask & s->up_ranks, 0);
		s->empty |= w->rank_mask;
		s->up_ranks &= ~w->rank_mask;
		s->deliver &= ~w->rank_mask;
	}
	out = first ? planned & ~s->node_mask : 0;
	if (out & ~s->up_contributors && opcode_reduces(s->opcode))
		return false; /* one that was to take no part has sent */
	leave_out(e, g, s, 0, out & s->up_contributors);
	s->up_contributors &= ~out;
	s->down_todo &= ~out;
	return true;
}

bool slot_post(struct engine *e, struct group *g, struct qp *qp, struct wr *wr, uint32_t sid)
{
	const struct wqe *w = &wr->w;
	struct slot *s = slot_of(e, g, wr->num + sid);
	uint32_t first = sid * w->chunk, left = w->total - first;
	uint64_t ranks = w->rank_mask, givers = wr_givers(g, w);
	const struct message m = {
		.opcode = w->opcode,
		.op = w->op,
		.dtype = w->dtype,
		.root_rank = w->root_rank,
		.root_node = w->root_node,
		.num = wr->num + sid,
		.mid = w->mid,
		.sid = sid,
		.total = w->total,
		.first = first,
		.count = left < w->chunk ? left : w->chunk,
	};
	uint16_t status;

	if (s->state == TALLY_SEG_FREE)
		slot_open(e, g, s, &m);
	if (!group_alive(g))
		return false;
	status = message_disagrees(s, &m);
	if (!status && !narrow(e, g, s, w))
		status = TALLY_COLL_MASK_MISMATCH;
	if (status) {
		disagree(e, g, s, status, 0, w->rank_mask);
		return false;
	}
	if (w->timeout && w->timeout < s->limit)
		s->limit = w->timeout;
	arrival_note(e, g, s, w->rank_mask, 0);
	s->posted |= w->rank_mask;
	s->fetch |= s->up_ranks & givers & w->rank_mask;
	for (; ranks; ranks &= ranks - 1)
		s->by[__builtin_ctzll(ranks)] =
			(struct wr_ref){ qp - e->qps, wr - qp->wrs };
	return true;
}

/* ---- Packets ---- */

static bool enters(const struct slot *s, unsigned int idx, const struct tch *t)
{
	if (s->num != t->num || s->mid != t->mid || s->sid != t->sid)
		return false;
	if (t->kind == TALLY_KIND_RESULT)
		return idx == EDGE_PARENT && s->down_expected && !s->down_have;
	return idx != EDGE_PARENT && (s->up_contributors >> idx & 1);
}

static enum rx_verdict take(struct engine *e, struct group *g, struct slot *s, unsigned int idx,
			    const struct tch *t, const void *payload, struct span sp)
{
	unsigned int input = __builtin_popcountll(g->rank_mask) + idx;

	if (t->kind == TALLY_KIND_RESULT) {
		memcpy(s->down + (sp.lo - s->first) * s->elem, payload, (sp.hi - sp.lo) * s->elem);
		s->down_have = true;
	} else if (ordered_applies(g, s)) {
		if (!ordered_promise(e, g, s, input))
			return RX_BUSY;
		ordered_give(e, g, s, input, payload);
	} else {
		combine(e, s, sp, payload);
	}
	s->err_vector |= t->err_vector;
	if (t->kind != TALLY_KIND_RESULT) {
		s->up_contributors &= ~(1ULL << idx);
		arrival_note(e, g, s, 0, 1ULL << idx);
	}
	return RX_STORED;
}

/* The chunk is within the window: it enters its slot, or ends the epoch. */
static enum rx_verdict enter(struct engine *e, struct group *g, unsigned int idx,
			     const struct tch *t, const struct message *m, const void *payload,
			     uint16_t len)
{
	struct slot *s = slot_of(e, g, t->num);
	uint16_t status;
	struct span sp;

	if (s->state == TALLY_SEG_FREE)
		slot_open(e, g, s, m);
	if (!group_alive(g))
		return RX_DROP;
	status = s->num == t->num && s->mid == t->mid ? message_disagrees(s, m) : TALLY_COLL_OK;
	if (status) {
		disagree(e, g, s, status, contributor_bit(idx), 0);
		return RX_DROP;
	}
	sp = chunk_across(g, s, idx, t->kind);
	if (s->state != TALLY_SEG_BUSY || !enters(s, idx, t) || len != (sp.hi - sp.lo) * s->elem) {
		count(e, TALLY_CTR_drop_slot, 1);
		return RX_DROP;
	}
	return take(e, g, s, idx, t, payload, sp);
}

enum rx_verdict slot_packet(struct engine *e, struct group *g, unsigned int idx,
			    const struct tch *t, const void *payload, uint16_t len)
{
	struct message m = message_of_packet(t);

	if (!message_plausible(g, t, &m)) {
		count(e, TALLY_CTR_drop_tch, 1);
		return RX_DROP;
	}
	if (serial_lt(t->num, g->done))
		return RX_STORED;
	if (t->num - g->done >= g->num_segs) {
		count(e, TALLY_CTR_drop_window, 1);
		return RX_DROP;
	}
	if (opcode_rooted(t->opcode) && t->root_node == g->node &&
	    !(g->rank_mask >> t->root_rank & 1)) {
		kill_group(e, g, TALLY_COLL_BAD_ROOT, contributor_bit(idx), 0, t->mid, t->sid);
		return RX_DROP;
	}
	return enter(e, g, idx, t, &m, payload, len);
}

void slot_compare(struct engine *e, struct group *g, unsigned int idx, const struct tch *t)
{
	struct slot *s = slot_of(e, g, t->num);
	struct message m = message_of_packet(t);
	uint16_t status;

	if (!message_plausible(g, t, &m) || t->num - g->done >= g->num_segs)
		return;
	/* a node without ranks learns of a broadcast only so, and then asks on */
	if (s->state == TALLY_SEG_FREE && !g->rank_mask)
		slot_open(e, g, s, &m);
	if (!group_alive(g) || s->state != TALLY_SEG_BUSY || s->num != t->num || s->mid != t->mid)
		return;
	status = message_disagrees(s, &m);
	if (status)
		disagree(e, g, s, status, contributor_bit(idx), 0);
}

void slot_fill_tch(const struct group *g, const struct edge *ed, const struct slot *s,
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
	t->total = s->total;
	t->count = s->count;
	t->root_node = s->root_node;
	t->root_rank = s->root_rank;
	t->seg = s->num % g->num_segs;
	if (s->first + s->count == s->total)
		t->flags |= TALLY_TCH_F_LAST;
	if (is_ordered(g))
		t->flags |= TALLY_TCH_F_ORDERED;
}

static bool send_chunk(struct engine *e, struct group *g, struct slot *s, unsigned int idx,
		       uint8_t kind)
{
	const uint8_t *data = kind == TALLY_KIND_REDUCE ? s->up : s->down;
	struct edge *ed = &g->edges[idx];
	struct span sp;
	struct tch t;

	if (!edge_can_send(ed) || !serial_lt(s->num, ed->peer_done + g->num_segs))
		return false;
	sp = chunk_across(g, s, idx, kind);
	slot_fill_tch(g, ed, s, &t, kind);
	edge_send(e, g, idx, &t, data + (sp.lo - s->first) * s->elem, (sp.hi - sp.lo) * s->elem);
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

uint64_t slot_missing_ranks(const struct group *g, const struct slot *s)
{
	return g->rank_mask & ~s->posted;
}

/* Reads what posted ranks give; in a fixed shape, as far as there are cells for it. */
static void fetch(struct engine *e, struct group *g, struct slot *s)
{
	uint64_t left = s->fetch;

	for (; left; left &= left - 1) {
		unsigned int rank = __builtin_ctzll(left);

		if (ordered_applies(g, s) &&
		    !ordered_promise(e, g, s, group_rank_index(g, rank)))
			return;
		s->fetch &= ~(1ULL << rank);
		sender_fetch(e, g, s, rank);
	}
}

/* All local ranks have posted it empty, and nobody below takes part. */
static void step_aside(const struct group *g, struct slot *s)
{
	if (slot_missing_ranks(g, s) || chunk_concerns(g, s))
		return;
	s->up_send = s->down_expected = false;
	s->up_contributors = 0;
}

static void complete_up(const struct group *g, struct slot *s)
{
	if (s->up_complete || s->up_contributors || s->up_ranks)
		return;
	s->up_complete = true;
	if (!is_root(g) || !s->down_expected)
		return;
	if (s->op == TALLY_OP_AVG)
		s->err_vector |= alu_scale(s->dtype, s->up, s->count, g->total_ranks);
	memcpy(s->down, s->up, s->count * s->elem);
	s->down_have = true;
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

static void hand_down(struct engine *e, struct group *g, struct slot *s)
{
	uint64_t ready = s->deliver & s->posted;

	send_down(e, g, s);
	s->deliver &= ~ready;
	s->delivering |= ready;
	if (ready)
		sender_deliver(e, g, s, ready);
}

static bool finished(const struct group *g, const struct slot *s)
{
	if (!s->up_complete || s->up_send || s->up_waiting || slot_missing_ranks(g, s))
		return false;
	return !s->down_expected || (s->down_have && !s->down_todo && !s->down_waiting &&
				     !s->deliver && !s->delivering);
}

static void message_done(struct engine *e, struct group *g, const struct slot *s)
{
	g->mid_done = s->mid + 1;
	arrival_done(e, g, s);
}

static void advance_done(struct engine *e, struct group *g)
{
	uint32_t before = g->done;

	for (;;) {
		struct slot *s = slot_of(e, g, g->done);

		if (s->state != TALLY_SEG_FINISHED || s->num != g->done)
			break;
		s->state = TALLY_SEG_FREE;
		g->done++;
		if (s->first + s->count == s->total)
			message_done(e, g, s);
	}
	if (g->done != before)
		edge_announce(e, g);
}

void slot_pump(struct engine *e, struct group *g, struct slot *s)
{
	if (s->fetch)
		fetch(e, g, s);
	if (s->empty)
		step_aside(g, s);
	complete_up(g, s);
	if (s->up_complete && s->up_send && send_chunk(e, g, s, EDGE_PARENT, TALLY_KIND_REDUCE)) {
		s->up_send = false;
		s->up_waiting = true;
	}
	if (s->down_have)
		hand_down(e, g, s);
	if (s->state == TALLY_SEG_BUSY && finished(g, s)) {
		s->state = TALLY_SEG_FINISHED;
		sender_ranks_finished(e, g, s, g->rank_mask & ~s->delivered);
		advance_done(e, g);
	}
}

void slot_delivered(struct engine *e, struct group *g, struct slot *s, unsigned int rank)
{
	s->delivering &= ~(1ULL << rank);
	s->delivered |= 1ULL << rank;
	sender_ranks_finished(e, g, s, 1ULL << rank);
}

bool slots_idle(const struct engine *e, const struct group *g)
{
	uint32_t i;

	for (i = 0; i < g->num_segs; i++)
		if (e->slots[g->seg_base + i].state == TALLY_SEG_BUSY)
			return false;
	return true;
}

void slots_clear(struct engine *e, struct group *g)
{
	uint32_t i;

	for (i = 0; i < g->num_segs; i++) {
		ordered_clear(e, g, &e->slots[g->seg_base + i]);
		e->slots[g->seg_base + i].state = TALLY_SEG_FREE;
	}
}

/* ---- Time limit ---- */

/*
 * Who knows what is missing speaks at three quarters of the limit, who only
 * waits for a result later: so the report that names the culprit comes first,
 * and every completion is there within the limit.
 */
uint64_t slot_next(const struct group *g, const struct slot *s)
{
	if (s->state != TALLY_SEG_BUSY)
		return NEVER;
	if (s->up_contributors || slot_missing_ranks(g, s))
		return s->started + s->limit / 4 * 3;
	return s->started + s->limit / 8 * 7;
}

static bool edges_closed(const struct group *g, uint64_t contributors)
{
	for (; contributors; contributors &= contributors - 1)
		if (g->edges[__builtin_ctzll(contributors)].state == TALLY_EDGE_OPENING)
			return true;
	return g->edges[EDGE_PARENT].state == TALLY_EDGE_OPENING;
}

void slot_timer(struct engine *e, struct group *g, struct slot *s)
{
	/* Those whose data are missing, or who have not taken a result that is there. */
	uint64_t contributors = s->up_contributors | s->down_waiting |
				(s->down_have ? s->down_todo : 0);
	uint16_t status = TALLY_COLL_TIMEOUT;

	if (slot_next(g, s) > e->now)
		return;
	if (!slot_missing_ranks(g, s) && edges_closed(g, contributors))
		status = TALLY_COLL_NO_HANDSHAKE;
	kill_group(e, g, status, contributors, slot_missing_ranks(g, s), s->mid, s->sid);
}
