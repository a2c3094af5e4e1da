// SPDX-License-Identifier: BSD-2-Clause
/*
 * Calls the engine's status update: status.c, wr.c, and the ends of local.c and entry.c. What the sender does with a request,
 * which is to begin it and its chunks, is here.
 */
#include "engine/common.h"
#include "engine/events.h"
#include "engine/commands.h"
#include "engine/fetch.h"
#include "engine/late.h"
#include "engine/local.h"
#include "engine/qp.h"
#include "engine/request.h"
#include "engine/sender.h"
#include "engine/status.h"
#include "engine/wr.h"

#include "status_model.h"

#include <stdlib.h>
#include <string.h>

#define EVENTS (1u << 12)
#define SLOT 7

static struct engine *e;
static struct model_event events[EVENTS];
static unsigned int first, last;
static uint64_t counters[256], tag_of_write, flag_tags[TALLY_MAX_QP][WR_WINDOW];
static bool flag_due;

static void add(struct model_event event)
{
	if (last - first == EVENTS)
		abort();
	events[last++ % EVENTS] = event;
}

bool model_next_event(struct model_event *event)
{
	if (first == last)
		return false;
	*event = events[first++ % EVENTS];
	return true;
}

/* ---- What the engine asks of its host ---- */

static bool fetches(void *ctx)
{
	(void)ctx;
	return true;
}

static void retired(void *ctx, uint32_t qpn)
{
	(void)ctx;
	add((struct model_event){ .what = MODEL_RETIRED, .qp = qpn });
}

static void notice(void *ctx, uint32_t qpn, bool fails)
{
	(void)ctx;
	add((struct model_event){ .what = fails ? MODEL_FAILS : MODEL_ANSWERED, .qp = qpn });
}

static void complete(void *ctx, uint32_t cqn, const struct tally_cqe *cqe, bool solicited, uint64_t delay)
{
	(void)ctx;
	(void)delay;
	add((struct model_event){ .what = MODEL_COMPLETION, .qp = cqe->qpn, .cqn = cqn, .cqe = *cqe, .solicited = solicited });
}

/* A queue pair goes into ERROR: with its oldest request, or because its epoch has ended. */
static void table(void *ctx, uint32_t reg, uint32_t value)
{
	struct qp *qp = &e->qps[value >> 16];
	const struct wr *wr;

	(void)ctx;
	if (reg != TALLY_FW_REQUEST_BASE + offsetof(struct tally_fw_request, go) || (value & 0xff) != TALLY_FW_REQUEST_FAIL_QP)
		return;
	wr = wr_at(qp, qp->head);
	if (!qp->left_behind)
		add((struct model_event){ .what = MODEL_FAILED, .qp = value >> 16, .status = wr->status, .ranks = wr->w.rank_mask, .mid = wr->w.mid });
	add((struct model_event){ .what = MODEL_ERROR, .qp = value >> 16 });
}

static void write(void *ctx, uint32_t pd, const struct engine_sge *sge, const void *data, uint64_t tag, uint64_t delay)
{
	(void)ctx;
	(void)pd;
	(void)data;
	(void)delay;
	flag_due = sge->length == sizeof(uint32_t) && sge->lkey == TALLY_WQE_F_FLAG_WORD;
	tag_of_write = tag;
}

static void counted(void *ctx, enum tally_counter counter, uint64_t n)
{
	(void)ctx;
	counters[counter] += n;
}

static const struct engine_host host = {
	.fetches = fetches,
	.retired = retired,
	.notice = notice,
	.complete = complete,
	.table = table,
	.write = write,
	.count = counted,
};

/* ---- Groups and queue pairs ---- */

void model_reset(void)
{
	static char busy;

	if (e)
		e->firmware = NULL;
	engine_free(e);
	e = engine_new(&host, NULL, 1);
	if (!e)
		abort();
	e->firmware = (struct fiber *)&busy; /* the bench answers each QUERY */
	first = last = 0;
	memset(counters, 0, sizeof(counters));
}

struct model_inverse model_group(unsigned int group, uint32_t jid, uint16_t node, uint32_t max_segs)
{
	struct group *g = &e->groups[group];

	g->state = TALLY_GROUP_COLLECT;
	g->qps = NONE;
	g->jid = jid;
	g->node = node;
	g->by_segs = divisor_of(max_segs);
	g->report = (struct report){ 0 };
	return (struct model_inverse){ g->by_segs.inverse, g->by_segs.shift };
}

void model_create(unsigned int n, unsigned int group, unsigned int cqn, unsigned int state, unsigned int requests)
{
	struct qp *qp = &e->qps[n];

	if (qp->used)
		qp_discard(e, n);
	qp->cfg.group = group;
	qp->cfg.cqn = cqn;
	qp->state = state;
	qp->requests = requests;
	qp_create(e, n);
	e->groups[group].qps = NONE;
}

static void set_report(struct qp *qp, const struct model_report *r)
{
	e->groups[qp->cfg.group].report = (struct report){
		.status = r->status, .detector = r->detector, .contributors = r->contributors, .ranks = r->ranks, .sid = r->sid
	};
}

void model_set_state(unsigned int n, unsigned int state, const struct model_report *r)
{
	struct qp *qp = &e->qps[n];

	if (state == TALLY_QPS_RESET)
		qp_discard(e, n);
	if (state == TALLY_QPS_RTS) /* the firmware permits it in the next epoch only */
		e->groups[qp->cfg.group].report = (struct report){ 0 };
	if (state == TALLY_QPS_ERROR)
		set_report(qp, r);
	qp->state = state;
	status_retire(e, qp);
}

void model_end_epoch(unsigned int n, const struct model_report *r)
{
	struct qp *qp = &e->qps[n];

	set_report(qp, r);
	sender_group_dead(e, qp);
}

void model_answer(unsigned int n, const struct model_report *answer, uint8_t flags)
{
	e->command.qp = n;
	e->command.contributors = answer->contributors;
	e->command.ranks = answer->ranks;
	e->command.sid = answer->sid;
	e->command.flags = flags;
	commands_go(e, TALLY_FW_CMD_ANSWER | NO_EDGE << 8 | (uint32_t)e->qps[n].cfg.group << 16);
	status_retire(e, &e->qps[n]);
}

/* ---- Requests ---- */

void model_posted(unsigned int n, uint32_t count)
{
	e->qps[n].posted = count;
}

void model_take(unsigned int n, enum tally_fw_verdict verdict, const struct model_request *q)
{
	struct engine_request r = { .qpn = n, .index = q->index, .verdict = verdict, .status = q->status };
	struct qp *qp = &e->qps[n];

	r.w.opcode = q->opcode;
	r.w.flags = q->flags;
	r.w.index = q->index;
	r.w.mid = q->mid;
	r.w.chunks = q->chunks;
	r.w.rank_mask = q->rank_mask;
	r.w.flag = (struct engine_sge){ .length = sizeof(uint32_t), .lkey = TALLY_WQE_F_FLAG_WORD };
	engine_request(e, &r);
	events_drop_query(e, qp);
	status_retire(e, qp);
}

void model_skip(unsigned int n, bool passes)
{
	struct qp *qp = &e->qps[n];

	engine_skipped(e, n, passes);
	status_retire(e, qp);
}

/* Returns the slot of a chunk that this request has posted for all of its ranks. */
static struct slot *slot_of_chunk(struct qp *qp, const struct wr *wr, uint32_t num, uint16_t err_vector)
{
	struct slot *s = &e->slots[SLOT];

	memset(s, 0, offsetof(struct slot, data));
	s->num = num;
	s->group = qp->cfg.group;
	s->err_vector = err_vector;
	for (unsigned int rank = 0; rank < TALLY_MAX_RANKS; rank++)
		s->by[rank] = (struct wr_ref){ qp - e->qps, wr - qp->wrs };
	return s;
}

/* Ranks have finished a chunk. Those of a descriptor are in no slot: trigger.c ends it as a whole. */
static void finished(struct qp *qp, struct wr *wr, const struct slot *s, uint64_t ranks)
{
	if (!is_triggered(wr->w.opcode)) {
		local_finished(e, s, ranks);
		return;
	}
	for (; ranks; ranks &= ranks - 1) {
		wr->err_vector |= s->err_vector;
		if (!--wr->to_go)
			wr_complete(e, qp, wr);
	}
}

static bool writes_flag(unsigned int n, uint32_t index)
{
	if (flag_due)
		flag_tags[n][index % WR_WINDOW] = tag_of_write;
	return flag_due;
}

bool model_chunk(unsigned int n, uint32_t index, uint32_t num, uint64_t ranks, uint16_t err_vector)
{
	struct qp *qp = &e->qps[n];
	struct wr *wr = wr_at(qp, index);

	flag_due = false;
	if (wr->state == WR_READY) {
		wr->state = WR_ACTIVE;
		wr->num = num;
		wr->to_go = (uint64_t)wr->w.chunks * __builtin_popcountll(wr->w.rank_mask);
	}
	wr->begun++;
	finished(qp, wr, slot_of_chunk(qp, wr, num, err_vector), ranks);
	status_retire(e, qp);
	return writes_flag(n, index);
}

void model_refuse(unsigned int n, uint32_t index, uint16_t status, uint16_t err_vector)
{
	struct wr *wr = wr_at(&e->qps[n], index);

	wr->err_vector |= err_vector;
	wr_finish(e, &e->qps[n], wr, status);
}

/* As trigger.c does it. */
void model_mismatch(unsigned int n, uint32_t index, uint16_t err_vector, uint64_t contributors)
{
	struct qp *qp = &e->qps[n];
	struct wr *wr = wr_at(qp, index);

	wr->err_vector |= err_vector;
	if (!wr->status) {
		wr->status = TALLY_COLL_MISMATCH;
		wr->report = (struct report){
			.status = wr->status,
			.detector = e->groups[qp->cfg.group].node,
			.contributors = contributors,
			.mid = wr->w.mid,
		};
	}
	wr_complete(e, qp, wr);
}

static unsigned int entry_of(const struct wr *wr, uint64_t rank)
{
	return __builtin_popcountll(wr->w.rank_mask & (rank - 1));
}

bool model_finish(unsigned int n, uint32_t index, uint32_t num, uint64_t ranks, uint16_t err_vector, uint32_t bytes, bool failed)
{
	static const uint8_t data[TALLY_MAX_MTU];
	struct qp *qp = &e->qps[n];
	struct wr *wr = wr_at(qp, index);
	struct slot *s = slot_of_chunk(qp, wr, num, err_vector);

	flag_due = false;
	if (bytes) {
		wr_write(e, qp, wr, entry_of(wr, ranks), SLOT, 0, bytes, data);
		flag_due = false;
		engine_write_done(e, tag_of_write, failed ? TALLY_COLL_DMA_ERROR : TALLY_COLL_OK);
	} else {
		finished(qp, wr, s, ranks);
	}
	return writes_flag(n, index);
}

void model_flag_written(unsigned int n, uint32_t index, bool failed)
{
	engine_write_done(e, flag_tags[n][index % WR_WINDOW], failed ? TALLY_COLL_DMA_ERROR : TALLY_COLL_OK);
}

/* ---- What the bench may do ---- */

unsigned int model_state(unsigned int n)
{
	return e->qps[n].state;
}

uint32_t model_head(unsigned int n)
{
	return e->qps[n].head;
}

uint32_t model_admit(unsigned int n)
{
	return e->qps[n].admit;
}

bool model_failing(unsigned int n)
{
	return e->qps[n].failing;
}

bool model_left(unsigned int n)
{
	return e->qps[n].left_behind;
}

bool model_asked(unsigned int n)
{
	return e->qps[n].asked;
}

bool model_is_ready(unsigned int n, uint32_t index)
{
	return wr_at(&e->qps[n], index)->state == WR_READY;
}

bool model_is_active(unsigned int n, uint32_t index)
{
	return wr_at(&e->qps[n], index)->state == WR_ACTIVE;
}

uint64_t model_count(enum tally_counter counter)
{
	return counters[counter];
}

/* No rank has begun the message, so all are late but those of the queue pair. Rank 63 stands for what is not known. */
uint64_t model_holds(unsigned int n, uint32_t mid, bool *more)
{
	struct qp *qp = &e->qps[n];
	struct group *g = &e->groups[qp->cfg.group];
	const uint64_t ranks = qp->cfg.ranks, mask = g->rank_mask;
	struct rank before[TALLY_MAX_RANKS];
	uint64_t held;
	unsigned int i;

	memcpy(before, g->ranks, sizeof(before));
	for (i = 0; i < TALLY_MAX_RANKS; i++)
		g->ranks[i].next_mid = mid;
	g->rank_mask = ~0ULL;
	g->qps = n;
	qp->next_in_group = NONE;
	qp->cfg.ranks = 0;
	held = ~late_ranks(e, g, mid);
	g->rank_mask = 1ULL << 63;
	qp->cfg.ranks = 1ULL << 63;
	*more = !late_ranks(e, g, mid) && !(held >> 63);
	g->rank_mask = mask;
	g->qps = NONE;
	qp->cfg.ranks = ranks;
	memcpy(g->ranks, before, sizeof(before));
	return held;
}
