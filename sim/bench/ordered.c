// SPDX-License-Identifier: BSD-2-Clause
/*
 * `tallysim ordered`: reduces the same floating-point data in many orders of arrival. A group with
 * fixed order must give a single bit pattern. A group without it must give several, which shows
 * that the orders differ.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/options.h"
#include "core/log.h"
#include "hosts/values.h"
#include "offload/group.h"

#define ELEMENTS	64
#define NUM_TYPES	4
#define MAX_NODES	16
#define MAX_RANKS	4
#define MIN_RANKS	3	/* of all nodes; a + b is b + a */
#define SPREAD		(10 * VT_US)	/* time in which the ranks post */
#define LIMIT		VT_S

static const enum tally_type types[NUM_TYPES] = {
	TALLY_TYPE_FP16, TALLY_TYPE_BF16, TALLY_TYPE_FP32, TALLY_TYPE_FP64,
};
static const char *const names[NUM_TYPES] = { "fp16", "bf16", "fp32", "fp64" };

struct ordered_options {
	uint64_t orders, nodes, ranks, seed;
};

/* The results of one group, for each type. */
struct patterns {
	uint64_t *hash[NUM_TYPES];	/* of the result of each order */
	unsigned int distinct[NUM_TYPES];
};

static void usage(FILE *to)
{
	fprintf(to,
"Usage: tallysim ordered [options]\n"
"Reduces the same floating-point data under many orders of arrival, in a group that reduces in\n"
"fixed order and in another that does not, and counts the bit patterns of the results.\n"
"\n"
"  --orders N  number of orders (1000)\n"
"  --nodes N   number of hosts, 2 to 16 (6)\n"
"  --ranks N   number of ranks of each host, 1 to 4 (3)\n"
"  --seed S    seed of all random numbers (1)\n"
"  --help      print this text\n"
"\n"
"Exit status: 0 one pattern in fixed order and several without, 1 otherwise, %d bad command\n"
"line.\n", EXIT_USAGE);
}

static bool take_option(void *arg, int option)
{
	struct ordered_options *opt = arg;

	switch (option) {
	case 'o':
		return option_number("orders", optarg, 2, 1000000, &opt->orders);
	case 'n':
		return option_number("nodes", optarg, 2, MAX_NODES, &opt->nodes);
	case 'r':
		return option_number("ranks", optarg, 1, MAX_RANKS, &opt->ranks);
	case 's':
		return option_number("seed", optarg, 0, UINT64_MAX, &opt->seed);
	default:
		return false;
	}
}

static enum options_result parse(struct ordered_options *opt, int argc, char **argv)
{
	static const struct option long_options[] = {
		{ "orders", required_argument, NULL, 'o' },
		{ "nodes", required_argument, NULL, 'n' },
		{ "ranks", required_argument, NULL, 'r' },
		{ "seed", required_argument, NULL, 's' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};

	enum options_result result;

	*opt = (struct ordered_options){ .orders = 1000, .nodes = 6, .ranks = 3, .seed = 1 };
	result = option_loop(argc, argv, long_options, take_option, opt);
	if (result != OPTIONS_OK || opt->nodes * opt->ranks >= MIN_RANKS)
		return result;
	sim_warn("--nodes %ju --ranks %ju: fewer than %d ranks add up in one order only",
		 (uintmax_t)opt->nodes, (uintmax_t)opt->ranks, MIN_RANKS);
	return OPTIONS_BAD;
}

/* Fills in numbers of both signs whose exponents differ so much that most sums are rounded. */
static void fill(enum tally_type type, uint64_t seed, uint8_t *to)
{
	uint32_t size = oracle_value_size(type);

	for (unsigned int i = 0; i < ELEMENTS; i++) {
		uint64_t z = values_mix(seed + i);
		double v = (double)(int64_t)values_mix(z) / (1ull << 63);
		uint64_t bits = htole64(oracle_encode(type, v * (1 << z % 12)));

		memcpy(to + i * size, &bits, size);
	}
}

static struct message message_of(const struct bench_group *t, unsigned int k)
{
	return (struct message){ .opcode = TALLY_OPCODE_ALLREDUCE, .op = TALLY_OP_SUM,
				 .type = types[k], .count = ELEMENTS,
				 .total_ranks = t->total_ranks };
}

/* Makes all ranks post all types, each rank at a different time. */
static void post_order(struct bench_group *t, struct rng *rng, uint32_t first_mid)
{
	uint32_t order[MAX_NODES * MAX_RANKS], ranks = t->total_ranks;
	vtime_t start = sim_now(t->sim);

	for (uint32_t i = 0; i < ranks; i++) {
		uint32_t k = rng_below(rng, i + 1);

		order[i] = i;
		order[i] = order[k];
		order[k] = i;
	}
	for (uint32_t i = 0; i < ranks; i++) {
		sim_run_until(t->sim, start + i * SPREAD / ranks + rng_below(rng, SPREAD / ranks));
		for (unsigned int k = 0; k < NUM_TYPES; k++) {
			struct message m = message_of(t, k);

			bench_group_post(t, order[i], &m, first_mid + k,
					 k * ELEMENTS * sizeof(uint64_t), false);
		}
	}
}

static uint64_t result_hash(struct bench_group *t, uint32_t rank, unsigned int k)
{
	const struct host_mr *out = &t->rank[rank].out;
	size_t len = ELEMENTS * oracle_value_size(types[k]);
	uint64_t data[ELEMENTS] = { 0 }, hash = 0;

	host_mr_read(out, out->iova + k * ELEMENTS * sizeof(uint64_t), data, len);
	for (unsigned int i = 0; i < ELEMENTS; i++)
		hash = values_mix(hash ^ data[i]);
	return hash;
}

/* Records the results of an order. Returns false if the ranks' results differ. */
static bool note(struct bench_group *t, struct patterns *p, uint64_t order)
{
	for (unsigned int k = 0; k < NUM_TYPES; k++) {
		uint64_t hash = result_hash(t, 0, k);
		bool seen = false;

		for (uint32_t rank = 1; rank < t->total_ranks; rank++)
			if (result_hash(t, rank, k) != hash) {
				sim_warn("ordered: ranks 0 and %u have different results", rank);
				return false;
			}
		for (uint64_t i = 0; i < order && !seen; i++)
			seen = p->hash[k][i] == hash;
		p->hash[k][order] = hash;
		p->distinct[k] += !seen;
	}
	return true;
}

static void fill_all(struct bench_group *t, uint64_t seed)
{
	for (uint32_t rank = 0; rank < t->total_ranks; rank++) {
		const struct host_mr *in = &t->rank[rank].in;

		for (unsigned int k = 0; k < NUM_TYPES; k++) {
			uint8_t data[ELEMENTS * sizeof(uint64_t)];

			fill(types[k], values_mix(seed) + 1000 * rank, data);
			host_mr_write(in, in->iova + k * sizeof(data), data,
				      ELEMENTS * oracle_value_size(types[k]));
		}
	}
}

static bool run_orders(struct bench_group *t, const struct ordered_options *opt, struct patterns *p)
{
	const struct fab_faults delays = { .delay = 0.3, .delay_max = 3 * VT_US };
	struct rng rng;

	rng_seed(&rng, opt->seed);
	fill_all(t, opt->seed);
	host_set_set_faults(&t->host_set, &delays);
	for (uint64_t i = 0; i < opt->orders; i++) {
		sim_progress("ordered: order %ju of %ju", (uintmax_t)i + 1, (uintmax_t)opt->orders);
		post_order(t, &rng, i * NUM_TYPES);
		if (!bench_group_finish(t, LIMIT)) {
			sim_warn("ordered: order %ju: %s", (uintmax_t)i, t->trouble);
			return false;
		}
		if (!note(t, p, i))
			return false;
	}
	return true;
}

static bool count_patterns(const struct ordered_options *opt, uint32_t flags, struct patterns *p)
{
	struct bench_group_cfg cfg = BENCH_GROUP_DEFAULTS;
	struct bench_group *t = malloc(sizeof(*t));
	bool good = t;

	cfg.nodes = opt->nodes;
	cfg.ranks = opt->ranks;
	cfg.plan.degree = 3;
	cfg.plan.flags = flags;
	cfg.seed = opt->seed;
	*p = (struct patterns){ 0 };
	for (unsigned int k = 0; k < NUM_TYPES; k++) {
		p->hash[k] = calloc(opt->orders, sizeof(*p->hash[k]));
		good &= p->hash[k] != NULL;
	}
	if (!good)
		sim_warn("ordered: no memory");
	else if (bench_group_build(t, &cfg)) {
		sim_warn("ordered: %s", t->trouble);
		good = false;
	}
	if (good)
		good = run_orders(t, opt, p);
	sim_progress_end();
	if (t)
		bench_group_free(t);
	free(t);
	for (unsigned int k = 0; k < NUM_TYPES; k++)
		free(p->hash[k]);
	return good;
}

int ordered_main(int argc, char **argv)
{
	struct ordered_options opt;
	struct patterns fixed, free_order;
	bool good;
	int status;

	if (!option_go_on(parse(&opt, argc, argv), "ordered", usage, &status))
		return status;
	good = count_patterns(&opt, TALLY_GROUP_F_ORDERED, &fixed) &&
	       count_patterns(&opt, 0, &free_order);
	if (!good)
		return EXIT_FAILURE;
	printf("%ju orders of arrival, %ju nodes, %ju ranks each\n", (uintmax_t)opt.orders,
	       (uintmax_t)opt.nodes, (uintmax_t)opt.ranks);
	for (unsigned int k = 0; k < NUM_TYPES; k++) {
		printf("%s: %u bit pattern%s in fixed order, %u without\n", names[k],
		       fixed.distinct[k], fixed.distinct[k] == 1 ? "" : "s",
		       free_order.distinct[k]);
		good &= fixed.distinct[k] == 1 && free_order.distinct[k] > 1;
	}
	printf("%s\n", good ? "passed" : "FAILED");
	return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
