// SPDX-License-Identifier: BSD-2-Clause
/*
 * Request sender (001 figure 1), second half: keeps the order of work requests, begins them, and
 * divides messages into chunks. A collective request begins when it is the next message of its
 * ranks; its chunks follow as the window permits.
 */
#include "engine/sender.h"
#include "engine/begun.h"
#include "engine/coll_status.h"
#include "engine/common.h"
#include "engine/fetch.h"
#include "engine/sq_blocked.h"
#include "engine/outcome.h"
#include "engine/pool.h"
#include "engine/qp.h"
#include "engine/qp_failure.h"
#include "engine/rmq.h"
#include "engine/segment.h"
#include "engine/status.h"
#include "engine/store.h"
#include "engine/trigger.h"
#include "engine/wr.h"

/* ---- Beginning ---- */

enum turn { TURN_NOW, TURN_LATER, TURN_NEVER };

static bool is_busy(struct engine *e, const struct group *g, uint32_t num)
{
	return has_slot(g, num) && slot_of(e, g, num)->state == TALLY_SEG_BUSY;
}

/* Whether a request is the next message of all its ranks. */
static enum turn its_turn(struct engine *e, struct qp *qp, struct group *g, struct wr *wr)
{
	uint64_t ranks = wr->w.rank_mask;
	enum turn turn = TURN_NOW;

	for (; ranks; ranks &= ranks - 1) {
		const struct rank *r = &g->ranks[__builtin_ctzll(ranks)];

		if (serial_lt(wr->w.mid, r->next_mid)) {
			bool current = wr->w.mid == r->next_mid - 1 &&
				       (r->streaming || is_busy(e, g, r->next_num - 1));

			wr->status = current ? TALLY_COLL_RANK_TWICE : TALLY_COLL_MID_BEHIND;
			return TURN_NEVER;
		}
		if (wr->w.mid != r->next_mid) {
			wr_wait(e, g, wr);
			if (!qp_failure_skips(e, g, qp, wr))
				return TURN_LATER;
			wr->status = TALLY_COLL_MID_SKIPPED;
			return TURN_NEVER;
		}
		if (r->streaming)
			turn = TURN_LATER;
	}
	/*
	 * The request only waits for the window, so for older messages, which have their own
	 * limits.
	 */
	wr->since = 0;
	return turn;
}

/* Return the number before which the chunks of a request may enter their slots by now. */
static uint32_t end_of(const struct group *g, const struct wr *wr)
{
	uint32_t first = serial_lt(g->done, wr->num) ? wr->num : g->done;
	uint32_t end = wr->num + wr->w.chunks;

	return wr->w.seg_count && wr->w.seg_count < end - first ? first + wr->w.seg_count : end;
}

/* Whether chunk `sid` of a request, which has so many, may enter its slot now. */
static bool window_open(struct engine *e, struct group *g, const struct wr *wr, uint32_t sid)
{
	uint32_t end = end_of(g, wr);

	if (pool_borrow(e, g, end))
		edge_hurry_limit(e, g, wr->w.mode);
	return has_slot(g, wr->num + sid) && serial_lt(wr->num + sid, end);
}

static void stream(struct engine *e, struct qp *qp, struct group *g, struct wr *wr)
{
	while (wr->begun != wr->w.chunks && window_open(e, g, wr, wr->begun)) {
		uint32_t sid = wr->begun;

		begun_chunk(g, wr);
		if (host_completes(e))
			outcome_chunk(e, qp, wr);
		if (!slot_post(e, g, qp, wr, sid))
			return;
		slot_pump(e, g, slot_of(e, g, wr->num + sid));
	}
}

static bool begin_collective(struct engine *e, struct qp *qp, struct group *g, struct wr *wr)
{
	wr->num = g->ranks[__builtin_ctzll(wr->w.rank_mask)].next_num;
	if (!window_open(e, g, wr, 0))
		return false;
	begun_message(g, wr);
	stream(e, qp, g, wr);
	return true;
}

static bool begin(struct engine *e, struct qp *qp, struct group *g, uint32_t index)
{
	struct wr *wr = wr_at(qp, index);

	if (is_triggered(wr->w.opcode))
		return begun_descriptor(e, qp, index);
	switch (its_turn(e, qp, g, wr)) {
	case TURN_NOW:
		return begin_collective(e, qp, g, wr);
	case TURN_NEVER:
		count(e, TALLY_CTR_wqe_refused, 1);
		if (host_completes(e))
			outcome_refused(e, qp, wr);
		wr_finish(e, qp, wr, wr->status);
		return false;
	default:
		return false;
	}
}

static void go_on(struct engine *e, struct qp *qp, struct group *g, struct wr *wr)
{
	if (is_triggered(wr->w.opcode))
		trigger_pump(e, qp, wr);
	else
		stream(e, qp, g, wr);
}

/* No request behind a failed one begins, but those before it proceed. */
static void begin_all(struct engine *e, struct qp *qp, struct group *g)
{
	uint32_t i;

	for (i = qp->head; i != qp->admit && group_alive(g); i++) {
		struct wr *wr = wr_at(qp, i);

		if (qp->state != TALLY_QPS_RTS ||
		    (wr->state == WR_DONE && !coll_status_spares_queue(wr->status)))
			return;
		if (wr->state == WR_ACTIVE)
			go_on(e, qp, g, wr);
		if (serial_lt(i, qp->head)) /* it has retired */
			continue;
		if (wr->state == WR_READY && !begin(e, qp, g, i))
			return;
		if (serial_lt(i, qp->head))
			i = qp->head - 1;
	}
}

void sender_pump(struct engine *e, struct qp *qp)
{
	struct group *g = &e->groups[qp->cfg.group];

	if (qp->state == TALLY_QPS_RTS && group_alive(g)) {
		if (store_begins(e, g))
			begun_pump(e, qp, g);
		else
			begin_all(e, qp, g);
		if (qp->state == TALLY_QPS_RTS)
			fetch_next(e, qp);
		sq_blocked_check(e, qp);
	}
	status_retire(e, qp);
}

/* ---- The end ---- */

void sender_group_dead(struct engine *e, struct qp *qp)
{
	const struct report *r = &e->groups[qp->cfg.group].report;
	uint32_t i;

	for (i = qp->head; i != qp->admit; i++) {
		struct wr *wr = wr_at(qp, i);

		if (wr->state != WR_ACTIVE)
			continue;
		wr_release(qp, wr);
		if (wr->flag_written) /* flag word in flight: it succeeds */
			continue;
		wr->report = *r;
		wr->status = r->status;
		wr->state = WR_DONE;
	}
	rmq_flush(e, qp);
	if (host_completes(e))
		outcome_epoch_ends(qp, r);
	if (qp->state != TALLY_QPS_RESET) { /* in RESET it holds nothing, and may join the next epoch */
		qp->failing = qp->left_behind = true;
		qp_set_state(e, qp, TALLY_QPS_ERROR);
	}
	status_retire(e, qp);
}
