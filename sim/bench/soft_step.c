// SPDX-License-Identifier: BSD-2-Clause
/* Steps of a plan that never wait. Data, where there are any, are 64-bit integers to be added. */
#include "bench/soft_rank.h"

#include <stdlib.h>
#include <string.h>

#include "bench/soft_cost.h"

static uint64_t bytes_of(const struct soft_bed *bed, uint32_t count)
{
	return (uint64_t)count * bed->task.elem;
}

vtime_t soft_spend(struct soft_rank *r, const char *what, vtime_t work)
{
	vtime_t from = sim_now(soft_net_sim(r->bed->net)), end;

	if (from < r->cpu.busy)
		from = r->cpu.busy;
	end = cpu_run(&r->cpu, from, work);
	if (r->track && end > from)
		sim_trace_span(r->track, what, from, end);
	return end;
}

static struct soft_message *new_message(struct soft_rank *r, const struct soft_step *s, uint32_t to)
{
	struct soft_bed *bed = r->bed;
	struct soft_message *m = soft_message_new(bed->net);
	uint64_t bytes = bytes_of(bed, s->count);

	if (!m)
		abort();
	m->from = r->number;
	m->to = to;
	m->from_node = m->from / bed->task.ranks;
	m->to_node = m->to / bed->task.ranks;
	m->bytes = bytes;
	if (r->memory && bytes) {
		m->data = malloc(bytes);
		if (!m->data)
			abort();
		memcpy(m->data, r->memory + bytes_of(bed, s->from), bytes);
	}
	return m;
}

/* A local message can be seen at the other end. */
static void local_arrived(void *arg)
{
	struct soft_message *m = arg;

	soft_rank_arrived(m->owner, m);
}

static void send_local(struct soft_rank *r, struct soft_message *m, vtime_t at)
{
	struct soft_bed *bed = r->bed;

	m->kind = SOFT_LOCAL;
	m->got = m->data;
	m->data = NULL;
	m->owner = &bed->rank[m->to];
	sim_event_init(&m->event, local_arrived, m);
	sim_schedule(soft_net_sim(bed->net), &m->event, at + bed->c->params->share);
}

static void do_send(struct soft_rank *r, const struct soft_step *s)
{
	const struct bench_params *p = r->bed->c->params;
	struct soft_message *m = new_message(r, s, s->peer);

	if (m->from_node == m->to_node) {
		send_local(r, m, soft_spend(r, "copy in", soft_copy_cost(p, m->bytes)));
		return;
	}
	m->kind = m->bytes > p->mpi_eager ? SOFT_READY : SOFT_EAGER;
	m->gathered = m->kind == SOFT_EAGER && m->bytes && !soft_pushes(p, m->bytes);
	soft_post(r->bed->net, m, soft_spend(r, "send", soft_send_cost(p, m->bytes)));
}

static void do_share(struct soft_rank *r, const struct soft_step *s)
{
	const struct bench_params *p = r->bed->c->params;
	uint32_t ranks = r->bed->task.ranks, first = r->number / ranks * ranks;
	vtime_t at = soft_spend(r, "copy in", soft_copy_cost(p, bytes_of(r->bed, s->count)));

	for (uint32_t to = first; to < first + ranks; to++)
		if (to != r->number)
			send_local(r, new_message(r, s, to), at);
}

static void do_reduce(struct soft_rank *r, const struct soft_step *s)
{
	struct soft_bed *bed = r->bed;
	uint64_t *to = (uint64_t *)r->memory + s->to, *from = (uint64_t *)r->memory + s->from;

	soft_spend(r, "reduce", soft_reduce_cost(bed->c->params, bytes_of(bed, s->count)));
	for (uint32_t i = 0; r->memory && i < s->count; i++)
		to[i] += from[i];
}

static void do_copy(struct soft_rank *r, const struct soft_step *s)
{
	struct soft_bed *bed = r->bed;
	uint64_t bytes = bytes_of(bed, s->count);

	soft_spend(r, "copy", soft_copy_cost(bed->c->params, bytes));
	if (r->memory)
		memcpy(r->memory + bytes_of(bed, s->to), r->memory + bytes_of(bed, s->from), bytes);
}

void soft_do_step(struct soft_rank *r, const struct soft_step *s)
{
	switch (s->kind) {
	case SOFT_SEND:
		do_send(r, s);
		break;
	case SOFT_SHARE:
		do_share(r, s);
		break;
	case SOFT_REDUCE:
		do_reduce(r, s);
		break;
	default:
		do_copy(r, s);
	}
}
