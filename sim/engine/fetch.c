// SPDX-License-Identifier: BSD-2-Clause
/*
 * Request sender (001 figure 1), first half: fetches work requests as the doorbell demands. QUERY
 * and ABORT do not wait for earlier requests, so the fetcher also looks through the queue ahead of
 * the requests that are taken in. In state ERROR it reads the remaining entries to flush them.
 */
#include "engine/engine_int.h"

#include <endian.h>
#include <string.h>

/* ---- QUERY and ABORT ---- */

bool fetch_take_answered(struct qp *qp, uint32_t index)
{
	uint64_t *word = &qp->answered[index % TALLY_MAX_SQ_DEPTH / 64];
	uint64_t bit = 1ULL << index % 64;
	bool was = *word & bit;

	*word &= ~bit;
	return was;
}

/* Return the oldest unfinished chunk of a message, or NULL if no slot has one. */
static const struct slot *oldest_chunk(struct engine *e, const struct group *g, uint32_t mid)
{
	uint32_t i;

	for (i = 0; i < g->num_segs; i++) {
		const struct slot *s = slot_of(e, g, g->done + i);

		if (s->state == TALLY_SEG_BUSY && s->mid == mid)
			return s;
	}
	return NULL;
}

static bool begun_here(const struct group *g, uint32_t mid)
{
	uint64_t ranks = g->rank_mask;

	for (; ranks; ranks &= ranks - 1)
		if (serial_lt(mid, g->ranks[__builtin_ctzll(ranks)].next_mid))
			return true;
	return false;
}

static void answer_query(struct engine *e, struct qp *qp, const struct request *q)
{
	struct group *g = &e->groups[qp->cfg.group];
	struct report r = { .detector = g->node, .mid = q->mid };
	const struct slot *s = oldest_chunk(e, g, q->mid);
	uint8_t flags = TALLY_CQE_F_UNKNOWN;

	if (serial_lt(q->mid, g->mid_done)) {
		flags = 0;
	} else if (s) {
		r.contributors = slot_missing_contributors(g, s);
		r.ranks = blame_late_ranks(e, g, s->mid);
		r.sid = s->sid;
		flags = TALLY_CQE_F_PENDING;
	} else if (begun_here(g, q->mid)) {
		flags = TALLY_CQE_F_PENDING;
	}
	if (g->report.status) /* the epoch has ended: report the cause */
		r = g->report;
	status_out_of_turn(e, qp, q, TALLY_COLL_OK, flags, &r);
}

static void answer(struct engine *e, struct qp *qp, const struct wqe *w)
{
	struct group *g = &e->groups[qp->cfg.group];
	struct request q = status_request(w);

	if (w->opcode == TALLY_OPCODE_QUERY) {
		answer_query(e, qp, &q);
		return;
	}
	qp->abort = q;
	qp->abort_pending = true;
	if (group_alive(g))
		exception_raise(e, g, TALLY_COLL_ABORTED, 0, w->rank_mask, w->mid, 0);
}

static bool out_of_turn(const struct wqe *w)
{
	return w->opcode == TALLY_OPCODE_QUERY || w->opcode == TALLY_OPCODE_ABORT;
}

/* ---- Fetching ---- */

static void fetch(struct engine *e, struct qp *qp, uint32_t index)
{
	qp->fetching = true;
	qp->fetch_index = index;
	e->host->fetch_wqe(e->ctx, qp - e->qps, index);
}

void fetch_to_flush(struct engine *e, struct qp *qp)
{
	if (!qp->fetching)
		fetch(e, qp, qp->head);
}

void fetch_next(struct engine *e, struct qp *qp)
{
	if (qp->fetching || qp->failing)
		return;
	while (qp->admit != qp->posted && qp->admit - qp->head < WR_WINDOW &&
	       fetch_take_answered(qp, qp->admit))
		wr_at(qp, qp->admit++)->state = WR_SKIP;
	if (serial_lt(qp->scan, qp->admit))
		qp->scan = qp->admit;
	if (qp->admit != qp->posted && qp->admit - qp->head < WR_WINDOW)
		fetch(e, qp, qp->admit);
	else if (qp->scan != qp->posted && !qp->abort_pending)
		fetch(e, qp, qp->scan);
}

static void admit(struct engine *e, struct qp *qp, const void *data, size_t len)
{
	uint32_t index = qp->admit++;
	struct wr *wr = wr_at(qp, index);
	enum tally_coll_status st = TALLY_COLL_WQE_FETCH;

	memset(wr, 0, offsetof(struct wr, w) + offsetof(struct wqe, data));
	wr->generation = ++e->generation;
	count(e, TALLY_CTR_wqes, 1);
	if (data)
		st = wqe_parse(e, qp, index, data, len, &wr->w);
	wr->w.index = index;
	wr->state = WR_READY;
	if (st != TALLY_COLL_OK) {
		count(e, TALLY_CTR_wqe_refused, 1);
		wr_finish(e, qp, wr, st);
	} else if (out_of_turn(&wr->w)) {
		wr->state = WR_SKIP;
		answer(e, qp, &wr->w);
	}
}

static void look_ahead(struct engine *e, struct qp *qp, const void *data, size_t len)
{
	uint32_t index = qp->scan++;
	struct wqe w;

	if (!data || wqe_parse(e, qp, index, data, len, &w) != TALLY_COLL_OK || !out_of_turn(&w))
		return; /* it is parsed again in its turn */
	qp->answered[index % TALLY_MAX_SQ_DEPTH / 64] |= 1ULL << index % 64;
	answer(e, qp, &w);
}

/* Flush a fetched request. The completion only repeats fields of the entry, so none is checked. */
static void flush_fetched(struct engine *e, struct qp *qp, const void *data)
{
	struct request q = { .index = qp->head };
	struct tally_wqe in;

	if (data) {
		memcpy(&in, data, sizeof(in));
		q.opcode = in.opcode;
		q.mid = le32toh(in.mid);
	}
	status_flush_fetched(e, qp, &q);
}

static bool is_to_flush(const struct qp *qp, uint32_t index)
{
	return qp->state == TALLY_QPS_ERROR && qp->head == qp->admit && qp->head != qp->posted &&
	       index == qp->head;
}

void engine_wqe(struct engine *e, uint32_t qpn, uint32_t index, const void *data, size_t len)
{
	struct qp *qp = &e->qps[qpn];

	if (!qp->used || !qp->fetching || index != qp->fetch_index)
		return;
	qp->fetching = false;
	begin_work(e, e->timing.request);
	if (qp->fetch_stale) {
		qp->fetch_stale = false;
	} else if (is_to_flush(qp, index)) {
		flush_fetched(e, qp, data);
	} else if (qp->state == TALLY_QPS_RTS && !qp->failing) {
		if (index == qp->admit && qp->admit - qp->head < WR_WINDOW)
			admit(e, qp, data, len);
		else if (index == qp->scan)
			look_ahead(e, qp, data, len);
	}
	group_pump(e, &e->groups[qp->cfg.group]);
	kill_exceptions(e);
}

/* Put the queue pair into error: the user has overrun its own queue, so no entry can be trusted. */
static void overrun(struct engine *e, struct qp *qp)
{
	struct group *g = &e->groups[qp->cfg.group];

	qp->state = TALLY_QPS_ERROR;
	e->host->event(e->ctx, TALLY_EQE_QP_FATAL, qp - e->qps, 0);
	refusal_queue_failed(e, g, qp, TALLY_COLL_SQ_OVERRUN);
	status_retire(e, qp);
	group_pump(e, g);
}

void engine_doorbell(struct engine *e, uint32_t qpn, uint64_t posted)
{
	struct qp *qp = &e->qps[qpn];
	uint32_t count32 = posted;

	if (!qp->used || !serial_lt(qp->posted, count32))
		return;
	begin_work(e, 0);
	if (qp->state != TALLY_QPS_RESET && count32 - qp->head <= qp->cfg.depth) {
		qp->posted = count32;
		sender_pump(e, qp);
	} else if (qp->state == TALLY_QPS_RTS) {
		overrun(e, qp);
	}
	kill_exceptions(e);
}
