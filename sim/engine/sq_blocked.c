// SPDX-License-Identifier: BSD-2-Clause
/*
 * Jams. Requests of a queue pair are fetched, begin and retire in order. If several ranks share a
 * queue pair, a rank's part of the oldest message may be behind requests that cannot proceed
 * without it. Nothing can resolve that, so the epoch ends at once instead of at the time limit.
 */
#include "engine/sq_blocked.h"
#include "engine/common.h"
#include "engine/exception.h"
#include "engine/qp_failure.h"
#include "engine/wqe.h"

static bool is_collective(const struct wr *wr)
{
	return (wr->state == WR_READY || wr->state == WR_ACTIVE) && !is_triggered(wr->w.opcode);
}

/*
 * Return the ranks of the queue pair that have not begun the oldest message, and for which no other
 * queue pair may post.
 */
static uint64_t lacking(struct engine *e, const struct group *g, const struct qp *qp)
{
	/* if a queue pair was destroyed, its process is ending or creates another */
	uint64_t ranks = qp->cfg.ranks & ~g->had_qp, late = 0;

	for (; ranks; ranks &= ranks - 1)
		if (!serial_lt(g->mid_done, g->ranks[__builtin_ctzll(ranks)].next_mid))
			late |= ranks & -ranks;
	return late ? qp_failure_mute(e, g, qp, late) : 0;
}

/*
 * Whether a request is the next message of its ranks and waits for the window, so for the oldest
 * chunk to finish.
 */
static bool is_shut_out(const struct group *g, const struct wr *wr)
{
	uint64_t ranks = wr->w.rank_mask;

	for (; ranks; ranks &= ranks - 1) {
		const struct rank *r = &g->ranks[__builtin_ctzll(ranks)];

		if (r->next_mid != wr->w.mid || r->next_num - g->done < g->max_segs)
			return false;
	}
	return wr->state == WR_READY;
}

/*
 * Of the ranks that have not begun the oldest message, return those without which a begun request
 * cannot retire. A request that has its result and only writes its flag word needs no exception:
 * its result depends on data of every local rank, so none of them lacks the oldest message.
 */
static uint64_t waits_for(const struct group *g, const struct wr *wr)
{
	const struct wqe *w = &wr->w;

	if (wr->state != WR_ACTIVE || serial_lt(w->mid, g->mid_done) || (w->flags & TALLY_WQE_F_EMPTY))
		return 0;
	if (w->opcode == TALLY_OPCODE_BARRIER)
		return ~0ULL;
	if (!w->total || !wqe_getters(g, w))
		return 0;
	if (w->opcode == TALLY_OPCODE_BCAST || w->opcode == TALLY_OPCODE_SCATTER)
		return w->root_node == g->node ? 1ULL << w->root_rank : 0;
	return ~0ULL;
}

/*
 * Return the ranks whose request for the oldest message is behind one that waits for the window.
 * Removes from `ranks` those whose request is ahead of all such requests.
 */
static uint64_t behind(const struct group *g, struct qp *qp, uint64_t *ranks)
{
	uint64_t found = 0;
	bool shut = false;
	uint32_t i;

	for (i = qp->head; i != qp->admit; i++) {
		const struct wr *wr = wr_at(qp, i);

		if (!is_collective(wr))
			continue;
		if (wr->w.mid == g->mid_done && shut)
			found |= wr->w.rank_mask;
		else if (wr->w.mid == g->mid_done)
			*ranks &= ~wr->w.rank_mask;
		shut |= is_shut_out(g, wr);
	}
	return found;
}

/*
 * Return the ranks for which no request can be taken in while the request at the head stays there.
 */
static uint64_t unfetched(const struct group *g, struct qp *qp)
{
	const struct wr *head = wr_at(qp, qp->head);

	if (qp->admit - qp->head != WR_WINDOW || qp->admit == qp->posted || !is_collective(head))
		return 0;
	return is_shut_out(g, head) ? ~0ULL : waits_for(g, head);
}

void sq_blocked_check(struct engine *e, struct qp *qp)
{
	struct group *g = &e->groups[qp->cfg.group];
	uint64_t ranks, stuck;

	if (qp->state != TALLY_QPS_RTS || qp->failing || qp->head == qp->admit || !group_alive(g))
		return;
	ranks = lacking(e, g, qp);
	if (!ranks)
		return;
	stuck = behind(g, qp, &ranks);
	ranks &= stuck | unfetched(g, qp);
	if (ranks)
		exception_raise(e, g, TALLY_COLL_SQ_BLOCKED, 0, ranks, g->mid_done, 0);
}
