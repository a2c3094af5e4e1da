// SPDX-License-Identifier: BSD-2-Clause
/* Queues: a queue pair for each, and one completion queue for all queues of a process. */
#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coll/priv.h"
#include "tally-push.h"

#define STRIDE		512
#define SQ_DEPTH	(COLL_QUEUE_DEPTH + 1)	/* an ABORT always fits */
#define MOST_INLINE	256	/* as in collectives/transport */

/* What the caller wants to know of a request, by its slot. */
struct entry {
	uint64_t id;
	bool quiet;
	const void *flag;	/* NULL: none */
};

struct tc_queue {
	struct tc_queue *next;	/* of the process */
	struct coll_rank *rank;
	struct coll_group *group;
	struct host_qp qp;
	uint64_t ranks;
	uint32_t quiet;		/* requests since the last one with a completion */
	struct entry entry[SQ_DEPTH];
};

/* ---- Cost ---- */
static uint64_t pushed_bytes(uint64_t bytes)
{
	return tally_push_lines(bytes) * sizeof(struct tally_push_line);
}

/* Returns the most bytes that are cheaper in a pushed request than behind a list entry. */
uint32_t coll_queue_inline(const struct sim_coll *s)
{
	const struct bench_params *p = s->cfg.c.params;
	const uint32_t step = 16;
	uint32_t bytes = 0;

	if (s->cfg.max_inline)
		return s->cfg.max_inline < MOST_INLINE ? s->cfg.max_inline : MOST_INLINE;
	while (bytes + step <= MOST_INLINE) {
		uint64_t size = host_wqe_bytes(0, 1, bytes + step), list = host_wqe_bytes(1, 1, 0);
		vtime_t data = bench_bytes_time(pushed_bytes(size), p->push_rate);
		vtime_t read = bench_bytes_time(pushed_bytes(list), p->push_rate) + p->pcie_read +
			       bench_bytes_time(bytes + step, p->pcie_rate);

		if (data > read)
			break;
		bytes += step;
	}
	return bytes;
}

uint32_t coll_queue_depth(const struct sim_coll *s)
{
	uint32_t depth = s->cfg.queue_depth;

	return depth && depth < COLL_QUEUE_DEPTH ? depth : COLL_QUEUE_DEPTH;
}

/* Takes the CPU's time, and waits for the bus, which pushes of other ranks may hold. */
static void charge(struct tc_queue *q, uint32_t bytes)
{
	const struct bench_params *p = coll_params(q->rank);
	struct coll_node *n = q->rank->node;
	vtime_t push = 0, begun, free;

	if (q->qp.push && tally_is_pushed(1, bytes))
		push = bench_bytes_time(pushed_bytes(bytes), p->push_rate);
	coll_compute(q->rank, p->post + push);
	if (!push)
		return;
	begun = coll_now(q->rank) - push;
	free = (begun > n->bus ? begun : n->bus) + bench_bytes_time(pushed_bytes(bytes), p->pcie_rate);
	n->bus = free > coll_now(q->rank) ? free : coll_now(q->rank);
	coll_sleep_until(q->rank, n->bus);
}

/* ---- Flag words ---- */
static void await_flag(struct coll_node *n, const void *at, struct coll_rank *r)
{
	for (uint32_t i = 0; i < n->num_awaited; i++)
		if (n->awaited[i].at == at)
			return;
	if (n->num_awaited == n->room_awaited) {
		n->room_awaited = n->room_awaited ? 2 * n->room_awaited : 64;
		n->awaited = realloc(n->awaited, n->room_awaited * sizeof(*n->awaited));
		if (!n->awaited)
			abort();
	}
	n->awaited[n->num_awaited++] = (struct coll_awaited){ at, r };
}

/* A request that failed writes no flag. */
static void forget_flag(struct coll_node *n, const void *at)
{
	for (uint32_t i = 0; i < n->num_awaited; i++)
		if (n->awaited[i].at == at) {
			n->awaited[i] = n->awaited[--n->num_awaited];
			return;
		}
}

/* ---- Posts ---- */
static struct tally_sge sge(const struct tc_entry *e)
{
	return (struct tally_sge){ .addr = htole64(e->addr), .length = htole32(e->bytes),
				   .lkey = htole32(e->key) };
}

static void fill(const struct tc_queue *q, const struct tc_work *work, struct host_wr *wr)
{
	wr->w = (struct tally_wqe){
		.opcode = work->opcode,
		.op = work->op,
		.dtype = work->dtype,
		.count = htole64(work->count),
		.jid = htole32(q->group->jid),
		.mid = htole32(work->mid),
		.root_node = htole16(work->root_node),
		.root_rank = work->root_rank,
		.rank_mask = htole64(work->rank_mask),
		.mode = work->mode,
	};
	wr->num_gather = wr->num_result = wr->data_len = 0;
	wr->data = NULL;
	if (work->flags & TC_WORK_INLINE) {
		wr->data = work->data;
		wr->data_len = work->from.bytes;
	} else if (work->flags & TC_WORK_FROM) {
		wr->gather[wr->num_gather++] = sge(&work->from);
	}
	if (work->flags & TC_WORK_TO)
		wr->result[wr->num_result++] = sge(&work->to);
}

/* A queue must never be full of requests without a completion. */
static uint32_t most_quiet(const struct tc_queue *q)
{
	uint32_t depth = coll_queue_depth(q->rank->s);

	return depth / 2 ? depth / 2 : 1;
}

static uint32_t flags_of(struct tc_queue *q, const struct tc_work *work)
{
	uint32_t flags = 0;

	if (work->flags & TC_WORK_COMBINED)
		flags |= TALLY_WQE_F_COMBINED;
	if (work->flags & TC_WORK_INLINE)
		flags |= TALLY_WQE_F_INLINE;
	if (work->flag)
		flags |= TALLY_WQE_F_FLAG_WORD;
	if (!(work->flags & TC_WORK_QUIET) || ++q->quiet >= most_quiet(q)) {
		flags |= TALLY_WQE_F_SIGNALED;
		q->quiet = 0;
	}
	return flags;
}

int coll_post(struct tc_queue *q, const struct tc_work *work)
{
	struct host_wr wr;

	if (q->qp.posted - q->qp.retired >= coll_queue_depth(q->rank->s))
		return -EAGAIN;
	fill(q, work, &wr);
	wr.w.flags = htole32(flags_of(q, work));
	wr.id = q->qp.posted % SQ_DEPTH;
	q->entry[wr.id] = (struct entry){ .id = work->id, .quiet = work->flags & TC_WORK_QUIET,
					  .flag = work->flag };
	if (work->flag) {
		wr.w.flag_addr = htole64((uintptr_t)work->flag);
		wr.w.flag_lkey = htole32(work->flag_key);
		wr.w.flag_value = htole32(work->flag_value);
		await_flag(q->rank->node, work->flag, q->rank);
	}
	charge(q, host_wqe_bytes(wr.num_gather, wr.num_result, wr.data_len));
	host_post(&q->qp, &wr);
	host_qp_push(&q->qp);
	return 0;
}

static void post_abort(struct tc_queue *q, enum tally_coll_status reason)
{
	struct host_wr wr = { .w = { .opcode = TALLY_OPCODE_ABORT } };

	if (!host_qp_room(&q->qp))
		return;
	wr.w.jid = htole32(q->group->jid);
	wr.w.count = htole64(reason);
	wr.w.rank_mask = htole64(q->ranks);
	wr.w.flags = htole32(TALLY_WQE_F_SIGNALED);
	wr.id = q->qp.posted % SQ_DEPTH;
	q->entry[wr.id] = (struct entry){ .quiet = true };
	host_post(&q->qp, &wr);
	host_qp_ring(&q->qp);
}

/* A queue of which a request was refused performs none, so all of the process get it. */
void coll_queue_abort(const struct tc_group *group, enum tally_coll_status reason)
{
	for (struct tc_queue *q = group->rank->queue; q; q = q->next)
		if (q->group == group->shared)
			post_abort(q, reason);
}

/* ---- Outcomes ---- */
static void outcome(void *arg, struct host_qp *qp, uint64_t id, const struct tally_cqe *cqe)
{
	struct tc_queue *q = arg;
	struct coll_rank *r = q->rank;
	struct entry *e = &q->entry[id];
	enum tally_coll_status status = cqe ? le16toh(cqe->coll_status) : TALLY_COLL_OK;

	(void)qp;
	if (e->flag && status)
		forget_flag(r->node, e->flag);
	/* An ABORT has no id, and ends with ABORTED. */
	if (e->quiet && (!status || !e->id))
		return;
	r->outcome[r->outcomes_in++ % COLL_OUTCOMES] = (struct tc_outcome){
		.id = e->id,
		.status = status,
		.detector = cqe ? le16toh(cqe->detector) : 0,
		.nodes = cqe ? le64toh(cqe->contributors) : 0,
		.ranks = cqe ? le64toh(cqe->ranks) : 0,
	};
}

static void look(struct coll_rank *r, const struct tally_cqe *cqe)
{
	struct tc_queue *q = r->queue;

	/* The queue of the completion may have been closed. */
	while (q && q->qp.qpn != le32toh(cqe->qpn))
		q = q->next;
	if (q && !host_qp_complete(&q->qp, cqe, outcome, q))
		coll_fail(r, "a completion without an outstanding request, QP %u", q->qp.qpn);
}

int coll_poll(struct tc_net *net, struct tc_outcome *to)
{
	struct coll_rank *r = coll_rank_of_net(net);
	const vtime_t cost = coll_params(r)->poll;
	struct tally_cqe cqe;

	r->looked = r->changes;
	if (r->flag_written) {
		r->flag_written = false;
		coll_compute(r, cost);
	}
	while (r->outcomes_out == r->outcomes_in) {
		if (!host_cq_poll(&r->cq, &cqe))
			return 0;
		coll_compute(r, cost);
		look(r, &cqe);
	}
	*to = r->outcome[r->outcomes_out++ % COLL_OUTCOMES];
	return 1;
}

/* ---- Opening and closing ---- */
/* A NIC has fewer push buffers than queue pairs. */
static int create(struct tc_queue *q, const struct host_qp_cfg *with_push)
{
	struct host_qp_cfg cfg = *with_push;
	struct coll_answer answer = { .rank = q->rank };
	struct host *h = q->rank->node->host;
	int err = host_qp_create(h, &q->qp, &q->rank->cq, &cfg, coll_answered, &answer);

	if (err == -ENOSPC) {
		cfg.push = false;
		err = host_qp_create(h, &q->qp, &q->rank->cq, &cfg, coll_answered, &answer);
	}
	err = coll_await(&answer, err);
	if (err)
		host_qp_forget(&q->qp);
	return err;
}

int coll_queue_open(struct tc_group *group, uint64_t ranks, uint16_t port, struct tc_queue **queue,
		    char *why, size_t size)
{
	struct tc_queue *q = calloc(1, sizeof(*q));
	struct host_qp_cfg cfg = {
		.group = group->shared->number,
		.ranks = ranks,
		.holder = group->held,
		.depth = SQ_DEPTH,
		.stride = STRIDE,
		.port = port,
		.push = true,
	};
	int err = -ENOMEM;

	if (q) {
		q->rank = group->rank;
		q->group = group->shared;
		q->ranks = ranks;
		err = create(q, &cfg);
	}
	if (err) {
		snprintf(why, size, "port %u: no queue: %s", port, strerror(-err));
		free(q);
		return err;
	}
	q->next = q->rank->queue;
	q->rank->queue = q;
	*queue = q;
	return 0;
}

void coll_queue_close(struct tc_queue *q)
{
	struct coll_answer answer = { .rank = q->rank };
	struct tc_queue **at = &q->rank->queue;

	host_qp_destroy(&q->qp, coll_answered, &answer);
	if (coll_await(&answer, 0))
		coll_fail(q->rank, "DESTROY_QP: status %u", answer.status);
	host_qp_forget(&q->qp);
	while (*at != q)
		at = &(*at)->next;
	*at = q->next;
	free(q);
}
