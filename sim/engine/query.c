// SPDX-License-Identifier: BSD-2-Clause
/* Answers to QUERY work requests, out of turn. */
#include "engine/query.h"
#include "engine/late.h"
#include "engine/common.h"
#include "engine/mode.h"
#include "engine/status.h"

/* Return the oldest unfinished chunk of a message, or NULL if no slot has one. */
static const struct slot *oldest_chunk(struct engine *e, const struct group *g, uint32_t mid)
{
	uint32_t num;

	for (num = g->done; num != g->limit; num++) {
		const struct slot *s = slot_of(e, g, num);

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

void query_answer(struct engine *e, struct qp *qp)
{
	struct group *g = &e->groups[qp->cfg.group];
	const struct request *q = &qp->question;
	struct report r = { .detector = g->node, .mid = q->mid };
	const struct slot *s = oldest_chunk(e, g, q->mid);
	uint8_t flags = TALLY_CQE_F_UNKNOWN;

	qp->asked = false;
	if (serial_lt(q->mid, g->mid_done)) {
		flags = 0;
	} else if (s) {
		r.contributors = mode_of(s->mode)->missing(g, s);
		r.ranks = late_ranks(e, g, s->mid);
		r.sid = s->sid;
		flags = TALLY_CQE_F_PENDING;
	} else if (begun_here(g, q->mid)) {
		flags = TALLY_CQE_F_PENDING;
	}
	if (g->report.status) /* the epoch has ended: report the cause */
		r = g->report;
	status_out_of_turn(e, qp, q, TALLY_COLL_OK, flags, &r);
}
