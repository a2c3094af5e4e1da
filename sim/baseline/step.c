// SPDX-License-Identifier: BSD-2-Clause
/* Steps of a plan that never wait. Data, if any, are 64-bit integers that are added. */
#include "baseline/step.h"

#include <stdlib.h>
#include <string.h>

#include "baseline/cost.h"

static uint64_t bytes_of(const struct baseline_cluster *cluster, uint32_t count)
{
	return (uint64_t)count * cluster->task.elem;
}

vtime_t baseline_spend(struct baseline_rank *r, const char *what, vtime_t work)
{
	vtime_t from = sim_now(baseline_net_sim(r->cluster->net)), end;

	if (from < r->cpu.busy)
		from = r->cpu.busy;
	end = cpu_run(&r->cpu, from, work);
	if (r->track && end > from)
		sim_trace_span(r->track, what, from, end);
	return end;
}

static struct baseline_message *new_message(struct baseline_rank *r, const struct baseline_step *s,
					    uint32_t to)
{
	struct baseline_cluster *cluster = r->cluster;
	struct baseline_message *m = baseline_message_new(cluster->net);
	uint64_t bytes = bytes_of(cluster, s->count);

	if (!m)
		abort();
	m->from = r->number;
	m->to = to;
	m->from_node = m->from / cluster->task.ranks;
	m->to_node = m->to / cluster->task.ranks;
	m->bytes = bytes;
	if (r->memory && bytes) {
		m->data = malloc(bytes);
		if (!m->data)
			abort();
		memcpy(m->data, r->memory + bytes_of(cluster, s->from), bytes);
	}
	return m;
}

static void send_local(struct baseline_rank *r, struct baseline_message *m, vtime_t at)
{
	struct baseline_cluster *cluster = r->cluster;

	m->kind = BASELINE_LOCAL;
	m->got = m->data;
	m->data = NULL;
	baseline_deliver(cluster->net, m, at + cluster->c->params->share);
}

static void do_send(struct baseline_rank *r, const struct baseline_step *s)
{
	const struct bench_params *p = r->cluster->c->params;
	struct baseline_message *m = new_message(r, s, s->peer);

	if (m->from_node == m->to_node) {
		send_local(r, m, baseline_spend(r, "copy in", baseline_copy_cost(p, m->bytes)));
		return;
	}
	m->kind = m->bytes > p->mpi_eager ? BASELINE_READY : BASELINE_EAGER;
	m->gathered = m->kind == BASELINE_EAGER && m->bytes && !baseline_pushes(p, m->bytes);
	baseline_post(r->cluster->net, m,
		      baseline_spend(r, "send", baseline_send_cost(p, m->bytes)));
}

static void do_share(struct baseline_rank *r, const struct baseline_step *s)
{
	const struct bench_params *p = r->cluster->c->params;
	uint32_t ranks = r->cluster->task.ranks, first = r->number / ranks * ranks;
	vtime_t at =
		baseline_spend(r, "copy in", baseline_copy_cost(p, bytes_of(r->cluster, s->count)));

	for (uint32_t to = first; to < first + ranks; to++)
		if (to != r->number)
			send_local(r, new_message(r, s, to), at);
}

static void do_reduce(struct baseline_rank *r, const struct baseline_step *s)
{
	struct baseline_cluster *cluster = r->cluster;
	uint64_t *to = (uint64_t *)r->memory + s->to, *from = (uint64_t *)r->memory + s->from;

	baseline_spend(r, "reduce",
		       baseline_reduce_cost(cluster->c->params, bytes_of(cluster, s->count)));
	for (uint32_t i = 0; r->memory && i < s->count; i++)
		to[i] += from[i];
}

static void do_copy(struct baseline_rank *r, const struct baseline_step *s)
{
	struct baseline_cluster *cluster = r->cluster;
	uint64_t bytes = bytes_of(cluster, s->count);

	baseline_spend(r, "copy", baseline_copy_cost(cluster->c->params, bytes));
	if (r->memory)
		memcpy(r->memory + bytes_of(cluster, s->to),
		       r->memory + bytes_of(cluster, s->from), bytes);
}

void baseline_do_step(struct baseline_rank *r, const struct baseline_step *s)
{
	switch (s->kind) {
	case BASELINE_SEND:
		do_send(r, s);
		break;
	case BASELINE_SHARE:
		do_share(r, s);
		break;
	case BASELINE_REDUCE:
		do_reduce(r, s);
		break;
	default:
		do_copy(r, s);
	}
}
