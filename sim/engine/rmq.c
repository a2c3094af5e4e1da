// SPDX-License-Identifier: BSD-2-Clause
/*
 * Receive message queue (001 figure 1): CP counters, and the intermediate results of messages that
 * are kept for reduction. A counter takes at most one message from each contributor per firing. A
 * second one waits for the next firing, so a fast child cannot stand in for a slow one. The
 * intermediate result of the descriptor that waits is in its payload buffer, so messages for it are
 * never answered with BUSY. Those of later firings are in cells.
 */
#include "engine/rmq.h"
#include "engine/rmq_cells.h"
#include "engine/common.h"
#include "engine/ordered.h"
#include "engine/sum.h"
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

/* Return the intermediate result that a descriptor waits for, if it waits for one of this counter. */
static struct sum *awaited(struct qp *qp, const struct counter *c)
{
	return qp->waiting && &qp->counters[qp->waiting->w.counter] == c ? &qp->sum : NULL;
}

/* ---- Counting ---- */

static void begin_to_count(struct counter *c, uint8_t contributor)
{
	if (c->counted[contributor / 64] >> contributor % 64 & 1)
		return; /* waits for a later firing */
	c->counted[contributor / 64] |= 1ULL << contributor % 64;
	c->order[c->count++] = contributor;
}

static bool sum_takes_count(struct sum *s, uint8_t contributor)
{
	if (!sum_counts(s, contributor))
		return false;
	s->counted[contributor / 64] &= ~(1ULL << contributor % 64);
	return true;
}

/* Return the oldest intermediate result with a message of the contributor that counts. */
static struct sum *oldest_counted(struct engine *e, struct qp *qp, struct counter *c,
				  uint8_t contributor)
{
	struct sum *s = awaited(qp, c);
	uint16_t i;

	if (s && sum_counts(s, contributor))
		return s;
	for (i = c->head; i != NONE; i = e->cells[i].next)
		if (sum_counts(&e->cells[i].sum, contributor))
			return &e->cells[i].sum;
	return NULL;
}

static void end_to_count(struct engine *e, struct qp *qp, struct counter *c, uint8_t contributor)
{
	uint8_t *at = memchr(c->order, contributor, c->count);

	c->count--;
	memmove(at, at + 1, c->order + c->count - at);
	c->counted[contributor / 64] &= ~(1ULL << contributor % 64);
	if (c->alone[contributor] || oldest_counted(e, qp, c, contributor))
		begin_to_count(c, contributor);
}

/*
 * Take the count of a contributor's oldest message. Returns the intermediate result that has its
 * data, or NULL if it has none.
 */
static struct sum *take_count(struct engine *e, struct qp *qp, struct counter *c,
			      uint8_t contributor)
{
	struct sum *s = NULL;

	if (c->alone[contributor]) {
		c->alone[contributor]--;
	} else {
		s = oldest_counted(e, qp, c, contributor);
		sum_takes_count(s, contributor);
	}
	end_to_count(e, qp, c, contributor);
	return s;
}

/* ---- Storing ---- */

/* Take a cell for a new intermediate result, at the end of the counter's queue. */
static struct cell *append(struct engine *e, struct qp *qp, struct counter *c)
{
	struct group *g = &e->groups[qp->cfg.group];
	uint32_t keep = is_ordered(g) ? ordered_inputs(g) : 0;
	uint16_t i = qp->rmq_cells < TALLY_RMQ_PORT_CAP ? cell_take(e, g, keep) : NONE;

	if (i == NONE)
		return NULL;
	memset(&e->cells[i].sum, 0, sizeof(e->cells[i].sum));
	e->cells[i].next = NONE;
	if (c->head == NONE)
		c->head = i;
	else
		e->cells[c->tail].next = i;
	c->tail = i;
	qp->rmq_cells++;
	return &e->cells[i];
}

/*
 * Return the intermediate result for a contributor's next message: the first that is open, behind
 * all that have a message of the contributor. Sets *data to its data. Returns NULL if there is none.
 */
static struct sum *place_of(struct engine *e, struct qp *qp, struct counter *c,
			    uint8_t contributor, uint8_t **data)
{
	struct sum *found = awaited(qp, c);
	uint16_t i;

	if (found) {
		*data = qp->sum_data;
		if (sum_has(found, contributor) || !sum_is_open(found))
			found = NULL;
	}
	for (i = c->head; i != NONE; i = e->cells[i].next) {
		struct cell *m = &e->cells[i];

		if (sum_has(&m->sum, contributor)) {
			found = NULL;
		} else if (!found && sum_is_open(&m->sum)) {
			found = &m->sum;
			*data = m->data;
		}
	}
	return found;
}

static bool keep(struct engine *e, struct qp *qp, uint8_t contributor, const struct tch *t,
		 const void *payload, uint16_t len)
{
	struct counter *c = &qp->counters[t->counter];
	uint8_t *data;
	struct sum *s = place_of(e, qp, c, contributor, &data);

	if (!s) {
		struct cell *m = append(e, qp, c);

		if (!m)
			return false;
		s = &m->sum;
		data = m->data;
	}
	sum_message(e, s, data, t, contributor, payload, len);
	return true;
}

static bool store(struct engine *e, struct qp *qp, uint8_t contributor, const struct tch *t,
		  const void *payload, uint16_t len)
{
	struct counter *c = &qp->counters[t->counter];

	if (t->flags & TALLY_TCH_F_SWP_MP) {
		if (!keep(e, qp, contributor, t, payload, len))
			return false;
	} else {
		if (c->alone[contributor] == MAX_ALONE)
			return false;
		c->alone[contributor]++;
		c->err_vector |= t->err_vector;
	}
	if (t->flags & TALLY_TCH_F_CP)
		begin_to_count(c, contributor);
	return true;
}

/* A message is kept for reduction, counts, or both; only one that is kept has data. */
static bool plausible(const struct group *g, const struct tch *t, uint16_t len)
{
	bool kept = t->flags & TALLY_TCH_F_SWP_MP, counts = t->flags & TALLY_TCH_F_CP;

	return is_triggered(t->opcode) && t->counter < TALLY_NUM_CP_COUNTERS && len <= g->mtu &&
	       (kept ? t->branch > 0 : counts && !len) &&
	       (t->op == TALLY_OP_NONE || alu_check(t->op, t->dtype) == TALLY_COLL_OK);
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
	return store(e, qp, idx, t, payload, len) ? RX_STORED : RX_BUSY;
}

enum tally_coll_status rmq_to_self(struct engine *e, struct group *g, const struct tch *t,
				   const void *payload, uint16_t len)
{
	struct qp *qp = port_of(e, g, t->port);

	if (!qp || qp->state != TALLY_QPS_RTS)
		return TALLY_COLL_BAD_DEST;
	return store(e, qp, TALLY_CONTRIB_SELF, t, payload, len) ? TALLY_COLL_OK :
								   TALLY_COLL_RMQ_OVERFLOW;
}

/* ---- Waiting and firing ---- */

void rmq_wait(struct engine *e, struct qp *qp, const struct wr *wr, uint8_t *data)
{
	struct counter *c = &qp->counters[wr->w.counter];
	uint16_t first = c->head;

	qp->waiting = wr;
	qp->sum_data = data;
	memset(&qp->sum, 0, sizeof(qp->sum));
	if (first == NONE)
		return;
	c->head = e->cells[first].next;
	qp->sum = e->cells[first].sum;
	if (qp->sum.filled)
		memcpy(data, e->cells[first].data,
		       qp->sum.count * alu_elem_size(qp->sum.op, qp->sum.dtype));
	cell_give(e, &e->groups[qp->cfg.group], first);
	qp->rmq_cells--;
}

bool rmq_reached(const struct qp *qp, const struct wr *wr)
{
	return qp->counters[wr->w.counter].count >= wr->w.cpcnt;
}

/*
 * Take the counts of the messages in the intermediate result of a firing. Returns how many more
 * messages the firing takes; fewer than none is a disagreement.
 */
static uint32_t take_counts_of_sum(struct engine *e, struct qp *qp, struct counter *c,
				   uint32_t cpcnt)
{
	struct sum *s = &qp->sum;
	unsigned int i;

	for (i = 0; i <= TALLY_CONTRIB_SELF; i++) {
		if (!sum_takes_count(s, i))
			continue;
		end_to_count(e, qp, c, i);
		if (cpcnt)
			cpcnt--;
		else
			sum_spoil(s, i);
	}
	return cpcnt;
}

/* Remove an intermediate result without messages from the queue of a counter. */
static void drop_empty(struct engine *e, struct qp *qp, struct counter *c)
{
	uint16_t *link = &c->head, last = NONE, i;

	while ((i = *link) != NONE && e->cells[i].sum.messages) {
		last = i;
		link = &e->cells[i].next;
	}
	if (i == NONE)
		return;
	*link = e->cells[i].next;
	if (c->tail == i)
		c->tail = last;
	cell_give(e, &e->groups[qp->cfg.group], i);
	qp->rmq_cells--;
}

/*
 * A message of a firing is among those of a later one, because Branch and CPCnt disagree. Take it
 * out there, so that later messages of its contributor find their place again.
 */
static void take_out(struct engine *e, struct qp *qp, struct counter *c, struct sum *s,
		     uint8_t contributor)
{
	s->from[contributor / 64] &= ~(1ULL << contributor % 64);
	s->branch = 0;
	sum_spoil(s, contributor);
	if (!--s->messages)
		drop_empty(e, qp, c);
}

uint16_t rmq_fire(struct engine *e, struct qp *qp, const struct wr *wr)
{
	struct counter *c = &qp->counters[wr->w.counter];
	struct sum *swapped = qp->waiting == wr ? &qp->sum : NULL, *other;
	uint32_t more = wr->w.cpcnt;
	uint16_t err_vector = c->err_vector;

	if (swapped)
		more = take_counts_of_sum(e, qp, c, more);
	while (more--) {
		uint8_t contributor = c->order[0];

		other = take_count(e, qp, c, contributor);
		if (swapped && other) {
			sum_spoil(swapped, contributor);
			take_out(e, qp, c, other, contributor);
		}
	}
	if (swapped)
		err_vector |= swapped->err_vector;
	c->err_vector = 0;
	qp->waiting = NULL;
	return err_vector;
}

void rmq_init(struct qp *qp)
{
	unsigned int i;

	memset(qp->counters, 0, sizeof(qp->counters));
	for (i = 0; i < TALLY_NUM_CP_COUNTERS; i++)
		qp->counters[i].head = qp->counters[i].tail = NONE;
	qp->rmq_cells = 0;
	qp->waiting = NULL;
}

void rmq_flush(struct engine *e, struct qp *qp)
{
	unsigned int i;

	for (i = 0; i < TALLY_NUM_CP_COUNTERS; i++)
		while (qp->counters[i].head != NONE) {
			uint16_t cell = qp->counters[i].head;

			qp->counters[i].head = e->cells[cell].next;
			cell_give(e, &e->groups[qp->cfg.group], cell);
		}
	rmq_init(qp);
}
