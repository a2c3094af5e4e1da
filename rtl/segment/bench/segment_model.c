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
	pool_begin(m->e, m->g);
	m->g->num_nodes = 4;
	m->g->num_contributors = TALLY_MAX_CONTRIBUTORS;
	m->g->contributors = m->g->children = m->g->rank_mask = UINT64_MAX;
	m->g->parent = EDGE_PARENT;
	m->g->total_ranks = 4 * TALLY_MAX_RANKS;
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
		.mode = TALLY_MODE_TREE,
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

/* The segment does not divide: tally_scale does. */
static void pump(struct segment_model *m, struct slot *s)
{
	uint8_t op = s->op;

	if (op == TALLY_OP_AVG)
		s->op = TALLY_OP_SUM;
	slot_pump(m->e, m->g, s);
	s->op = op;
}

/* Checks common to openings and packets. VERDICT_STORED means that they passed. */
static struct segment_answer judge(struct segment_model *m, const struct segment_chunk *c)
{
	struct slot *s = slot_of(m->e, m->g, c->num);
	struct message msg = message_of(c);
	struct segment_answer a = { .verdict = VERDICT_STORED };

	if (serial_lt(c->num, m->g->done))
		a.verdict = VERDICT_PAST;
	else if (!has_slot(m->g, c->num))
		a.verdict = VERDICT_WINDOW;
	else if (s->state == TALLY_SEG_FREE)
		a.verdict = VERDICT_CLOSED;
	else if (s->num != c->num || s->mid != c->mid)
		a.verdict = VERDICT_DROPPED;
	else
		a.status = message_disagrees(s, &msg);
	if (a.status)
		a.verdict = VERDICT_DISAGREES;
	a.err_vector = s->err_vector;
	return a;
}

struct segment_answer segment_model_open(struct segment_model *m, const struct segment_chunk *c, bool root,
					 uint64_t contributors, uint64_t ranks)
{
	struct slot *s = slot_of(m->e, m->g, c->num);
	struct message msg = message_of(c);
	struct segment_answer a = judge(m, c);

	if (a.verdict == VERDICT_STORED)
		a.verdict = VERDICT_DUPLICATE;
	if (a.verdict != VERDICT_CLOSED)
		return a;
	set_root(m, root);
	slot_open(m->e, m->g, s, &msg);
	s->up_contributors = contributors;
	s->up_ranks = ranks;
	pump(m, s);
	return (struct segment_answer){ .verdict = VERDICT_STORED, .complete = s->up_complete };
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
	bool was = missing(s, p), fits = p->len == s->count * s->elem;

	if (p->kind == KIND_NOTHING) { /* as narrow() does */
		if (p->rank)
			s->up_ranks &= ~(1ULL << p->index);
		else
			s->up_contributors &= ~(1ULL << p->index);
		return was ? VERDICT_STORED : VERDICT_DUPLICATE;
	}
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

struct segment_answer segment_model_packet(struct segment_model *m, const struct segment_packet *p)
{
	struct slot *s = slot_of(m->e, m->g, p->chunk.num);
	struct segment_answer a = judge(m, &p->chunk);
	bool complete = s->up_complete;

	if (a.verdict != VERDICT_STORED) {
		/* the engine must drop what the segment drops */
		if ((a.verdict == VERDICT_DROPPED || a.verdict == VERDICT_WINDOW) && by_network(m, p))
			abort();
		return a;
	}
	a.verdict = enter(m, s, p);
	pump(m, s);
	a.complete = s->up_complete && !complete;
	a.err_vector = s->err_vector;
	return a;
}

void segment_model_release(struct segment_model *m, unsigned int slot, bool force)
{
	struct slot *s = &m->e->slots[slot];

	if (force) {
		s->up_contributors = s->up_ranks = 0;
		s->down_have = s->down_expected;
	}
	s->up_send = s->up_waiting = false;
	s->down_todo = s->down_waiting = s->deliver = s->delivering = 0;
	s->posted = s->delivered = m->g->rank_mask;
	pump(m, s);
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
