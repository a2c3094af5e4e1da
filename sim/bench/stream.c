// SPDX-License-Identifier: BSD-2-Clause
/*
 * `tallysim stream`: sends one long message and reports the use of the busiest link of its tree.
 * The payload capacity of a link is the rate of full chunks at line rate, without headers and gaps.
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

#define WINDOW		(8ull << 20)	/* a longer buffer repeats this memory */
#define LIMIT		(100 * VT_S)
/* Ethernet, IPv6, UDP, BTH, TCH, ICRC */
#define HEADERS		(ETH_HEADER_BYTES + 40 + 8 + 12 + sizeof(struct tally_tch) + 4)

static const struct {
	const char *name;
	enum tally_opcode opcode;
} ops[] = {
	{ "allreduce", TALLY_OPCODE_ALLREDUCE },
	{ "reduce", TALLY_OPCODE_REDUCE },
	{ "bcast", TALLY_OPCODE_BCAST },
};

#define NUM_OPS	(sizeof(ops) / sizeof(ops[0]))

struct stream_options {
	unsigned int op;
	uint64_t size, nodes, degree, mtu, seed, least;
};

static void usage(FILE *to)
{
	fprintf(to,
"Usage: tallysim stream [options]\n"
"Runs one long collective in virtual time and prints the share that it achieved of the payload\n"
"capacity of its tree's busiest link.\n"
"\n"
"  --op OP       allreduce (the default), reduce or bcast\n"
"  --size BYTES  number of bytes of each rank, 8 to 1G; suffixes K, M and G (64M)\n"
"  --nodes N     number of hosts with one rank each, 2 to 64 (4)\n"
"  --degree N    maximum number of children of a node (2)\n"
"  --mtu BYTES   size of a chunk: 256, 512, 1024, 2048 or 4096 (4096)\n"
"  --seed S      seed of all random numbers (1)\n"
"  --least PCT   fail if the share is smaller (0)\n"
"  --help        print this text\n"
"\n"
"Exit status: 0 right result, 1 failure, %d bad command line.\n", EXIT_USAGE);
}

static bool take_op(struct stream_options *opt)
{
	for (opt->op = 0; opt->op < NUM_OPS; opt->op++)
		if (!strcmp(optarg, ops[opt->op].name))
			return true;
	sim_warn("--op %s: unknown; there are allreduce, reduce and bcast", optarg);
	return false;
}

static bool take_mtu(struct stream_options *opt)
{
	if (!option_number("mtu", optarg, 256, TALLY_MAX_MTU, &opt->mtu))
		return false;
	if (!(opt->mtu & (opt->mtu - 1)))
		return true;
	sim_warn("--mtu %s: not a power of two", optarg);
	return false;
}

static bool take_option(void *arg, int option)
{
	struct stream_options *opt = arg;

	switch (option) {
	case 'o':
		return take_op(opt);
	case 'z':
		return option_size("size", optarg, 8, 1 << 30, &opt->size);
	case 'n':
		return option_number("nodes", optarg, 2, 64, &opt->nodes);
	case 'd':
		return option_number("degree", optarg, 1, TALLY_MAX_CONTRIBUTORS, &opt->degree);
	case 'm':
		return take_mtu(opt);
	case 's':
		return option_number("seed", optarg, 0, UINT64_MAX, &opt->seed);
	case 'l':
		return option_number("least", optarg, 0, 100, &opt->least);
	default:
		return false;
	}
}

static enum options_result parse(struct stream_options *opt, int argc, char **argv)
{
	static const struct option long_options[] = {
		{ "op", required_argument, NULL, 'o' },
		{ "size", required_argument, NULL, 'z' },
		{ "nodes", required_argument, NULL, 'n' },
		{ "degree", required_argument, NULL, 'd' },
		{ "mtu", required_argument, NULL, 'm' },
		{ "seed", required_argument, NULL, 's' },
		{ "least", required_argument, NULL, 'l' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};

	*opt = (struct stream_options){ .size = 64 << 20, .nodes = 4, .degree = 2, .mtu = 4096,
					.seed = 1 };
	return option_loop(argc, argv, long_options, take_option, opt);
}

/* ---- The message ---- */

static struct message message_of(const struct stream_options *opt, const struct bench_group *t)
{
	return (struct message){
		.opcode = ops[opt->op].opcode,
		.op = ops[opt->op].opcode == TALLY_OPCODE_BCAST ? TALLY_OP_NONE : TALLY_OP_SUM,
		.type = TALLY_TYPE_INT64,
		.count = opt->size / sizeof(uint64_t),
		.total_ranks = t->total_ranks,
		.seed = opt->seed,
	};
}

/* Returns the message without its repetitions, as it is in the window. */
static struct message once(const struct message *m)
{
	struct message part = *m;

	if (part.count > WINDOW / sizeof(uint64_t))
		part.count = WINDOW / sizeof(uint64_t);
	return part;
}

static bool fill_all(struct bench_group *t, const struct message *m)
{
	const struct message part = once(m);
	uint8_t *data = malloc(message_give_bytes(&part));

	for (uint32_t rank = 0; data && rank < t->total_ranks; rank++) {
		const struct host_mr *in = &t->rank[rank].in;

		message_input(&part, rank, data);
		host_mr_write(in, in->iova, data, message_give_bytes(&part));
	}
	free(data);
	return data;
}

static bool check_all(struct bench_group *t, const struct message *m)
{
	const struct message part = once(m);
	uint64_t len = message_get_bytes(&part);
	uint8_t *want = malloc(len), *got = malloc(len);
	struct oracle oracle = { 0 };
	bool right = want && got && message_expect(&part, &oracle, want);

	for (uint32_t rank = 0; right && rank < t->total_ranks; rank++) {
		const struct host_mr *out = &t->rank[rank].out;

		if (!message_gets(m, rank))
			continue;
		host_mr_read(out, out->iova, got, len);
		right = !memcmp(got, want, len);
		if (!right)
			sim_warn("stream: rank %u has a wrong result", rank);
	}
	oracle_free(&oracle);
	free(want);
	free(got);
	return right;
}

/* ---- The links ---- */

/* Returns how often the message's bytes cross the busiest direction of a host's link. */
static unsigned int busiest(const struct bench_group *t, enum tally_opcode opcode)
{
	unsigned int most = 0;

	for (unsigned int place = 0; place < t->plan.num_nodes; place++) {
		struct plan_node n;
		unsigned int up = place != 0, down, in, out;

		plan_node(&t->plan, place, &n);
		down = n.num_edges - up;
		/* data go up from the children to the parent, and down to the children */
		in = (opcode != TALLY_OPCODE_BCAST ? down : 0) +
		     (opcode != TALLY_OPCODE_REDUCE ? up : 0);
		out = (opcode != TALLY_OPCODE_REDUCE ? down : 0) +
		      (opcode != TALLY_OPCODE_BCAST ? up : 0);
		most = in > most ? in : most;
		most = out > most ? out : most;
	}
	return most;
}

static void show_progress(const struct bench_group *t)
{
	sim_progress("stream: %.3f ms of virtual time", (double)sim_now(t->sim) / VT_S * 1e3);
}

static vtime_t run(struct bench_group *t, const struct message *m)
{
	vtime_t start = sim_now(t->sim), end = start;

	for (uint32_t rank = 0; rank < t->total_ranks; rank++)
		bench_group_post(t, rank, m, 0, 0, false);
	if (!bench_group_finish(t, LIMIT))
		return 0;
	for (uint32_t rank = 0; rank < t->total_ranks; rank++)
		if (t->rank[rank].completed > end)
			end = t->rank[rank].completed;
	return end - start;
}

/* Prints the result and returns the share in percent. */
static double report(const struct stream_options *opt, const struct bench_group *t, vtime_t time)
{
	const struct fab_link_params *link = &topo_config(t->host_set.topo)->link;
	double rate = (double)link->bits_per_s / 8 * opt->mtu /
		      (opt->mtu + HEADERS + ETH_OVERHEAD_BYTES);
	unsigned int times = busiest(t, ops[opt->op].opcode);
	double seconds = (double)time / VT_S;
	double share = 100 * (double)opt->size * times / seconds / rate;

	printf("%s of %ju bytes over %ju nodes: %.3f ms\n", ops[opt->op].name,
	       (uintmax_t)opt->size, (uintmax_t)opt->nodes, seconds * 1e3);
	printf("busiest link: %u x %ju bytes each way, %.1f%% of its payload capacity of "
	       "%.2f GB/s\n", times, (uintmax_t)opt->size, share, rate / 1e9);
	printf("retransmissions: %ju\n",
	       (uintmax_t)host_set_counter(&t->host_set, TALLY_CTR_retransmits));
	return share;
}

static int stream(const struct stream_options *opt, struct bench_group *t)
{
	struct bench_group_cfg cfg = BENCH_GROUP_DEFAULTS;
	struct message m;
	vtime_t time;

	cfg.nodes = opt->nodes;
	cfg.plan.degree = opt->degree;
	cfg.plan.mtu = opt->mtu;
	cfg.seed = opt->seed;
	cfg.buffer = opt->size;
	cfg.window = opt->size > WINDOW ? WINDOW : 0;
	cfg.tick = show_progress;
	if (bench_group_build(t, &cfg)) {
		sim_warn("stream: %s", t->trouble);
		return EXIT_FAILURE;
	}
	m = message_of(opt, t);
	if (!fill_all(t, &m)) {
		sim_warn("stream: no memory");
		return EXIT_FAILURE;
	}
	time = run(t, &m);
	sim_progress_end();
	if (!time) {
		sim_warn("stream: %s", t->trouble);
		return EXIT_FAILURE;
	}
	if (!check_all(t, &m))
		return EXIT_FAILURE;
	return report(opt, t, time) >= opt->least ? EXIT_SUCCESS : EXIT_FAILURE;
}

int stream_main(int argc, char **argv)
{
	struct stream_options opt;
	struct bench_group *t;
	int status;

	if (!option_go_on(parse(&opt, argc, argv), "stream", usage, &status))
		return status;
	t = malloc(sizeof(*t));
	if (!t)
		return EXIT_FAILURE;
	status = stream(&opt, t);
	bench_group_free(t);
	free(t);
	return status;
}
