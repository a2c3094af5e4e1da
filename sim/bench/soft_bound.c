// SPDX-License-Identifier: BSD-2-Clause
/* The least that a plan can take, from what its steps cost alone. */
#include "bench/soft_exec.h"

#include <stdlib.h>

#include "bench/soft_cost.h"

static vtime_t most(vtime_t a, vtime_t b)
{
	return a > b ? a : b;
}

/* What a node's cable carries. */
struct load {
	uint64_t out, in;
};

struct sums {
	const struct bench_case *c;
	struct soft_task task;
	struct load *load;
};

/* A message from node @from to node @to. */
static void carry(const struct sums *s, uint32_t from, uint32_t to, uint64_t bytes)
{
	const struct bench_params *p = s->c->params;
	bool eager = bytes <= p->mpi_eager;
	uint64_t data = soft_wire_bytes(p, eager ? SOFT_EAGER : SOFT_DATA, bytes);

	if (from == to)
		return;
	if (!eager)
		data += soft_wire_bytes(p, SOFT_READY, bytes);
	s->load[from].out += data;
	s->load[to].in += data;
}

static vtime_t step_cost(const struct sums *s, const struct soft_step *step, bool local)
{
	const struct bench_params *p = s->c->params;
	uint64_t bytes = (uint64_t)step->count * s->task.elem;

	switch (step->kind) {
	case SOFT_SEND:
		return local ? soft_copy_cost(p, bytes) : soft_send_cost(p, bytes);
	case SOFT_RECV:
		return local ? soft_copy_cost(p, bytes) : soft_receive_cost(p, bytes);
	case SOFT_REDUCE:
		return soft_reduce_cost(p, bytes);
	case SOFT_WAIT:
		return 0;
	default:
		return soft_copy_cost(p, bytes);
	}
}

static vtime_t rank_time(const struct sums *s, const struct soft_plan *plan, uint32_t rank)
{
	uint32_t node = rank / s->task.ranks;
	vtime_t time = s->c->params->mpi_call;

	for (size_t i = plan->first[rank]; i < plan->first[rank + 1]; i++) {
		const struct soft_step *step = &plan->step[i];
		uint32_t peer = step->peer / s->task.ranks;

		time += step_cost(s, step, peer == node);
		if (step->kind == SOFT_SEND)
			carry(s, node, peer, (uint64_t)step->count * s->task.elem);
	}
	return time;
}

vtime_t soft_bound(const struct bench_case *c, const struct soft_plan *plan)
{
	struct sums s = { .c = c };
	vtime_t bound = 0;

	if (soft_task_of(c, &s.task))
		return 0;
	s.load = calloc(c->nodes, sizeof(*s.load));
	if (!s.load)
		return 0;
	for (uint32_t r = 0; r < plan->ranks; r++)
		bound = most(bound, rank_time(&s, plan, r));
	for (uint32_t n = 0; n < c->nodes; n++) {
		bound = most(bound, bench_bytes_time(8 * s.load[n].out, c->params->link_rate));
		bound = most(bound, bench_bytes_time(8 * s.load[n].in, c->params->link_rate));
	}
	free(s.load);
	/* Who called early may have been done with some of it when the last one called. */
	return bound > c->skew ? bound - c->skew : 0;
}
