// SPDX-License-Identifier: BSD-2-Clause
/*
 * Blame for the end of an epoch: what this NIC knows of its oldest unfinished chunk, and which of
 * two reports is closer to the cause. docs/protocol.md, "Who is blamed", states the rule.
 */
#include "engine/blame.h"
#include "engine/common.h"
#include "engine/mode.h"
#include "engine/segment.h"
#include "engine/trigger.h"

/* ---- Late ranks ---- */

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

uint64_t blame_late_ranks(struct engine *e, const struct group *g, uint32_t mid)
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

/* ---- The oldest chunk ---- */

/* Neighbours whose data have not arrived, or which have not acknowledged data of this node. */
static uint64_t missing(const struct group *g, const struct slot *s)
{
	return mode_of(s->mode)->missing(g, s) | s->down_waiting | s->out_waiting | s->out_todo |
	       (s->down_have ? s->down_todo : 0);
}

/* Whether the handshake with a neighbour is unanswered, and the chunk waits for that neighbour. */
static bool is_closed(const struct group *g, const struct slot *s, unsigned int idx)
{
	const struct edge *ed = &g->edges[idx];

	if (ed->state != TALLY_EDGE_OPENING || ed->awaits_epoch)
		return false;
	if (s->state != TALLY_SEG_BUSY || s->mode == TALLY_MODE_TREE)
		if (idx == g->parent)
			return true;
	return (idx == g->upstream && !knows_epoch(g)) ||
	       (s->state == TALLY_SEG_BUSY && slot_waits_on(g, s, idx));
}

/*
 * If no local rank is late, blame only neighbours whose edges did not open. While the epoch is
 * unknown, no other contributor is blamed either, because no node can begin.
 */
static void name_closed(const struct group *g, const struct slot *s, struct report *r)
{
	uint64_t closed = 0;
	bool any = false;
	unsigned int i;

	for_each_edge(g, i)
		if (is_closed(g, s, i)) {
			any = true;
			closed |= contributor_bit(i);
		}
	if (any && !r->ranks)
		r->status = TALLY_COLL_NO_HANDSHAKE;
	if (r->status == TALLY_COLL_NO_HANDSHAKE || !knows_epoch(g))
		r->contributors = closed;
}

struct report blame_oldest(struct engine *e, const struct group *g)
{
	const struct slot *s = slot_of(e, g, g->done);
	struct report r = { .status = TALLY_COLL_TIMEOUT, .mid = g->mid_done };

	if (s->state == TALLY_SEG_BUSY) {
		r.mid = s->mid;
		r.sid = s->sid;
		r.contributors = missing(g, s);
	}
	r.ranks = blame_late_ranks(e, g, r.mid);
	name_closed(g, s, &r);
	return r;
}

struct report blame_cause(struct engine *e, const struct group *g)
{
	struct report oldest = blame_oldest(e, g), r = g->exception.report;

	switch (g->exception.cause) {
	case CAUSE_TIME_OUT:
		r = oldest;
		break;
	case CAUSE_SILENCE:
		r.status = TALLY_COLL_RETRY_EXCEEDED;
		r.mid = oldest.mid;
		r.sid = oldest.sid;
		break;
	case CAUSE_KNOWN:
		break;
	}
	r.detector = g->node;
	r.level = g->level;
	return r;
}

/* ---- Reports of other nodes ---- */

/*
 * Whether the oldest chunk has waited for half its limit. If another NIC gives up on a later
 * message, neighbours are blamed for the oldest chunk only then. Late ranks are always blamed: a
 * rank that has not posted the older message has not posted the later one.
 */
static bool is_stuck(struct engine *e, const struct group *g)
{
	const struct slot *s = slot_of(e, g, g->done);

	return s->state == TALLY_SEG_BUSY && e->now - s->started >= s->limit / 2;
}

/* Return the contributors whose messages triggered descriptors wait for. */
static uint64_t lacking(struct engine *e, const struct group *g)
{
	uint64_t missing = 0;
	uint32_t n, i;

	for (n = g->qps; n != NONE; n = e->qps[n].next_in_group) {
		struct qp *qp = &e->qps[n];

		for (i = qp->head; i != qp->admit; i++)
			missing |= trigger_lacking(g, qp, wr_at(qp, i));
	}
	return missing;
}

bool blame_view(struct engine *e, const struct group *g, const struct report *told,
		struct report *mine)
{
	if (told->sid == NO_CHUNK) {
		*mine = (struct report){ .status = told->status,
					 .contributors = lacking(e, g),
					 .mid = told->mid,
					 .sid = NO_CHUNK };
		return mine->contributors;
	}
	*mine = blame_oldest(e, g);
	if (serial_lt(told->mid, mine->mid)) /* finished here: the cause is elsewhere */
		return false;
	if (mine->mid != told->mid && !is_stuck(e, g)) {
		mine->status = TALLY_COLL_TIMEOUT;
		mine->contributors = 0;
	}
	return mine->contributors || mine->ranks || mine->status == TALLY_COLL_NO_HANDSHAKE;
}

/* ---- Which report is better ---- */

static bool is_silence(uint16_t status)
{
	return status == TALLY_COLL_RETRY_EXCEEDED || status == TALLY_COLL_NO_HANDSHAKE ||
	       status == TALLY_COLL_PEER_GONE;
}

/* Kinds of reports. Any report of a kind is better than all reports of a lower kind. */
#define EVENT 2		/* of a message or of none */
#define MESSAGE 1
#define DESCRIPTOR 0	/* messages of descriptors have no order */

static unsigned int kind(const struct report *r)
{
	if (r->status != TALLY_COLL_TIMEOUT && !is_silence(r->status))
		return EVENT;
	return r->sid == NO_CHUNK ? DESCRIPTOR : MESSAGE;
}

/* Return 3 for a missing rank, 2 for a silent neighbour, 1 for missing data, 0 for mere waiting. */
static unsigned int nearness(const struct report *r)
{
	if (r->ranks)
		return 3;
	if (is_silence(r->status))
		return 2;
	return r->contributors ? 1 : 0;
}

unsigned int blame_weight(const struct report *r)
{
	return kind(r) * 4 + (kind(r) == EVENT ? 0 : nearness(r));
}

bool blame_better(const struct report *a, const struct report *b)
{
	if (kind(a) != kind(b))
		return kind(a) > kind(b);
	if (kind(a) == MESSAGE && a->mid != b->mid)
		return serial_lt(a->mid, b->mid);
	if (kind(a) == MESSAGE && a->sid != b->sid)
		return a->sid < b->sid;
	if (blame_weight(a) != blame_weight(b))
		return blame_weight(a) > blame_weight(b);
	if (a->level != b->level)
		return a->level > b->level;
	return a->detector < b->detector;
}
