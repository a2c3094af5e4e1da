// SPDX-License-Identifier: BSD-2-Clause
/*
 * Segment buffer and compute control (003 figure 6). A slot holds the chunks whose num modulo the
 * number of segments is its index. *Accumulate*: the first arrival fills the slot, each later one
 * goes through the ALU and clears its bit. *Hold*: the result stays until every receiver has
 * acknowledged it and every local rank has it in memory; only then is the slot done.
 */
#include "engine/segment.h"
#include "engine/arrival.h"
#include "engine/chunk.h"
#include "engine/chunk_send.h"
#include "engine/common.h"
#include "engine/exception.h"
#include "engine/local.h"
#include "engine/mode.h"
#include "engine/multicast.h"
#include "engine/ordered.h"
#include "engine/payload.h"
#include "engine/pool.h"
#include "engine/route.h"
#include "engine/store.h"
#include "engine/timer.h"
#include "engine/words.h"
#include "engine/wqe.h"
#include "alu/alu.h"

#include <string.h>

/* ---- Opening ---- */

/* Leave out inputs of the fixed shape that do not take part. */
static void leave_out(struct engine *e, struct group *g, struct slot *s, uint64_t ranks,
		      uint64_t contributors)
{
	if (!ordered_applies(g, s))
		return;
	for (; ranks; ranks &= ranks - 1)
		ordered_absent(e, g, s, group_rank_index(g, __builtin_ctzll(ranks)));
	for (; contributors; contributors &= contributors - 1)
		ordered_absent(e, g, s,
			       ordered_input_of(g, s, __builtin_ctzll(contributors)));
}

/* Return the edges that are inputs of the fixed shape, but give nothing to this chunk. */
static uint64_t outsiders(const struct group *g, const struct slot *s)
{
	uint64_t edges = g->num_contributors < 64 ? (1ULL << g->num_contributors) - 1 : ~0ULL;

	return is_exchange(s) ? 0 : edges & ~s->up_contributors;
}

void slot_open(struct engine *e, struct group *g, struct slot *s, const struct message *m)
{
	memset(s, 0, offsetof(struct slot, data));
	s->state = TALLY_SEG_BUSY;
	s->group = g - e->groups;
	if (store_does(g, m->opcode)) {
		s->words = &words_of_store;
		s->results_away = ~0ULL;
	}
	if (!serial_lt(m->num, g->top))
		g->top = m->num + 1;
	s->mode = m->mode;
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
	payload_lay_out(g, s);
	chunk_plan(g, s);
	/* An incomplete payload must not reveal old data. */
	if (s->opcode == TALLY_OPCODE_ALLGATHER)
		memset(mode_of(s->mode)->accumulator(e, g, s), 0, s->count * s->elem);
	leave_out(e, g, s, 0, outsiders(g, s));
	arrival_begin(e, g, s);
	exception_if_gone(e, g, s->num, s->mid);
}

void slot_disagree(struct engine *e, struct group *g, struct slot *s, uint16_t status,
		     uint64_t contributors, uint64_t ranks)
{
	s->err_vector |= TALLY_ERR_MISMATCH;
	exception_raise(e, g, status, contributors, ranks, s->mid, s->sid);
}

/* ---- Accumulate ---- */

void slot_combine(struct engine *e, const struct group *g, struct slot *s, struct span sp,
		  const void *data)
{
	uint32_t len = (sp.hi - sp.lo) * s->elem;

	if (!len)
		return;
	if (!s->up_filled || !opcode_reduces(s->opcode)) {
		memcpy(mode_of(s->mode)->accumulator(e, g, s) + (sp.lo - s->first) * s->elem, data,
		       len);
		s->up_filled = true;
		return;
	}
	s->err_vector |= combine_data(e, s->op, s->dtype, slot_up(s), data, s->count);
	alu_passed(e, len);
}

void slot_give(struct engine *e, struct group *g, struct slot *s, unsigned int rank,
	       const void *data)
{
	if (ordered_applies(g, s))
		ordered_give(e, g, s, group_rank_index(g, rank), data);
	else
		slot_combine(e, g, s, chunk_given(g, s, rank), data);
	s->up_ranks &= ~(1ULL << rank);
}

void slot_contribute(struct engine *e, struct group *g, struct slot *s, unsigned int rank,
		     const void *data)
{
	if (s->up_ranks >> rank & 1)
		words_of(s)->give(e, g, s, rank, data);
}

/* ---- Local requests ---- */

/* Whether the host has the local ranks of a chunk. It tells itself what they have finished. */
static bool has_ranks(struct engine *e, const struct slot *s)
{
	return store_has_ranks(e, &e->groups[s->group], s->opcode);
}

static void ranks_finished(struct engine *e, const struct slot *s, uint64_t ranks)
{
	if (!has_ranks(e, s))
		local_finished(e, s, ranks);
}

/*
 * Apply the masks of a request. Returns false if they disagree with another request, or with data
 * that have arrived.
 */
static bool narrow(struct engine *e, struct group *g, struct slot *s, const struct wqe *w)
{
	uint64_t out;
	bool first = !s->masked;

	if (!chunk_narrow(g, s, w))
		return false;
	if (w->flags & TALLY_WQE_F_EMPTY) {
		leave_out(e, g, s, w->rank_mask & s->up_ranks, 0);
		s->empty |= w->rank_mask;
		s->up_ranks &= ~w->rank_mask;
		s->deliver &= ~w->rank_mask;
	}
	out = first ? g->children & ~s->node_mask : 0;
	if (out & ~s->up_contributors && opcode_reduces(s->opcode))
		return false; /* data of a contributor that is left out */
	leave_out(e, g, s, 0, out & s->up_contributors);
	s->up_contributors &= ~out;
	s->down_todo &= ~out;
	return true;
}

/* Let one rank of a request give data, and one get them, where its entry stands for all of them. */
static void combine_ranks(struct engine *e, struct group *g, struct slot *s, const struct wqe *w)
{
	uint64_t give = s->up_ranks & w->rank_mask, get = s->deliver & w->rank_mask;
	uint64_t givers = give ? wqe_givers(g, w) : 0;

	if (!(w->flags & TALLY_WQE_F_COMBINED))
		return;
	s->combined = opcode_blocked(s->opcode);
	leave_out(e, g, s, give & ~givers, 0);
	s->up_ranks = (s->up_ranks & ~give) | givers;
	s->deliver = (s->deliver & ~get) | (get ? wqe_getters(g, w) : 0);
}

bool slot_post(struct engine *e, struct group *g, struct qp *qp, struct wr *wr, uint32_t sid)
{
	const struct wqe *w = &wr->w;
	struct slot *s = slot_of(e, g, wr->num + sid);
	uint32_t first = sid * w->chunk, left = w->total - first;
	uint64_t ranks = w->rank_mask, givers = wqe_givers(g, w);
	struct posted posted = { .ranks = ranks };
	const struct message m = {
		.mode = w->mode,
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
	posted.absent = s->up_ranks;
	posted.out = g->children & ~w->node_mask;
	status = message_disagrees(s, &m);
	if (!status && !narrow(e, g, s, w))
		status = TALLY_COLL_MASK_MISMATCH;
	if (status) {
		slot_disagree(e, g, s, status, 0, w->rank_mask);
		return false;
	}
	if (w->timeout && w->timeout < s->limit)
		s->limit = w->timeout;
	combine_ranks(e, g, s, w);
	posted.absent &= ~s->up_ranks;
	posted.quits = w->rank_mask & ~(s->up_ranks | s->deliver);
	s->whole = w->chunk;
	givers &= s->up_ranks & w->rank_mask;
	if (!has_ranks(e, s))
		s->fetch |= givers;
	words_of(s)->post(e, g, s, &posted);
	arrival_note(e, g, s, w->rank_mask, 0);
	s->posted |= w->rank_mask;
	for (; ranks; ranks &= ranks - 1)
		s->by[__builtin_ctzll(ranks)] =
			(struct wr_ref){ qp - e->qps, wr - qp->wrs };
	return true;
}

void slot_tx_acked(struct engine *e, struct group *g, unsigned int idx, const struct acked *a)
{
	struct slot *s = slot_of(e, g, a->num);

	if (a->kind == TALLY_KIND_RESULT)
		s->down_waiting &= ~(1ULL << idx);
	else
		mode_of(s->mode)->acked(s, idx);
}

/* ---- Progress ---- */

uint64_t slot_missing_ranks(const struct group *g, const struct slot *s)
{
	return g->rank_mask & ~s->posted;
}

uint64_t slot_missing_inputs(const struct group *g, const struct slot *s)
{
	(void)g;
	return s->up_contributors;
}

uint64_t slot_waits(const struct group *g, const struct slot *s)
{
	uint64_t edges = mode_of(s->mode)->missing(g, s) | s->down_todo | s->out_todo;

	if (s->up_send)
		edges |= contributor_bit(s->up_edge);
	if (s->down_expected && !s->down_have)
		edges |= contributor_bit(s->down_edge);
	return edges;
}

bool slot_waits_on(const struct group *g, const struct slot *s, unsigned int idx)
{
	if (idx != EDGE_PARENT)
		return slot_waits(g, s) & contributor_bit(idx);
	return (idx == s->up_edge && s->up_send) ||
	       (idx == s->down_edge && s->down_expected && !s->down_have);
}

/* Read the data of ranks that have posted; in a fixed shape, as far as there are cells for them. */
static void fetch(struct engine *e, struct group *g, struct slot *s)
{
	uint8_t data[TALLY_MAX_MTU];
	uint64_t left = s->fetch;

	for (; left; left &= left - 1) {
		unsigned int rank = __builtin_ctzll(left);

		if (ordered_applies(g, s) &&
		    !ordered_promise(e, g, s, group_rank_index(g, rank)))
			return;
		s->fetch &= ~(1ULL << rank);
		if (local_fetch(e, g, s, rank, data))
			slot_contribute(e, g, s, rank, data);
	}
}

bool slot_stands_aside(const struct group *g, const struct slot *s)
{
	return s->empty && !s->down_expected && !slot_missing_ranks(g, s);
}

/*
 * End the chunk here if all local ranks have posted it as EMPTY and nobody in the subtree takes
 * part.
 */
static void step_aside(const struct group *g, struct slot *s)
{
	if (chunk_concerns(g, s))
		return;
	s->up_send = s->down_expected = false;
}

static void complete_up(const struct group *g, struct slot *s)
{
	if (s->up_complete || s->up_contributors || s->up_ranks)
		return;
	s->up_complete = true;
	if (!s->turns)
		return;
	if (s->op == TALLY_OP_AVG)
		s->err_vector |= alu_scale(s->dtype, slot_up(s), s->count, g->total_ranks);
	memcpy(slot_down(s), slot_up(s), s->count * s->elem);
	s->down_have = s->down_expected;
}

void slot_send_up(struct engine *e, struct group *g, struct slot *s)
{
	struct span sp;

	if (!s->up_complete || !s->up_send)
		return;
	sp = mode_of(s->mode)->across(g, s, s->up_edge, TALLY_KIND_REDUCE);
	if (!slot_send(e, g, s, s->up_edge, TALLY_KIND_REDUCE, sp, slot_up(s)))
		return;
	s->up_send = false;
	s->up_waiting = true;
}

/* ---- One sum and its result ---- */

void slot_pump_sum(struct engine *e, struct group *g, struct slot *s)
{
	complete_up(g, s);
	slot_send_up(e, g, s);
}

void slot_sum_acked(struct slot *s, unsigned int idx)
{
	(void)idx;
	s->up_waiting = false;
}

/* ---- The result ---- */

static void send_down(struct engine *e, struct group *g, struct slot *s)
{
	uint64_t left = s->down_todo;
	bool repair = multicast_applies(g, s);

	if (repair) {
		multicast_send(e, g, s);
		if (s->repair_at > e->now)
			return;
	}
	for (; left; left &= left - 1) {
		unsigned int c = __builtin_ctzll(left);
		struct span sp = mode_of(s->mode)->across(g, s, c, TALLY_KIND_RESULT);

		if (!slot_send(e, g, s, c, TALLY_KIND_RESULT, sp, slot_down(s)))
			continue;
		s->down_todo &= ~(1ULL << c);
		s->down_waiting |= 1ULL << c;
		count(e, TALLY_CTR_mcast_repaired, repair);
	}
}

static void hand_down(struct engine *e, struct group *g, struct slot *s)
{
	uint64_t ready = s->deliver & s->posted & ~s->results_away, at_once;

	if (words_of(s)->pump)
		send_down(e, g, s);
	s->deliver &= ~ready;
	s->delivering |= ready;
	if (!ready)
		return;
	for (at_once = local_deliver(e, g, s, ready, mode_of(s->mode)->result(e, g, s)); at_once;
	     at_once &= at_once - 1)
		slot_delivered(e, s, __builtin_ctzll(at_once));
}

/*
 * Finish ranks whose data are here and which get nothing; they need not wait for the other ranks.
 */
static void let_go(struct engine *e, struct slot *s)
{
	uint64_t ranks = s->posted & ~(s->up_ranks | s->deliver | s->delivering | s->delivered);

	s->delivered |= ranks;
	if (ranks)
		ranks_finished(e, s, ranks);
}

bool slot_finished(const struct group *g, const struct slot *s)
{
	if (!s->up_complete || s->up_send || s->up_waiting || s->out_todo || s->out_waiting ||
	    slot_missing_ranks(g, s))
		return false;
	return !s->down_expected || (s->down_have && !s->down_todo && !s->down_waiting &&
				     !s->deliver && !s->delivering);
}

static void message_done(struct engine *e, struct group *g, const struct slot *s)
{
	g->mid_done = s->mid + 1;
	arrival_done(e, g, s);
}

/* The oldest chunk, which is finished, gives its segment back. */
static void pass_chunk(struct engine *e, struct group *g, const struct slot *s)
{
	edge_chunk_done(g, s);
	if (s->first + s->count == s->total)
		message_done(e, g, s);
	pool_advance(e, g);
}

static void advance_done(struct engine *e, struct group *g)
{
	uint32_t before = g->done;

	for (;;) {
		struct slot *s = slot_of(e, g, g->done);

		if (s->state != TALLY_SEG_FINISHED)
			break;
		pass_chunk(e, g, s);
	}
	if (g->done != before)
		edge_announce(e, g);
}

static void finish(struct engine *e, struct group *g, struct slot *s)
{
	s->state = TALLY_SEG_FINISHED;
	ordered_end(e, g, s);
	ranks_finished(e, s, g->rank_mask & ~s->delivered);
}

/* In an epoch that is frozen, a chunk that was open then only gives its segment back. */
void slots_done(struct engine *e, struct group *g, uint32_t done)
{
	while (g->done != done) {
		struct slot *s = slot_of(e, g, g->done);

		if (s->state == TALLY_SEG_BUSY && group_alive(g))
			finish(e, g, s);
		if (s->state == TALLY_SEG_FINISHED)
			pass_chunk(e, g, s);
		else
			pool_advance(e, g);
	}
}

void slot_pump(struct engine *e, struct group *g, struct slot *s)
{
	uint64_t next;

	if (s->fetch)
		fetch(e, g, s);
	if (s->empty)
		step_aside(g, s);
	if (words_of(s)->pump)
		words_of(s)->pump(e, g, s);
	if (s->down_have)
		hand_down(e, g, s);
	let_go(e, s);
	if (s->state == TALLY_SEG_BUSY && words_of(s)->finished(g, s)) {
		finish(e, g, s);
		if (host_stores(e)) /* done is that of its store */
			store_finish(e, g, s->num);
		else
			advance_done(e, g);
	}
	next = slot_next(g, s);
	if (next < g->slots_next) {
		g->slots_next = next;
		timer_touch(e, &g->timer);
	}
}

void slot_delivered(struct engine *e, struct slot *s, unsigned int rank)
{
	s->delivering &= ~(1ULL << rank);
	s->delivered |= 1ULL << rank;
	words_of(s)->delivered(e, s, rank);
	local_finished(e, s, 1ULL << rank);
}

bool slots_idle(struct engine *e, const struct group *g)
{
	uint32_t num;

	if (has_slot(g, g->done) && slot_of(e, g, g->done)->state == TALLY_SEG_FINISHED)
		return false; /* the host has not said so */
	for (num = g->done; num != g->limit; num++)
		if (slot_of(e, g, num)->state == TALLY_SEG_BUSY)
			return false;
	return true;
}

void slots_clear(struct engine *e, struct group *g)
{
	uint32_t num;

	for (num = g->done; num != g->limit; num++) {
		struct slot *s = slot_of(e, g, num);

		if (s->state != TALLY_SEG_FREE)
			words_of(s)->clear(e, g, s);
	}
	pool_end(e, g);
}

/* ---- Time limit ---- */

/*
 * A node that knows what is missing reports at three quarters of the limit, a node that only waits
 * for a result later. So the report that names the cause comes first, and every completion comes
 * within the limit.
 */
uint64_t slot_next(const struct group *g, const struct slot *s)
{
	uint64_t next;

	if (s->state != TALLY_SEG_BUSY)
		return NEVER;
	next = limit_passes(s->started, s->limit,
			    s->up_contributors || slot_missing_ranks(g, s) ? 6 : 7);
	if (s->down_have && s->down_todo && s->repair_at && s->repair_at < next)
		return s->repair_at;
	return next;
}

void slot_timer(struct engine *e, struct group *g, struct slot *s)
{
	if (slot_next(g, s) > e->now)
		return;
	if (s->repair_at && s->repair_at <= e->now && s->down_todo) {
		s->repair_at = 0; /* from now on, send copies as windows permit */
		slot_pump(e, g, s);
		return;
	}
	exception_time_out(e, g);
}
