// SPDX-License-Identifier: BSD-2-Clause
#include "bench/options.h"

#include <getopt.h>
#include <string.h>

#include "bench/names.h"
#include "bench/take.h"
#include "core/log.h"
#include "rtl/rtl.h"

enum {
	OPT_OP = 256, OPT_TYPE, OPT_SIZE, OPT_NODES, OPT_RANKS, OPT_TOPOLOGY, OPT_ENGINE,
	OPT_PARAMS, OPT_MODE, OPT_RADIX, OPT_DEGREE, OPT_LEADER, OPT_SKEW, OPT_NOISE_RATE,
	OPT_NOISE_TIME, OPT_COMPUTE, OPT_OVERLAP, OPT_SEED, OPT_ITERATIONS, OPT_WARMUP,
	OPT_ALGORITHM, OPT_NO_HOST, OPT_JSON, OPT_TRACE, OPT_COMMITS, OPT_WAVE, OPT_SHARED,
};

static const struct option long_options[] = {
	{ "op", required_argument, NULL, OPT_OP },
	{ "type", required_argument, NULL, OPT_TYPE },
	{ "size", required_argument, NULL, OPT_SIZE },
	{ "nodes", required_argument, NULL, OPT_NODES },
	{ "ranks", required_argument, NULL, OPT_RANKS },
	{ "topology", required_argument, NULL, OPT_TOPOLOGY },
	{ "engine", required_argument, NULL, OPT_ENGINE },
	{ "params", required_argument, NULL, OPT_PARAMS },
	{ "mode", required_argument, NULL, OPT_MODE },
	{ "shared", no_argument, NULL, OPT_SHARED },
	{ "radix", required_argument, NULL, OPT_RADIX },
	{ "degree", required_argument, NULL, OPT_DEGREE },
	{ "leader", no_argument, NULL, OPT_LEADER },
	{ "skew", required_argument, NULL, OPT_SKEW },
	{ "noise-rate", required_argument, NULL, OPT_NOISE_RATE },
	{ "noise-time", required_argument, NULL, OPT_NOISE_TIME },
	{ "compute", required_argument, NULL, OPT_COMPUTE },
	{ "overlap", no_argument, NULL, OPT_OVERLAP },
	{ "seed", required_argument, NULL, OPT_SEED },
	{ "iterations", required_argument, NULL, OPT_ITERATIONS },
	{ "warmup", required_argument, NULL, OPT_WARMUP },
	{ "algorithm", required_argument, NULL, OPT_ALGORITHM },
	{ "no-host", no_argument, NULL, OPT_NO_HOST },
	{ "json", no_argument, NULL, OPT_JSON },
	{ "commits", required_argument, NULL, OPT_COMMITS },
	{ "wave", required_argument, NULL, OPT_WAVE },
	{ "trace", required_argument, NULL, OPT_TRACE },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

void bench_usage(FILE *to)
{
	fprintf(to,
"Usage: tallysim bench --params FILE [options]\n"
"Runs a collective operation on simulated NICs and, over the same hosts and fabric, by software,\n"
"in virtual time, and prints the time of each.\n"
"\n"
"  --params FILE      costs of hosts, NICs, links and switches\n"
"  --op OP            allreduce, barrier, bcast, reduce, allgather, reduce_scatter (allreduce)\n"
"  --type TYPE        int8 to int64, uint8 to uint64, fp16, bf16, fp32, fp64 (fp64); reductions\n"
"                     are sums\n"
"  --size LIST        bytes that a rank contributes, with reduce_scatter receives, up to 1G (8);\n"
"                     not with barrier\n"
"  --nodes LIST       number of nodes, 1 to %d (4)\n"
"  --ranks N          number of ranks of each node, 1 to %d (1)\n"
"  --topology NAME    direct, ring, switch, fattree2, fattree3 (switch)\n"
"  --engine KIND      model (the default), or rtl: the Verilated hardware, as far as it is built\n"
"  --wave DIR[,nic=NAME][,from=TIME][,to=TIME]  with --engine rtl: write the wave forms of each NIC,\n"
"                     or of one, to DIR/NAME.fst, from one virtual time to another\n"
"  --commits FILE     write what the NICs commit, for tools/commits\n"
"  --mode MODE        auto, exchange, ring, tree, or multicast: a tree with results that go down\n"
"                     by multicast (auto)\n"
"  --shared           one group for all operations; MODE is that of the operation\n"
"  --radix N,N,...    exchange: number of parts that each round combines\n"
"  --degree N         tree: maximum number of children of a node\n"
"  --leader           one rank of a node posts for all\n"
"  --skew TIME        ranks call at random moments within this time (0ns)\n"
"  --noise-rate N     interruptions per second of each rank's CPU (0)\n"
"  --noise-time TIME  duration of each interruption (0ns)\n"
"  --compute TIME     non-blocking operation: each rank computes for this time before it waits\n"
"  --overlap          in addition, compute as long as the blocking operation takes\n"
"  --iterations N     number of operations measured; the median is reported (3)\n"
"  --warmup N         number of operations before them (2)\n"
"  --seed S           seed of all random numbers (1)\n"
"  --algorithm NAME   compare with this software algorithm only\n"
"  --no-host          compare with no software\n"
"  --json             print one JSON object per line\n"
"  --trace FILE       write a trace of the NICs' run, for Perfetto; with one size and one number\n"
"                     of nodes\n"
"  --help             print this text\n"
"\n"
"A LIST is numbers separated by commas, or A:B (each twice the one before), or A:B:STEP. Sizes\n"
"may have the suffix K, M or G; a TIME has the suffix ns, us or ms.\n"
"\n"
"Exit status: 0 done, 1 failure, %d bad command line.\n", BENCH_MAX_NODES, TALLY_MAX_RANKS,
		EXIT_USAGE);
}

/* ---- Options ---- */

static bool take_op(struct bench_options *opt)
{
	unsigned int v;

	if (!bench_take_name("op", optarg, bench_opcodes, &v))
		return false;
	opt->c.opcode = v;
	return true;
}

static bool take_mode(struct bench_options *opt)
{
	unsigned int v;

	if (!bench_take_name("mode", optarg, bench_modes, &v))
		return false;
	opt->choice.mode = v == BENCH_MULTICAST ? TALLY_MODE_TREE : v;
	opt->choice.flags = v == BENCH_MULTICAST ? TALLY_GROUP_F_MULTICAST : 0;
	return true;
}

static bool take_radix(struct bench_options *opt)
{
	struct option_list list = { 0 };
	bool good = option_list("radix", optarg, option_number, 2, TALLY_MAX_CONTRIBUTORS, &list);

	if (good && list.n > TALLY_MAX_ROUNDS) {
		sim_warn("--radix %s: more than %d rounds", optarg, TALLY_MAX_ROUNDS);
		good = false;
	}
	opt->choice.num_rounds = good ? list.n : 0;
	for (size_t i = 0; i < opt->choice.num_rounds; i++)
		opt->choice.radix[i] = list.value[i];
	option_list_free(&list);
	return good;
}

static bool take_compute(struct bench_options *opt)
{
	opt->c.overlap = true;
	return option_time("compute", optarg, BENCH_MAX_TIME, &opt->c.compute);
}

/* Parses options for the conditions of a run. */
static bool take_condition(struct bench_options *opt, int option)
{
	switch (option) {
	case OPT_SKEW:
		return option_time("skew", optarg, BENCH_MAX_TIME, &opt->c.skew);
	case OPT_NOISE_RATE:
		return option_rate("noise-rate", optarg, 1e6, &opt->c.noise_rate);
	case OPT_NOISE_TIME:
		return option_time("noise-time", optarg, BENCH_MAX_TIME, &opt->c.noise_time);
	case OPT_COMPUTE:
		return take_compute(opt);
	case OPT_OVERLAP:
		opt->overlap_all = true;
		return true;
	case OPT_SEED:
		return option_number("seed", optarg, 0, UINT64_MAX, &opt->c.seed);
	case OPT_ITERATIONS:
		return bench_take_u32("iterations", 1, BENCH_MAX_ITERATIONS, &opt->c.iterations);
	case OPT_WARMUP:
		return bench_take_u32("warmup", 0, BENCH_MAX_ITERATIONS, &opt->c.warmup);
	case OPT_ALGORITHM:
		opt->algorithm = optarg;
		return true;
	case OPT_NO_HOST:
		opt->no_host = true;
		return true;
	case OPT_JSON:
		opt->json = true;
		return true;
	case OPT_COMMITS:
		opt->commits = optarg;
		return true;
	case OPT_WAVE:
		return rtl_take_wave(optarg);
	case OPT_TRACE:
		opt->trace = optarg;
		return true;
	default:
		return false;
	}
}

static bool take_option(void *arg, int option)
{
	struct bench_options *opt = arg;

	switch (option) {
	case OPT_OP:
		return take_op(opt);
	case OPT_TYPE:
		return bench_take_type(&opt->c);
	case OPT_SIZE:
		opt->sized = true;
		return option_list("size", optarg, option_size, 1, BENCH_MAX_SIZE, &opt->sizes);
	case OPT_NODES:
		return option_list("nodes", optarg, option_number, 1, BENCH_MAX_NODES,
				   &opt->nodes);
	case OPT_RANKS:
		return bench_take_u32("ranks", 1, TALLY_MAX_RANKS, &opt->c.ranks);
	case OPT_TOPOLOGY:
		return bench_take_topology(&opt->c);
	case OPT_ENGINE:
		return rtl_take_engine(optarg, &opt->choice.units);
	case OPT_PARAMS:
		return bench_take_params(&opt->c, &opt->params);
	case OPT_MODE:
		return take_mode(opt);
	case OPT_RADIX:
		return take_radix(opt);
	case OPT_DEGREE:
		return bench_take_u32("degree", 1, TALLY_MAX_CONTRIBUTORS, &opt->choice.degree);
	case OPT_SHARED:
		opt->choice.shared = true;
		return true;
	case OPT_LEADER:
		opt->choice.leader = true;
		return true;
	default:
		return take_condition(opt, option);
	}
}

/* ---- Checks across options ---- */

static bool check(struct bench_options *opt)
{
	const struct {
		bool wrong;
		const char *what;
	} rules[] = {
		{ !opt->c.params, "no --params" },
		{ opt->trace && opt->nodes.n * opt->sizes.n > 1,
		  "--trace: more than one size or number of nodes" },
		{ opt->choice.num_rounds && opt->choice.mode &&
			  opt->choice.mode != TALLY_MODE_EXCHANGE,
		  "--radix is for exchange only, and --mode selects another mode" },
		{ opt->choice.degree && opt->choice.mode && opt->choice.mode != TALLY_MODE_TREE,
		  "--degree is for trees only, and --mode selects another mode" },
		{ opt->choice.num_rounds && opt->choice.degree,
		  "--radix is for exchange, --degree for trees: they exclude each other" },
		{ opt->overlap_all && opt->c.overlap, "--overlap and --compute exclude each other" },
		{ opt->trace && opt->overlap_all, "--trace needs --compute, not --overlap" },
		{ opt->algorithm && opt->no_host, "--algorithm and --no-host exclude each other" },
		{ (opt->c.noise_rate > 0) != (opt->c.noise_time > 0),
		  "--noise-rate and --noise-time go together" },
		{ opt->c.noise_rate * (double)opt->c.noise_time > 0.9 * VT_S,
		  "--noise-rate, --noise-time: they leave less than a tenth of the CPU" },
	};

	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		if (!rules[i].wrong)
			continue;
		sim_warn("%s", rules[i].what);
		return false;
	}
	return rtl_check_wave(opt->choice.units) &&
	       bench_check_sizes(&opt->c, &opt->sizes, opt->sized);
}

static bool add_defaults(struct bench_options *opt)
{
	return (opt->nodes.n || option_list("nodes", "4", option_number, 1, 4, &opt->nodes)) &&
	       (opt->sizes.n || option_list("size", "8", option_size, 8, 8, &opt->sizes));
}

enum options_result bench_options_parse(struct bench_options *opt, int argc, char **argv)
{
	enum options_result result;

	*opt = (struct bench_options){
		.c = { .ranks = 1, .topology = TOPO_SWITCH, .opcode = TALLY_OPCODE_ALLREDUCE,
		       .op = TALLY_OP_SUM, .type = TALLY_TYPE_FP64, .seed = 1, .warmup = 2,
		       .iterations = 3 },
	};
	result = option_loop(argc, argv, long_options, take_option, opt);
	if (result != OPTIONS_OK)
		return result;
	if (!add_defaults(opt))
		return OPTIONS_BAD;
	bench_settle(&opt->c, &opt->sizes);
	return check(opt) ? OPTIONS_OK : OPTIONS_BAD;
}
