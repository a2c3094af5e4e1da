// SPDX-License-Identifier: BSD-2-Clause
/*
 * Request sender (001 figure 1): fetches work requests, keeps their order and
 * begins them. A collective request begins when it is its ranks' next message
 * and their next chunk is within the window; QUERY and ABORT wait for nothing,
 * so the queue is also looked through ahead of what is begun.
 */
#include "engine/engine_int.h"

#include <string.h>

/* ---- Memory accesses of a request ---- */

static uint64_t tag_of(const struct engine *e, const struct qp *qp, const struct wr *wr,
		       unsigned int k)
{
	return (uint64_t)wr->generation << 32 | (uint64_t)(qp - e->qps) << 16 |
	       (uint64_t)(wr - qp->wrs) << 8 | k;
}

/* The request an answer belongs to; NULL if it is not waited for any more. */
static struct wr *wr_by_tag(struct engine *e, uint64_t tag, struct qp **qp, unsigned int *k)
{
	uint32_t qpn = tag >> 16 & 0xffff, i = tag >> 8 & 0xff;
	struct wr *wr;

	if (qpn >= TALLY_MAX_QP || i >= WR_WINDOW || !e->qps[qpn].used)
		return NULL;
	*qp = &e->qps[qpn];
	*k = tag & 0xff;
	wr = &(*qp)->wrs[i];
	return wr->generation == tag >> 32 && wr->io ? wr : NULL;
}

void wr_read(struct engine *e, struct qp *qp, struct wr *wr, unsigned int k)
{
	wr->io++;
	e->host->read(e->ctx, qp->cfg.pd, &wr->w.gather[k], tag_of(e, qp, wr, k));
}

void wr_write(struct engine *e, struct qp *qp, struct wr *wr, unsigned int k, const void *data)
{
	wr->io++;
	e->host->write(e->ctx, qp->cfg.pd, &wr->w.result[k], data, tag_of(e, qp, wr, k));
}

void wr_finish(struct engine *e, struct qp *qp, struct wr *wr, uint16_t status)
{
	wr->state = WR_DONE;
	if (!wr->status)
		wr->status = status;
	if (wr->status)
		qp->failing = true;
	status_retire(e, qp);
}

/* ---- Ranks of a request ---- */

/* The rank of the k-th bit of a mask. */
static unsigned int nth_rank(uint64_t mask, unsigned int k)
{
	while (k--)
		mask &= mask - 1;
	return __builtin_ctzll(mask);
}

static unsigned int index_of(uint64_t mask, unsigned int rank)
{
	return __builtin_popcountll(mask & ((1ULL << rank) - 1));
}

/* Ranks of the request that its gather list, or its result list, is for. */
static uint64_t list_ranks(const struct group *g, const struct wqe *w, bool result)
{
	uint64_t root = w->root_node == g->node ? w->rank_mask & 1ULL << w->root_rank : 0;

	switch (w->opcode) {
	case TALLY_OPCODE_REDUCE:
		return result ? root : w->rank_mask;
	case TALLY_OPCODE_BCAST:
		return result ? w->rank_mask & ~root : root;
	default:
		return w->rank_mask;
	}
}

static struct wr *wr_of_rank(struct engine *e, struct group *g, uint32_t num, uint64_t rank,
			     struct qp **qp)
{
	uint32_t i, n;

	for (n = g->qps; n != NONE; n = e->qps[n].next_in_group) {
		*qp = &e->qps[n];
		for (i = (*qp)->head; i != (*qp)->admit; i++) {
			struct wr *wr = wr_at(*qp, i);

			if (wr->state == WR_ACTIVE && !is_triggered(wr->w.opcode) &&
			    wr->num == num && (wr->w.rank_mask & rank))
				return wr;
		}
	}
	return NULL;
}

/* ---- Results ---- */

void sender_deliver(struct engine *e, struct group *g, struct slot *s, uint64_t ranks)
{
	for (; ranks; ranks &= ranks - 1) {
		unsigned int rank = __builtin_ctzll(ranks);
		struct qp *qp;
		struct wr *wr = wr_of_rank(e, g, s->num, 1ULL << rank, &qp);

		if (wr && wr->w.num_result)
			wr_write(e, qp, wr, index_of(list_ranks(g, &wr->w, true), rank), s->down);
		else /* nothing to write, or the queue pair is gone */
			slot_delivered(e, g, s, 1ULL << rank);
	}
}

void sender_ranks_finished(struct engine *e, struct group *g, const struct slot *s, uint64_t ranks)
{
	while (ranks) {
		uint64_t rank = ranks & -ranks;
		struct qp *qp;
		struct wr *wr = wr_of_rank(e, g, s->num, rank, &qp);

		ranks &= ~rank;
		if (!wr)
			continue;
		wr->to_go &= ~rank;
		wr->err_vector |= s->err_vector;
		if (!wr->to_go)
			wr_finish(e, qp, wr, TALLY_COLL_OK);
	}
}

/* ---- Beginning ---- */

enum turn { TURN_NOW, TURN_LATER, TURN_NEVER };

/* Is it the next message of all its ranks? */
static enum turn its_turn(struct engine *e, struct group *g, struct wr *wr)
{
	uint64_t ranks = wr->w.rank_mask;
	enum turn turn = TURN_NOW;

	for (; ranks; ranks &= ranks - 1) {
		const struct rank *r = &g->ranks[__builtin_ctzll(ranks)];

		if (serial_lt(wr->w.mid, r->next_mid)) {
			const struct slot *s = slot_of(e, g, r->next_num - 1);
			bool current = wr->w.mid == r->next_mid - 1 && s->state == SLOT_BUSY &&
				       s->mid == wr->w.mid;

			wr->status = current ? TALLY_COLL_RANK_TWICE : TALLY_COLL_MID_BEHIND;
			return TURN_NEVER;
		}
		if (wr->w.mid != r->next_mid) {
			if (!wr->since)
				wr->since = e->now;
			return TURN_LATER;
		}
		if (r->next_num - g->done >= g->num_segs)
			turn = TURN_LATER;
	}
	wr->since = 0; /* the window is the older messages' matter, which have limits of their own */
	return turn;
}

static void give_data(struct engine *e, struct qp *qp, struct group *g, struct wr *wr)
{
	struct slot *s = slot_of(e, g, wr->num);
	uint64_t givers = list_ranks(g, &wr->w, false);
	unsigned int k;

	if (wr->w.num_gather) {
		for (k = 0; k < wr->w.num_gather; k++)
			wr_read(e, qp, wr, k);
		slot_pump(e, g, s);
	} else {
		slot_contribute(e, g, s, givers, wr->w.data);
	}
}

static void begin_collective(struct engine *e, struct qp *qp, struct group *g, struct wr *wr)
{
	uint64_t ranks = wr->w.rank_mask;

	wr->num = g->ranks[__builtin_ctzll(ranks)].next_num;
	wr->to_go = ranks;
	wr->state = WR_ACTIVE;
	for (; ranks; ranks &= ranks - 1) {
		struct rank *r = &g->ranks[__builtin_ctzll(ranks)];

		r->next_mid++;
		r->next_num++;
	}
	if (slot_post(e, g, wr))
		give_data(e, qp, g, wr);
}

/* Triggered descriptors of a queue are worked in order: one waits until those before have fired. */
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

static bool begin(struct engine *e, struct qp *qp, struct group *g, uint32_t index)
{
	struct wr *wr = wr_at(qp, index);

	if (is_triggered(wr->w.opcode))
		return fired_before(qp, index) && trigger_start(e, qp, wr);
	switch (its_turn(e, g, wr)) {
	case TURN_NOW:
		begin_collective(e, qp, g, wr);
		return true;
	case TURN_NEVER:
		count(e, TALLY_CTR_wqe_refused, 1);
		wr_finish(e, qp, wr, wr->status);
		return false;
	default:
		return false;
	}
}

/* Nothing behind a failed request is begun, but what is before it goes its way. */
static void begin_all(struct engine *e, struct qp *qp, struct group *g)
{
	uint32_t i;

	for (i = qp->head; i != qp->admit && group_alive(g); i++) {
		struct wr *wr = wr_at(qp, i);

		if (qp->state != TALLY_QPS_RTS || (wr->state == WR_DONE && wr->status))
			return;
		if (wr->state == WR_ACTIVE && is_triggered(wr->w.opcode))
			trigger_pump(e, qp, wr);
		if (serial_lt(i, qp->head)) /* it retired */
			continue;
		if (wr->state == WR_READY && !begin(e, qp, g, i))
			return;
		if (serial_lt(i, qp->head))
			i = qp->head - 1;
	}
}

/* ---- QUERY and ABORT ---- */

bool sender_take_answered(struct qp *qp, uint32_t index)
{
	uint64_t *word = &qp->answered[index % TALLY_MAX_SQ_DEPTH / 64];
	uint64_t bit = 1ULL << index % 64;
	bool was = *word & bit;

	*word &= ~bit;
	return was;
}

static void answer_query(struct engine *e, struct qp *qp, const struct wqe *w)
{
	struct group *g = &e->groups[qp->cfg.group];
	struct report r = { .detector = g->node, .mid = w->mid };
	uint8_t flags = TALLY_CQE_F_UNKNOWN;
	uint32_t i;

	for (i = 0; i < g->num_segs; i++) {
		const struct slot *s = &e->slots[g->seg_base + i];

		if (s->state == SLOT_FINISHED && s->mid == w->mid)
			flags = 0;
		if (s->state == SLOT_BUSY && s->mid == w->mid) {
			r.contributors = s->up_contributors;
			r.ranks = g->rank_mask & ~s->posted;
			flags = TALLY_CQE_F_PENDING;
		}
	}
	if (serial_lt(w->mid, g->done))
		flags = 0;
	if (g->report.status) /* the epoch is over: say what ended it */
		r = g->report;
	status_out_of_turn(e, qp, w, TALLY_COLL_OK, flags, &r);
}

static void answer(struct engine *e, struct qp *qp, const struct wqe *w)
{
	struct group *g = &e->groups[qp->cfg.group];

	if (w->opcode == TALLY_OPCODE_QUERY) {
		answer_query(e, qp, w);
		return;
	}
	qp->abort = *w;
	qp->abort_pending = true;
	if (group_alive(g))
		kill_group(e, g, TALLY_COLL_ABORTED, 0, w->rank_mask, w->mid, 0);
}

static bool out_of_turn(const struct wqe *w)
{
	return w->opcode == TALLY_OPCODE_QUERY || w->opcode == TALLY_OPCODE_ABORT;
}

/* ---- Fetching ---- */

static void fetch(struct engine *e, struct qp *qp, uint32_t index)
{
	qp->fetching = true;
	qp->fetch_index = index;
	e->host->fetch_wqe(e->ctx, qp - e->qps, index);
}

static void fetch_next(struct engine *e, struct qp *qp)
{
	while (qp->admit != qp->posted && qp->admit - qp->head < WR_WINDOW &&
	       sender_take_answered(qp, qp->admit))
		wr_at(qp, qp->admit++)->state = WR_SKIP;
	if (serial_lt(qp->scan, qp->admit))
		qp->scan = qp->admit;
	if (qp->admit != qp->posted && qp->admit - qp->head < WR_WINDOW)
		fetch(e, qp, qp->admit);
	else if (qp->scan != qp->posted && !qp->abort_pending)
		fetch(e, qp, qp->scan);
}

void sender_pump(struct engine *e, struct qp *qp)
{
	struct group *g = &e->groups[qp->cfg.group];

	if (qp->state == TALLY_QPS_RTS && group_alive(g)) {
		begin_all(e, qp, g);
		if (!qp->fetching && !qp->failing && qp->state == TALLY_QPS_RTS)
			fetch_next(e, qp);
	}
	status_retire(e, qp);
}

static void admit(struct engine *e, struct qp *qp, const void *data, size_t len)
{
	uint32_t index = qp->admit++;
	struct wr *wr = wr_at(qp, index);
	enum tally_coll_status st = TALLY_COLL_WQE_FETCH;

	memset(wr, 0, sizeof(*wr));
	wr->generation = ++e->generation;
	wr->w.index = index;
	count(e, TALLY_CTR_wqes, 1);
	if (data)
		st = wqe_parse(e, qp, index, data, len, &wr->w);
	wr->w.index = index;
	wr->state = WR_READY;
	if (st != TALLY_COLL_OK) {
		count(e, TALLY_CTR_wqe_refused, 1);
		wr_finish(e, qp, wr, st);
	} else if (out_of_turn(&wr->w)) {
		wr->state = WR_SKIP;
		answer(e, qp, &wr->w);
	}
}

static void look_ahead(struct engine *e, struct qp *qp, const void *data, size_t len)
{
	uint32_t index = qp->scan++;
	struct wqe w;

	if (!data || wqe_parse(e, qp, index, data, len, &w) != TALLY_COLL_OK || !out_of_turn(&w))
		return; /* it is looked at again in its turn */
	qp->answered[index % TALLY_MAX_SQ_DEPTH / 64] |= 1ULL << index % 64;
	answer(e, qp, &w);
}

void engine_wqe(struct engine *e, uint32_t qpn, uint32_t index, const void *data, size_t len)
{
	struct qp *qp = &e->qps[qpn];

	if (!qp->used || !qp->fetching || index != qp->fetch_index)
		return;
	qp->fetching = false;
	if (qp->fetch_stale) {
		qp->fetch_stale = false;
	} else if (qp->state == TALLY_QPS_RTS && !qp->failing) {
		if (index == qp->admit && qp->admit - qp->head < WR_WINDOW)
			admit(e, qp, data, len);
		else if (index == qp->scan)
			look_ahead(e, qp, data, len);
	}
	group_pump(e, &e->groups[qp->cfg.group]);
}

void engine_doorbell(struct engine *e, uint32_t qpn, uint64_t posted)
{
	struct qp *qp = &e->qps[qpn];
	uint32_t count32 = posted;

	if (!qp->used || !serial_lt(qp->posted, count32))
		return;
	if (qp->state == TALLY_QPS_RESET || count32 - qp->head > qp->cfg.depth) {
		/* the user has overrun its own queue: nothing in it can be trusted */
		if (qp->state == TALLY_QPS_RTS) {
			qp->state = TALLY_QPS_ERROR;
			e->host->event(e->ctx, TALLY_EQE_QP_FATAL, qpn, 0);
			status_retire(e, qp);
		}
		return;
	}
	qp->posted = count32;
	sender_pump(e, qp);
}

/* ---- Answers of the host ---- */

void engine_read_done(struct engine *e, uint64_t tag, enum tally_coll_status status,
		      const void *data, size_t len)
{
	unsigned int k;
	struct qp *qp;
	struct wr *wr = wr_by_tag(e, tag, &qp, &k);
	struct group *g;
	uint64_t rank;

	if (!wr)
		return;
	g = &e->groups[qp->cfg.group];
	wr->io--;
	if (wr->state != WR_ACTIVE || !group_alive(g)) {
		status_retire(e, qp);
		return;
	}
	if (status != TALLY_COLL_OK || len != wr->w.len) {
		kill_group(e, g, TALLY_COLL_DMA_ERROR, 0, wr->w.rank_mask, wr->w.mid, 0);
		return;
	}
	if (is_triggered(wr->w.opcode)) {
		trigger_data(e, wr, data);
	} else {
		rank = 1ULL << nth_rank(list_ranks(g, &wr->w, false), k);
		slot_contribute(e, g, slot_of(e, g, wr->num), rank, data);
	}
	group_pump(e, g);
}

void engine_write_done(struct engine *e, uint64_t tag, enum tally_coll_status status)
{
	unsigned int k;
	struct qp *qp;
	struct wr *wr = wr_by_tag(e, tag, &qp, &k);
	struct group *g;

	if (!wr)
		return;
	g = &e->groups[qp->cfg.group];
	wr->io--;
	if (status == TALLY_COLL_OK)
		wr->bytes += wr->w.len;
	else
		wr->status = TALLY_COLL_DMA_ERROR;
	if (wr->state != WR_ACTIVE || !(group_alive(g) || g->state == TALLY_GROUP_COLLECT)) {
		status_retire(e, qp);
		return;
	}
	if (is_triggered(wr->w.opcode))
		trigger_written(e, qp, wr);
	else
		slot_delivered(e, g, slot_of(e, g, wr->num),
			       1ULL << nth_rank(list_ranks(g, &wr->w, true), k));
	group_pump(e, g);
}

/* ---- Time limits of what is not in a slot ---- */

static uint64_t limit_of(const struct group *g, const struct wr *wr)
{
	uint64_t limit = wr->w.timeout && wr->w.timeout < g->timeout ? wr->w.timeout : g->timeout;

	return wr->since ? wr->since + limit / 4 * 3 : NEVER;
}

static bool is_timed(const struct wr *wr)
{
	return wr->state == WR_READY || (wr->state == WR_ACTIVE && is_triggered(wr->w.opcode));
}

uint64_t sender_next(const struct engine *e, const struct group *g)
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
	    wr->w.cpcnt < (uint32_t)__builtin_popcountll(g->contributors))
		return 0;
	return g->contributors & ~qp->counters[wr->w.counter].counted[0];
}

uint64_t sender_lacking(struct engine *e, const struct group *g)
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

static void time_out(struct engine *e, struct group *g, const struct qp *qp, const struct wr *wr)
{
	uint64_t ranks = 0, missing;
	uint32_t mid;

	if (is_triggered(wr->w.opcode)) {
		missing = wr->fired ? wr->send_todo | wr->send_waiting : lacking(g, qp, wr);
		kill_group(e, g, TALLY_COLL_TIMEOUT, missing, 0, wr->w.mid, NO_CHUNK);
	} else {
		mid = skipped_mid(g, wr, &ranks);
		kill_group(e, g, TALLY_COLL_TIMEOUT, 0, ranks, mid, 0);
	}
}

void sender_timers(struct engine *e, struct group *g)
{
	uint32_t n, i;

	for (n = g->qps; n != NONE; n = e->qps[n].next_in_group) {
		struct qp *qp = &e->qps[n];

		for (i = qp->head; i != qp->admit && group_alive(g); i++)
			if (is_timed(wr_at(qp, i)) && limit_of(g, wr_at(qp, i)) <= e->now)
				time_out(e, g, qp, wr_at(qp, i));
	}
}

void sender_group_dead(struct engine *e, struct qp *qp)
{
	const struct report *r = &e->groups[qp->cfg.group].report;
	uint32_t i;

	for (i = qp->head; i != qp->admit; i++) {
		struct wr *wr = wr_at(qp, i);

		if (wr->state != WR_ACTIVE)
			continue;
		trigger_release(e, wr);
		wr->report = *r;
		wr->status = r->status;
		wr->state = WR_DONE;
	}
	rmq_flush(e, qp);
	qp->failing = true;
	if (qp->state == TALLY_QPS_RTS)
		qp->state = TALLY_QPS_ERROR;
	status_retire(e, qp);
}
