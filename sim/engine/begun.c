// SPDX-License-Identifier: BSD-2-Clause
#include "engine/begun.h"
#include "engine/coll_status.h"
#include "engine/common.h"
#include "engine/descriptor.h"
#include "engine/segment.h"
#include "engine/store.h"
#include "engine/trigger.h"
#include "engine/wr.h"

/* ---- What begins ---- */

void begun_message(struct group *g, struct wr *wr)
{
	uint64_t ranks = wr->w.rank_mask;

	wr->to_go = (uint64_t)wr->w.chunks * __builtin_popcountll(ranks);
	wr->state = WR_ACTIVE;
	for (; ranks; ranks &= ranks - 1)
		g->ranks[__builtin_ctzll(ranks)].next_mid++;
}

void begun_chunk(struct group *g, struct wr *wr)
{
	uint64_t ranks = wr->w.rank_mask;

	wr->begun++;
	for (; ranks; ranks &= ranks - 1) {
		struct rank *r = &g->ranks[__builtin_ctzll(ranks)];

		r->next_num++;
		r->streaming = wr->begun != wr->w.chunks;
	}
}

/* Triggered descriptors of a queue begin in order: each waits until those before it have fired. */
static bool fired_before(struct qp *qp, uint32_t index)
{
	uint32_t i;

	for (i = qp->head; i != index; i++) {
		const struct wr *wr = wr_at(qp, i);

		if (wr->state == WR_ACTIVE && is_triggered(wr->w.opcode) && !wr->fired)
			return false;
	}
	return true;
}

bool begun_descriptor(struct engine *e, struct qp *qp, uint32_t index)
{
	return fired_before(qp, index) && trigger_start(e, qp, wr_at(qp, index));
}

/* ---- What the host does not do ---- */

/* Note since when a request waits for its turn, or that it only waits for the window. */
static void note_turn(struct engine *e, struct group *g, struct wr *wr)
{
	uint64_t ranks = wr->w.rank_mask;

	for (; ranks; ranks &= ranks - 1) {
		if (serial_lt(g->ranks[__builtin_ctzll(ranks)].next_mid, wr->w.mid)) {
			wr_wait(e, g, wr);
			return;
		}
	}
	wr->since = 0;
}

static bool fails(const struct qp *qp, const struct wr *wr)
{
	return qp->state != TALLY_QPS_RTS ||
	       (wr->state == WR_DONE && !coll_status_spares_queue(wr->status));
}

void begun_pump(struct engine *e, struct qp *qp, struct group *g)
{
	uint32_t i;

	for (i = qp->head; i != qp->admit && group_alive(g); i++) {
		struct wr *wr = wr_at(qp, i);

		if (fails(qp, wr))
			return;
		if (wr->state == WR_ACTIVE && is_triggered(wr->w.opcode)) {
			trigger_pump(e, qp, wr);
		} else if (wr->state == WR_READY && wr->handed) {
			begun_descriptor(e, qp, i);
		} else if (wr->state == WR_READY) {
			if (!is_triggered(wr->w.opcode))
				note_turn(e, g, wr);
			return; /* those behind it are not judged */
		}
	}
}

/* ---- What it says ---- */

static void refused(struct engine *e, struct qp *qp, struct wr *wr, uint16_t status)
{
	count(e, TALLY_CTR_wqe_refused, 1);
	wr_finish(e, qp, wr, status);
}

static void chunk(struct engine *e, struct qp *qp, struct wr *wr, const struct engine_begun *b)
{
	struct group *g = &e->groups[qp->cfg.group];
	uint32_t sid = wr->begun;

	if (!sid) {
		wr->num = b->num;
		begun_message(g, wr);
	}
	begun_chunk(g, wr);
	if (b->here && store_raises(e, g, &b->answer))
		return;
	if (!slot_post(e, g, qp, wr, sid))
		return;
	if (b->here)
		store_posted(e, g, slot_of(e, g, b->num), &wr->w, &b->answer);
	if (group_alive(g))
		slot_pump(e, g, slot_of(e, g, b->num));
}

/* It has begun if the host carries it out, and otherwise may begin here. */
static void descriptor(struct engine *e, const struct qp *qp, struct wr *wr)
{
	if (descriptor_is_hosts(e, &e->groups[qp->cfg.group]))
		wr->state = WR_ACTIVE;
	else
		wr->handed = true;
}

void begun_by_host(struct engine *e, struct qp *qp, struct wr *wr, const struct engine_begun *b)
{
	if (b->refused)
		refused(e, qp, wr, b->status);
	else if (is_triggered(wr->w.opcode))
		descriptor(e, qp, wr);
	else
		chunk(e, qp, wr, b);
}
