// SPDX-License-Identifier: BSD-2-Clause
/* Builds the part of an engine that the receive message queue uses. */
#include "model.h"

#include <stdlib.h>

#include "engine/engine_int.h"

struct model {
	struct engine *e;
	unsigned int groups;
};

static void ignore_count(void *ctx, enum tally_counter counter, uint64_t n)
{
	(void)ctx;
	(void)counter;
	(void)n;
}

static const struct engine_host host = { .count = ignore_count };

static void add_port(struct model *m, unsigned int port)
{
	struct qp *qp = &m->e->qps[port];
	struct group *g = &m->e->groups[port % m->groups];

	qp->state = TALLY_QPS_RTS;
	qp->cfg.port = port;
	qp->cfg.group = port % m->groups;
	qp->rmq_head = qp->rmq_tail = NONE;
	qp->next_in_group = g->qps;
	g->qps = port;
}

struct model *model_new(unsigned int ports, unsigned int groups, unsigned int cells)
{
	struct model *m = calloc(1, sizeof(*m));
	unsigned int i;

	m->e = calloc(1, sizeof(*m->e));
	m->groups = groups;
	m->e->host = &host;
	m->e->cell_free = NONE;
	m->e->cells_reserved = TALLY_RMQ_CELLS - cells;
	for (i = 0; i < groups; i++) {
		m->e->groups[i].qps = NONE;
		m->e->groups[i].mtu = TALLY_MAX_MTU;
	}
	for (i = 0; i < ports; i++)
		add_port(m, i);
	return m;
}

void model_free(struct model *m)
{
	free(m->e);
	free(m);
}

bool model_reserve_cells(struct model *m, unsigned int group, uint32_t cells, uint32_t keep)
{
	struct group *g = &m->e->groups[group];

	if (cells > g->msg_cells + model_shared_free(m))
		return false;
	m->e->cells_reserved += cells - g->msg_cells;
	g->msg_cells = cells;
	g->flags = keep ? TALLY_GROUP_F_ORDERED : 0;
	g->num_contributors = keep;
	return true;
}

static struct qp *qp_of(const struct model *m, unsigned int port)
{
	return &m->e->qps[port];
}

bool model_store(struct model *m, unsigned int port, const struct model_message *msg)
{
	struct group *g = &m->e->groups[port % m->groups];
	struct tch t = { 0 };

	t.opcode = TALLY_OPCODE_REDUCE_MP;
	t.op = msg->op;
	t.dtype = msg->dtype;
	t.branch = msg->branch;
	t.err_vector = msg->err_vector;
	t.count = msg->count;
	t.counter = msg->counter;
	t.port = port;
	t.flags = TALLY_TCH_F_CP | (msg->reduce ? TALLY_TCH_F_SWP_MP : 0);
	if (msg->contributor == TALLY_CONTRIB_SELF)
		return rmq_to_self(m->e, g, &t, msg->data, msg->len) == TALLY_COLL_OK;
	return rmq_packet(m->e, g, msg->contributor, &t, msg->data, msg->len) == RX_STORED;
}

bool model_counts(const struct model *m, unsigned int port, unsigned int counter, unsigned int contributor)
{
	return !(qp_of(m, port)->counters[counter].counted[contributor / 64] >> contributor % 64 & 1);
}

uint32_t model_count(const struct model *m, unsigned int port, unsigned int counter)
{
	return qp_of(m, port)->counters[counter].count;
}

bool model_promise(struct model *m, unsigned int port, unsigned int counter, uint32_t cpcnt)
{
	return rmq_reserve(m->e, qp_of(m, port), counter, cpcnt);
}

uint16_t model_take(struct model *m, unsigned int port, unsigned int counter, uint32_t cpcnt)
{
	rmq_unreserve(m->e, qp_of(m, port));
	return rmq_take(m->e, qp_of(m, port), counter, cpcnt);
}

uint16_t model_next(const struct model *m, uint16_t cell)
{
	return m->e->cells[cell].next;
}

struct model_message model_cell(const struct model *m, uint16_t cell)
{
	const struct cell *c = &m->e->cells[cell];

	return (struct model_message){ .counter = c->counter, .contributor = c->contributor, .branch = c->branch,
				       .op = c->op, .dtype = c->dtype, .reduce = c->reduce,
				       .err_vector = c->err_vector, .len = c->len, .count = c->count,
				       .data = c->data };
}

void model_give(struct model *m, unsigned int port, uint16_t cell)
{
	m->e->cells[cell].next = NONE;
	rmq_free(m->e, &m->e->groups[port % m->groups], cell);
}

void model_flush(struct model *m, unsigned int port)
{
	rmq_flush(m->e, qp_of(m, port));
}

uint32_t model_used(const struct model *m, unsigned int port)
{
	return qp_of(m, port)->rmq_cells;
}

uint32_t model_promised(const struct model *m, unsigned int port)
{
	return qp_of(m, port)->reserve;
}

uint32_t model_own_in_use(const struct model *m, unsigned int group)
{
	return m->e->groups[group].own_cells + m->e->groups[group].promised;
}

uint32_t model_spare(const struct model *m, unsigned int group)
{
	const struct group *g = &m->e->groups[group];

	return g->msg_cells - (is_ordered(g) ? ordered_inputs(g) : 0) - model_own_in_use(m, group);
}

uint32_t model_shared_free(const struct model *m)
{
	const struct engine *e = m->e;

	return TALLY_RMQ_CELLS - e->cells_reserved - e->shared_used - e->shared_promised;
}
