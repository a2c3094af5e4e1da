// SPDX-License-Identifier: BSD-2-Clause
#include "bench/soft_exec.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/soft_rank.h"

int soft_task_of(const struct bench_case *c, struct soft_task *task)
{
	struct message m = bench_message(c);

	*task = (struct soft_task){ .opcode = c->opcode, .nodes = c->nodes, .ranks = c->ranks,
				    .elem = message_elem_size(&m), .count = m.count };
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

static void arrived(void *arg, struct soft_message *m)
{
	struct soft_bed *bed = arg;

	soft_rank_arrived(&bed->rank[m->to], m);
}

static void make_ranks(struct soft_bed *bed, struct sim_trace *trace)
{
	uint32_t n = soft_task_ranks(&bed->task);
	char process[32], name[32];

	for (uint32_t i = 0; i < n; i++) {
		struct soft_rank *r = &bed->rank[i];

		r->bed = bed;
		r->number = i;
		if (!trace)
			continue;
		snprintf(process, sizeof(process), "host %u", i / bed->task.ranks);
		snprintf(name, sizeof(name), "rank %u", i);
		r->track = sim_trace_track(trace, process, name, SIM_TRACK_ROWS);
	}
}

struct soft_bed *soft_bed_new(const struct bench_case *c, bool data, struct sim_trace *trace,
			      char *why, size_t size)
{
	struct soft_bed *bed = calloc(1, sizeof(*bed));
	struct soft_net_cfg cfg = {
		.params = c->params, .topo = bench_topology(c), .seed = c->seed, .trace = trace,
		.arrived = arrived, .arg = bed,
	};

	snprintf(why, size, "out of memory");
	if (!bed)
		return NULL;
	bed->c = c;
	bed->data = data;
	if (soft_task_of(c, &bed->task)) {
		snprintf(why, size, "no software for this operation, or too many elements");
		goto fail;
	}
	bed->rank = calloc(soft_task_ranks(&bed->task), sizeof(*bed->rank));
	if (!bed->rank)
		goto fail;
	bed->net = soft_net_new(&cfg, why, size);
	if (!bed->net)
		goto fail;
	make_ranks(bed, trace);
	return bed;
fail:
	free(bed->rank);
	free(bed);
	return NULL;
}

static void reset(struct soft_bed *bed)
{
	for (uint32_t i = 0; i < soft_task_ranks(&bed->task); i++)
		soft_rank_reset(&bed->rank[i]);
}

void soft_bed_free(struct soft_bed *bed)
{
	if (!bed)
		return;
	reset(bed);
	soft_net_free(bed->net);
	free(bed->rank);
	free(bed);
}

void soft_bed_fill(struct soft_bed *bed, void (*fill)(void *arg, uint32_t rank, void *memory),
		   void *arg)
{
	bed->fill = fill;
	bed->fill_arg = arg;
}

const void *soft_bed_memory(const struct soft_bed *bed, uint32_t rank)
{
	return bed->rank[rank].memory;
}

/* Everyone is where a plan begins. */
static int begin(struct soft_bed *bed, const struct soft_plan *plan)
{
	uint64_t bytes = (uint64_t)plan->memory * bed->task.elem;

	bed->plan = plan;
	reset(bed);
	for (uint32_t i = 0; i < plan->ranks; i++) {
		struct soft_rank *r = &bed->rank[i];

		cpu_init(&r->cpu, bed->c, i);
		if (!bed->data)
			continue;
		r->memory = calloc(1, bytes ? bytes : 1);
		if (!r->memory)
			return -ENOMEM;
	}
	return 0;
}

/* One iteration, its time in @time. */
static int iterate(struct soft_bed *bed, uint32_t iteration, vtime_t limit, vtime_t *time)
{
	struct sim *sim = soft_net_sim(bed->net);
	vtime_t start = bench_begin(bed->c, iteration, sim_now(sim)), called = 0, finished = 0, end;
	uint32_t n = bed->plan->ranks;

	bed->left = n;
	for (uint32_t i = 0; i < n; i++) {
		struct soft_rank *r = &bed->rank[i];

		r->at = bed->plan->first[i];
		r->end = bed->plan->first[i + 1];
		if (bed->fill)
			bed->fill(bed->fill_arg, i, r->memory);
		soft_rank_start(r, start + bench_arrival(bed->c, iteration, i));
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
	/* CPUs may have been busy beyond the last event. */
	sim_run_until(sim, finished);
	return *time > limit ? -ETIME : 0;
}

static uint64_t wire_bytes(const struct soft_bed *bed)
{
	struct topo_totals t = topo_totals(soft_net_topo(bed->net));

	return t.bytes + t.frames * ETH_OVERHEAD_BYTES;
}

/* Without chance every iteration is like the first. */
static bool random_case(const struct bench_case *c)
{
	return c->skew || (c->noise_rate > 0 && c->noise_time);
}

static int run_all(struct soft_bed *bed, vtime_t limit, vtime_t *time, uint32_t n, uint32_t warmup,
		   struct bench_result *res)
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

int soft_bed_run(struct soft_bed *bed, const struct soft_plan *plan, vtime_t limit,
		 struct bench_result *res)
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
