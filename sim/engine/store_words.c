// SPDX-License-Identifier: BSD-2-Clause
/*
 * Chunks whose words are in the segment store of the host. The store has opened, combined and
 * finished them, and it sends them to neighbours. The slot follows its answers, and keeps what the store
 * does not have: who posted the chunk, its time limit, and whom it waits for. Results for local ranks
 * are copied into the slot.
 */
#include "engine/arrival.h"
#include "engine/chunk.h"
#include "engine/common.h"
#include "engine/firmware_run.h"
#include "engine/group.h"
#include "engine/mode.h"
#include "engine/pool.h"
#include "engine/segment.h"
#include "engine/store.h"
#include "engine/words.h"
#include "engine/wqe.h"

#include <string.h>

/* ---- What the slot says ---- */

/* The sender of the host has told its ranks. */
static void post(struct engine *e, const struct group *g, const struct slot *s,
		 const struct posted *p)
{
	if (!store_begins(e, g))
		store_post(e, s, p);
}

/* The rank's data are missing until the store has them. */
static void give(struct engine *e, struct group *g, struct slot *s, unsigned int rank,
		 const void *data)
{
	(void)g;
	store_data(e, s, rank, data);
}

/* Errors of a chunk, and words of a contribution that were combined with another one. */
static void account(struct engine *e, struct slot *s, uint16_t err_vector)
{
	s->err_vector |= err_vector;
	if (s->up_filled && opcode_reduces(s->opcode))
		count(e, TALLY_CTR_alu_words, (s->count * s->elem + 63) / 64);
	s->up_filled = true;
}

/* The host gives the data that are due by itself. */
static void account_due(struct engine *e, struct slot *s, uint64_t due)
{
	for (; due; due &= due - 1)
		account(e, s, 0);
}

static enum rx_verdict take(struct engine *e, struct group *g, struct slot *s, unsigned int idx,
			    const struct tch *t, const void *payload, uint16_t len)
{
	(void)payload;
	(void)len;
	switch (e->answer.verdict) {
	case TALLY_FW_STORE_ANSWER_STORED:
		if (t->kind == TALLY_KIND_RESULT) {
			s->down_have = true;
			s->err_vector |= e->answer.err_vector;
		} else {
			account(e, s, e->answer.err_vector);
			s->up_contributors &= ~contributor_bit(idx);
			arrival_note(e, g, s, 0, contributor_bit(idx));
		}
		return RX_STORED;
	case TALLY_FW_STORE_ANSWER_DUPLICATE:
		return RX_STORED;
	case TALLY_FW_STORE_ANSWER_DISAGREES:
		slot_disagree(e, g, s, e->answer.status, contributor_bit(idx), 0);
		return RX_DROP;
	default:
		count(e, TALLY_CTR_drop_slot, 1);
		return RX_DROP;
	}
}

static void delivered(struct engine *e, const struct slot *s, unsigned int rank)
{
	store_taken_ranks(e, s->group, s->num, 1ULL << rank);
}

static bool finished(const struct group *g, const struct slot *s)
{
	(void)g;
	(void)s;
	return false;
}

/* What ranks have not got, they do not get any more. */
static void clear(struct engine *e, struct group *g, struct slot *s)
{
	(void)g;
	store_taken_ranks(e, s->group, s->num, ~s->results_away & (s->deliver | s->delivering));
}

const struct words words_of_store = {
	.post = post,
	.give = give,
	.take = take,
	.delivered = delivered,
	.finished = finished,
	.clear = clear,
};

/* ---- What the store says ---- */

/* Return the slot of a chunk that is in the store, or NULL if its epoch has ended. */
static struct slot *slot_in_store(struct engine *e, const struct group *g, uint32_t num,
				  uint32_t mid)
{
	struct slot *s = slot_of(e, g, num);

	if (!g->stored || !group_alive(g) || !has_slot(g, num) || s->state != TALLY_SEG_BUSY ||
	    s->words != &words_of_store || s->num != num || s->mid != mid)
		return NULL;
	return s;
}

static void proceed(struct engine *e, struct group *g, struct slot *s)
{
	if (group_alive(g))
		slot_pump(e, g, s);
	if (group_alive(g))
		group_pump(e, g);
	firmware_run(e);
}

static void answered(struct engine *e, struct group *g, struct slot *s,
		     const struct engine_operation *op, const struct engine_answer *a)
{
	uint64_t rank = op->kind == TALLY_FW_STORE_OP_DATA ? 1ULL << op->edge : op->ranks;
	bool twice = a->verdict == TALLY_FW_STORE_ANSWER_DUPLICATE;

	if (store_raises(e, g, a))
		return;
	if (a->verdict != TALLY_FW_STORE_ANSWER_STORED && !twice)
		slot_disagree(e, g, s, a->status ? a->status : TALLY_COLL_CHUNK_MISMATCH, 0, rank);
	else if (op->kind == TALLY_FW_STORE_OP_DATA) {
		account(e, s, a->err_vector);
		s->up_ranks &= ~rank;
	}
}

void store_posted(struct engine *e, struct group *g, struct slot *s, const struct wqe *w,
		  const struct engine_answer *a)
{
	const struct engine_operation op = { .kind = TALLY_FW_STORE_OP_POST,
					     .ranks = w->rank_mask };

	answered(e, g, s, &op, a);
	account_due(e, s, wqe_givers(g, w) & s->up_ranks & w->rank_mask);
}

void engine_operated(struct engine *e, const struct engine_operation *op,
		     const struct engine_answer *a)
{
	struct group *g = &e->groups[op->group];
	struct slot *s = slot_in_store(e, g, op->num, op->mid);

	if (!s)
		return;
	begin_work(e, 0);
	answered(e, g, s, op, a);
	proceed(e, g, s);
}

/* The result for local ranks. What nobody gets counts as taken. */
void engine_store_out(struct engine *e, const struct engine_store_out *out, const void *data,
		      size_t len)
{
	struct group *g = &e->groups[out->group];
	struct slot *s = slot_in_store(e, g, out->num, out->mid);

	begin_work(e, 0);
	if (!s) {
		store_taken_ranks(e, out->group, out->num, out->ranks);
		return;
	}
	s->err_vector |= out->err_vector;
	s->up_complete |= s->turns || is_exchange(s);
	s->down_have = true;
	memcpy(slot_down(s), data, len < s->stride ? len : s->stride);
	s->results_away &= ~(out->ranks & s->deliver);
	store_taken_ranks(e, out->group, out->num, out->ranks & ~s->deliver);
	proceed(e, g, s);
}

static void sum_left(struct slot *s)
{
	s->up_complete = true;
	s->up_send = false;
	s->up_waiting = true;
}

/* A partial result of EXCHANGE. */
static void partial_left(struct slot *s, unsigned int idx)
{
	s->out_todo &= ~contributor_bit(idx);
	s->out_waiting |= contributor_bit(idx);
}

static void result_left(struct slot *s, unsigned int idx)
{
	s->up_complete |= s->turns;
	s->down_have = true;
	s->down_todo &= ~contributor_bit(idx);
	s->down_waiting |= contributor_bit(idx);
}

void engine_store_left(struct engine *e, const struct engine_passage *p)
{
	struct group *g = &e->groups[p->group];
	struct slot *s = slot_in_store(e, g, p->num, p->mid);

	if (!s)
		return;
	begin_work(e, 0);
	if (p->again) {
		edge_repeated(e, &g->edges[p->edge]);
		return;
	}
	edge_left(g, p->edge);
	if (is_exchange(s))
		partial_left(s, p->edge);
	else if (p->sum)
		sum_left(s);
	else
		result_left(s, p->edge);
	proceed(e, g, s);
}

void engine_store_there(struct engine *e, const struct engine_passage *p)
{
	struct group *g = &e->groups[p->group];
	struct slot *s = slot_in_store(e, g, p->num, p->mid);

	if (!s)
		return;
	begin_work(e, 0);
	edge_there(g, p->edge);
	if (is_exchange(s))
		s->out_waiting &= ~contributor_bit(p->edge);
	else if (p->sum)
		s->up_waiting = false;
	else
		s->down_waiting &= ~contributor_bit(p->edge);
	proceed(e, g, s);
}

/* ---- What the host says of the segments of any group ---- */

/* Whether the numbers may be those of the epoch that runs. */
static bool is_window(const struct group *g, uint32_t done, uint32_t limit)
{
	return g->in_epoch && done - g->done <= g->limit - g->done && !serial_lt(limit, g->limit) &&
	       limit - done <= TALLY_MAX_GROUP_SEGS;
}

/*
 * The slots follow until the epoch is ended here, also while it is frozen, so that there is always a
 * free one for a limit that rises.
 */
void engine_moved(struct engine *e, uint32_t group, uint32_t done, uint32_t limit)
{
	struct group *g = &e->groups[group];

	if (!is_window(g, done, limit))
		return;
	begin_work(e, 0);
	if (g->done != done) {
		slots_done(e, g, done);
		g->asked = g->limit;
	}
	pool_raise(e, g, limit);
	if (!group_alive(g))
		return;
	edge_announce(e, g);
	group_pump(e, g);
	firmware_run(e);
}

void engine_granted(struct engine *e, uint32_t group, uint32_t num)
{
	e->groups[group].granted = num;
}

void engine_begun_epoch(struct engine *e, uint32_t group)
{
	(void)group;
	e->begins--;
	begin_work(e, 0);
	firmware_run(e);
}
