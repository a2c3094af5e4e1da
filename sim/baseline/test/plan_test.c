// SPDX-License-Identifier: BSD-2-Clause
/*
 * Executes plans on real data, without times: ranks advance in random order, so that a plan must be
 * right for any order. Values are random 64-bit integers, whose sums are exact.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "baseline/plan.h"
#include "core/rng.h"

/* A message in flight, or a pending receive. */
struct item {
	struct item *next;
	uint32_t peer;
	uint32_t to, count;
	bool done;
	uint64_t *data;
};

struct queue {
	struct item *head, **tail;
};

struct rank {
	uint64_t *mem;
	size_t at, end;
	struct queue receives;		/* in order; the head is the oldest without a WAIT */
	struct queue arrived;
};

static void put(struct queue *q, struct item *i)
{
	i->next = NULL;
	*q->tail = i;
	q->tail = &i->next;
}

static struct item *take(struct queue *q, struct item **at)
{
	struct item *i = *at;

	*at = i->next;
	if (q->tail == &i->next)
		q->tail = at;
	return i;
}

static struct item *new_item(uint32_t peer, uint32_t to, uint32_t count)
{
	struct item *i = calloc(1, sizeof(*i));

	assert_non_null(i);
	i->peer = peer;
	i->to = to;
	i->count = count;
	return i;
}

static void match(struct rank *r)
{
	for (struct item *recv = r->receives.head; recv; recv = recv->next) {
		struct item **m = &r->arrived.head;

		if (recv->done)
			continue;
		while (*m && (*m)->peer != recv->peer)
			m = &(*m)->next;
		if (!*m)
			continue;
		assert_int_equal((*m)->count, recv->count);
		memcpy(r->mem + recv->to, (*m)->data, recv->count * 8);
		recv->done = true;
		m = &(struct item *){ take(&r->arrived, m) };
		free((*m)->data);
		free(*m);
	}
}

static void deliver(struct rank *to, uint32_t from, const uint64_t *data, uint32_t count)
{
	struct item *m = new_item(from, 0, count);

	m->data = malloc(count * 8 + 1);
	assert_non_null(m->data);
	memcpy(m->data, data, count * 8);
	put(&to->arrived, m);
	match(to);
}

/* Sends to all other ranks on the node of @me. */
static void share(const struct baseline_task *task, struct rank *rank, uint32_t me,
		  const struct baseline_step *s)
{
	uint32_t base = me / task->ranks * task->ranks;

	for (uint32_t r = base; r < base + task->ranks; r++)
		if (r != me)
			deliver(&rank[r], me, rank[me].mem + s->from, s->count);
}

/* Does one step of @me. Returns false if it has to wait. */
static bool step(const struct baseline_task *task, struct rank *rank, uint32_t me,
		 const struct baseline_step *s)
{
	struct rank *r = &rank[me];

	switch (s->kind) {
	case BASELINE_SEND:
		assert_int_not_equal(s->peer, me);
		assert_in_range(s->peer, 0, baseline_task_ranks(task) - 1);
		deliver(&rank[s->peer], me, r->mem + s->from, s->count);
		break;
	case BASELINE_SHARE:
		share(task, rank, me, s);
		break;
	case BASELINE_RECV:
		put(&r->receives, new_item(s->peer, s->to, s->count));
		match(r);
		break;
	case BASELINE_WAIT:
		assert_non_null(r->receives.head);
		if (!r->receives.head->done)
			return false;
		free(take(&r->receives, &r->receives.head));
		break;
	case BASELINE_REDUCE:
		for (uint32_t i = 0; i < s->count; i++)
			r->mem[s->to + i] += r->mem[s->from + i];
		break;
	case BASELINE_COPY:
		assert_true(s->from + s->count <= s->to || s->to + s->count <= s->from);
		memcpy(r->mem + s->to, r->mem + s->from, s->count * 8);
		break;
	default:
		fail();
	}
	r->at++;
	return true;
}

/* Runs ranks until all are done; each one in turn does a random number of steps. */
static void carry_out(const struct baseline_task *task, const struct baseline_plan *plan,
		      struct rank *rank, struct rng *rng)
{
	uint32_t n = baseline_task_ranks(task), left = n, idle = 0;

	for (uint32_t r = 0; r < n; r++)
		left -= rank[r].at == rank[r].end;
	for (uint32_t r = rng_below(rng, n); left; r = (r + 1) % n) {
		uint64_t steps = 1 + rng_below(rng, 8);
		bool moved = false;

		if (rank[r].at == rank[r].end)
			continue;
		while (steps-- && rank[r].at < rank[r].end &&
		       step(task, rank, r, &plan->step[rank[r].at]))
			moved = true;
		left -= rank[r].at == rank[r].end;
		idle = moved ? 0 : idle + 1;
		if (idle > 2 * n)
			fail_msg("deadlock: rank %u waits", r);
	}
	for (uint32_t r = 0; r < n; r++) {
		assert_null(rank[r].receives.head);
		assert_null(rank[r].arrived.head);
	}
}

static uint64_t given(uint32_t rank, uint64_t element)
{
	uint64_t z = (rank + 1) * 0x9e3779b97f4a7c15u + element * 0xbf58476d1ce4e5b9u;

	return z ^ z >> 29;
}

static uint64_t sum(const struct baseline_task *task, uint64_t element)
{
	uint64_t total = 0;

	for (uint32_t r = 0; r < baseline_task_ranks(task); r++)
		total += given(r, element);
	return total;
}

/* The rank of a block of GATHER and SCATTER. */
static uint32_t owner(const struct baseline_task *task, uint64_t element)
{
	return (element / task->count + task->root) % baseline_task_ranks(task);
}

static bool gives(const struct baseline_task *task, uint32_t rank, uint64_t element)
{
	if (task->opcode == TALLY_OPCODE_BCAST || task->opcode == TALLY_OPCODE_SCATTER)
		return rank == task->root;
	if (task->opcode == TALLY_OPCODE_GATHER)
		return owner(task, element) == rank;
	return task->opcode != TALLY_OPCODE_ALLGATHER || element / task->count == rank;
}

static bool gets(const struct baseline_task *task, uint32_t rank, uint64_t element)
{
	if (task->opcode == TALLY_OPCODE_REDUCE || task->opcode == TALLY_OPCODE_GATHER)
		return rank == task->root;
	if (task->opcode == TALLY_OPCODE_SCATTER)
		return owner(task, element) == rank;
	return task->opcode != TALLY_OPCODE_REDUCE_SCATTER || element / task->count == rank;
}

static uint64_t result(const struct baseline_task *task, uint64_t element)
{
	switch (task->opcode) {
	case TALLY_OPCODE_BCAST:
	case TALLY_OPCODE_SCATTER:
		return given(task->root, element);
	case TALLY_OPCODE_GATHER:
		return given(owner(task, element), element);
	case TALLY_OPCODE_ALLGATHER:
		return given(element / task->count, element);
	default:
		return sum(task, element);
	}
}

static void fill(const struct baseline_task *task, const struct baseline_plan *plan,
		 struct rank *rank)
{
	for (uint32_t r = 0; r < plan->ranks; r++) {
		struct rank *k = &rank[r];

		*k = (struct rank){ .at = plan->first[r], .end = plan->first[r + 1] };
		k->receives.tail = &k->receives.head;
		k->arrived.tail = &k->arrived.head;
		k->mem = calloc(plan->memory + 1, 8);
		assert_non_null(k->mem);
		for (uint64_t e = 0; e < baseline_task_data(task); e++)
			k->mem[e] = gives(task, r, e) ? given(r, e) : 0xbad;
	}
}

static void check_results(const struct baseline_task *task, const char *name,
			  const struct rank *rank)
{
	uint64_t value;

	for (uint64_t e = 0; e < baseline_task_data(task); e++) {
		value = result(task, e);
		for (uint32_t r = 0; r < baseline_task_ranks(task); r++)
			if (gets(task, r, e) && rank[r].mem[e] != value)
				fail_msg("%s: %u nodes, %u ranks, root %u: rank %u, element %lu",
					 name, task->nodes, task->ranks, task->root, r,
					 (unsigned long)e);
	}
}

static void run(const struct baseline_task *task, const char *name, struct rng *rng)
{
	struct baseline_plan plan;
	struct rank *rank;

	if (baseline_plan_make(&plan, task, name))
		fail_msg("no plan %s for %u nodes", name, task->nodes);
	rank = calloc(plan.ranks, sizeof(*rank));
	assert_non_null(rank);
	fill(task, &plan, rank);
	carry_out(task, &plan, rank, rng);
	check_results(task, name, rank);
	for (uint32_t r = 0; r < plan.ranks; r++)
		free(rank[r].mem);
	free(rank);
	baseline_plan_free(&plan);
}

static const enum tally_opcode opcodes[] = {
	TALLY_OPCODE_ALLREDUCE, TALLY_OPCODE_REDUCE, TALLY_OPCODE_BCAST, TALLY_OPCODE_BARRIER,
	TALLY_OPCODE_ALLGATHER, TALLY_OPCODE_REDUCE_SCATTER, TALLY_OPCODE_GATHER,
	TALLY_OPCODE_SCATTER,
};

#define NUM_OPCODES	(sizeof(opcodes) / sizeof(opcodes[0]))

/* With AddressSanitizer only some numbers of nodes, which reach all code. */
#ifdef __SANITIZE_ADDRESS__
#define STEP	3
#else
#define STEP	1
#endif

static bool rooted(enum tally_opcode opcode)
{
	return opcode == TALLY_OPCODE_REDUCE || opcode == TALLY_OPCODE_BCAST ||
	       opcode == TALLY_OPCODE_GATHER || opcode == TALLY_OPCODE_SCATTER;
}

/* Returns whether the memory has one block for every rank. */
static bool blocks(enum tally_opcode opcode)
{
	return opcode == TALLY_OPCODE_ALLGATHER || opcode == TALLY_OPCODE_REDUCE_SCATTER ||
	       opcode == TALLY_OPCODE_GATHER || opcode == TALLY_OPCODE_SCATTER;
}

/* Tries every algorithm of every operation with counts below, at and above the number of ranks. */
static void try_all(uint32_t nodes, uint32_t ranks, struct rng *rng)
{
	struct baseline_task task = { .nodes = nodes, .ranks = ranks, .elem = 4096 };
	char name[BASELINE_NAME_MAX];

	for (size_t o = 0; o < NUM_OPCODES; o++) {
		task.opcode = opcodes[o];
		task.root = 0;
		task.count = task.opcode == TALLY_OPCODE_BARRIER ? 0 :
			     1 + rng_below(rng, blocks(task.opcode) ? 3 : 20);
		for (unsigned int i = 0; baseline_plan_name(&task, i, name); i++) {
			if (rooted(task.opcode))
				task.root = rng_below(rng, baseline_task_ranks(&task));
			run(&task, name, rng);
		}
	}
}

static void test_every_count(void **state)
{
	struct rng rng;

	(void)state;
	rng_seed(&rng, 1);
	for (uint32_t n = 1; n <= 33; n += STEP)
		try_all(n, 1, &rng);
}

/* Vectors of many segments. */
static void test_segments(void **state)
{
	static const enum tally_opcode ops[] = {
		TALLY_OPCODE_ALLREDUCE, TALLY_OPCODE_REDUCE, TALLY_OPCODE_BCAST,
	};
	struct baseline_task task = { .ranks = 1, .elem = 1024 };
	char name[BASELINE_NAME_MAX];
	struct rng rng;

	(void)state;
	rng_seed(&rng, 6);
	for (size_t o = 0; o < sizeof(ops) / sizeof(ops[0]); o++)
		for (task.nodes = 1; task.nodes <= 20; task.nodes++) {
			task.opcode = ops[o];
			task.count = 1 + rng_below(&rng, 30 * task.nodes);
			for (unsigned int i = 0; baseline_plan_name(&task, i, name); i++)
				if (!strncmp(name, "ring", 4) || !strncmp(name, "pipe", 4))
					run(&task, name, &rng);
		}
}

static void test_larger_counts(void **state)
{
	static const uint32_t nodes[] = { 48, 63, 64, 65, 81, 100, 128 };
	struct rng rng;

	(void)state;
	rng_seed(&rng, 2);
	for (size_t i = 0; i < sizeof(nodes) / sizeof(nodes[0]); i += STEP)
		try_all(nodes[i], 1, &rng);
}

static void test_ranks_of_nodes(void **state)
{
	struct rng rng;

	(void)state;
	rng_seed(&rng, 3);
	for (uint32_t n = 1; n <= 9; n += STEP)
		for (uint32_t ranks = 2; ranks <= 5; ranks++)
			try_all(n, ranks, &rng);
}

static void test_every_root(void **state)
{
	struct baseline_task task = { .ranks = 1, .count = 50, .elem = 1024 };
	char name[BASELINE_NAME_MAX];
	struct rng rng;

	(void)state;
	rng_seed(&rng, 4);
	for (size_t o = 0; o < NUM_OPCODES; o++) {
		task.opcode = opcodes[o];
		for (task.nodes = 1; rooted(task.opcode) && task.nodes <= 12; task.nodes += STEP)
			for (task.root = 0; task.root < task.nodes; task.root++)
				for (unsigned int i = 0; baseline_plan_name(&task, i, name); i++)
					run(&task, name, &rng);
	}
}

/* Algorithms that libraries compose of two. */
static void test_reduce_then_bcast(void **state)
{
	struct baseline_task task = { TALLY_OPCODE_ALLREDUCE, 1, 1, 7, 1024, 0, NULL };
	struct rng rng;

	(void)state;
	rng_seed(&rng, 5);
	for (task.nodes = 1; task.nodes <= 20; task.nodes++) {
		run(&task, "k-nomial-2+k-nomial-4", &rng);
		run(&task, "k-nomial-2+binary", &rng);
		run(&task, "linear+linear", &rng);
	}
	task.ranks = 3;
	run(&task, "smp-chain+binary", &rng);
}

/* Leaders that are chosen node by node; at the root's node the root. */
static void test_leaders(void **state)
{
	static const char *const names[] = { "k-nomial-2", "binary", "chain", "scatter-ring" };
	struct baseline_task task = { .opcode = TALLY_OPCODE_BCAST, .ranks = 4, .count = 30,
				      .elem = 8 };
	uint32_t leader[20];
	char name[BASELINE_NAME_MAX];
	struct rng rng;

	(void)state;
	rng_seed(&rng, 7);
	for (task.nodes = 1; task.nodes <= 20; task.nodes++)
		for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
			task.root = rng_below(&rng, 4 * task.nodes);
			for (uint32_t n = 0; n < task.nodes; n++)
				leader[n] = n == task.root / 4 ? task.root % 4 : rng_below(&rng, 4);
			snprintf(name, sizeof(name), "cp-%s", names[i]);
			task.leader = leader;
			run(&task, name, &rng);
		}
}

/* Each name occurs once, and its plan can be made. */
static void test_names(void **state)
{
	struct baseline_task task = { TALLY_OPCODE_ALLREDUCE, 64, 2, 1, 8, 0, NULL };
	unsigned int n = 0;
	char a[BASELINE_NAME_MAX], b[BASELINE_NAME_MAX];

	(void)state;
	for (; baseline_plan_name(&task, n, a); n++)
		for (unsigned int i = 0; i < n; i++) {
			assert_true(baseline_plan_name(&task, i, b));
			assert_string_not_equal(a, b);
		}
	/* 128 ranks and 64 nodes: three without a radix; two with every radix, folded if needed. */
	assert_int_equal(n, (3 + 63 + 63 + 62) + (3 + 63 + 63 + 59));
}

static void expect(const struct baseline_task *task, const char *name, int err)
{
	struct baseline_plan plan;

	assert_int_equal(baseline_plan_make(&plan, task, name), err);
	if (!err)
		baseline_plan_free(&plan);
}

static void test_refused(void **state)
{
	struct baseline_task task = { TALLY_OPCODE_ALLREDUCE, 6, 1, 10, 8, 0, NULL };

	(void)state;
	expect(&task, "recursive-multiplying-2", 0);
	expect(&task, "recursive-multiplying-64", 0);
	expect(&task, "k-nomial-2+chain", 0);
	expect(&task, "smp-k-nomial-2+chain", -EINVAL);
	expect(&task, "k-nomial-2+", -EINVAL);
	expect(&task, "+chain", -EINVAL);
	expect(&task, "ring+chain", -EINVAL);
	expect(&task, "recursive-multiplying-1", -EINVAL);
	expect(&task, "recursive-multiplying-65", -EINVAL);
	expect(&task, "recursive-multiplying-", -EINVAL);
	expect(&task, "recursive-multiplying", -EINVAL);
	expect(&task, "recursive-multiplying-4x", -EINVAL);
	expect(&task, "recursive-multiplying-+4", -EINVAL);
	expect(&task, "ring-2", -EINVAL);
	expect(&task, "k-nomial-2", -EINVAL);
	expect(&task, "smp-ring", -EINVAL);
	expect(&task, "cp-ring", -EINVAL);
	expect(&task, "", -EINVAL);
	task.root = 6;
	expect(&task, "ring", -EINVAL);
	task.root = 0;
	task.nodes = 0;
	expect(&task, "ring", -EINVAL);
	task = (struct baseline_task){ TALLY_OPCODE_ALLGATHER, 6, 1, 10, 8, 0, NULL };
	expect(&task, "recursive-doubling", -EINVAL);
	expect(&task, "ring", 0);
	task.count = UINT32_MAX / 6 + 1;
	expect(&task, "ring", -EOVERFLOW);
	task = (struct baseline_task){ TALLY_OPCODE_ALLREDUCE, 64, 1, 1u << 27, 8, 0, NULL };
	expect(&task, "ring", 0);
	expect(&task, "reduce-bcast-64", -EOVERFLOW);
	task = (struct baseline_task){ TALLY_OPCODE_BCAST, 6, 1, 100, 8, 0, NULL };
	expect(&task, "pipeline-8", 0);
	expect(&task, "pipeline-792", 0);
	expect(&task, "pipeline-800", -EINVAL);
	expect(&task, "pipeline-7", -EINVAL);
	expect(&task, "cp-chain", -EINVAL);
	task.ranks = 2;
	expect(&task, "cp-chain", 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_count),
		cmocka_unit_test(test_segments),
		cmocka_unit_test(test_larger_counts),
		cmocka_unit_test(test_ranks_of_nodes),
		cmocka_unit_test(test_every_root),
		cmocka_unit_test(test_reduce_then_bcast),
		cmocka_unit_test(test_leaders),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
