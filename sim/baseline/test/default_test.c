// SPDX-License-Identifier: BSD-2-Clause
/* The libraries' choices: their rules at the limits, and whether every choice can be executed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "baseline/baseline.h"

static const struct bench_params params = { .mpi_eager = 8192 };

static struct bench_workload a_case(enum tally_opcode opcode, uint32_t nodes, uint64_t bytes)
{
	bool reduces = opcode == TALLY_OPCODE_ALLREDUCE || opcode == TALLY_OPCODE_REDUCE ||
		       opcode == TALLY_OPCODE_REDUCE_SCATTER;

	return (struct bench_workload){
		.params = &params, .nodes = nodes, .ranks = 1, .opcode = opcode,
		.op = reduces ? TALLY_OP_SUM : TALLY_OP_NONE,
		.type = opcode == TALLY_OPCODE_BARRIER ? TALLY_TYPE_NONE : TALLY_TYPE_FP64,
		.bytes = bytes,
	};
}

struct choice {
	const char *library;
	enum tally_opcode opcode;
	uint32_t nodes, ranks;
	uint64_t bytes;
	const char *name;
};

#define ALLREDUCE	TALLY_OPCODE_ALLREDUCE
#define BCAST		TALLY_OPCODE_BCAST
#define REDUCE		TALLY_OPCODE_REDUCE
#define BARRIER		TALLY_OPCODE_BARRIER
#define ALLGATHER	TALLY_OPCODE_ALLGATHER
#define SCATTER		TALLY_OPCODE_REDUCE_SCATTER

static const struct choice choices[] = {
	{ "mpich", ALLREDUCE, 256, 1, 8, "recursive-doubling" },
	{ "mpich", ALLREDUCE, 256, 1, 8 * 255, "recursive-doubling" },
	{ "mpich", ALLREDUCE, 256, 1, 8 * 256, "rabenseifner" },
	{ "mpich", ALLREDUCE, 300, 1, 8 * 256, "rabenseifner" },
	{ "mpich", ALLREDUCE, 2, 1, 8, "recursive-doubling" },
	{ "mpich", ALLREDUCE, 2, 1, 16, "rabenseifner" },
	{ "mpich", ALLREDUCE, 16, 4, 8 * 15, "smp-recursive-doubling" },
	{ "mpich", ALLREDUCE, 16, 4, 8 * 16, "smp-rabenseifner" },
	{ "mpich", REDUCE, 16, 1, 2048, "k-nomial-2" },
	{ "mpich", REDUCE, 16, 1, 2056, "rabenseifner" },
	{ "mpich", BCAST, 16, 1, 12288, "k-nomial-2" },
	{ "mpich", BCAST, 16, 1, 12296, "scatter-doubling" },
	{ "mpich", BCAST, 16, 1, 524296, "scatter-ring" },
	{ "mpich", BCAST, 15, 1, 12296, "scatter-ring" },
	{ "mpich", BCAST, 7, 1, 1 << 20, "k-nomial-2" },
	{ "mpich", BCAST, 16, 4, 8, "smp-k-nomial-2" },
	{ "mpich", BCAST, 16, 4, 1 << 20, "scatter-ring" },
	{ "mpich", BARRIER, 100, 1, 0, "dissemination-2" },
	{ "mpich", BARRIER, 100, 2, 0, "smp-dissemination-2" },
	{ "mpich", ALLGATHER, 16, 1, 32760, "recursive-doubling" },
	{ "mpich", ALLGATHER, 16, 1, 32768, "ring" },
	{ "mpich", ALLGATHER, 10, 1, 8184, "bruck" },
	{ "mpich", ALLGATHER, 10, 1, 8192, "ring" },
	{ "mpich", SCATTER, 16, 1, 32760, "recursive-halving" },
	{ "mpich", SCATTER, 16, 1, 32768, "pairwise" },
	{ "openmpi", ALLREDUCE, 16, 1, 8, "recursive-doubling" },
	{ "openmpi", ALLREDUCE, 3, 1, 4096, "ring" },
	{ "openmpi", ALLREDUCE, 5, 1, 8, "recursive-doubling" },
	{ "openmpi", ALLREDUCE, 40, 1, 128, "linear+linear" },
	{ "openmpi", ALLREDUCE, 40, 1, 256, "rabenseifner" },
	{ "openmpi", ALLREDUCE, 64, 1, 262136, "recursive-doubling" },
	{ "openmpi", ALLREDUCE, 128, 1, 8, "k-nomial-2+binary" },
	{ "openmpi", ALLREDUCE, 256, 1, 8, "k-nomial-2+k-nomial-4" },
	{ "openmpi", ALLREDUCE, 1024, 1, 2048, "recursive-doubling" },
	{ "openmpi", ALLREDUCE, 1024, 1, 16384, "rabenseifner" },
	{ "openmpi", ALLREDUCE, 16, 2, 8, NULL },
	{ "openmpi", REDUCE, 16, 1, 4088, "binary" },
	{ "openmpi", REDUCE, 16, 1, 4096, "k-nomial-2" },
	{ "openmpi", REDUCE, 3, 1, 8, "binary" },
	{ "openmpi", BCAST, 255, 1, 8, "binary" },
	{ "openmpi", BCAST, 256, 1, 8, "k-nomial-4" },
	{ "openmpi", BCAST, 20, 1, 1 << 20, "scatter-ring" },
	{ "openmpi", BARRIER, 4, 1, 0, "linear" },
	{ "openmpi", BARRIER, 8, 1, 0, "recursive-doubling" },
	{ "openmpi", BARRIER, 256, 1, 0, "tree-2" },
	{ "openmpi", ALLGATHER, 16, 1, 8, "recursive-doubling" },
	{ "openmpi", ALLGATHER, 17, 1, 8, "bruck" },
	{ "openmpi", ALLGATHER, 33, 1, 2048, "ring" },
	{ "openmpi", ALLGATHER, 34, 1, 2048, "neighbour" },
	{ "openmpi", SCATTER, 10, 1, 8, "recursive-halving" },
	{ "openmpi", SCATTER, 16, 1, 24, "linear" },
	{ "openmpi", SCATTER, 16, 1, 32, "recursive-halving" },
	{ "mpich", TALLY_OPCODE_GATHER, 16, 4, 1 << 20, "binomial" },
	{ "mpich", TALLY_OPCODE_SCATTER, 5, 1, 8, "binomial" },
	{ "openmpi", TALLY_OPCODE_GATHER, 3, 1, 32768, "linear" },
	{ "openmpi", TALLY_OPCODE_GATHER, 7, 1, 32760, "binomial" },
	{ "openmpi", TALLY_OPCODE_GATHER, 300, 1, 8184, "linear" },
	{ "openmpi", TALLY_OPCODE_GATHER, 300, 1, 8192, "binomial" },
	{ "openmpi", TALLY_OPCODE_SCATTER, 31, 1, 16376, "binomial" },
	{ "openmpi", TALLY_OPCODE_SCATTER, 31, 1, 16384, "linear" },
	{ "openmpi", TALLY_OPCODE_SCATTER, 64, 1, 504, "binomial" },
	{ "openmpi", TALLY_OPCODE_SCATTER, 64, 1, 512, "linear" },
	{ "lam", ALLREDUCE, 16, 1, 8, NULL },
};

static void test_choices(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(choices) / sizeof(choices[0]); i++) {
		const struct choice *k = &choices[i];
		struct bench_workload c = a_case(k->opcode, k->nodes, k->bytes);
		const char *name;

		c.ranks = k->ranks;
		name = baseline_default(&c, k->library);
		if (!name != !k->name || (name && strcmp(name, k->name)))
			fail_msg("%s, %u nodes, %lu bytes: %s, not %s", k->library, k->nodes,
				 (unsigned long)k->bytes, name, k->name);
	}
}

static void plan_choice(const struct bench_workload *c, const char *library)
{
	const char *name = baseline_default(c, library);
	struct baseline_task task = {
		.opcode = c->opcode, .nodes = c->nodes, .ranks = c->ranks,
		.count = c->bytes / 8, .elem = 8,
	};
	struct baseline_plan plan;

	if (!name)
		fail_msg("%s has nothing for %u nodes", library, c->nodes);
	if (baseline_plan_make(&plan, &task, name))
		fail_msg("%s: no plan %s for %u nodes", library, name, c->nodes);
	baseline_plan_free(&plan);
}

/* Every choice for any number of nodes exists. */
static void test_every_choice_exists(void **state)
{
	static const enum tally_opcode opcodes[] = {
		ALLREDUCE, BCAST, REDUCE, BARRIER, ALLGATHER, SCATTER, TALLY_OPCODE_GATHER,
		TALLY_OPCODE_SCATTER,
	};

	(void)state;
	for (size_t o = 0; o < sizeof(opcodes) / sizeof(opcodes[0]); o++)
		for (uint32_t n = 1; n <= 1024; n = n < 70 ? n + 1 : n * 5 / 4 + 1)
			for (uint64_t bytes = 8; bytes <= 65536; bytes *= 8) {
				struct bench_workload c = a_case(opcodes[o], n, bytes);

				if (opcodes[o] == BARRIER)
					c.bytes = 0;
				/* Long vectors of many blocks need plans of millions of steps. */
				if (n > 128 && bytes > 8)
					continue;
				plan_choice(&c, "openmpi");
				plan_choice(&c, "mpich");
				c.ranks = 2;
				plan_choice(&c, "mpich");
			}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_choices),
		cmocka_unit_test(test_every_choice_exists),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
