// SPDX-License-Identifier: BSD-2-Clause
/*
 * Time limits of work requests that are in no slot, because they are ahead of their turn or
 * triggered.
 */
#include "engine/wr_timeout.h"
#include "engine/late.h"
#include "engine/common.h"
#include "engine/exception.h"
#include "engine/trigger.h"

static uint64_t limit_of(const struct group *g, const struct qp *qp, const struct wr *wr)
{
	uint64_t limit = wr->w.timeout && wr->w.timeout < g->timeout ? wr->w.timeout : g->timeout;

	if (!wr->since)
		return NEVER;
	/* Early enough for the receivers of its message to learn of it within their limits. */
	return limit_passes(wr->since, limit, trigger_lacks_messages(qp, wr) ? 4 : 6);
}

static bool is_timed(const struct wr *wr)
{
	return wr->state == WR_READY || (wr->state == WR_ACTIVE && is_triggered(wr->w.opcode) &&
					 !wr->flag_written);
}

uint64_t wr_timeout_next(struct engine *e, const struct group *g)
{
	uint64_t next = NEVER, t;
	uint32_t n, i;

	for (n = g->qps; n != NONE; n = e->qps[n].next_in_group) {
		struct qp *qp = &e->qps[n];

		for (i = qp->head; i != qp->admit; i++) {
			const struct wr *wr = wr_at(qp, i);

			t = is_timed(wr) ? limit_of(g, qp, wr) : NEVER;
			next = t < next ? t : next;
		}
	}
	return next;
}

static void triggered_out(struct engine *e, struct group *g, const struct qp *qp,
			  const struct wr *wr)
{
	uint16_t status = wr->starved ? TALLY_COLL_RMQ_OVERFLOW : TALLY_COLL_TIMEOUT;
	uint64_t missing = wr->fired ? wr->send_todo | wr->send_waiting : trigger_lacking(g, qp, wr);

	exception_raise(e, g, status, missing, 0, wr->w.mid, NO_CHUNK);
}

/*
 * Handle the time limit of a request that is ahead of its turn. Either a rank has not posted the
 * oldest message, or all ranks have, and its chunks have their own limits.
 */
static void ahead_out(struct engine *e, struct group *g, struct wr *wr)
{
	const struct slot *oldest = late_chunk(e, g);

	if (late_ranks(e, g, oldest ? oldest->mid : g->mid_done))
		exception_time_out(e, g);
	else
		wr->since = 0;
}

bool wr_timeout_expire(struct engine *e, struct group *g)
{
	bool fired = false;
	uint32_t n, i;

	for (n = g->qps; n != NONE; n = e->qps[n].next_in_group) {
		struct qp *qp = &e->qps[n];

		for (i = qp->head; i != qp->admit && group_alive(g); i++) {
			struct wr *wr = wr_at(qp, i);

			if (!is_timed(wr) || limit_of(g, qp, wr) > e->now)
				continue;
			if (trigger_lacks_messages(qp, wr)) {
				trigger_give_up(e, qp, wr);
				fired = true;
			} else if (is_triggered(wr->w.opcode)) {
				triggered_out(e, g, qp, wr);
			} else {
				ahead_out(e, g, wr);
			}
		}
	}
	return fired;
}
