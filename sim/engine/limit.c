// SPDX-License-Identifier: BSD-2-Clause
/* Time limits of work requests that are in no slot: ahead of their turn, or triggered. */
#include "engine/engine_int.h"

static uint64_t limit_of(const struct group *g, const struct wr *wr)
{
	uint64_t limit = wr->w.timeout && wr->w.timeout < g->timeout ? wr->w.timeout : g->timeout;

	return wr->since ? wr->since + limit / 4 * 3 : NEVER;
}

static bool is_timed(const struct wr *wr)
{
	return wr->state == WR_READY || (wr->state == WR_ACTIVE && is_triggered(wr->w.opcode) &&
					 !wr->flag_written);
}

uint64_t limit_next(const struct engine *e, const struct group *g)
{
	uint64_t next = NEVER, t;
	uint32_t n, i;

	for (n = g->qps; n != NONE; n = e->qps[n].next_in_group) {
		const struct qp *qp = &e->qps[n];

		for (i = qp->head; i != qp->admit; i++) {
			const struct wr *wr = &qp->wrs[i % WR_WINDOW];

			t = is_timed(wr) ? limit_of(g, wr) : NEVER;
			next = t < next ? t : next;
		}
	}
	return next;
}

/*
 * Contributors whose message a descriptor lacks. It does not say whom it waits
 * for: that is known only where a reduction needs a message of every one.
 */
static uint64_t lacking(const struct group *g, const struct qp *qp, const struct wr *wr)
{
	if (wr->state != WR_ACTIVE || wr->w.opcode != TALLY_OPCODE_REDUCE_MP || wr->fired ||
	    wr->w.cpcnt < g->num_contributors)
		return 0;
	return g->contributors & ~qp->counters[wr->w.counter].counted[0];
}

uint64_t limit_lacking(struct engine *e, const struct group *g)
{
	uint64_t missing = 0;
	uint32_t n, i;

	for (n = g->qps; n != NONE; n = e->qps[n].next_in_group) {
		struct qp *qp = &e->qps[n];

		for (i = qp->head; i != qp->admit; i++)
			missing |= lacking(g, qp, wr_at(qp, i));
	}
	return missing;
}

/* A request ahead of its turn: the message that nobody posts, of which ranks. */
static uint32_t skipped_mid(const struct group *g, const struct wr *wr, uint64_t *ranks)
{
	uint64_t left = wr->w.rank_mask;
	uint32_t mid = wr->w.mid;

	for (; left; left &= left - 1) {
		uint32_t next = g->ranks[__builtin_ctzll(left)].next_mid;

		if (serial_lt(next, mid)) {
			mid = next;
			*ranks = 0;
		}
		if (next == mid)
			*ranks |= left & -left;
	}
	return mid;
}

uint64_t limit_late_ranks(struct engine *e, const struct group *g, uint64_t ranks, uint32_t mid)
{
	uint32_t n, i;

	for (n = g->qps; n != NONE; n = e->qps[n].next_in_group) {
		struct qp *qp = &e->qps[n];

		for (i = qp->head; i != qp->admit; i++) {
			const struct wr *wr = wr_at(qp, i);

			if ((wr->state == WR_READY || wr->state == WR_ACTIVE) && wr->w.mid == mid &&
			    !is_triggered(wr->w.opcode))
				ranks &= ~wr->w.rank_mask;
		}
	}
	return ranks;
}

static void triggered_out(struct engine *e, struct group *g, const struct qp *qp,
			  const struct wr *wr)
{
	uint16_t status = wr->starved ? TALLY_COLL_RMQ_OVERFLOW : TALLY_COLL_TIMEOUT;
	uint64_t missing = wr->fired ? wr->send_todo | wr->send_waiting : lacking(g, qp, wr);

	kill_group(e, g, status, missing, 0, wr->w.mid, NO_CHUNK);
}

/* Somebody has left out a message; or all have posted, and it is the window that is waited for. */
static void ahead_out(struct engine *e, struct group *g, struct wr *wr)
{
	uint64_t ranks = 0;
	uint32_t mid = skipped_mid(g, wr, &ranks);

	ranks = limit_late_ranks(e, g, ranks, mid);
	if (ranks)
		kill_group(e, g, TALLY_COLL_TIMEOUT, 0, ranks, mid, 0);
	else
		wr->since = 0;
}

void limit_timers(struct engine *e, struct group *g)
{
	uint32_t n, i;

	for (n = g->qps; n != NONE; n = e->qps[n].next_in_group) {
		struct qp *qp = &e->qps[n];

		for (i = qp->head; i != qp->admit && group_alive(g); i++) {
			struct wr *wr = wr_at(qp, i);

			if (!is_timed(wr) || limit_of(g, wr) > e->now)
				continue;
			if (is_triggered(wr->w.opcode))
				triggered_out(e, g, qp, wr);
			else
				ahead_out(e, g, wr);
		}
	}
}
