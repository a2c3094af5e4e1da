// SPDX-License-Identifier: BSD-2-Clause
/*
 * Request processor (001 figure 3). A descriptor fires when its CP counter has reached CPCnt. The
 * queued messages are reduced, together with the descriptor's own data if it has any. The result
 * becomes the payload, which is sent on.
 */
#include "engine/engine_int.h"
#include "alu/alu.h"

#include <string.h>

static struct send_buf *buf_of(struct qp *qp, const struct wr *wr)
{
	return &qp->bufs[wr->buf - 1];
}

static bool buf_take(struct qp *qp, struct wr *wr)
{
	unsigned int i = __builtin_ctz(~qp->bufs_used);

	if (i >= SEND_BUFS)
		return false;
	qp->bufs_used |= 1u << i;
	wr->buf = i + 1;
	return true;
}

static void fail(struct engine *e, struct qp *qp, struct wr *wr, uint16_t status)
{
	struct group *g = &e->groups[qp->cfg.group];

	/* others wait for what this descriptor would have sent */
	exception_raise(e, g, status, 0, wr->w.rank_mask, wr->w.mid, NO_CHUNK);
}

static bool gives_own(const struct wr *wr)
{
	return !(wr->w.flags & TALLY_WQE_F_SWP_FLAG) || (wr->w.flags & TALLY_WQE_F_RFLAG);
}

bool trigger_start(struct engine *e, struct qp *qp, struct wr *wr)
{
	if (!wr->since) /* the time limit begins */
		wr->since = e->now;
	if (!wr->buf && !buf_take(qp, wr))
		return false;
	wr->starved = !rmq_reserve(e, qp, wr->w.counter, wr->w.cpcnt);
	wr->state = wr->starved ? WR_READY : WR_ACTIVE;
	if (wr->starved)
		return false;
	if (gives_own(wr) && wr->w.num_gather)
		wr_read(e, qp, wr, 0, 0, 0, wr->w.give_len);
	else
		trigger_data(qp, wr, gives_own(wr) ? wr->w.data : NULL);
	trigger_pump(e, qp, wr);
	return true;
}

void trigger_data(struct qp *qp, struct wr *wr, const void *data)
{
	uint8_t *to = buf_of(qp, wr)->data;

	if (data && (wr->w.flags & TALLY_WQE_F_LOC_VALUES))
		alu_expand_loc(wr->w.dtype, to, data, wr->w.count, wr->w.loc_index);
	else if (data)
		memcpy(to, data, wr->w.give_len);
	wr->data_ready = true;
}

/* ---- Reduction ---- */

/* Figure 3: Branch and Rtype of the messages must agree with each other and with the descriptor. */
static bool agrees(const struct wr *wr, const struct cell *m, unsigned int messages)
{
	bool op_matters = messages > 1 || wr->w.opcode == TALLY_OPCODE_REDUCE_MP;

	return m->branch == messages && m->dtype == wr->w.dtype && m->count == wr->w.count &&
	       m->len == wr->w.count * wr->w.elem && (!op_matters || m->op == wr->w.op);
}

static unsigned int to_reduce(const struct engine *e, uint16_t list)
{
	unsigned int n = 0;

	for (; list != NONE; list = e->cells[list].next)
		n += e->cells[list].reduce;
	return n;
}

static uint16_t reduce(struct engine *e, struct qp *qp, struct wr *wr, uint16_t list)
{
	bool filled = wr->w.flags & TALLY_WQE_F_RFLAG;
	unsigned int n = to_reduce(e, list);
	uint8_t *acc = buf_of(qp, wr)->data;

	if (!(wr->w.flags & TALLY_WQE_F_SWP_FLAG))
		return TALLY_COLL_OK; /* the messages only count */
	if (!n)
		return TALLY_COLL_BAD_BRANCH;
	for (; list != NONE; list = e->cells[list].next) {
		const struct cell *m = &e->cells[list];

		if (!m->reduce)
			continue;
		if (!agrees(wr, m, n))
			return TALLY_COLL_MISMATCH;
		wr->err_vector |= m->err_vector;
		if (!filled) {
			memcpy(acc, m->data, m->len);
		} else {
			wr->err_vector |= alu_reduce(wr->w.op, wr->w.dtype, acc, m->data,
						     wr->w.count);
			alu_passed(e, m->len);
		}
		filled = true;
	}
	return TALLY_COLL_OK;
}

/* ---- Sending ---- */

static void fill_tch(const struct wr *wr, struct tch *t)
{
	t->opcode = wr->w.opcode;
	t->op = wr->w.op;
	t->dtype = wr->w.dtype;
	t->branch = wr->w.branch;
	t->err_vector = wr->err_vector;
	t->mid = wr->w.mid;
	t->total = wr->w.count;
	t->count = wr->w.count;
	t->counter = wr->w.dest_counter;
	t->port = wr->w.dest_port;
	if (wr->w.flags & TALLY_WQE_F_CP)
		t->flags |= TALLY_TCH_F_CP;
	if (wr->w.flags & TALLY_WQE_F_SWP_MP)
		t->flags |= TALLY_TCH_F_SWP_MP;
}

static bool send_to(struct engine *e, struct qp *qp, struct wr *wr, unsigned int idx)
{
	struct group *g = &e->groups[qp->cfg.group];
	struct tx_entry *tx;
	struct tch t;

	if (!edge_can_send_message(g, &g->edges[idx]))
		return false;
	packet_fill(g, &g->edges[idx], &t, TALLY_KIND_TRIGGER);
	fill_tch(wr, &t);
	tx = edge_send(e, g, idx, &t, buf_of(qp, wr)->data, wr->w.count * wr->w.elem);
	tx->qp = qp - e->qps;
	tx->wqe = wr->w.index;
	return true;
}

/* Send to this node itself, if there is room. */
static void send_self(struct engine *e, struct qp *qp, struct wr *wr)
{
	struct group *g = &e->groups[qp->cfg.group];
	struct tch t = { 0 };
	uint16_t status;

	fill_tch(wr, &t);
	status = rmq_to_self(e, g, &t, buf_of(qp, wr)->data, wr->w.count * wr->w.elem);
	wr->starved = status == TALLY_COLL_RMQ_OVERFLOW;
	wr->self_todo = wr->starved;
	if (status && !wr->starved)
		fail(e, qp, wr, status);
}

static void send_all(struct engine *e, struct qp *qp, struct wr *wr)
{
	uint64_t left = wr->send_todo;

	for (; left; left &= left - 1) {
		unsigned int idx = __builtin_ctzll(left);

		if (send_to(e, qp, wr, idx)) {
			wr->send_todo &= ~(1ULL << idx);
			wr->send_waiting |= 1ULL << idx;
		}
	}
	if (wr->parent_todo && send_to(e, qp, wr, EDGE_PARENT)) {
		wr->parent_todo = false;
		wr->parent_waiting = true;
	}
	if (wr->self_todo)
		send_self(e, qp, wr);
}

static void finish_if_done(struct engine *e, struct qp *qp, struct wr *wr)
{
	if (wr->state != WR_ACTIVE || !wr->buf || !wr->fired || wr->send_todo ||
	    wr->send_waiting || wr->parent_todo || wr->parent_waiting || wr->self_todo ||
	    wr->write_todo)
		return;
	wr_release(qp, wr);
	wr_complete(e, qp, wr);
}

void trigger_written(struct engine *e, struct qp *qp, struct wr *wr)
{
	wr->write_todo = false;
	finish_if_done(e, qp, wr);
}

void trigger_tx_acked(struct engine *e, unsigned int idx, const struct acked *a)
{
	struct qp *qp = &e->qps[a->qp];
	struct wr *wr = wr_at(qp, a->wqe);

	if (idx == EDGE_PARENT)
		wr->parent_waiting = false;
	else
		wr->send_waiting &= ~(1ULL << idx);
	finish_if_done(e, qp, wr);
}

static void fire(struct engine *e, struct qp *qp, struct wr *wr)
{
	struct group *g = &e->groups[qp->cfg.group];
	uint16_t list = NONE, status;

	rmq_unreserve(e, qp);
	if (wr->w.cpcnt)
		list = rmq_take(e, qp, wr->w.counter, wr->w.cpcnt);
	wr->err_vector |= wr->w.err_vector;
	status = reduce(e, qp, wr, list);
	rmq_free(e, g, list);
	if (status != TALLY_COLL_OK) {
		fail(e, qp, wr, status);
		return;
	}
	count(e, TALLY_CTR_fired, 1);
	wr->fired = true;
	wr->send_todo = wr->w.node_mask;
	wr->parent_todo = wr->w.flags & TALLY_WQE_F_TO_PARENT;
	wr->self_todo = wr->w.flags & TALLY_WQE_F_TO_SELF;
	if (wr->w.num_result) {
		wr->write_todo = true;
		wr_write(e, qp, wr, 0, 0, 0, wr->w.get_len, buf_of(qp, wr)->data);
	}
}

void trigger_pump(struct engine *e, struct qp *qp, struct wr *wr)
{
	if (!wr->fired) {
		if (!wr->data_ready || qp->counters[wr->w.counter].count < wr->w.cpcnt)
			return;
		fire(e, qp, wr);
	}
	if (wr->fired && wr->buf) {
		send_all(e, qp, wr);
		finish_if_done(e, qp, wr);
	}
}

uint64_t trigger_lacking(const struct group *g, const struct qp *qp, const struct wr *wr)
{
	if (wr->state != WR_ACTIVE || wr->w.opcode != TALLY_OPCODE_REDUCE_MP || wr->fired ||
	    wr->w.cpcnt < g->num_contributors)
		return 0;
	return g->contributors & ~qp->counters[wr->w.counter].counted[0];
}
