// SPDX-License-Identifier: BSD-2-Clause
/* What a group waits for: ranks that are late, the oldest chunk, messages of descriptors. */
#include "engine/late.h"
#include "engine/common.h"
#include "engine/descriptor.h"
#include "engine/mode.h"
#include "engine/segment.h"
#include "engine/trigger.h"

/* Whether the result depends on data of every rank. */
static bool needs_everyone(const struct wqe *w)
{
	return w->opcode != TALLY_OPCODE_BCAST && w->opcode != TALLY_OPCODE_SCATTER;
}

static bool is_full(const struct qp *qp)
{
	return qp->admit - qp->head == WR_WINDOW;
}

/*
 * Return the ranks for which a queue pair holds a request of message `mid`, or may hold one,
 * because the engine does not know requests that it has not fetched. Requests of a queue pair begin
 * in order, so a request behind one that waits for this message never begins, and does not count.
 */
static uint64_t posted_on(struct qp *qp, uint32_t mid)
{
	bool waits = false;
	uint64_t ranks = 0;
	uint32_t i;

	if (qp->state != TALLY_QPS_RTS || qp->failing)
		return 0;
	for (i = qp->head; i != qp->admit; i++) {
		const struct wr *wr = wr_at(qp, i);

		if ((wr->state != WR_READY && wr->state != WR_ACTIVE) || is_triggered(wr->w.opcode))
			continue;
		if (wr->state == WR_READY && serial_lt(mid, wr->w.mid))
			return ranks;
		waits |= wr->state == WR_ACTIVE && !serial_lt(wr->w.mid, mid) &&
			 needs_everyone(&wr->w);
		if (wr->w.mid == mid)
			ranks |= wr->w.rank_mask;
	}
	if (qp->admit != qp->posted && !(waits && is_full(qp)))
		ranks |= qp->cfg.ranks;
	return ranks;
}

uint64_t late_ranks(struct engine *e, const struct group *g, uint32_t mid)
{
	uint64_t ranks = g->rank_mask, late = 0;
	uint32_t n;

	for (; ranks; ranks &= ranks - 1)
		if (!serial_lt(mid, g->ranks[__builtin_ctzll(ranks)].next_mid))
			late |= ranks & -ranks;
	for (n = g->qps; n != NONE && late; n = e->qps[n].next_in_group)
		late &= ~posted_on(&e->qps[n], mid);
	return late;
}

bool late_begun(const struct group *g, uint32_t mid)
{
	uint64_t ranks = g->rank_mask;

	for (; ranks; ranks &= ranks - 1)
		if (serial_lt(mid, g->ranks[__builtin_ctzll(ranks)].next_mid))
			return true;
	return false;
}

const struct slot *late_chunk(struct engine *e, const struct group *g)
{
	const struct slot *s = slot_of(e, g, g->done);

	return has_slot(g, g->done) && s->state == TALLY_SEG_BUSY ? s : NULL;
}

uint64_t late_contributors(const struct group *g, const struct slot *s)
{
	return mode_of(s->mode)->missing(g, s) | s->down_waiting | s->out_waiting | s->out_todo |
	       (s->down_have ? s->down_todo : 0);
}

uint64_t late_messages(struct engine *e, const struct group *g)
{
	uint64_t missing = 0;
	uint32_t n, i;

	if (descriptor_is_hosts(e, g)) /* it does not show whose messages have come */
		return 0;
	for (n = g->qps; n != NONE; n = e->qps[n].next_in_group) {
		struct qp *qp = &e->qps[n];

		for (i = qp->head; i != qp->admit; i++)
			missing |= trigger_lacking(g, qp, wr_at(qp, i));
	}
	return missing;
}

bool late_descriptor(struct engine *e, const struct group *g)
{
	uint32_t n, i;

	for (n = g->qps; n != NONE; n = e->qps[n].next_in_group) {
		struct qp *qp = &e->qps[n];

		for (i = qp->head; i != qp->admit; i++) {
			const struct wr *wr = wr_at(qp, i);

			if (wr->state == WR_ACTIVE && is_triggered(wr->w.opcode) && !wr->fired)
				return true;
		}
	}
	return false;
}
