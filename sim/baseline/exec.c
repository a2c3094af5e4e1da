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
	case TALLY_OPCODE_GATHER:
	case TALLY_OPCODE_SCATTER:
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
	struct baseline_cluster *cluster = arg;

	baseline_rank_arrived(&cluster->rank[m->to], m);
}

static void make_ranks(struct baseline_cluster *cluster, struct sim_trace *trace)
{
	uint32_t n = baseline_task_ranks(&cluster->task);
	char process[32], name[32];

	for (uint32_t i = 0; i < n; i++) {
		struct baseline_rank *r = &cluster->rank[i];

		r->cluster = cluster;
		r->number = i;
		if (!trace)
			continue;
		snprintf(process, sizeof(process), "host %u", i / cluster->task.ranks);
		snprintf(name, sizeof(name), "rank %u", i);
		r->track = sim_trace_track(trace, process, name, SIM_TRACK_ROWS);
	}
}

struct baseline_cluster *baseline_cluster_new(const struct bench_workload *c, bool data,
					      struct sim_trace *trace, char *why, size_t size)
{
	struct baseline_cluster *cluster = calloc(1, sizeof(*cluster));
	struct baseline_net_cfg cfg = {
		.params = c->params, .topo = bench_topology(c), .seed = c->seed, .trace = trace,
		.arrived = arrived, .arg = cluster,
	};

	snprintf(why, size, "out of memory");
	if (!cluster)
		return NULL;
	cluster->c = c;
	cluster->data = data;
	if (baseline_task_of(c, &cluster->task)) {
		snprintf(why, size, "no software for this operation, or too many elements");
		goto fail;
	}
	cluster->rank = calloc(baseline_task_ranks(&cluster->task), sizeof(*cluster->rank));
	if (!cluster->rank)
		goto fail;
	cluster->net = baseline_net_new(&cfg, why, size);
	if (!cluster->net)
		goto fail;
	make_ranks(cluster, trace);
	return cluster;
fail:
	free(cluster->rank);
	free(cluster);
	return NULL;
}

static void reset(struct baseline_cluster *cluster)
{
	for (uint32_t i = 0; i < baseline_task_ranks(&cluster->task); i++)
		baseline_rank_reset(&cluster->rank[i]);
}

void baseline_cluster_free(struct baseline_cluster *cluster)
{
	if (!cluster)
		return;
	reset(cluster);
	baseline_net_free(cluster->net);
	free(cluster->rank);
	free(cluster);
}

void baseline_cluster_fill(struct baseline_cluster *cluster,
			   void (*fill)(void *arg, uint32_t rank, void *memory), void *arg)
{
	cluster->fill = fill;
	cluster->fill_arg = arg;
}

void baseline_cluster_choose(struct baseline_cluster *cluster,
			     int (*choose)(void *arg, uint32_t iteration,
					   const struct baseline_plan **plan), void *arg)
{
	cluster->choose = choose;
	cluster->choose_arg = arg;
}

const void *baseline_cluster_memory(const struct baseline_cluster *cluster, uint32_t rank)
{
	return cluster->rank[rank].memory;
}

/* Puts every rank at the start of the plan. */
static int begin(struct baseline_cluster *cluster, const struct baseline_plan *plan)
{
	uint64_t bytes = (uint64_t)plan->memory * cluster->task.elem;

	cluster->plan = plan;
	reset(cluster);
	for (uint32_t i = 0; i < plan->ranks; i++) {
		struct baseline_rank *r = &cluster->rank[i];

		cpu_init(&r->cpu, cluster->c, i);
		if (!cluster->data)
			continue;
		r->memory = calloc(1, bytes ? bytes : 1);
		if (!r->memory)
			return -ENOMEM;
	}
	return 0;
}

/* Runs one iteration and writes its time to @time. */
static int iterate(struct baseline_cluster *cluster, uint32_t iteration, vtime_t limit,
		   vtime_t *time)
{
	struct sim *sim = baseline_net_sim(cluster->net);
	vtime_t start = bench_begin(cluster->c, iteration, sim_now(sim));
	vtime_t called = 0, finished = 0, end;
	uint32_t n = cluster->plan->ranks;

	cluster->left = n;
	for (uint32_t i = 0; i < n; i++) {
		struct baseline_rank *r = &cluster->rank[i];

		r->at = cluster->plan->first[i];
		r->end = cluster->plan->first[i + 1];
		if (cluster->fill)
			cluster->fill(cluster->fill_arg, i, r->memory);
		baseline_rank_start(r, start + bench_arrival(cluster->c, iteration, i));
		called = r->call > called ? r->call : called;
	}
	end = limit > VT_NEVER - called ? VT_NEVER : called + limit;
	if (!sim_run_idle(sim, end))
		return -ETIME;
	if (cluster->left)
		return -EDEADLK;
	for (uint32_t i = 0; i < n; i++)
		finished = cluster->rank[i].finish > finished ? cluster->rank[i].finish : finished;
	*time = finished - called;
	/* CPUs may be busy after the last event. */
	sim_run_until(sim, finished);
	return *time > limit ? -ETIME : 0;
}

static uint64_t wire_bytes(const struct baseline_cluster *cluster)
{
	struct topo_totals t = topo_totals(baseline_net_topo(cluster->net));

	return t.bytes + t.frames * ETH_OVERHEAD_BYTES;
}

/* Returns whether iterations differ; without randomness, each one equals the first. */
static bool random_case(const struct bench_workload *c)
{
	return c->skew || (c->noise_rate > 0 && c->noise_time);
}

static void add_times(struct baseline_cluster *cluster)
{
	for (uint32_t i = 0; i < cluster->plan->ranks; i++)
		cluster->rank[i].spent += cluster->rank[i].finish - cluster->rank[i].call;
}

static vtime_t longest(const struct baseline_cluster *cluster)
{
	vtime_t most = 0;

	for (uint32_t i = 0; i < cluster->plan->ranks; i++)
		if (cluster->rank[i].spent > most)
			most = cluster->rank[i].spent;
	return most;
}

static int run_all(struct baseline_cluster *cluster, vtime_t limit, vtime_t *time, uint32_t n,
		   uint32_t warmup, struct bench_result *res)
{
	uint64_t before = 0;
	vtime_t unused;
	int err = 0;

	for (uint32_t i = 0; i < warmup + n && !err; i++) {
		if (i == warmup)
			before = wire_bytes(cluster);
		if (cluster->choose)
			err = cluster->choose(cluster->choose_arg, i, &cluster->plan);
		if (!err)
			err = iterate(cluster, i, limit, i < warmup ? &unused : &time[i - warmup]);
		if (!err && i >= warmup)
			add_times(cluster);
	}
	if (err)
		return err;
	res->time = time[bench_median(time, n)];
	res->rank_max = longest(cluster) / n;
	res->wire_bytes = (wire_bytes(cluster) - before) / n;
	return 0;
}

int baseline_cluster_run(struct baseline_cluster *cluster, const struct baseline_plan *plan,
			 vtime_t limit, struct bench_result *res)
{
	bool chance = random_case(cluster->c);
	uint32_t n = chance ? cluster->c->iterations : 1;
	vtime_t *time = calloc(n, sizeof(*time));
	int err = time ? begin(cluster, plan) : -ENOMEM;

	if (!err)
		err = run_all(cluster, chance ? VT_NEVER : limit, time, n,
			      chance ? cluster->c->warmup : 0, res);
	free(time);
	return err;
}
