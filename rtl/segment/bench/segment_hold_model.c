// SPDX-License-Identifier: BSD-2-Clause
#include <stdlib.h>

#include "engine/test/units.h"
#include "segment_hold_model.h"

struct hold_model {
	struct engine *e;
	struct group *g;
	bool reduce, root; /* of the next chunk */
};

static void count_nothing(void *ctx, enum tally_counter counter, uint64_t n)
{
	(void)ctx;
	(void)counter;
	(void)n;
}

static const struct engine_host host = { .count = count_nothing };

struct hold_model *hold_model_new(unsigned int slots, uint64_t contributors, uint64_t ranks)
{
	struct hold_model *m = calloc(1, sizeof(*m));

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
	m->g->contributors = m->g->children = contributors;
	m->g->rank_mask = ranks;
	m->g->timeout = NEVER / 8;
	return m;
}

void hold_model_free(struct hold_model *m)
{
	engine_free(m->e);
	free(m);
}

static void open_slot(struct hold_model *m, struct slot *s, uint32_t num, bool root, bool reduce)
{
	const struct message msg = {
		.mode = TALLY_MODE_TREE,
		.opcode = reduce ? TALLY_OPCODE_REDUCE : TALLY_OPCODE_ALLREDUCE,
		.op = TALLY_OP_SUM,
		.dtype = TALLY_TYPE_UINT8,
		.root_node = 3,
		.num = num,
		.total = 64,
		.count = 64,
	};

	m->g->flags = root ? TALLY_GROUP_F_ROOT : 0;
	m->g->parent = root ? NO_EDGE : EDGE_PARENT;
	slot_open(m->e, m->g, s, &msg);
}

struct hold_plan hold_model_plan(struct hold_model *m, bool root, bool reduce)
{
	static struct slot s;

	m->root = root;
	m->reduce = reduce;
	open_slot(m, &s, m->g->done, root, reduce);
	return (struct hold_plan){
		.up = s.up_send,
		.expected = s.down_expected,
		.turns = s.turns,
		.contributors = s.down_todo,
		.ranks = s.deliver,
		.local = m->g->rank_mask,
	};
}

static struct slot *slot_at(const struct hold_model *m, uint32_t num)
{
	return slot_of(m->e, m->g, num);
}

/* Begins everything that is due, as send_up(), send_down() and hand_down() do when nothing hinders them. */
static void begin(struct slot *s, struct hold_answer *a)
{
	a->up = s->up_complete && s->up_send;
	if (a->up) {
		s->up_send = false;
		s->up_waiting = true;
	}
	if (!s->down_have)
		return;
	a->contributors = s->down_todo;
	s->down_waiting |= s->down_todo;
	s->down_todo = 0;
	a->ranks = s->deliver & s->posted;
	s->deliver &= ~a->ranks;
	s->delivering |= a->ranks;
}

/* While nobody counts as posted, the pump delivers nothing, and only notes what is complete. */
static void pump(struct hold_model *m, struct slot *s, struct hold_answer *a)
{
	uint64_t posted = s->posted;

	s->posted = 0;
	slot_pump(m->e, m->g, s);
	s->posted = posted;
	begin(s, a);
	slot_pump(m->e, m->g, s);
}

/* Returns whether something was due to the receiver. */
static bool taken(struct hold_model *m, struct slot *s, const struct hold_event *ev)
{
	const struct acked a = { .num = ev->num, .kind = ev->parent ? TALLY_KIND_REDUCE : TALLY_KIND_RESULT };

	if (!ev->parent && ev->rank) {
		if (!(s->delivering >> ev->index & 1))
			return false;
		slot_delivered(m->e, s, ev->index);
		return true;
	}
	if (ev->parent ? !s->up_waiting : !(s->down_waiting >> ev->index & 1))
		return false;
	slot_tx_acked(m->e, m->g, ev->parent ? EDGE_PARENT : ev->index, &a);
	return true;
}

struct hold_answer hold_model_event(struct hold_model *m, const struct hold_event *ev)
{
	struct slot *s = slot_at(m, ev->num);
	struct hold_answer a = { .ok = true };

	if (ev->open && s->state == TALLY_SEG_FREE) {
		open_slot(m, s, ev->num, m->root, m->reduce);
		s->down_todo = ev->plan.contributors;
		s->deliver = ev->plan.ranks;
		s->posted = m->g->rank_mask & ~ev->plan.local;
	}
	if (s->state != TALLY_SEG_BUSY)
		return (struct hold_answer){ 0 };
	if (ev->taken)
		a.ok = taken(m, s, ev);
	if (ev->complete)
		s->up_contributors = s->up_ranks = 0;
	if (ev->nothing && ev->complete)
		s->up_send = false;
	if (!s->down_have)
		s->down_todo &= ~ev->out;
	s->deliver &= ~(ev->quits & ev->posted & ~s->posted);
	if (!s->down_todo && !s->down_waiting && !s->deliver && !s->delivering) /* as step_aside() does */
		s->down_expected = s->down_have;
	if (ev->have && s->down_expected)
		s->down_have = true;
	s->posted |= ev->posted;
	pump(m, s, &a);
	a.finished = s->state != TALLY_SEG_BUSY;
	return a;
}

uint32_t hold_model_done(const struct hold_model *m)
{
	return m->g->done;
}

bool hold_model_free_slot(const struct hold_model *m, uint32_t num)
{
	return slot_at(m, num)->state == TALLY_SEG_FREE;
}

bool hold_model_busy(const struct hold_model *m, uint32_t num)
{
	return slot_at(m, num)->state == TALLY_SEG_BUSY;
}

struct hold_view hold_model_view(const struct hold_model *m, uint32_t num)
{
	const struct slot *s = slot_at(m, num);

	return (struct hold_view){
		.busy = s->state == TALLY_SEG_BUSY,
		.up = s->up_send || s->up_waiting,
		.have = s->down_have,
		.awaits = s->down_expected && !s->down_have,
		.contributors = s->down_todo | s->down_waiting,
		.ranks = s->deliver | s->delivering,
		.unposted = slot_missing_ranks(m->g, s),
	};
}

struct hold_answer hold_model_outstanding(const struct hold_model *m, uint32_t num)
{
	const struct slot *s = slot_at(m, num);

	return (struct hold_answer){
		.ok = s->up_complete,
		.finished = s->down_have,
		.up = s->up_waiting,
		.contributors = s->down_waiting,
		.ranks = s->delivering,
	};
}
