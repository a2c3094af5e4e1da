// SPDX-License-Identifier: BSD-2-Clause
/*
 * Receive message queue (001 figure 1): one buffer of cells, a list for each port, and the CP
 * counters. A counter takes at most one message from each contributor per firing. A second one
 * waits in the list for the next firing, so a fast child cannot stand in for a slow one. Cells are
 * promised for the messages that the pending firing lacks, so those are never answered with BUSY.
 */
#include "engine/engine_int.h"
#include "alu/alu.h"

#include <string.h>

static struct qp *port_of(struct engine *e, const struct group *g, uint16_t port)
{
	uint16_t n;

	for (n = g->qps; n != NONE; n = e->qps[n].next_in_group)
		if (e->qps[n].cfg.port == port)
			return &e->qps[n];
	return NULL;
}

/* ---- Counting ---- */

static bool counts_now(const struct counter *c, uint8_t contributor)
{
	return !(c->counted[contributor / 64] >> contributor % 64 & 1);
}

static void count_message(struct counter *c, struct cell *m)
{
	c->counted[m->contributor / 64] |= 1ULL << m->contributor % 64;
	c->count++;
	m->counted = true;
}

static void count_waiting(struct engine *e, struct qp *qp, uint8_t counter)
{
	struct counter *c = &qp->counters[counter];
	uint16_t i;

	for (i = qp->rmq_head; i != NONE; i = e->cells[i].next) {
		struct cell *m = &e->cells[i];

		if (m->counter == counter && !m->counted && counts_now(c, m->contributor))
			count_message(c, m);
	}
}

/* ---- Room ---- */

bool rmq_reserve(struct engine *e, struct qp *qp, uint8_t counter, uint32_t cpcnt)
{
	uint32_t have = qp->counters[counter].count;

	qp->reserve_counter = counter;
	return cells_promise(e, &e->groups[qp->cfg.group], qp, cpcnt > have ? cpcnt - have : 0);
}

void rmq_unreserve(struct engine *e, struct qp *qp)
{
	cells_unpromise(e, &e->groups[qp->cfg.group], qp);
}

static uint16_t take_room(struct engine *e, struct group *g, struct qp *qp, uint8_t counter,
			  uint8_t contributor)
{
	uint32_t keep = is_ordered(g) ? ordered_inputs(g) : 0;

	if (qp->reserve && counter == qp->reserve_counter &&
	    counts_now(&qp->counters[counter], contributor))
		return cell_take_promised(e, g, qp);
	return qp->rmq_cells < TALLY_RMQ_PORT_CAP ? cell_take(e, g, keep) : NONE;
}

/* ---- Storing ---- */

static void append(struct engine *e, struct qp *qp, uint16_t i)
{
	e->cells[i].next = NONE;
	if (qp->rmq_tail == NONE)
		qp->rmq_head = i;
	else
		e->cells[qp->rmq_tail].next = i;
	qp->rmq_tail = i;
	qp->rmq_cells++;
}

static bool store(struct engine *e, struct qp *qp, uint8_t contributor, const struct tch *t,
		  const void *payload, uint16_t len)
{
	struct counter *c = &qp->counters[t->counter];
	uint16_t i = take_room(e, &e->groups[qp->cfg.group], qp, t->counter, contributor);
	struct cell *m;

	if (i == NONE)
		return false;
	m = &e->cells[i];
	m->counter = t->counter;
	m->contributor = contributor;
	m->branch = t->branch;
	m->op = t->op;
	m->dtype = t->dtype;
	m->reduce = t->flags & TALLY_TCH_F_SWP_MP;
	m->err_vector = t->err_vector;
	m->count = t->count;
	m->len = len;
	m->counted = false;
	memcpy(m->data, payload, len);
	append(e, qp, i);
	if (counts_now(c, contributor))
		count_message(c, m);
	return true;
}

static bool plausible(const struct group *g, const struct tch *t, uint16_t len)
{
	bool kept_uncounted = (t->flags & TALLY_TCH_F_SWP_MP) && !(t->flags & TALLY_TCH_F_CP);

	return is_triggered(t->opcode) && t->counter < TALLY_NUM_CP_COUNTERS && len <= g->mtu &&
	       !kept_uncounted && (t->op == TALLY_OP_NONE || alu_check(t->op, t->dtype) == TALLY_COLL_OK);
}

enum rx_verdict rmq_packet(struct engine *e, struct group *g, unsigned int idx,
			   const struct tch *t, const void *payload, uint16_t len)
{
	struct qp *qp = port_of(e, g, t->port);

	if (!plausible(g, t, len)) {
		count(e, TALLY_CTR_drop_tch, 1);
		return RX_DROP;
	}
	/*
	 * Not created yet, or in error. BUSY shows that this NIC is alive; the sender's time limit
	 * applies.
	 */
	if (!qp || qp->state != TALLY_QPS_RTS)
		return RX_BUSY;
	if (!(t->flags & TALLY_TCH_F_CP)) /* counts for nothing */
		return RX_STORED;
	return store(e, qp, idx, t, payload, len) ? RX_STORED : RX_BUSY;
}

enum tally_coll_status rmq_to_self(struct engine *e, struct group *g, const struct tch *t,
				   const void *payload, uint16_t len)
{
	struct qp *qp = port_of(e, g, t->port);

	if (!qp || qp->state != TALLY_QPS_RTS)
		return TALLY_COLL_BAD_DEST;
	if (!(t->flags & TALLY_TCH_F_CP))
		return TALLY_COLL_OK;
	return store(e, qp, TALLY_CONTRIB_SELF, t, payload, len) ? TALLY_COLL_OK :
								   TALLY_COLL_RMQ_OVERFLOW;
}

/* ---- Taking ---- */

uint16_t rmq_take(struct engine *e, struct qp *qp, uint8_t counter, uint32_t cpcnt)
{
	struct counter *c = &qp->counters[counter];
	uint16_t list = NONE, *end = &list, *link = &qp->rmq_head, last = NONE;

	c->count -= cpcnt;
	while (*link != NONE) {
		uint16_t i = *link;
		struct cell *m = &e->cells[i];

		if (!cpcnt || m->counter != counter || !m->counted) {
			last = i;
			link = &m->next;
			continue;
		}
		*link = m->next;
		m->next = NONE;
		*end = i;
		end = &m->next;
		c->counted[m->contributor / 64] &= ~(1ULL << m->contributor % 64);
		qp->rmq_cells--;
		cpcnt--;
	}
	qp->rmq_tail = last;
	count_waiting(e, qp, counter);
	return list;
}

void rmq_free(struct engine *e, struct group *g, uint16_t list)
{
	while (list != NONE) {
		uint16_t next = e->cells[list].next;

		cell_give(e, g, list);
		list = next;
	}
}

void rmq_flush(struct engine *e, struct qp *qp)
{
	rmq_unreserve(e, qp);
	rmq_free(e, &e->groups[qp->cfg.group], qp->rmq_head);
	qp->rmq_head = qp->rmq_tail = NONE;
	qp->rmq_cells = 0;
	memset(qp->counters, 0, sizeof(qp->counters));
}
