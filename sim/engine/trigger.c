// SPDX-License-Identifier: BSD-2-Clause
/*
 * Request processor (001 figure 3). A descriptor fires when its CP counter has reached CPCnt, and
 * with SwpFlag only when its intermediate result is complete. That result, which grows in the
 * payload buffer while messages and the descriptor's own data arrive, is the payload then. The
 * payload is sent on.
 */
#include "engine/trigger.h"
#include "engine/common.h"
#include "engine/encap.h"
#include "engine/outcome.h"
#include "engine/exception.h"
#include "engine/rmq.h"
#include "engine/sum.h"
#include "engine/timer.h"
#include "engine/wr.h"
#include "alu/alu.h"

#include <string.h>

static struct send_buf *buf_of(struct qp *qp, const struct wr *wr)
{
	return &qp->bufs[wr->buf - 1];
}

static bool buf_take(struct qp *qp, struct wr *wr)
{
	unsigned int i = __builtin_ctz(~qp->bufs_used);

	if (i >= TALLY_SEND_BUFS)
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

static bool swaps(const struct wr *wr)
{
	return wr->w.flags & TALLY_WQE_F_SWP_FLAG;
}

static bool gives_own(const struct wr *wr)
{
	return !swaps(wr) || (wr->w.flags & TALLY_WQE_F_RFLAG);
}

bool trigger_start(struct engine *e, struct qp *qp, struct wr *wr)
{
	wr_wait(e, &e->groups[qp->cfg.group], wr);
	if (!wr->buf && !buf_take(qp, wr))
		return false;
	wr->state = WR_ACTIVE;
	if (host_completes(e))
		outcome_descriptor_begins(e, qp, wr);
	if (swaps(wr))
		rmq_wait(e, qp, wr, buf_of(qp, wr)->data);
	if (gives_own(wr) && wr->w.num_gather)
		wr_read(e, qp, wr, 0, 0, 0, wr->w.give_len);
	else
		trigger_data(e, qp, wr, gives_own(wr) ? wr->w.data : NULL);
	trigger_pump(e, qp, wr);
	return true;
}

void trigger_data(struct engine *e, struct qp *qp, struct wr *wr, const void *data)
{
	uint8_t *to = buf_of(qp, wr)->data, pairs[TALLY_MAX_MTU];

	wr->data_ready = true;
	if (!data)
		return;
	if (wr->w.flags & TALLY_WQE_F_LOC_VALUES) {
		alu_expand_loc(wr->w.dtype, pairs, data, wr->w.count, wr->w.loc_index);
		data = pairs;
	}
	if (swaps(wr))
		sum_own(e, &qp->sum, to, &wr->w, data);
	else
		memcpy(to, data, wr->w.count * wr->w.elem);
}

/* ---- Agreement ---- */

/* Figure 3: the intermediate result must agree with the descriptor that takes it. */
static bool agrees(const struct wr *wr, const struct sum *s)
{
	bool op_matters = wr->w.opcode == TALLY_OPCODE_REDUCE_MP ||
			  (s->messages > 1 && wr->w.op != TALLY_OP_NONE);

	return s->dtype == wr->w.dtype && s->count == wr->w.count &&
	       alu_elem_size(s->op, s->dtype) == wr->w.elem && (!op_matters || s->op == wr->w.op);
}

static bool is_spoilt(const struct wr *wr)
{
	return wr->err_vector & TALLY_ERR_MISMATCH;
}

/* End a descriptor, but not the group: it completes when those it sends to know. */
static void spoil(const struct group *g, struct wr *wr, uint64_t disagree)
{
	wr->status = TALLY_COLL_MISMATCH;
	wr->report = (struct report){
		.status = wr->status,
		.detector = g->node,
		.contributors = disagree,
		.mid = wr->w.mid,
	};
}

/* ---- Sending ---- */

/* Return the number of elements of the payload. Only a message that the target keeps has one. */
static uint32_t elements(const struct wr *wr)
{
	return is_spoilt(wr) || !(wr->w.flags & TALLY_WQE_F_SWP_MP) ? 0 : wr->w.count;
}

static void fill_tch(const struct wr *wr, struct tch *t)
{
	t->opcode = wr->w.opcode;
	t->op = wr->w.op;
	t->dtype = wr->w.dtype;
	t->branch = wr->w.branch;
	t->err_vector = wr->err_vector;
	t->mid = wr->w.mid;
	t->total = elements(wr);
	t->count = elements(wr);
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
	tx = edge_send(e, g, idx, &t, buf_of(qp, wr)->data, elements(wr) * wr->w.elem);
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
	status = rmq_to_self(e, g, &t, buf_of(qp, wr)->data, elements(wr) * wr->w.elem);
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
	if (host_completes(e))
		outcome_descriptor_ends(e, qp, wr);
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
	wr->err_vector |= wr->w.err_vector | rmq_fire(e, qp, wr);
	if (swaps(wr) && !is_spoilt(wr) && !agrees(wr, &qp->sum))
		wr->err_vector |= TALLY_ERR_MISMATCH;
	if (is_spoilt(wr))
		spoil(&e->groups[qp->cfg.group], wr, swaps(wr) ? qp->sum.disagree : 0);
	count(e, TALLY_CTR_fired, 1);
	wr->fired = true;
	wr->send_todo = wr->w.node_mask;
	wr->parent_todo = wr->w.flags & TALLY_WQE_F_TO_PARENT;
	wr->self_todo = wr->w.flags & TALLY_WQE_F_TO_SELF;
	if (wr->w.num_result && !is_spoilt(wr)) {
		wr->write_todo = true;
		wr_write(e, qp, wr, 0, 0, 0, wr->w.get_len, buf_of(qp, wr)->data);
	}
}

static bool has_all_it_counts(const struct qp *qp, const struct wr *wr)
{
	return wr->state == WR_ACTIVE && is_triggered(wr->w.opcode) && !wr->fired &&
	       wr->data_ready && rmq_reached(qp, wr);
}

bool trigger_lacks_messages(const struct qp *qp, const struct wr *wr)
{
	return has_all_it_counts(qp, wr) && swaps(wr) && !sum_is_complete(&qp->sum);
}

void trigger_give_up(struct engine *e, struct qp *qp, struct wr *wr)
{
	qp->sum.err_vector |= TALLY_ERR_MISMATCH;
	fire(e, qp, wr);
	trigger_pump(e, qp, wr);
}

void trigger_pump(struct engine *e, struct qp *qp, struct wr *wr)
{
	if (!wr->fired) {
		if (!has_all_it_counts(qp, wr))
			return;
		if (trigger_lacks_messages(qp, wr)) { /* its time limit becomes shorter */
			timer_touch(e, &e->groups[qp->cfg.group].timer);
			return;
		}
		fire(e, qp, wr);
	}
	if (wr->buf) {
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
