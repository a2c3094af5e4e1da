// SPDX-License-Identifier: BSD-2-Clause
/*
 * Effect of a failed queue pair on other ranks. A queue pair fails when a request is refused, a
 * result cannot be written, or its send or completion queue is overrun. A rank can still take part
 * if another queue pair may post for it. If there is none, the rank never will, and the epoch ends
 * at once instead of at the time limit.
 */
#include "engine/qp_failure.h"
#include "engine/coll_status.h"
#include "engine/common.h"
#include "engine/exception.h"
#include "engine/mirror.h"
#include "engine/store.h"

/*
 * In RESET a queue pair may work again. One with a refused request works until the request retires.
 */
static bool may_work(const struct qp *qp)
{
	return qp->state == TALLY_QPS_RTS || qp->state == TALLY_QPS_RESET;
}

uint64_t qp_failure_mute(struct engine *e, const struct group *g, const struct qp *qp, uint64_t ranks)
{
	uint32_t n;

	ranks &= qp->cfg.ranks;
	for (n = g->qps; n != NONE; n = e->qps[n].next_in_group)
		if (&e->qps[n] != qp && may_work(&e->qps[n]))
			ranks &= ~e->qps[n].cfg.ranks;
	return ranks;
}

uint64_t qp_failure_skips(struct engine *e, const struct group *g, const struct qp *qp,
		       const struct wr *wr)
{
	/* if a queue pair was destroyed, its process is ending or creates another */
	uint64_t ranks = qp_failure_mute(e, g, qp, wr->w.rank_mask & ~g->had_qp), skip = 0;

	for (; ranks; ranks &= ranks - 1)
		if (serial_lt(g->ranks[__builtin_ctzll(ranks)].next_mid, wr->w.mid))
			skip |= ranks & -ranks;
	return skip;
}

/* Return what the sender of the host must know of a queue pair: bits of enum sender_flag. */
static uint32_t flags_of(struct engine *e, const struct group *g, const struct qp *qp)
{
	uint32_t flags = TALLY_FW_SENDER_F_BEGINS, n;

	if (qp->cfg.ranks & (qp->cfg.ranks - 1))
		flags |= TALLY_FW_SENDER_F_SHARED;
	if (e->qps[g->qps].next_in_group == NONE && !g->had_qp)
		flags |= TALLY_FW_SENDER_F_ALONE;
	for (n = g->qps; n != NONE; n = e->qps[n].next_in_group)
		if (&e->qps[n] != qp && (e->qps[n].cfg.ranks & qp->cfg.ranks))
			flags |= TALLY_FW_SENDER_F_OTHERS;
	return flags;
}

void qp_failure_tell_sender(struct engine *e, const struct group *g)
{
	bool begins = store_begins(e, g);
	uint32_t n;

	if (!host_delivers(e))
		return;
	for (n = g->qps; n != NONE; n = e->qps[n].next_in_group) {
		struct qp *qp = &e->qps[n];
		uint32_t flags = begins ? flags_of(e, g, qp) : 0;
		uint64_t sole = begins ? qp_failure_mute(e, g, qp, ~g->had_qp) : 0;

		if (flags == qp->told_flags && sole == qp->told_sole)
			continue;
		qp->told_flags = flags;
		qp->told_sole = sole;
		mirror_sender_qp(e, qp);
	}
}

/* End the epoch if some of these ranks have no other queue pair. */
static void tell(struct engine *e, struct group *g, const struct qp *qp, uint16_t status,
		 uint64_t ranks, uint32_t mid)
{
	if (!group_alive(g))
		return;
	ranks = qp_failure_mute(e, g, qp, ranks);
	if (ranks)
		exception_raise(e, g, status, 0, ranks, mid, 0);
}

void qp_failure_retired(struct engine *e, struct group *g, const struct qp *qp, uint16_t status,
			uint64_t ranks, uint32_t mid)
{
	if (qp->left_behind) /* the request was of an earlier epoch */
		return;
	g->qp_errors++; /* requests of other queue pairs may wait for those behind it */
	if (status == TALLY_COLL_WQE_FETCH) /* the ranks of the request are unknown */
		tell(e, g, qp, status, qp->cfg.ranks, g->mid_done);
	else if (coll_status_is_local(status))
		tell(e, g, qp, status, ranks, mid);
}

void qp_failure_queue_failed(struct engine *e, struct group *g, const struct qp *qp,
			  enum tally_coll_status status)
{
	tell(e, g, qp, status, qp->cfg.ranks, g->mid_done);
}
