// SPDX-License-Identifier: BSD-2-Clause
/*
 * What the blocks of this folder do: messages wait in cells until a firing takes them, and a
 * counter takes at most one message from each contributor per firing. docs/rtl-queue.md says in
 * what this differs from the C model of the engine.
 */
#include "model.h"

#include <stdlib.h>
#include <string.h>

#include "gen/tally_hw.h"

#define NUM_PORTS 64

struct cell {
	uint16_t next;
	bool own;     /* one of those that its group reserved */
	bool counted; /* for the next firing */
	struct model_message msg;
	uint8_t data[TALLY_MAX_MTU];
};

struct counter {
	uint32_t count;
	uint64_t counted[2]; /* contributors counted for the next firing */
};

struct port {
	struct counter counters[TALLY_NUM_CP_COUNTERS];
	uint16_t head, tail, cells;
	uint16_t reserve; /* cells promised to the pending firing */
	uint8_t reserve_counter;
	bool reserve_own; /* promised from the group's own cells, not from the shared ones */
};

struct group {
	uint32_t cells, keep, own, promised; /* of its reserved cells: kept for inputs; used; promised */
};

struct model {
	unsigned int groups;
	uint32_t cells, reserved, shared_used, shared_promised;
	uint16_t cell_free, cell_fresh;
	struct cell cell[TALLY_RMQ_CELLS];
	struct port port[NUM_PORTS];
	struct group group[NUM_PORTS];
};

struct model *model_new(unsigned int ports, unsigned int groups, unsigned int cells)
{
	struct model *m = calloc(1, sizeof(*m));
	unsigned int i;

	m->groups = groups;
	m->cells = cells;
	m->cell_free = MODEL_NONE;
	for (i = 0; i < ports; i++)
		m->port[i].head = m->port[i].tail = MODEL_NONE;
	return m;
}

void model_free(struct model *m)
{
	free(m);
}

static struct group *group_of(struct model *m, unsigned int port)
{
	return &m->group[port % m->groups];
}

/* ---- Cells ---- */

uint32_t model_own_in_use(const struct model *m, unsigned int group)
{
	return m->group[group].own + m->group[group].promised;
}

uint32_t model_spare(const struct model *m, unsigned int group)
{
	return m->group[group].cells - m->group[group].keep - model_own_in_use(m, group);
}

uint32_t model_shared_free(const struct model *m)
{
	return m->cells - m->reserved - m->shared_used - m->shared_promised;
}

static uint32_t own_free(const struct group *g)
{
	return g->cells - g->own - g->promised;
}

bool model_reserve_cells(struct model *m, unsigned int group, uint32_t cells, uint32_t keep)
{
	struct group *g = &m->group[group];

	if (cells > g->cells + model_shared_free(m))
		return false;
	m->reserved += cells - g->cells;
	g->cells = cells;
	g->keep = keep;
	return true;
}

static uint16_t pop(struct model *m, struct group *g, bool own)
{
	uint16_t i = m->cell_free == MODEL_NONE ? m->cell_fresh++ : m->cell_free;

	if (i == m->cell_free)
		m->cell_free = m->cell[i].next;
	m->cell[i].own = own;
	if (own)
		g->own++;
	else
		m->shared_used++;
	return i;
}

static uint16_t take_promised(struct model *m, struct group *g, struct port *p)
{
	p->reserve--;
	if (p->reserve_own)
		g->promised--;
	else
		m->shared_promised--;
	return pop(m, g, p->reserve_own);
}

static uint16_t take_free(struct model *m, struct group *g)
{
	if (own_free(g) > g->keep)
		return pop(m, g, true);
	return model_shared_free(m) ? pop(m, g, false) : MODEL_NONE;
}

void model_give(struct model *m, unsigned int port, uint16_t cell)
{
	if (m->cell[cell].own)
		group_of(m, port)->own--;
	else
		m->shared_used--;
	m->cell[cell].next = m->cell_free;
	m->cell_free = cell;
}

bool model_promise(struct model *m, unsigned int port, unsigned int counter, uint32_t cpcnt)
{
	struct group *g = group_of(m, port);
	struct port *p = &m->port[port];
	uint32_t have = p->counters[counter].count, num = cpcnt > have ? cpcnt - have : 0;

	p->reserve_counter = counter;
	p->reserve_own = own_free(g) >= num + g->keep;
	if (p->reserve_own)
		g->promised += num;
	else if (model_shared_free(m) >= num)
		m->shared_promised += num;
	else
		return false;
	p->reserve = num;
	return true;
}

static void unpromise(struct model *m, unsigned int port)
{
	struct port *p = &m->port[port];

	if (p->reserve_own)
		group_of(m, port)->promised -= p->reserve;
	else
		m->shared_promised -= p->reserve;
	p->reserve = 0;
}

/* ---- Messages ---- */

bool model_counts(const struct model *m, unsigned int port, unsigned int counter, unsigned int contributor)
{
	return !(m->port[port].counters[counter].counted[contributor / 64] >> contributor % 64 & 1);
}

uint32_t model_count(const struct model *m, unsigned int port, unsigned int counter)
{
	return m->port[port].counters[counter].count;
}

static void count_message(struct counter *c, struct cell *i)
{
	c->counted[i->msg.contributor / 64] |= 1ULL << i->msg.contributor % 64;
	c->count++;
	i->counted = true;
}

bool model_store(struct model *m, unsigned int port, const struct model_message *msg)
{
	struct port *p = &m->port[port];
	bool counts = model_counts(m, port, msg->counter, msg->contributor);
	uint16_t i = MODEL_NONE;

	if (p->reserve && msg->counter == p->reserve_counter && counts)
		i = take_promised(m, group_of(m, port), p);
	else if (p->cells < TALLY_RMQ_PORT_CAP)
		i = take_free(m, group_of(m, port));
	if (i == MODEL_NONE)
		return false;
	m->cell[i].msg = *msg;
	memcpy(m->cell[i].data, msg->data, msg->len);
	m->cell[i].msg.data = m->cell[i].data;
	m->cell[i].counted = false;
	m->cell[i].next = MODEL_NONE;
	if (p->tail == MODEL_NONE)
		p->head = i;
	else
		m->cell[p->tail].next = i;
	p->tail = i;
	p->cells++;
	if (counts)
		count_message(&p->counters[msg->counter], &m->cell[i]);
	return true;
}

static void count_waiting(struct model *m, unsigned int port, unsigned int counter)
{
	uint16_t i;

	for (i = m->port[port].head; i != MODEL_NONE; i = m->cell[i].next) {
		struct cell *c = &m->cell[i];

		if (c->msg.counter == counter && !c->counted &&
		    model_counts(m, port, counter, c->msg.contributor))
			count_message(&m->port[port].counters[counter], c);
	}
}

uint16_t model_take(struct model *m, unsigned int port, unsigned int counter, uint32_t cpcnt)
{
	struct port *p = &m->port[port];
	struct counter *c = &p->counters[counter];
	uint16_t list = MODEL_NONE, *end = &list, *link = &p->head, last = MODEL_NONE;

	unpromise(m, port);
	c->count -= cpcnt;
	while (*link != MODEL_NONE) {
		uint16_t i = *link;
		struct cell *taken = &m->cell[i];

		if (!cpcnt || taken->msg.counter != counter || !taken->counted) {
			last = i;
			link = &taken->next;
			continue;
		}
		*link = taken->next;
		taken->next = MODEL_NONE;
		*end = i;
		end = &taken->next;
		c->counted[taken->msg.contributor / 64] &= ~(1ULL << taken->msg.contributor % 64);
		p->cells--;
		cpcnt--;
	}
	p->tail = last;
	count_waiting(m, port, counter);
	return list;
}

uint16_t model_next(const struct model *m, uint16_t cell)
{
	return m->cell[cell].next;
}

struct model_message model_cell(const struct model *m, uint16_t cell)
{
	return m->cell[cell].msg;
}

void model_flush(struct model *m, unsigned int port)
{
	struct port *p = &m->port[port];

	unpromise(m, port);
	while (p->head != MODEL_NONE) {
		uint16_t cell = p->head;

		p->head = m->cell[cell].next;
		model_give(m, port, cell);
	}
	p->tail = MODEL_NONE;
	p->cells = 0;
	memset(p->counters, 0, sizeof(p->counters));
}

uint32_t model_used(const struct model *m, unsigned int port)
{
	return m->port[port].cells;
}

uint32_t model_promised(const struct model *m, unsigned int port)
{
	return m->port[port].reserve;
}
