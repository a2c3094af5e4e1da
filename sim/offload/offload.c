// SPDX-License-Identifier: BSD-2-Clause
#include "offload/offload.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "offload/floor.h"
#include "offload/offload_int.h"

#define LIMIT		(100 * VT_S)
#define MIN_SEGS	4
#define ENOUGH_SEGS	16		/* above this, use the planner's number */

static void ring(void *arg)
{
	struct offload_rank *r = arg;
	struct offload *run = r->run;

	bench_group_post(&run->group, r - run->rank, &run->m, run->mid, 0,
			 run->how & OFFLOAD_INLINE);
}

/* The CPU has stored the request: pushed bytes share the node's bus with those of other ranks. */
static void stored(void *arg)
{
	struct offload_rank *r = arg;
	struct offload *run = r->run;
	struct sim *sim = run->group.sim;
	uint32_t k = r - run->rank;
	vtime_t *busy = &run->bus[run->group.rank[k].node];
	vtime_t begun = sim_now(sim) - offload_push_time(run, k), at;

	at = (begun > *busy ? begun : *busy) + offload_bus_time(run, k);
	*busy = at > sim_now(sim) ? at : sim_now(sim);
	sim_schedule(sim, &r->ring, *busy);
}

static void span(const struct offload_rank *r, const char *name, vtime_t from, vtime_t to)
{
	if (r->track && to > from)
		sim_trace_span(r->track, name, from, to);
}

/* ---- An iteration ---- */

/* Returns the time at which all ranks that rank @first posts for have called, and @first knows. */
static vtime_t all_called(struct offload *run, uint32_t first)
{
	const struct bench_params *p = run->c->params;
	uint32_t n = run->group.cfg.leader ? run->c->ranks : 1;
	vtime_t last = 0;

	for (uint32_t k = first; k < first + n; k++) {
		struct offload_rank *r = &run->rank[k];
		vtime_t known = cpu_run(&r->cpu, r->call, p->mpi_call);

		r->posted = known;
		span(r, "call", r->call, known);
		if (k != first)
			known += p->share;
		if (known > last)
			last = known;
	}
	return last;
}

/*
 * Makes every rank call, from a whole microsecond on, because completions carry whole nanoseconds.
 * Returns the time of the last post.
 */
static vtime_t begin(struct offload *run, uint32_t iteration)
{
	vtime_t now = bench_begin(run->c, iteration, sim_now(run->group.sim));
	vtime_t start = (now / VT_US + 1) * VT_US, last = start;

	for (uint32_t k = 0; k < run->group.total_ranks; k++)
		run->rank[k].call = start + bench_arrival(run->c, iteration, k);
	for (uint32_t k = 0; k < run->group.total_ranks; k++) {
		struct offload_rank *r = &run->rank[k];
		vtime_t ready;

		if (!bench_group_posts(&run->group, k))
			continue;
		ready = all_called(run, k);
		r->posted = cpu_run(&r->cpu, ready, offload_post_time(run, k));
		span(r, "post", ready, r->posted);
		sim_schedule(run->group.sim, &r->stored, r->posted);
		last = r->posted > last ? r->posted : last;
	}
	return last;
}

/* Continues rank @k, whose result was complete at @completed. */
static void go_on(struct offload *run, uint32_t k, vtime_t completed, vtime_t look)
{
	struct offload_rank *r = &run->rank[k];
	vtime_t from = completed;

	if (run->c->overlap) {
		vtime_t computed = cpu_run(&r->cpu, r->posted, run->c->compute);

		span(r, "compute", r->posted, computed);
		from = computed > completed ? computed : completed;
		span(r, "wait", computed, from);
	} else {
		span(r, "wait", r->posted, from);
	}
	r->end = cpu_run(&r->cpu, from, look);
	span(r, "poll", from, r->end);
}

/* Returns the time from the last call to the last return. */
static vtime_t ended(struct offload *run)
{
	const struct bench_params *p = run->c->params;
	uint32_t n = run->group.cfg.leader ? run->c->ranks : 1;
	vtime_t call = 0, end = 0;

	for (uint32_t k = 0; k < run->group.total_ranks; k++) {
		uint32_t leader = k - k % n;
		vtime_t completed = run->group.rank[leader].completed;

		if (k == leader)
			go_on(run, k, completed, p->poll);
		else
			go_on(run, k, run->rank[leader].end + p->share, 0);
		if (run->rank[k].call > call)
			call = run->rank[k].call;
		if (run->rank[k].end > end)
			end = run->rank[k].end;
	}
	return end - call;
}

static uint64_t on_wire(const struct offload *run)
{
	const struct topo_totals t = topo_totals(run->group.host_set.topo);

	return t.bytes + t.frames * ETH_OVERHEAD_BYTES;
}

/* Every rank must return before the next iteration starts. */
static void pass_time(struct offload *run)
{
	vtime_t end = sim_now(run->group.sim);

	for (uint32_t k = 0; k < run->group.total_ranks; k++)
		if (run->rank[k].end > end)
			end = run->rank[k].end;
	sim_run_until(run->group.sim, end);
	bench_group_settle(&run->group);
}

static bool all_rung(const struct offload *run)
{
	for (uint32_t k = 0; k < run->group.total_ranks; k++)
		if (sim_pending(&run->rank[k].ring))
			return false;
	return true;
}

static int iterate(struct offload *run, uint32_t iteration, vtime_t *time, uint64_t *bytes)
{
	uint64_t before = on_wire(run);

	sim_run_until(run->group.sim, begin(run, iteration));
	while (!all_rung(run))
		sim_run_until(run->group.sim, sim_now(run->group.sim) + VT_US);
	if (!bench_group_finish(&run->group, LIMIT))
		return -1;
	run->mid++;
	*time = ended(run);
	pass_time(run);
	*bytes = on_wire(run) - before;
	return 0;
}

/* ---- A run ---- */

static int measure(struct offload *run, struct bench_result *res)
{
	uint32_t n = run->c->iterations, middle;
	vtime_t *time = calloc(n, sizeof(*time)), warm;
	uint64_t *bytes = calloc(n, sizeof(*bytes)), warm_bytes;
	int err = time && bytes ? 0 : -ENOMEM;

	for (uint32_t i = 0; i < run->c->warmup && !err; i++)
		err = iterate(run, i, &warm, &warm_bytes);
	for (uint32_t i = 0; i < n && !err; i++) {
		if (i == n - 1 && !offload_fill(run))
			err = -ENOMEM;
		else
			err = iterate(run, run->c->warmup + i, &time[i], &bytes[i]);
	}
	if (!err) {
		middle = bench_median(time, n);
		res->time = time[middle];
		res->wire_bytes = bytes[middle];
	} else {
		snprintf(res->trouble, sizeof(res->trouble), "%s",
			 err == -ENOMEM ? "no memory" : run->group.trouble);
	}
	free(time);
	free(bytes);
	return err;
}

/*
 * Returns twice the number of chunks if the message is short, so that no chunk waits for the
 * acknowledgement of an earlier one. More segments would only slow the simulation down.
 */
static uint32_t few_segs(const struct bench_workload *c)
{
	struct message m = bench_message(c);
	uint32_t chunks = message_chunks(&m, c->params->mtu), segs = MIN_SEGS;

	while (segs < 2 * chunks && segs <= ENOUGH_SEGS)
		segs *= 2;
	return segs <= ENOUGH_SEGS ? segs : 0;
}

/* A trace has no windows; it shows the times that a run in windows has. */
static enum host_set_order order_of(const struct offload_choice *choice, struct sim_trace *trace)
{
	return trace || choice->order == OFFLOAD_FIXED ? HOST_SET_FIXED : HOST_SET_WINDOWS;
}

static struct bench_group_cfg bench_group_of(const struct bench_workload *c,
					     const struct offload_choice *choice,
					     struct sim_trace *trace)
{
	struct bench_group_cfg cfg = BENCH_GROUP_DEFAULTS;

	cfg.topo = bench_topology(c);
	cfg.nodes = c->nodes;
	cfg.ranks = c->ranks;
	cfg.plan = (struct plan_request){
		.opcode = c->opcode,
		.op = c->op,
		.dtype = c->type,
		.bytes = c->bytes,
		.mode = choice->mode,
		.flags = choice->flags,
		.degree = choice->degree,
		.num_rounds = choice->num_rounds,
		.mtu = c->params->mtu,
		.num_segs = few_segs(c),
	};
	if (choice->shared) {
		cfg.plan.modes = TALLY_CAP_TREE | TALLY_CAP_EXCHANGE | TALLY_CAP_RING;
		cfg.plan.mode = 0;
		cfg.plan.num_segs = 0;
	}
	memcpy(cfg.plan.radix, choice->radix, sizeof(cfg.plan.radix));
	cfg.leader = choice->leader;
	cfg.stride = offload_stride(c, choice);
	cfg.buffer = offload_buffer(c, &cfg.window);
	cfg.timing = bench_nic_timing(c->params);
	cfg.trace = trace;
	cfg.order = order_of(choice, trace);
	cfg.units = choice->units;
	cfg.commits = choice->commits;
	cfg.seed = c->seed;
	return cfg;
}

/* Ranks of a node share its bus, and call its NIC. */
static uint16_t domain_of(const struct offload *run, uint32_t rank)
{
	return run->group.host_set.host[run->group.rank[rank].node]->cfg.domain;
}

static void init_ranks(struct offload *run, struct sim_trace *trace)
{
	for (uint32_t k = 0; k < run->group.total_ranks; k++) {
		struct offload_rank *r = &run->rank[k];
		char process[32], name[32];

		r->run = run;
		sim_event_init(&r->stored, stored, r);
		sim_event_init(&r->ring, ring, r);
		r->stored.domain = r->ring.domain = domain_of(run, k);
		cpu_init(&r->cpu, run->c, k);
		snprintf(process, sizeof(process), "host %u", run->group.rank[k].node);
		snprintf(name, sizeof(name), "rank %u", k);
		if (trace)
			r->track = sim_trace_track(trace, process, name, SIM_TRACK_NESTED);
	}
}

static void describe(const struct offload *run, struct offload_result *res)
{
	const struct plan *plan = &run->group.plan;

	res->floor = bench_floor(run->c, run->group.host_set.topo);
	res->mode = run->m.mode ? run->m.mode : plan_mode_of(plan, run->c->opcode, run->c->bytes);
	res->shared = plan->shared;
	res->flags = plan->flags;
	if (res->mode != TALLY_MODE_TREE)
		res->flags &= ~TALLY_GROUP_F_MULTICAST;
	res->degree = plan->degree;
	res->num_rounds = plan->rounds;
	res->num_segs = plan->num_segs;
	memcpy(res->radix, plan->radix, sizeof(res->radix));
	res->estimate_ns = plan->estimate_ns;
	snprintf(res->reason, sizeof(res->reason), "%s", plan->reason);
	res->pushed = run->how & OFFLOAD_PUSH;
	res->inlined = run->how & OFFLOAD_INLINE;
	res->retransmits = host_set_counter(&run->group.host_set, TALLY_CTR_retransmits);
}

static int run_team(struct offload *run, struct sim_trace *trace, struct offload_result *res)
{
	int err;

	run->rank = calloc(run->group.total_ranks, sizeof(*run->rank));
	run->bus = calloc(run->c->nodes, sizeof(*run->bus));
	if (!run->rank || !run->bus || !offload_fill(run)) {
		snprintf(res->run.trouble, sizeof(res->run.trouble), "no memory");
		return -1;
	}
	init_ranks(run, trace);
	bench_group_settle(&run->group);
	err = measure(run, &res->run);
	describe(run, res);
	if (err || !offload_checkable(run->c))
		return err;
	res->checked = offload_check(run, res->run.trouble, sizeof(res->run.trouble));
	return res->checked ? 0 : -1;
}

int offload_run(const struct bench_workload *c, const struct offload_choice *choice,
		struct sim_trace *trace, struct offload_result *res)
{
	struct offload run = { .c = c, .m = bench_message(c) };
	struct bench_group_cfg cfg = bench_group_of(c, choice, trace);
	int err;

	if (choice->shared)
		run.m.mode = choice->mode;
	*res = (struct offload_result){ 0 };
	run.how = offload_choose_how(c, choice);
	cfg.push = run.how & OFFLOAD_PUSH;
	err = bench_group_build(&run.group, &cfg);
	if (err)
		snprintf(res->run.trouble, sizeof(res->run.trouble), "%s", run.group.trouble);
	else
		err = run_team(&run, trace, res);
	free(run.rank);
	free(run.bus);
	bench_group_free(&run.group);
	return err ? -1 : 0;
}
