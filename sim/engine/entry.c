// SPDX-License-Identifier: BSD-2-Clause
/*
 * Entry points for work: the doorbell, the entries of send queues and the answers of memory. Each
 * hands what has arrived to its unit, and then lets the units of the group proceed.
 */
#include "engine/common.h"
#include "engine/edge.h"
#include "engine/exception.h"
#include "engine/fetch.h"
#include "engine/group.h"
#include "engine/firmware_run.h"
#include "engine/qp.h"
#include "engine/outcome.h"
#include "engine/qp_failure.h"
#include "engine/segment.h"
#include "engine/sender.h"
#include "engine/status.h"
#include "engine/trigger.h"
#include "engine/wqe.h"
#include "engine/wr.h"
#include "alu/alu.h"

#include <stdlib.h>

/* Let the group proceed, and handle what cannot. */
static void settle(struct engine *e, struct group *g)
{
	group_pump(e, g);
	firmware_run(e);
}

/* ---- Send queues ---- */

void engine_wqe(struct engine *e, uint32_t qpn, uint32_t index, const void *data, size_t len)
{
	struct qp *qp = &e->qps[qpn];

	if (!qp->used || !qp->fetching || index != qp->fetch_index)
		return;
	qp->fetching = false;
	begin_work(e, e->timing.request);
	if (qp->fetch_stale) {
		qp->fetch_stale = false;
	} else if (status_wants_entry(qp, index)) {
		status_flush_entry(e, qp, data);
	} else if (qp->state == TALLY_QPS_RTS && !qp->failing) {
		fetch_arrived(e, qp, index, data, len);
	}
	settle(e, &e->groups[qp->cfg.group]);
}

/* Put the queue pair into error: the user has overrun its own queue, so no entry can be trusted. */
static void overrun(struct engine *e, struct qp *qp)
{
	struct group *g = &e->groups[qp->cfg.group];

	qp_set_state(e, qp, TALLY_QPS_ERROR);
	e->host->event(e->ctx, TALLY_EQE_QP_FATAL, qp - e->qps, 0);
	qp_failure_queue_failed(e, g, qp, TALLY_COLL_SQ_OVERRUN);
	status_retire(e, qp);
	settle(e, g);
}

void engine_overrun(struct engine *e, uint32_t qpn)
{
	struct qp *qp = &e->qps[qpn];

	begin_work(e, 0);
	if (qp->used && qp->state == TALLY_QPS_RTS)
		overrun(e, qp);
}

void engine_posted(struct engine *e, uint32_t qpn, uint32_t count)
{
	struct qp *qp = &e->qps[qpn];

	if (!qp->used)
		return;
	begin_work(e, 0);
	qp->posted = count;
	sender_pump(e, qp);
	firmware_run(e);
}

static void skipped(struct qp *qp, bool passes)
{
	if (passes && qp->head != qp->admit)
		abort(); /* the host has lost a request */
	if (passes)
		status_pass_head(qp);
	else
		wr_take(qp, qp->admit++)->state = WR_SKIP;
}

void engine_skipped(struct engine *e, uint32_t qpn, bool passes)
{
	struct qp *qp = &e->qps[qpn];

	if (!qp->used)
		return;
	begin_work(e, 0);
	skipped(qp, passes);
	settle(e, &e->groups[qp->cfg.group]);
}

static void parsed(struct engine *e, struct qp *qp, const struct engine_request *r)
{
	const struct request q = wqe_request(&r->w);

	if (r->verdict == TALLY_FW_VERDICT_FLUSH && host_completes(e))
		status_pass_head(qp);
	else if (r->verdict == TALLY_FW_VERDICT_FLUSH)
		status_flush_head(e, qp, &q);
	else if (r->verdict == TALLY_FW_VERDICT_AHEAD)
		fetch_ask(e, qp, &r->w);
	else
		fetch_taken_in(e, qp, r);
}

void engine_retired(struct engine *e, uint32_t qpn)
{
	begin_work(e, 0);
	if (e->qps[qpn].used)
		outcome_retired(&e->qps[qpn]);
}

void engine_flag_due(struct engine *e, uint32_t qpn, uint16_t entry)
{
	struct qp *qp = &e->qps[qpn];

	begin_work(e, 0);
	if (qp->used)
		wr_write_flag(e, qp, outcome_find(qp, entry));
}

void engine_failed(struct engine *e, uint32_t qpn, uint16_t status, uint64_t ranks, uint32_t mid)
{
	struct qp *qp = &e->qps[qpn];
	struct group *g = &e->groups[qp->cfg.group];

	if (!qp->used)
		return;
	begin_work(e, 0);
	qp_set_state(e, qp, TALLY_QPS_ERROR);
	qp_failure_retired(e, g, qp, status, ranks, mid);
	settle(e, g);
}

/* The event of the host follows. */
void engine_frozen(struct engine *e, uint32_t group)
{
	struct group *g = &e->groups[group];

	if (!group_alive(g))
		return;
	begin_work(e, 0);
	exception_freeze(e, g);
	settle(e, g);
}

/* ---- Descriptors of a host ---- */

void engine_fired(struct engine *e, uint32_t qpn, uint16_t entry)
{
	struct qp *qp = &e->qps[qpn];
	struct group *g = &e->groups[qp->cfg.group];

	if (!qp->used || !group_alive(g))
		return;
	begin_work(e, 0);
	outcome_find(qp, entry)->fired = true;
	count(e, TALLY_CTR_fired, 1);
	settle(e, g);
}

void engine_message_left(struct engine *e, uint32_t group, uint32_t edge, bool again)
{
	struct group *g = &e->groups[group];

	if (!group_alive(g))
		return;
	begin_work(e, 0);
	if (again)
		edge_repeated(e, &g->edges[edge]);
	else
		edge_left(g, edge);
}

void engine_message_there(struct engine *e, uint32_t group, uint32_t edge)
{
	struct group *g = &e->groups[group];

	if (!group_alive(g))
		return;
	begin_work(e, 0);
	edge_there(g, edge);
	settle(e, g);
}

/* ---- Requests and doorbells ---- */

void engine_request(struct engine *e, const struct engine_request *r)
{
	struct qp *qp = &e->qps[r->qpn];

	if (!qp->used)
		return;
	begin_work(e, e->timing.request);
	parsed(e, qp, r);
	settle(e, &e->groups[qp->cfg.group]);
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
		firmware_run(e);
	} else if (qp->state == TALLY_QPS_RTS) {
		overrun(e, qp);
	}
}

/* Return the rank of the k-th bit of a mask. */
static unsigned int nth_rank(uint64_t mask, unsigned int k)
{
	while (k--)
		mask &= mask - 1;
	return __builtin_ctzll(mask);
}

/* ---- Answers of memory ---- */

static void contribute(struct engine *e, struct group *g, const struct access *a, const void *data)
{
	struct slot *s = &e->slots[a->seg];
	unsigned int rank = nth_rank(wqe_givers(g, &a->wr->w), a->entry);
	uint8_t pairs[TALLY_MAX_MTU];
	const struct wqe *w = &a->wr->w;

	if (w->flags & TALLY_WQE_F_LOC_VALUES) {
		alu_expand_loc(w->dtype, pairs, data, s->count, w->loc_index + s->first);
		data = pairs;
	}
	slot_contribute(e, g, s, rank, data);
}

void engine_read_done(struct engine *e, uint64_t tag, enum tally_coll_status status,
		      const void *data, size_t len)
{
	struct access a;
	struct group *g;

	(void)len;
	if (!wr_access(e, tag, &a))
		return;
	begin_work(e, 0);
	g = &e->groups[a.qp->cfg.group];
	a.wr->io--;
	if (a.wr->state != WR_ACTIVE || !group_alive(g)) {
		status_retire(e, a.qp);
		return;
	}
	if (status != TALLY_COLL_OK)
		exception_raise(e, g, TALLY_COLL_DMA_ERROR, 0, a.wr->w.rank_mask, a.wr->w.mid, 0);
	else if (is_triggered(a.wr->w.opcode))
		trigger_data(e, a.qp, a.wr, data);
	else
		contribute(e, g, &a, data);
	settle(e, g);
}

static void written(struct engine *e, struct group *g, const struct access *a)
{
	struct slot *s = &e->slots[a->seg];

	if (is_triggered(a->wr->w.opcode))
		trigger_written(e, a->qp, a->wr);
	else
		slot_delivered(e, s, nth_rank(wqe_getters(g, &a->wr->w), a->entry));
}

void engine_write_done(struct engine *e, uint64_t tag, enum tally_coll_status status)
{
	struct access a;
	struct group *g;

	if (!wr_access(e, tag, &a))
		return;
	begin_work(e, 0);
	g = &e->groups[a.qp->cfg.group];
	a.wr->io--;
	if (status != TALLY_COLL_OK && !a.wr->status)
		a.wr->status = TALLY_COLL_DMA_ERROR;
	if (a.entry == WR_FLAG_ENTRY && host_completes(e))
		outcome_flag_written(e, a.qp, a.wr, status != TALLY_COLL_OK);
	if (a.entry == WR_FLAG_ENTRY && a.wr->state == WR_ACTIVE)
		wr_finish(e, a.qp, a.wr, TALLY_COLL_OK);
	else if (a.wr->state == WR_ACTIVE && (group_alive(g) || g->state == TALLY_GROUP_COLLECT))
		written(e, g, &a);
	else
		status_retire(e, a.qp);
	settle(e, g);
}
