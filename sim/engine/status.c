// SPDX-License-Identifier: BSD-2-Clause
/* Status update (003): requests retire in order and report their outcome in a CQE. */
#include "engine/status.h"
#include "engine/coll_status.h"
#include "engine/common.h"
#include "engine/fetch.h"
#include "engine/outcome.h"
#include "engine/qp.h"
#include "engine/qp_failure.h"
#include "engine/wqe.h"

#include <endian.h>
#include <string.h>

static void complete(struct engine *e, const struct qp *qp, const struct request *q,
		     struct tally_cqe *cqe, const struct report *r, uint16_t status, uint8_t wc)
{
	const struct group *g = &e->groups[qp->cfg.group];
	bool solicited = (q->flags & TALLY_WQE_F_SOLICITED) || status;

	cqe->qpn = htole32(qp - e->qps);
	cqe->wqe_index = htole32(q->index);
	cqe->jid = htole32(g->jid);
	cqe->mid = htole32(q->mid);
	cqe->opcode = q->opcode;
	cqe->coll_status = htole16(status);
	cqe->status = wc;
	cqe->detector = htole16(r ? r->detector : g->node);
	cqe->contributors = htole64(r ? r->contributors : 0);
	cqe->ranks = htole64(r ? r->ranks : 0);
	if (r)
		cqe->sid = htole32(r->sid);
	e->host->complete(e->ctx, qp->cfg.cqn, cqe, solicited,
			  after(e, e->timing.status));
}

void status_out_of_turn(struct engine *e, struct qp *qp, const struct request *q, uint16_t status,
			uint8_t flags, const struct report *r)
{
	struct tally_cqe cqe = { .flags = TALLY_CQE_F_NO_RETIRE | flags };

	complete(e, qp, q, &cqe, r, status, coll_status_wc(status));
}

/* The end of the group is the fault of the ranks that the report names. */
static uint8_t wc_of(const struct group *g, const struct wr *wr)
{
	const struct report *r = &wr->report;
	bool other = r->detector != g->node || !(r->ranks & wr->w.rank_mask);

	return r->status && other ? coll_status_wc_of_end(wr->status) : coll_status_wc(wr->status);
}

static void retire(struct engine *e, struct qp *qp, struct wr *wr)
{
	struct group *g = &e->groups[qp->cfg.group];
	struct tally_cqe cqe = {
		.byte_cnt = htole32(wr->bytes),
		.err_vector = htole16(wr->err_vector),
		.seg = htole16(wr->begun ? modulo(&g->by_segs, wr->num + wr->begun - 1) : 0),
		.sid = htole32(wr->begun ? wr->begun - 1 : 0),
	};
	const struct request q = wqe_request(&wr->w);

	if (wr->state == WR_DONE) {
		count(e, wr->status ? TALLY_CTR_messages_failed : TALLY_CTR_messages, 1);
		if (wr->status || (wr->w.flags & TALLY_WQE_F_SIGNALED))
			complete(e, qp, &q, &cqe, wr->report.status ? &wr->report : NULL,
				 wr->status, wc_of(g, wr));
		if (!coll_status_spares_queue(wr->status)) {
			qp_set_state(e, qp, TALLY_QPS_ERROR);
			qp_failure_retired(e, g, qp, wr->status, wr->w.rank_mask, wr->w.mid);
		}
	}
	wr_return(qp, wr);
}

/*
 * Flush a request that has not begun, in a queue pair in error. If the group has ended, the
 * completion has the cause.
 */
static void flush(struct engine *e, struct qp *qp, const struct request *q)
{
	const struct report *r = &e->groups[qp->cfg.group].report;
	uint16_t status = r->status ? r->status : TALLY_COLL_FLUSHED;
	struct tally_cqe cqe = { 0 };

	complete(e, qp, q, &cqe, r->status ? r : NULL, status, TALLY_WC_WR_FLUSH_ERR);
}

void status_pass_head(struct qp *qp)
{
	qp->admit = ++qp->head;
	if (serial_lt(qp->scan, qp->admit))
		qp->scan = qp->admit;
}

bool status_wants_entry(const struct qp *qp, uint32_t index)
{
	return qp->state == TALLY_QPS_ERROR && qp->head == qp->admit && qp->head != qp->posted &&
	       index == qp->head;
}

void status_flush_head(struct engine *e, struct qp *qp, const struct request *q)
{
	flush(e, qp, q);
	status_pass_head(qp);
}

/* The completion only repeats fields of the entry, so none is checked. */
void status_flush_entry(struct engine *e, struct qp *qp, const void *data)
{
	struct request q = { .index = qp->head };
	struct tally_wqe in;

	if (data) {
		memcpy(&in, data, sizeof(in));
		q.opcode = in.opcode;
		q.mid = le32toh(in.mid);
	}
	status_flush_head(e, qp, &q);
}

/*
 * Flush a request that was not fetched. Returns false if it must be fetched first, so that its
 * completion can say which request it was.
 */
static bool flush_unfetched(struct engine *e, struct qp *qp)
{
	if (host_fetches(e)) /* it does so by itself */
		return false;
	if (!fetch_take_answered(qp, qp->head)) {
		fetch_to_flush(e, qp);
		return false;
	}
	status_pass_head(qp);
	return true;
}

static void finish_abort(struct engine *e, struct qp *qp)
{
	if (!qp->abort_pending || qp->head != qp->posted || !qp->left_behind)
		return;
	qp->abort_pending = false;
	status_out_of_turn(e, qp, &qp->abort, TALLY_COLL_OK, 0, NULL);
}

void status_retire(struct engine *e, struct qp *qp)
{
	if (host_completes(e)) { /* it does all this */
		outcome_try_end(e, qp);
		return;
	}
	while (qp->head != qp->posted) {
		struct wr *wr = wr_at(qp, qp->head);

		if (qp->head == qp->admit) {
			if (qp->state != TALLY_QPS_ERROR || !flush_unfetched(e, qp))
				break;
			continue;
		}
		if (wr->state == WR_READY && qp->state == TALLY_QPS_ERROR) {
			const struct request q = wqe_request(&wr->w);

			flush(e, qp, &q);
			wr_release(qp, wr);
			wr_return(qp, wr);
		} else if ((wr->state == WR_DONE || wr->state == WR_SKIP) && !wr->io) {
			retire(e, qp, wr);
		} else {
			break;
		}
		qp->head++;
		if (host_fetches(e))
			e->host->retired(e->ctx, qp - e->qps);
	}
	finish_abort(e, qp);
}
