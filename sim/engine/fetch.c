// SPDX-License-Identifier: BSD-2-Clause
/*
 * Request sender (001 figure 1), first half: fetches work requests as the doorbell demands. QUERY
 * and ABORT do not wait for earlier requests, so the fetcher also looks through the queue ahead of
 * the requests that are taken in. In state ERROR it reads the remaining entries to flush them.
 */
#include "engine/fetch.h"
#include "engine/common.h"
#include "engine/events.h"
#include "engine/exception.h"
#include "engine/wqe.h"

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

void fetch_ask(struct engine *e, struct qp *qp, const struct wqe *w)
{
	struct group *g = &e->groups[qp->cfg.group];

	if (w->opcode == TALLY_OPCODE_QUERY) {
		qp->question = wqe_request(w);
		qp->asked = true;
		events_query(e, qp, w->mid);
		return;
	}
	qp->abort = wqe_request(w);
	qp->abort_pending = true;
	exception_raise(e, g, w->count, 0, w->rank_mask, w->mid, 0);
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
	if (host_fetches(e) || qp->fetching || qp->failing || qp->asked)
		return;
	while (qp->admit != qp->posted && qp->admit - qp->head < WR_WINDOW &&
	       fetch_take_answered(qp, qp->admit))
		wr_take(qp, qp->admit++)->state = WR_SKIP;
	if (serial_lt(qp->scan, qp->admit))
		qp->scan = qp->admit;
	if (qp->admit != qp->posted && qp->admit - qp->head < WR_WINDOW)
		fetch(e, qp, qp->admit);
	else if (qp->scan != qp->posted && !qp->abort_pending)
		fetch(e, qp, qp->scan);
}

static struct wr *take_in(struct engine *e, struct qp *qp)
{
	struct wr *wr = wr_take(qp, qp->admit++);

	memset(wr, 0, offsetof(struct wr, w) + offsetof(struct wqe, data));
	wr->generation = ++e->generation;
	count(e, TALLY_CTR_wqes, 1);
	return wr;
}

/* A request that was taken in has this status. */
static void judge(struct engine *e, struct qp *qp, struct wr *wr, enum tally_coll_status st)
{
	wr->state = WR_READY;
	if (st != TALLY_COLL_OK) {
		count(e, TALLY_CTR_wqe_refused, 1);
		wr->state = WR_DONE;
		wr->status = st;
		qp->failing = true;
	} else if (out_of_turn(&wr->w)) {
		wr->state = WR_SKIP;
		fetch_ask(e, qp, &wr->w);
	}
}

static void admit(struct engine *e, struct qp *qp, const void *data, size_t len)
{
	enum tally_coll_status st = TALLY_COLL_WQE_FETCH;
	uint32_t index = qp->admit;
	struct wr *wr = take_in(e, qp);

	if (data)
		st = wqe_parse(e, qp, index, data, len, &wr->w);
	wr->w.index = index;
	judge(e, qp, wr, st);
}

static void look_ahead(struct engine *e, struct qp *qp, const void *data, size_t len)
{
	uint32_t index = qp->scan++;
	struct wqe w;

	if (!data || wqe_parse(e, qp, index, data, len, &w) != TALLY_COLL_OK || !out_of_turn(&w))
		return; /* it is parsed again in its turn */
	qp->answered[index % TALLY_MAX_SQ_DEPTH / 64] |= 1ULL << index % 64;
	fetch_ask(e, qp, &w);
}

void fetch_arrived(struct engine *e, struct qp *qp, uint32_t index, const void *data, size_t len)
{
	if (index == qp->admit && qp->admit - qp->head < WR_WINDOW)
		admit(e, qp, data, len);
	else if (index == qp->scan)
		look_ahead(e, qp, data, len);
}

/* What the host has judged counts, although the queue pair may have failed meanwhile. */
static void judged_by_host(struct engine *e, struct qp *qp, struct wr *wr,
			   const struct engine_request *r)
{
	wr->state = WR_READY;
	if (r->asks || r->begins)
		judge(e, qp, wr, TALLY_COLL_OK);
	else if (r->status != TALLY_COLL_OK && qp->state == TALLY_QPS_RTS && !qp->failing)
		judge(e, qp, wr, r->status);
	else
		qp->failing = true;
}

/* The host does not know yet that the queue pair has failed, so what it takes in is only flushed. */
void fetch_taken_in(struct engine *e, struct qp *qp, const struct engine_request *r)
{
	struct wr *wr = take_in(e, qp);

	wr->w = r->w;
	wr->w.jid = e->groups[qp->cfg.group].jid;
	wr->entry = r->entry;
	if (host_completes(e))
		judged_by_host(e, qp, wr, r);
	else if (qp->state == TALLY_QPS_RTS && !qp->failing)
		judge(e, qp, wr, r->status);
	else
		wr->state = WR_READY;
}
