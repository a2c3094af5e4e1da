// SPDX-License-Identifier: BSD-2-Clause
/* Includes the engine's request processor, with a message queue of this file. */
#include "engine/rmq.h"
#include "engine/wr.h"

static uint16_t taken_err;

#define rmq_fire(e, qp, wr) ((void)(wr), taken_err)
#define wr_write(e, qp, wr, k, seg, offset, len, data) ((void)(len), (void)(data))
#include "engine/trigger.c"

#include "trigger_fired_model.h"

#include <stdlib.h>

static void ignore(void *ctx, enum tally_counter counter, uint64_t n)
{
	(void)ctx;
	(void)counter;
	(void)n;
}

static const struct engine_host host = { .count = ignore };
static struct engine *e;

static void set(struct wr *wr, const struct fired_descriptor *d)
{
	memset(wr, 0, sizeof(*wr));
	wr->state = WR_ACTIVE;
	wr->buf = 1;
	wr->w.opcode = d->opcode;
	wr->w.op = d->op;
	wr->w.dtype = d->dtype;
	wr->w.elem = d->elem;
	wr->w.branch = d->branch;
	wr->w.dest_counter = d->dest_counter;
	wr->w.dest_port = d->dest_port;
	wr->w.err_vector = d->err_vector;
	wr->w.flags = d->flags;
	wr->w.mid = d->mid;
	wr->w.count = d->count;
	wr->w.get_len = d->count * d->elem;
	wr->w.node_mask = d->node_mask;
	wr->w.num_result = d->has_result;
}

struct fired fired_follow(const struct fired_descriptor *d, const struct fired_sum *s)
{
	struct tch t = { 0 };
	struct fired f;
	struct qp *qp;
	struct wr *wr;

	if (!e)
		e = calloc(1, sizeof(*e));
	if (!e)
		abort();
	e->host = &host;
	qp = &e->qps[0];
	wr = &qp->wrs[0];
	set(wr, d);
	qp->sum.op = s->op;
	qp->sum.dtype = s->dtype;
	qp->sum.count = s->count;
	qp->sum.messages = s->messages;
	qp->sum.disagree = s->disagree;
	taken_err = s->err_vector;
	fire(e, qp, wr);
	fill_tch(wr, &t);
	f = (struct fired){
		.spoilt = is_spoilt(wr),
		.writes = wr->write_todo,
		.parent = wr->parent_todo,
		.self = wr->self_todo,
		.contributors = wr->send_todo,
		.disagree = wr->report.contributors,
		.opcode = t.opcode,
		.op = t.op,
		.dtype = t.dtype,
		.branch = t.branch,
		.counter = t.counter,
		.flags = t.flags,
		.err_vector = t.err_vector,
		.port = t.port,
		.mid = t.mid,
		.total = t.total,
		.count = t.count,
		.bytes = elements(wr) * wr->w.elem,
	};
	return f;
}
