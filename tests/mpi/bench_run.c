// SPDX-License-Identifier: BSD-2-Clause
/*
 * Measurements of tests/mpi/bench.c, with the meaning that the OSU micro-benchmarks give to their
 * columns.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"

#define LARGE 8192     /* bytes above which there are fewer iterations */
#define MOST_REPORTS 5 /* of wrong results at a rank */

struct run {
	const struct bench_options *o;
	struct bench_turn turn;
	uint64_t bytes;
	bool nonblocking;
	uint32_t iterations, warmup;
	uint32_t *src, *dst;
	struct bench_count *count;
	uint64_t wrong; /* results of this size */
};

/* Sums of an iteration's parts, in seconds. */
struct parts {
	double total, start, compute, test, wait;
};

static void blocking(const struct run *r)
{
	int n = r->turn.count, root = r->turn.root;
	MPI_Datatype type = MPI_UINT32_T;
	MPI_Comm comm = MPI_COMM_WORLD;

	switch (r->turn.op) {
	case BENCH_ALLREDUCE:
		MPI_Allreduce(r->src, r->dst, n, type, MPI_SUM, comm);
		break;
	case BENCH_REDUCE:
		MPI_Reduce(r->src, r->dst, n, type, MPI_SUM, root, comm);
		break;
	case BENCH_REDUCE_SCATTER:
		MPI_Reduce_scatter_block(r->src, r->dst, n, type, MPI_SUM, comm);
		break;
	case BENCH_BCAST:
		MPI_Bcast(r->dst, n, type, root, comm);
		break;
	case BENCH_ALLGATHER:
		MPI_Allgather(r->src, n, type, r->dst, n, type, comm);
		break;
	case BENCH_GATHER:
		MPI_Gather(r->src, n, type, r->dst, n, type, root, comm);
		break;
	case BENCH_SCATTER:
		MPI_Scatter(r->src, n, type, r->dst, n, type, root, comm);
		break;
	default:
		MPI_Barrier(comm);
	}
}

static void begin(const struct run *r, MPI_Request *request)
{
	int n = r->turn.count, root = r->turn.root;
	MPI_Datatype type = MPI_UINT32_T;
	MPI_Comm comm = MPI_COMM_WORLD;

	switch (r->turn.op) {
	case BENCH_ALLREDUCE:
		MPI_Iallreduce(r->src, r->dst, n, type, MPI_SUM, comm, request);
		break;
	case BENCH_REDUCE:
		MPI_Ireduce(r->src, r->dst, n, type, MPI_SUM, root, comm, request);
		break;
	case BENCH_REDUCE_SCATTER:
		MPI_Ireduce_scatter_block(r->src, r->dst, n, type, MPI_SUM, comm, request);
		break;
	case BENCH_BCAST:
		MPI_Ibcast(r->dst, n, type, root, comm, request);
		break;
	case BENCH_ALLGATHER:
		MPI_Iallgather(r->src, n, type, r->dst, n, type, comm, request);
		break;
	case BENCH_GATHER:
		MPI_Igather(r->src, n, type, r->dst, n, type, root, comm, request);
		break;
	case BENCH_SCATTER:
		MPI_Iscatter(r->src, n, type, r->dst, n, type, root, comm, request);
		break;
	default:
		MPI_Ibarrier(comm, request);
	}
}

/* Computes for a number of steps, whose result the compiler must keep. */
static void compute(uint64_t steps)
{
	static volatile uint32_t result;
	uint32_t x = result;

	for (uint64_t i = 0; i < steps; i++)
		x = x * 1664525 + 1013904223;
	result = x;
}

/*
 * Steps of compute() in a second. The shortest of many samples is taken, since ranks may share
 * processors.
 */
static double speed(void)
{
	enum {
		STEPS = 1 << 16,
		SAMPLES = 50
	};
	static double known;

	for (int i = 0; i < SAMPLES && (i || !known); i++) {
		double begun = MPI_Wtime(), taken;

		compute(STEPS);
		taken = MPI_Wtime() - begun;
		if (taken > 0 && STEPS / taken > known)
			known = STEPS / taken;
	}
	return known;
}

/* The computation, with the wanted calls of MPI_Test() in between. */
static void compute_and_test(const struct run *r, double seconds, MPI_Request *request,
			     struct parts *sum)
{
	uint64_t steps = seconds * speed() / (r->o->tests + 1);
	double from = MPI_Wtime(), to;
	int done = 0;

	for (uint32_t i = 0; i <= r->o->tests; i++) {
		compute(steps);
		to = MPI_Wtime();
		sum->compute += to - from;
		if (i < r->o->tests && !done)
			MPI_Test(request, &done, MPI_STATUS_IGNORE);
		from = MPI_Wtime();
		sum->test += from - to;
	}
}

static void iterate(const struct run *r, double seconds, struct parts *sum)
{
	double from = MPI_Wtime(), now;
	MPI_Request request;

	if (!r->nonblocking) {
		blocking(r);
		sum->total += MPI_Wtime() - from;
		return;
	}
	begin(r, &request);
	sum->start += MPI_Wtime() - from;
	if (seconds > 0)
		compute_and_test(r, seconds, &request, sum);
	now = MPI_Wtime();
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	sum->wait += MPI_Wtime() - now;
	sum->total += MPI_Wtime() - from;
}

/* A barrier has no result; tests/mpi/forms.c tests it. */
static bool compared(const struct run *r)
{
	return r->o->compare && r->turn.op != BENCH_BARRIER;
}

static void report(struct run *r, const struct bench_wrong *wrong)
{
	r->wrong++;
	if (r->count->wrong++ >= MOST_REPORTS)
		return;
	fprintf(stderr,
		"bench: rank %u: %s%s of %llu bytes, iteration %u: word %llu is 0x%08x instead of 0x%08x "
		"(%llu wrong)\n",
		r->turn.rank, r->nonblocking ? "i" : "", bench_names[r->turn.op],
		(unsigned long long)r->bytes, r->turn.number, (unsigned long long)wrong->index,
		wrong->is, wrong->expected, (unsigned long long)wrong->words);
}

/* All iterations, with `seconds` of computation each. Gives averages. */
static struct parts measure(struct run *r, double seconds)
{
	uint32_t all = r->warmup + r->iterations;
	struct parts sum = { 0 };

	speed(); /* measured before the clock runs */
	for (r->turn.number = 0; r->turn.number < all; r->turn.number++) {
		struct bench_wrong wrong;

		if (r->turn.number == r->warmup)
			sum = (struct parts){ 0 };
		if (compared(r))
			bench_fill(&r->turn, r->src, r->dst);
		MPI_Barrier(MPI_COMM_WORLD);
		iterate(r, seconds, &sum);
		if (!compared(r))
			continue;
		wrong = bench_compare(&r->turn, r->src, r->dst);
		r->count->compared++;
		if (wrong.words)
			report(r, &wrong);
	}
	return (struct parts){ sum.total / r->iterations, sum.start / r->iterations,
			       sum.compute / r->iterations, sum.test / r->iterations,
			       sum.wait / r->iterations };
}

/* In microseconds, at all ranks. */
static double over_ranks(double seconds, MPI_Op op)
{
	double mine = seconds * 1e6, all;
	int size;

	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, op, MPI_COMM_WORLD);
	return op == MPI_SUM ? all / size : all;
}

static void print_end(struct run *r)
{
	unsigned long long mine = r->wrong, all;

	MPI_Allreduce(&mine, &all, 1, MPI_UNSIGNED_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
	r->wrong = 0;
	if (r->turn.rank)
		return;
	if (r->o->compare)
		printf("%*s", 14, !compared(r) ? "-" : all ? "Fail" : "Pass");
	putchar('\n');
	fflush(stdout);
}

static void print_size(const struct run *r)
{
	if (!r->turn.rank && r->turn.op != BENCH_BARRIER)
		printf("%-10llu", (unsigned long long)r->bytes);
	else if (!r->turn.rank)
		printf("%-10s", "-");
}

static void print(const struct run *r, double value)
{
	if (!r->turn.rank)
		printf("%*.2f", 18, value);
}

static void size_latency(struct run *r)
{
	struct parts p = measure(r, 0);
	double average = over_ranks(p.total, MPI_SUM);
	double least = over_ranks(p.total, MPI_MIN), most = over_ranks(p.total, MPI_MAX);

	print_size(r);
	print(r, average);
	if (r->o->full) {
		print(r, least);
		print(r, most);
		if (!r->turn.rank)
			printf("%*u", 12, r->iterations);
	}
	print_end(r);
}

/* The part of the communication that the computation hid, in percent. */
static double overlap(double overall, double computed, double pure)
{
	double hidden = pure > 0 ? 100 - (overall - computed) / pure * 100 : 0;

	return hidden > 0 ? hidden : 0;
}

static void size_overlap(struct run *r)
{
	double pure = over_ranks(measure(r, 0).total, MPI_SUM);
	struct parts p = measure(r, pure / 1e6);
	double overall = over_ranks(p.total, MPI_SUM), computed = over_ranks(p.compute, MPI_SUM);
	double start = over_ranks(p.start, MPI_SUM), test = over_ranks(p.test, MPI_SUM);
	double wait = over_ranks(p.wait, MPI_SUM);

	print_size(r);
	print(r, overall);
	print(r, computed);
	if (r->o->full) {
		print(r, start);
		print(r, test);
		print(r, wait);
	}
	print(r, pure);
	print(r, overlap(overall, computed, pure));
	print_end(r);
}

static void print_head(const struct run *r)
{
	static const char *const latency[] = { "Avg Latency(us)", "Min Latency(us)",
					       "Max Latency(us)", NULL };
	static const char *const some[] = { "Overall(us)", "Compute(us)", "Pure Comm.(us)",
					    "Overlap(%)", NULL };
	static const char *const full[] = { "Overall(us)",    "Compute(us)",
					    "Coll. Init(us)", "MPI_Test(us)",
					    "MPI_Wait(us)",   "Pure Comm.(us)",
					    "Overlap(%)",     NULL };
	const char *const *name = !r->nonblocking ? latency : r->o->full ? full : some;

	if (r->turn.rank)
		return;
	printf("\n# %s%s, %u ranks: %s\n%-10s", r->nonblocking ? "i" : "", bench_names[r->turn.op],
	       r->turn.size, r->nonblocking ? "overlap with computation" : "latency", "# Size");
	for (; *name && (r->nonblocking || r->o->full || name == latency); name++)
		printf("%*s", 18, *name);
	if (!r->nonblocking && r->o->full)
		printf("%*s", 12, "Iterations");
	printf("%*s\n", r->o->compare ? 14 : 0, r->o->compare ? "Validation" : "");
}

static void *room(uint64_t bytes)
{
	void *memory = malloc(bytes);

	if (!memory) {
		fprintf(stderr, "bench: there is no memory for %llu bytes\n",
			(unsigned long long)bytes);
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
	return memory;
}

static void prepare(struct run *r, uint64_t bytes)
{
	bool large = bytes > LARGE;

	r->bytes = bytes;
	r->turn.count = bytes / sizeof(uint32_t);
	r->iterations = r->o->iterations ? r->o->iterations : large ? 100 : 1000;
	r->warmup = r->o->warmup != UINT32_MAX ? r->o->warmup : large ? 10 : 200;
	r->src = room((bench_given(&r->turn) + 1) * sizeof(uint32_t));
	r->dst = room((bench_gotten(&r->turn) + BENCH_GUARD) * sizeof(uint32_t));
	r->turn.number = 0;
	bench_fill(&r->turn, r->src, r->dst);
}

static void run(const struct bench_options *o, enum bench_op op, bool nonblocking,
		struct bench_count *count)
{
	struct run r = { .o = o, .turn.op = op, .nonblocking = nonblocking, .count = count };
	uint64_t min = op == BENCH_BARRIER ? 4 : o->min, max = op == BENCH_BARRIER ? 4 : o->max;
	int rank, size;

	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	r.turn.rank = rank;
	r.turn.size = size;
	print_head(&r);
	for (uint64_t bytes = min; bytes <= max; bytes *= 2) {
		prepare(&r, bytes);
		if (nonblocking)
			size_overlap(&r);
		else
			size_latency(&r);
		free(r.src);
		free(r.dst);
	}
}

void bench_latency(const struct bench_options *o, enum bench_op op, struct bench_count *count)
{
	run(o, op, false, count);
}

void bench_overlap(const struct bench_options *o, enum bench_op op, struct bench_count *count)
{
	run(o, op, true, count);
}
