// SPDX-License-Identifier: BSD-2-Clause
#include "baseline/exec.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "baseline/rank.h"

int baseline_task_of(const struct bench_workload *c, struct baseline_task *task)
{
	struct message m = bench_message(c);

	*task = (struct baseline_task){ .opcode = c->opcode,
					.nodes = c->nodes,
					.ranks = c->ranks,
					.elem = message_elem_size(&m),
					.count = m.count };
	switch (c->opcode) {
	case TALLY_OPCODE_ALLREDUCE:
	case TALLY_OPCODE_REDUCE:
	case TALLY_OPCODE_BCAST:
	case TALLY_OPCODE_ALLGATHER:
	case TALLY_OPCODE_REDUCE_SCATTER:
		break;
	case TALLY_OPCODE_BARRIER:
		task->elem = 1;
		break;
	default:
		return -EINVAL;
	}
	return m.count > UINT32_MAX ? -EOVERFLOW : 0;
}

static void arrived(void *arg, struct baseline_message *m)
{
	struct baseline_cluster *bed = arg;

	baseline_rank_arrived(&bed->rank[m->to], m);
}

static void make_ranks(struct baseline_cluster *bed, struct sim_trace *trace)
{
	uint32_t n = baseline_task_ranks(&bed->task);
	char process[32], name[32];

	for (uint32_t i = 0; i < n; i++) {
		struct baseline_rank *r = &bed->rank[i];

		r->bed = bed;
		r->number = i;
		if (!trace)
			continue;
		snprintf(process, sizeof(process), "host %u", i / bed->task.ranks);
		snprintf(name, sizeof(name), "rank %u", i);
		r->track = sim_trace_track(trace, process, name, SIM_TRACK_ROWS);
	}
}

struct baseline_cluster *baseline_cluster_new(const struct bench_workload *c, bool data,
					      struct sim_trace *trace, char *why, size_t size)
{
	struct baseline_cluster *bed = calloc(1, sizeof(*bed));
	struct baseline_net_cfg cfg = {
		.params = c->params, .topo = bench_topology(c), .seed = c->seed, .trace = trace,
		.arrived = arrived, .arg = bed,
	};

	snprintf(why, size, "out of memory");
	if (!bed)
		return NULL;
	bed->c = c;
	bed->data = data;
	if (baseline_task_of(c, &bed->task)) {
		snprintf(why, size, "no software for this operation, or too many elements");
		goto fail;
	}
	bed->rank = calloc(baseline_task_ranks(&bed->task), sizeof(*bed->rank));
	if (!bed->rank)
		goto fail;
	bed->net = baseline_net_new(&cfg, why, size);
	if (!bed->net)
		goto fail;
	make_ranks(bed, trace);
	return bed;
fail:
	free(bed->rank);
	free(bed);
	return NULL;
}

static void reset(struct baseline_cluster *bed)
{
	for (uint32_t i = 0; i < baseline_task_ranks(&bed->task); i++)
		baseline_rank_reset(&bed->rank[i]);
}

void baseline_cluster_free(struct baseline_cluster *bed)
{
	if (!bed)
		return;
	reset(bed);
	baseline_net_free(bed->net);
	free(bed->rank);
	free(bed);
}

void baseline_cluster_fill(struct baseline_cluster *bed,
			   void (*fill)(void *arg, uint32_t rank, void *memory), void *arg)
{
	bed->fill = fill;
	bed->fill_arg = arg;
}

const void *baseline_cluster_memory(const struct baseline_cluster *bed, uint32_t rank)
{
	return bed->rank[rank].memory;
}

/* Puts every rank at the start of the plan. */
static int begin(struct baseline_cluster *bed, const struct baseline_plan *plan)
{
	uint64_t bytes = (uint64_t)plan->memory * bed->task.elem;

	bed->plan = plan;
	reset(bed);
	for (uint32_t i = 0; i < plan->ranks; i++) {
		struct baseline_rank *r = &bed->rank[i];

		cpu_init(&r->cpu, bed->c, i);
		if (!bed->data)
			continue;
		r->memory = calloc(1, bytes ? bytes : 1);
		if (!r->memory)
			return -ENOMEM;
	}
	return 0;
}

/* Runs one iteration and writes its time to @time. */
static int iterate(struct baseline_cluster *bed, uint32_t iteration, vtime_t limit, vtime_t *time)
{
	struct sim *sim = baseline_net_sim(bed->net);
	vtime_t start = bench_begin(bed->c, iteration, sim_now(sim)), called = 0, finished = 0, end;
	uint32_t n = bed->plan->ranks;

	bed->left = n;
	for (uint32_t i = 0; i < n; i++) {
		struct baseline_rank *r = &bed->rank[i];

		r->at = bed->plan->first[i];
		r->end = bed->plan->first[i + 1];
		if (bed->fill)
			bed->fill(bed->fill_arg, i, r->memory);
		baseline_rank_start(r, start + bench_arrival(bed->c, iteration, i));
		called = r->call > called ? r->call : called;
	}
	end = limit > VT_NEVER - called ? VT_NEVER : called + limit;
	if (!sim_run_idle(sim, end))
		return -ETIME;
	if (bed->left)
		return -EDEADLK;
	for (uint32_t i = 0; i < n; i++)
		finished = bed->rank[i].finish > finished ? bed->rank[i].finish : finished;
	*time = finished - called;
	/* CPUs may be busy after the last event. */
	sim_run_until(sim, finished);
	return *time > limit ? -ETIME : 0;
}

static uint64_t wire_bytes(const struct baseline_cluster *bed)
{
	struct topo_totals t = topo_totals(baseline_net_topo(bed->net));

	return t.bytes + t.frames * ETH_OVERHEAD_BYTES;
}

/* Returns whether iterations differ; without randomness, each one equals the first. */
static bool random_case(const struct bench_workload *c)
{
	return c->skew || (c->noise_rate > 0 && c->noise_time);
}

static int run_all(struct baseline_cluster *bed, vtime_t limit, vtime_t *time, uint32_t n,
		   uint32_t warmup, struct bench_result *res)
{
	uint64_t before = 0;
	vtime_t unused;
	int err = 0;

	for (uint32_t i = 0; i < warmup + n && !err; i++) {
		if (i == warmup)
			before = wire_bytes(bed);
		err = iterate(bed, i, limit, i < warmup ? &unused : &time[i - warmup]);
	}
	if (err)
		return err;
	res->time = time[bench_median(time, n)];
	res->wire_bytes = (wire_bytes(bed) - before) / n;
	return 0;
}

int baseline_cluster_run(struct baseline_cluster *bed, const struct baseline_plan *plan,
			 vtime_t limit, struct bench_result *res)
{
	bool chance = random_case(bed->c);
	uint32_t n = chance ? bed->c->iterations : 1;
	vtime_t *time = calloc(n, sizeof(*time));
	int err = time ? begin(bed, plan) : -ENOMEM;

	if (!err)
		err = run_all(bed, chance ? VT_NEVER : limit, time, n,
			      chance ? bed->c->warmup : 0, res);
	free(time);
	return err;
}
