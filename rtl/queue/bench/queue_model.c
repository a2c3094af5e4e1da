// SPDX-License-Identifier: BSD-2-Clause
#include "queue_model.h"

#include <stdlib.h>
#include <string.h>

#include "alu/alu.h"
#include "engine/test/units.h"

struct model {
	struct engine e;
	struct wr wr[TALLY_MAX_QP]; /* the descriptor that waits, if armed */
	bool armed[TALLY_MAX_QP], swaps[TALLY_MAX_QP], own[TALLY_MAX_QP];
};

static void ignore(void *ctx, enum tally_counter counter, uint64_t n)
{
	(void)ctx;
	(void)n;
	if (counter != TALLY_CTR_alu_words) /* a message was dropped */
		abort();
}

static const struct engine_host host = { .count = ignore };

struct model *model_new(unsigned int ports, unsigned int groups, unsigned int cells)
{
	struct model *m = calloc(1, sizeof(*m));
	struct engine *e;
	unsigned int i;

	if (!m)
		abort();
	e = &m->e;
	e->host = &host;
	e->cell_free = NONE;
	e->cells_reserved = TALLY_RMQ_CELLS - cells; /* by nobody */
	for (i = 0; i < groups; i++) {
		e->groups[i].qps = NONE;
		e->groups[i].mtu = TALLY_MAX_MTU;
		e->groups[i].modes = TALLY_MODES_TREE;
	}
	for (i = 0; i < ports; i++) {
		struct qp *qp = &e->qps[i];

		qp->cfg.port = i;
		qp->cfg.group = i % groups;
		qp->state = TALLY_QPS_RTS;
		qp->next_in_group = e->groups[i % groups].qps;
		e->groups[i % groups].qps = i;
		rmq_init(qp);
	}
	return m;
}

void model_free(struct model *m)
{
	free(m);
}

static struct qp *qp_of(struct model *m, unsigned int port)
{
	return &m->e.qps[port];
}

bool model_arrives(struct model *m, const struct model_message *t)
{
	struct tch tch = {
		.opcode = TALLY_OPCODE_REDUCE_MP,
		.op = t->op,
		.dtype = t->dtype,
		.branch = t->branch,
		.err_vector = t->err_vector,
		.count = t->count,
		.counter = t->counter,
		.port = t->port,
		.flags = (t->counts ? TALLY_TCH_F_CP : 0) | (t->kept ? TALLY_TCH_F_SWP_MP : 0),
	};
	struct group *g = &m->e.groups[qp_of(m, t->port)->cfg.group];
	enum rx_verdict verdict = rmq_packet(&m->e, g, t->contributor, &tch, t->data, t->len);

	if (verdict == RX_DROP)
		abort();
	return verdict == RX_STORED;
}

void model_own(struct model *m, const struct model_message *t)
{
	struct qp *qp = qp_of(m, t->port);
	const struct wqe w = {
		.op = t->op, .dtype = t->dtype, .count = t->count, .elem = alu_elem_size(t->op, t->dtype),
	};

	sum_own(&m->e, &qp->sum, qp->sum_data, &w, t->data);
	m->own[t->port] = false;
}

void model_arm(struct model *m, const struct model_descriptor *d)
{
	struct wr *wr = &m->wr[d->port];
	struct qp *qp = qp_of(m, d->port);

	wr->w.counter = d->counter;
	wr->w.cpcnt = d->cpcnt;
	m->armed[d->port] = true;
	m->swaps[d->port] = d->swaps;
	m->own[d->port] = d->own;
	if (d->swaps)
		rmq_wait(&m->e, qp, wr, qp->bufs[0].data);
}

/* trigger_pump() of sim/engine/trigger.c */
enum model_state model_state_of(struct model *m, unsigned int port)
{
	const struct qp *qp = qp_of(m, port);

	if (!m->armed[port] || m->own[port] || !rmq_reached(qp, &m->wr[port]))
		return MODEL_WAITS;
	return m->swaps[port] && !sum_is_complete(&qp->sum) ? MODEL_LACKS : MODEL_FIRES;
}

/* trigger_give_up() of sim/engine/trigger.c */
void model_give_up(struct model *m, unsigned int port)
{
	qp_of(m, port)->sum.err_vector |= TALLY_ERR_MISMATCH;
}

void model_fires(struct model *m, unsigned int port, struct model_fire *fire)
{
	struct qp *qp = qp_of(m, port);
	const struct sum *s = &qp->sum;

	memset(fire, 0, sizeof(*fire));
	fire->err_vector = rmq_fire(&m->e, qp, &m->wr[port]);
	m->armed[port] = false;
	fire->swaps = m->swaps[port];
	if (!fire->swaps)
		return;
	fire->filled = s->filled;
	fire->many = s->messages > 1;
	fire->op = s->op;
	fire->dtype = s->dtype;
	fire->count = s->count;
	fire->disagree = s->disagree;
	memcpy(fire->data, qp->bufs[0].data, sizeof(fire->data));
}

void model_flush(struct model *m, unsigned int port)
{
	rmq_flush(&m->e, qp_of(m, port));
	m->armed[port] = false;
}

bool model_reserve(struct model *m, unsigned int group, uint32_t cells, uint32_t keep)
{
	struct group *g = &m->e.groups[group];

	if (cells > g->msg_cells + model_shared_free(m))
		return false;
	m->e.cells_reserved += cells - g->msg_cells;
	g->msg_cells = cells;
	g->flags = keep ? TALLY_GROUP_F_ORDERED : 0;
	g->num_contributors = keep;
	if (keep && ordered_inputs(g) != keep)
		abort();
	return true;
}

/* ordered_promise() of sim/engine/ordered.c */
uint16_t model_cell(struct model *m, unsigned int group, bool oldest)
{
	struct group *g = &m->e.groups[group];

	return cell_take(&m->e, g, oldest || !is_ordered(g) ? 0 : ordered_inputs(g));
}

void model_cell_back(struct model *m, unsigned int group, uint16_t cell)
{
	cell_give(&m->e, &m->e.groups[group], cell);
}

unsigned int model_entries(const struct model *m, unsigned int port, unsigned int counter)
{
	const struct qp *qp = &m->e.qps[port];
	unsigned int n = qp->waiting && qp->waiting->w.counter == counter;
	uint16_t i;

	for (i = qp->counters[counter].head; i != NONE; i = m->e.cells[i].next)
		n++;
	return n;
}

uint32_t model_used(const struct model *m, unsigned int port)
{
	return m->e.qps[port].rmq_cells;
}

uint32_t model_own_used(const struct model *m, unsigned int group)
{
	return m->e.groups[group].own_cells;
}

uint32_t model_shared_free(const struct model *m)
{
	return TALLY_RMQ_CELLS - m->e.cells_reserved - m->e.shared_used;
}

uint16_t model_alu(uint8_t op, uint8_t dtype, void *acc, const void *in, unsigned int bytes)
{
	return alu_reduce(op, dtype, acc, in, bytes / alu_elem_size(op, dtype));
}

unsigned int model_elem_size(uint8_t op, uint8_t dtype)
{
	return alu_elem_size(op, dtype);
}
