// SPDX-License-Identifier: BSD-2-Clause
#include <stdlib.h>

#include "alu/alu.h"
#include "engine/test/units.h"
#include "segment_model.h"

struct segment_model {
	struct engine *e;
	struct group *g;
};

static void count_nothing(void *ctx, enum tally_counter counter, uint64_t n)
{
	(void)ctx;
	(void)counter;
	(void)n;
}

static const struct engine_host host = { .count = count_nothing };

struct segment_model *segment_model_new(unsigned int slots)
{
	struct segment_model *m = calloc(1, sizeof(*m));

	if (!m)
		abort();
	m->e = engine_new(&host, NULL, 0);
	if (!m->e)
		abort();
	m->g = &m->e->groups[0];
	m->g->state = TALLY_GROUP_OPEN;
	m->g->mode = TALLY_MODE_TREE;
	m->g->modes = TALLY_MODES_TREE;
	m->g->mtu = TALLY_MAX_MTU;
	m->g->num_segs = slots;
	pool_join(m->e, m->g);
	pool_begin(m->e, m->g);
	m->g->num_nodes = 4;
	m->g->num_contributors = TALLY_MAX_CONTRIBUTORS;
	m->g->contributors = m->g->children = m->g->rank_mask = UINT64_MAX;
	m->g->parent = EDGE_PARENT;
	m->g->total_ranks = 4 * TALLY_MAX_RANKS - 3;
	m->g->by_ranks = divisor_of(m->g->total_ranks);
	m->g->timeout = NEVER / 8;
	return m;
}

void segment_model_free(struct segment_model *m)
{
	engine_free(m->e);
	free(m);
}

static struct message message_of(const struct segment_chunk *c)
{
	return (struct message){
		.mode = c->mode,
		.opcode = c->opcode,
		.op = c->op,
		.dtype = c->dtype,
		.root_rank = c->root_rank,
		.root_node = c->root_node,
		.num = c->num,
		.mid = c->mid,
		.sid = c->sid,
		.total = c->total,
		.first = c->first,
		.count = c->count,
	};
}

static void set_root(struct segment_model *m, bool root)
{
	m->g->flags = root ? TALLY_GROUP_F_ROOT : 0;
	m->g->parent = root ? NO_EDGE : EDGE_PARENT;
}

struct segment_plan segment_model_plan(struct segment_model *m, const struct segment_chunk *c, bool root)
{
	static struct slot s;
	struct message msg = message_of(c);

	set_root(m, root);
	slot_open(m->e, m->g, &s, &msg);
	return (struct segment_plan){ s.count * s.elem, s.turns, s.down_expected };
}

/* Opens a free slot as the engine does, and narrows the contributions to those of the packet's plan. */
static void open_slot(struct segment_model *m, struct slot *s, const struct segment_packet *p)
{
	struct message msg = message_of(&p->chunk);

	set_root(m, p->root);
	slot_open(m->e, m->g, s, &msg);
	s->up_contributors = p->contributors;
	s->up_ranks = p->ranks;
}

/* Checks that all operations share. VERDICT_STORED means that they passed. */
static struct segment_answer judge(struct segment_model *m, struct slot *s, const struct segment_packet *p)
{
	struct message msg = message_of(&p->chunk);
	struct segment_answer a = { .verdict = VERDICT_STORED };

	if (s->state == TALLY_SEG_FREE) {
		a.opened = p->kind == KIND_REDUCE || p->kind == KIND_RESULT || p->kind == KIND_POST;
		if (a.opened)
			open_slot(m, s, p);
		else
			a.verdict = VERDICT_CLOSED;
	} else if (s->num != p->chunk.num || s->mid != p->chunk.mid) {
		a.verdict = VERDICT_DROPPED;
	} else {
		a.status = message_disagrees(s, &msg);
		if (a.status)
			a.verdict = VERDICT_DISAGREES;
	}
	return a;
}

static bool missing(const struct slot *s, const struct segment_packet *p)
{
	if (p->kind == KIND_RESULT)
		return !s->down_have;
	return (p->rank ? s->up_ranks : s->up_contributors) >> p->index & 1;
}

/* Puts a packet into the slot by the engine's own functions. Returns whether the slot takes it. */
static bool by_network(struct segment_model *m, const struct segment_packet *p)
{
	const struct segment_chunk *c = &p->chunk;
	const struct tch t = {
		.kind = p->kind == KIND_RESULT ? TALLY_KIND_RESULT : TALLY_KIND_REDUCE,
		.opcode = c->opcode,
		.op = c->op,
		.dtype = c->dtype,
		.root_rank = c->root_rank,
		.root_node = c->root_node,
		.num = c->num,
		.mid = c->mid,
		.sid = c->sid,
		.total = c->total,
		.count = c->count,
		.flags = c->first + c->count == c->total ? TALLY_TCH_F_LAST : 0,
		.err_vector = p->err_vector,
	};

	return slot_packet(m->e, m->g, p->kind == KIND_RESULT ? EDGE_PARENT : p->index, &t, p->data, p->len) ==
	       RX_STORED;
}

static enum segment_verdict enter(struct segment_model *m, struct slot *s, const struct segment_packet *p)
{
	bool was = missing(s, p) && !(p->kind == KIND_RESULT && s->state == TALLY_SEG_FINISHED), fits = p->len == s->count * s->elem;

	if (!p->rank || p->kind == KIND_RESULT) {
		if (by_network(m, p))
			return VERDICT_STORED;
		/* a result that turns around here is no duplicate */
		return was || (p->kind == KIND_RESULT && s->turns) ? VERDICT_DROPPED : VERDICT_DUPLICATE;
	}
	if (was && !fits)
		return VERDICT_DROPPED;
	slot_contribute(m->e, m->g, s, p->index, p->data);
	if (was)
		s->err_vector |= p->err_vector;
	return was ? VERDICT_STORED : VERDICT_DUPLICATE;
}

/* As narrow() does: whether a post disagrees with the one before, or with data that are here. */
static bool mask_wrong(const struct slot *s, const struct segment_packet *p)
{
	if (!p->posts)
		return false;
	return s->masked ? p->out != ~s->node_mask :
			   opcode_reduces(s->opcode) && (p->out & p->contributors & ~s->up_contributors);
}

static void narrow(struct slot *s, const struct segment_packet *p)
{
	s->up_ranks &= ~p->absent;
	if (!p->posts)
		return;
	s->masked = true;
	s->node_mask = ~p->out;
	s->up_contributors &= ~p->out;
}

/* Lets all receivers have the result, if one must have come. Returns whether that finishes the chunk. */
static bool release(struct segment_model *m, struct slot *s)
{
	struct slot *before = malloc(sizeof(*before));
	bool finished;

	if (!before)
		abort();
	*before = *s;
	s->up_send = s->up_waiting = false;
	s->down_todo = s->down_waiting = s->deliver = s->delivering = 0;
	s->posted = s->delivered = m->g->rank_mask;
	s->down_expected = s->down_have;
	slot_pump(m->e, m->g, s);
	finished = s->state != TALLY_SEG_BUSY;
	if (!finished)
		*s = *before;
	free(before);
	return finished;
}

/* Takes what agrees with its slot. */
static enum segment_verdict take(struct segment_model *m, struct slot *s, const struct segment_packet *p, bool opened)
{
	switch (p->kind) {
	case KIND_QUERY:
		return VERDICT_STORED;
	case KIND_POST:
		return opened ? VERDICT_STORED : VERDICT_DUPLICATE;
	case KIND_RELEASE:
		return s->state == TALLY_SEG_BUSY && release(m, s) ? VERDICT_STORED : VERDICT_DROPPED;
	default:
		return enter(m, s, p);
	}
}

struct segment_answer segment_model_packet(struct segment_model *m, const struct segment_packet *p)
{
	struct slot *s = slot_of(m->e, m->g, p->chunk.num);
	bool complete = s->state != TALLY_SEG_FREE && s->up_complete;
	struct segment_answer a = judge(m, s, p);

	if (a.verdict == VERDICT_STORED && mask_wrong(s, p)) {
		a.verdict = VERDICT_DISAGREES;
		a.status = TALLY_COLL_MASK_MISMATCH;
	} else if (a.verdict == VERDICT_STORED) {
		a.verdict = take(m, s, p, a.opened);
	} else if (a.verdict == VERDICT_DROPPED && by_network(m, p)) {
		abort(); /* the engine must drop what the segment drops */
	}
	if ((p->posts || p->kind == KIND_POST) && (a.verdict == VERDICT_STORED || a.verdict == VERDICT_DUPLICATE))
		narrow(s, p);
	if (p->kind == KIND_RELEASE || a.verdict == VERDICT_CLOSED)
		return a;
	a.err_vector = s->err_vector;
	if (s->state == TALLY_SEG_BUSY)
		slot_pump(m->e, m->g, s);
	a.complete = s->up_complete && !complete;
	a.divided = a.complete && s->turns && s->op == TALLY_OP_AVG;
	a.err_divided = s->err_vector;
	a.contributors = s->up_contributors;
	a.ranks = s->up_ranks;
	return a;
}

uint32_t segment_model_divisor(const struct segment_model *m)
{
	return m->g->total_ranks;
}

uint32_t segment_model_done(const struct segment_model *m)
{
	return m->g->done;
}

struct segment_state segment_model_state(const struct segment_model *m, unsigned int slot)
{
	const struct slot *s = &m->e->slots[slot];

	return (struct segment_state){
		.busy = s->state == TALLY_SEG_BUSY,
		.complete = s->up_complete,
		.have = s->down_have,
		.contributors = s->up_contributors,
		.ranks = s->up_ranks,
		.sum = slot_up((struct slot *)s),
		.result = slot_down((struct slot *)s),
	};
}
