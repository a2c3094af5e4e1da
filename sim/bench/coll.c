// SPDX-License-Identifier: BSD-2-Clause
/* `tallysim coll`: collectives by libtallycoll on simulated NICs, in virtual time. */
#include <stdlib.h>
#include <string.h>

#include "bench/host_default.h"
#include "bench/names.h"
#include "bench/take.h"
#include "cli/commands.h"
#include "coll/measure.h"
#include "core/log.h"

#define MAX_DROP	0.1
#define MOST_RANKS	256	/* of a node: more than the contributors of a NIC */

enum {
	OPT_PARAMS = 256, OPT_OP, OPT_TYPE, OPT_SIZE, OPT_NODES, OPT_RANKS, OPT_SOCKETS,
	OPT_TOPOLOGY, OPT_WAY, OPT_SKEW, OPT_ITERATIONS, OPT_WARMUP, OPT_SEED, OPT_DROP,
	OPT_OVERLAP, OPT_PROGRESS, OPT_HOST, OPT_ALGORITHM, OPT_NOISE_RATE, OPT_NOISE_TIME, OPT_WORK,
	OPT_ARRIVALS, OPT_JSON,
};

static const struct option long_options[] = {
	{ "params", required_argument, NULL, OPT_PARAMS },
	{ "op", required_argument, NULL, OPT_OP },
	{ "type", required_argument, NULL, OPT_TYPE },
	{ "size", required_argument, NULL, OPT_SIZE },
	{ "nodes", required_argument, NULL, OPT_NODES },
	{ "ranks", required_argument, NULL, OPT_RANKS },
	{ "sockets", required_argument, NULL, OPT_SOCKETS },
	{ "topology", required_argument, NULL, OPT_TOPOLOGY },
	{ "way", required_argument, NULL, OPT_WAY },
	{ "skew", required_argument, NULL, OPT_SKEW },
	{ "iterations", required_argument, NULL, OPT_ITERATIONS },
	{ "warmup", required_argument, NULL, OPT_WARMUP },
	{ "seed", required_argument, NULL, OPT_SEED },
	{ "drop", required_argument, NULL, OPT_DROP },
	{ "overlap", no_argument, NULL, OPT_OVERLAP },
	{ "progress", required_argument, NULL, OPT_PROGRESS },
	{ "noise-rate", required_argument, NULL, OPT_NOISE_RATE },
	{ "noise-time", required_argument, NULL, OPT_NOISE_TIME },
	{ "work", required_argument, NULL, OPT_WORK },
	{ "arrivals", required_argument, NULL, OPT_ARRIVALS },
	{ "host", no_argument, NULL, OPT_HOST },
	{ "algorithm", required_argument, NULL, OPT_ALGORITHM },
	{ "json", no_argument, NULL, OPT_JSON },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static const struct bench_name opcodes[] = {
	{ "allreduce", TALLY_OPCODE_ALLREDUCE }, { "reduce", TALLY_OPCODE_REDUCE },
	{ "bcast", TALLY_OPCODE_BCAST }, { "barrier", TALLY_OPCODE_BARRIER },
	{ "allgather", TALLY_OPCODE_ALLGATHER }, { "reduce_scatter", TALLY_OPCODE_REDUCE_SCATTER },
	{ "gather", TALLY_OPCODE_GATHER }, { "scatter", TALLY_OPCODE_SCATTER }, { NULL, 0 },
};

struct coll_options {
	struct sim_coll_cfg cfg;
	struct bench_params params;
	const char *op;
	const char *way;		/* NULL: as the environment says */
	struct option_list sizes, nodes, ranks;
	uint32_t progress;		/* calls while a rank computes */
	const char *algorithm;		/* of the host; NULL: the default */
	const char *arrivals;		/* file; NULL: none */
	bool sized, overlap, host, json;
};

/* A line of the output. */
struct coll_line {
	struct coll_measured res;
	struct coll_measured overlapped;	/* with --overlap */
	struct bench_result host;		/* with --host: without the library, */
	char algorithm[BASELINE_NAME_MAX];	/* by this algorithm */
};

static void usage(FILE *to)
{
	fprintf(to,
"Usage: tallysim coll --params FILE [options]\n"
"Runs a collective operation by libtallycoll, whose ranks call it on simulated nodes, in virtual\n"
"time, and prints the time per operation.\n"
"\n"
"  --params FILE    costs of hosts, NICs, links and switches\n"
"  --op OP          allreduce, reduce, bcast, barrier, allgather, reduce_scatter, gather, scatter\n"
"                   (allreduce)\n"
"  --type TYPE      int8 to int64, uint8 to uint64, fp16, bf16, fp32, fp64 (fp64); reductions are\n"
"                   sums\n"
"  --size LIST      bytes that a rank contributes, with reduce_scatter and scatter receives, up to\n"
"                   1G (8); not with barrier\n"
"  --nodes LIST     number of nodes, 1 to %d (4)\n"
"  --ranks LIST     number of ranks of each node, 1 to %d (1)\n"
"  --sockets N      number of CPU sockets of each node, 1 to 8 (1)\n"
"  --topology NAME  direct, ring, switch, fattree2, fattree3 (switch)\n"
"  --way WAY        rules of TALLY_COLL_TUNE, or a way for all operations, as node\n"
"  --skew TIME      ranks call at random moments within this time (0ns)\n"
"  --iterations N   number of operations measured (10)\n"
"  --warmup N       number of operations before them (2)\n"
"  --seed S         seed of all random numbers (1)\n"
"  --drop RATE      share of frames lost, up to 0.1 (0)\n"
"  --overlap        non-blocking: also compute between call and wait, as long as it takes without\n"
"  --progress N     with --overlap: call the library N times while computing (0)\n"
"  --noise-rate N   interruptions of each rank's CPU per second (0)\n"
"  --noise-time TIME duration of each of them (0ns)\n"
"  --work TIME      ranks work for this time before each operation and do not stop in between\n"
"  --arrivals FILE  write when each rank called, after the first one: iteration, rank, ns\n"
"  --host           also run the faster of the default algorithms of MPICH and Open MPI\n"
"  --algorithm NAME also run this algorithm of docs/bench.md in software\n"
"  --json           print one JSON object per line\n"
"  --help           print this text\n"
"\n"
"A LIST is numbers separated by commas, or A:B (each twice the one before), or A:B:STEP. Sizes\n"
"may have the suffix K, M or G; a TIME has the suffix ns, us or ms.\n"
"\n"
"Exit status: 0 done, 1 failure, %d bad command line.\n", BENCH_MAX_NODES, MOST_RANKS, EXIT_USAGE);
}

/* ---- Options ---- */
static bool take_op(struct coll_options *opt)
{
	unsigned int v;

	if (!bench_take_name("op", optarg, opcodes, &v))
		return false;
	opt->cfg.c.opcode = v;
	opt->op = optarg;
	return true;
}

/* Parses options for the conditions of a run. */
static bool take_condition(struct coll_options *opt, int option)
{
	struct bench_workload *c = &opt->cfg.c;

	switch (option) {
	case OPT_SKEW:
		return option_time("skew", optarg, BENCH_MAX_TIME, &c->skew);
	case OPT_ITERATIONS:
		return bench_take_u32("iterations", 1, BENCH_MAX_ITERATIONS, &c->iterations);
	case OPT_WARMUP:
		return bench_take_u32("warmup", 0, BENCH_MAX_ITERATIONS, &c->warmup);
	case OPT_SEED:
		return option_number("seed", optarg, 0, UINT64_MAX, &c->seed);
	case OPT_DROP:
		return option_rate("drop", optarg, MAX_DROP, &opt->cfg.faults.drop);
	case OPT_OVERLAP:
		opt->overlap = true;
		return true;
	case OPT_PROGRESS:
		return bench_take_u32("progress", 0, 1000, &opt->progress);
	case OPT_NOISE_RATE:
		return option_rate("noise-rate", optarg, 1e6, &c->noise_rate);
	case OPT_NOISE_TIME:
		return option_time("noise-time", optarg, BENCH_MAX_TIME, &c->noise_time);
	case OPT_WORK:
		return option_time("work", optarg, BENCH_MAX_TIME, &opt->cfg.work);
	case OPT_ARRIVALS:
		opt->arrivals = optarg;
		return true;
	case OPT_HOST:
		opt->host = true;
		return true;
	case OPT_ALGORITHM:
		opt->host = true;
		opt->algorithm = optarg;
		return true;
	case OPT_JSON:
		opt->json = true;
		return true;
	default:
		return false;
	}
}

static bool take_option(void *arg, int option)
{
	struct coll_options *opt = arg;

	switch (option) {
	case OPT_PARAMS:
		return bench_take_params(&opt->cfg.c, &opt->params);
	case OPT_OP:
		return take_op(opt);
	case OPT_TYPE:
		return bench_take_type(&opt->cfg.c);
	case OPT_SIZE:
		opt->sized = true;
		return option_list("size", optarg, option_size, 1, BENCH_MAX_SIZE, &opt->sizes);
	case OPT_NODES:
		return option_list("nodes", optarg, option_number, 1, BENCH_MAX_NODES, &opt->nodes);
	case OPT_RANKS:
		return option_list("ranks", optarg, option_number, 1, MOST_RANKS, &opt->ranks);
	case OPT_SOCKETS:
		return bench_take_u32("sockets", 1, 8, &opt->cfg.sockets);
	case OPT_TOPOLOGY:
		return bench_take_topology(&opt->cfg.c);
	case OPT_WAY:
		opt->way = optarg;
		return true;
	default:
		return take_condition(opt, option);
	}
}

static bool add_defaults(struct coll_options *opt)
{
	return (opt->nodes.n || option_list("nodes", "4", option_number, 1, 4, &opt->nodes)) &&
	       (opt->ranks.n || option_list("ranks", "1", option_number, 1, 1, &opt->ranks)) &&
	       (opt->sizes.n || option_list("size", "8", option_size, 8, 8, &opt->sizes));
}

static bool check(const struct coll_options *opt)
{
	if (!opt->cfg.c.params) {
		sim_warn("no --params");
		return false;
	}
	if (opt->progress && !opt->overlap) {
		sim_warn("--progress is for --overlap");
		return false;
	}
	if (opt->cfg.work && (opt->cfg.c.skew || opt->overlap || opt->host)) {
		sim_warn("--work excludes --skew, --overlap and --host");
		return false;
	}
	if ((opt->cfg.c.noise_rate > 0) != (opt->cfg.c.noise_time > 0)) {
		sim_warn("--noise-rate and --noise-time go together");
		return false;
	}
	if (opt->cfg.c.noise_rate * (double)opt->cfg.c.noise_time > 0.9 * VT_S) {
		sim_warn("--noise-rate, --noise-time: they leave less than a tenth of the CPU");
		return false;
	}
	if (opt->arrivals && opt->nodes.n * opt->ranks.n * opt->sizes.n > 1) {
		sim_warn("--arrivals: more than one size or number of ranks");
		return false;
	}
	return bench_check_sizes(&opt->cfg.c, &opt->sizes, opt->sized);
}

static enum options_result parse(struct coll_options *opt, int argc, char **argv)
{
	enum options_result result;

	*opt = (struct coll_options){
		.cfg.c = { .topology = TOPO_SWITCH, .opcode = TALLY_OPCODE_ALLREDUCE,
			   .op = TALLY_OP_SUM, .type = TALLY_TYPE_FP64, .seed = 1, .warmup = 2,
			   .iterations = 10 },
		.op = "allreduce",
	};
	result = option_loop(argc, argv, long_options, take_option, opt);
	if (result != OPTIONS_OK)
		return result;
	if (!add_defaults(opt))
		return OPTIONS_BAD;
	bench_settle(&opt->cfg.c, &opt->sizes);
	return check(opt) ? OPTIONS_OK : OPTIONS_BAD;
}

/* The library reads its rules from the environment; one word is a way for all operations. */
static bool set_way(const char *way)
{
	char rules[512];

	if (!way)
		return true;
	snprintf(rules, sizeof(rules), "%s%s", strchr(way, '=') ? "" : "all=", way);
	return !setenv("TALLY_COLL_TUNE", rules, 1);
}

/* ---- Output ---- */
static double us(vtime_t t)
{
	return (double)t / VT_US;
}

static double share(const struct coll_measured *res)
{
	return res->calls ? (double)res->offloaded / res->calls : 0;
}

/* The time of a program with the library, which leaves some operations to the host. */
static vtime_t with_library(const struct coll_line *line)
{
	return line->res.offloaded ? line->res.mean : line->host.time;
}

static double overlap(const struct coll_line *line)
{
	return line->res.offloaded ? bench_hidden(line->res.mean, line->overlapped.mean) : 0;
}

static void print_title(const struct coll_options *opt)
{
	printf("%-14s %10s %5s %5s %10s %10s %10s %9s", "operation", "bytes", "nodes", "ranks",
	       "mean us", "max us", "rank us", "offloaded");
	if (opt->overlap)
		printf(" %8s", "overlap");
	if (opt->host)
		printf(" %10s", "host us");
	printf("  %s\n", "data");
}

static void print_line(const struct coll_options *opt, const struct bench_workload *c,
		       const struct coll_line *line)
{
	const struct coll_measured *res = &line->res;
	const char *data = res->checked ? "right" : "unchecked";

	if (!res->offloaded)
		data = tallycoll_reason_name(res->reason);
	printf("%-14s %10ju %5u %5u %10.2f %10.2f %10.2f %8.0f%%", opt->op,
	       (uintmax_t)c->bytes, c->nodes, c->ranks, us(res->mean), us(res->max),
	       us(res->rank_mean), 100 * share(res));
	if (opt->overlap)
		printf(" %7.1f%%", 100 * overlap(line));
	if (opt->host)
		printf(" %10.2f", us(line->host.time));
	printf("  %s\n", data);
}

static void print_json(const struct coll_options *opt, const struct bench_workload *c,
		       const struct coll_line *line)
{
	const struct coll_measured *res = &line->res;

	printf("{\"op\": \"%s\", \"bytes\": %ju, \"nodes\": %u, \"ranks\": %u, "
	       "\"params\": \"%s\", \"skew_ns\": %.3f, \"iterations\": %u, \"seed\": %ju, "
	       "\"mean_ns\": %.3f, \"max_ns\": %.3f, \"median_ns\": %.3f, \"rank_mean_ns\": %.3f, "
	       "\"rank_max_ns\": %.3f, \"root_mean_ns\": %.3f, \"arrival_ns\": %.3f, "
	       "\"offloaded\": %.4f, \"reason\": \"%s\", \"checked\": %s, \"retransmits\": %ju",
	       opt->op, (uintmax_t)c->bytes, c->nodes, c->ranks, c->params->name,
	       1e3 * us(c->skew), c->iterations, (uintmax_t)c->seed, 1e3 * us(res->mean),
	       1e3 * us(res->max), 1e3 * us(res->median), 1e3 * us(res->rank_mean),
	       1e3 * us(res->rank_max), 1e3 * us(res->root_mean),
	       1e3 * us(res->arrival), share(res),
	       tallycoll_reason_name(res->reason), res->checked ? "true" : "false",
	       (uintmax_t)res->retransmits);
	if (opt->overlap)
		printf(", \"progress\": %u, \"total_ns\": %.3f, \"overlap\": %.4f", opt->progress,
		       1e3 * us(line->overlapped.mean), overlap(line));
	if (opt->host)
		printf(", \"host_ns\": %.3f, \"host_algorithm\": \"%s\", \"with_ns\": %.3f, "
		       "\"host_rank_max_ns\": %.3f",
		       1e3 * us(line->host.time), line->algorithm, 1e3 * us(with_library(line)),
		       1e3 * us(line->host.rank_max));
	printf("}\n");
}

/* Runs the non-blocking case, in which ranks compute for as long as the blocking operation takes. */
static int run_overlapped(const struct coll_options *opt, const struct sim_coll_cfg *cfg,
			  struct coll_line *line)
{
	struct sim_coll_cfg with_work = *cfg;

	with_work.c.overlap = true;
	with_work.c.compute = line->res.mean;
	with_work.progress = opt->progress;
	return coll_measure(&with_work, &line->overlapped);
}

static int run_host(const struct coll_options *opt, const struct bench_workload *c,
		    struct coll_line *line)
{
	if (!opt->algorithm)
		return bench_host_default(c, &line->host, line->algorithm);
	snprintf(line->algorithm, sizeof(line->algorithm), "%s", opt->algorithm);
	return baseline_run(c, opt->algorithm, NULL, &line->host);
}

/* The file has the calls of all ranks, relative to the first one of the iteration. */
static bool write_arrivals(const char *path, const struct bench_workload *c,
			   const vtime_t *calls)
{
	const uint32_t ranks = bench_total_ranks(c);
	FILE *f = fopen(path, "w");

	if (f)
		fprintf(f, "iteration,rank,ns\n");
	for (uint32_t i = 0; f && i < c->iterations; i++) {
		const vtime_t *call = &calls[(size_t)i * ranks];
		vtime_t first = call[0];

		for (uint32_t k = 1; k < ranks; k++)
			first = call[k] < first ? call[k] : first;
		for (uint32_t k = 0; k < ranks; k++)
			fprintf(f, "%u,%u,%.3f\n", i, k, 1e3 * us(call[k] - first));
	}
	if (f && !fclose(f))
		return true;
	sim_warn("coll: %s cannot be written", path);
	return false;
}

static bool run_line(const struct coll_options *opt, struct sim_coll_cfg cfg)
{
	const uint32_t nodes = cfg.c.nodes, ranks = cfg.c.ranks;
	const uint64_t bytes = cfg.c.bytes;
	struct coll_line line = { 0 };

	sim_progress("coll: %ju bytes over %u nodes of %u ranks", (uintmax_t)bytes, nodes, ranks);
	if (coll_measure(&cfg, &line.res) ||
	    (opt->overlap && run_overlapped(opt, &cfg, &line)) ||
	    (opt->host && run_host(opt, &cfg.c, &line))) {
		sim_warn("coll: %s of %ju bytes over %u nodes of %u ranks: %s", opt->op,
			 (uintmax_t)bytes, nodes, ranks,
			 *line.res.trouble ? line.res.trouble :
			 *line.overlapped.trouble ? line.overlapped.trouble : line.host.trouble);
		return false;
	}
	sim_progress_end();
	if (opt->json)
		print_json(opt, &cfg.c, &line);
	else
		print_line(opt, &cfg.c, &line);
	return !opt->arrivals || (cfg.calls && write_arrivals(opt->arrivals, &cfg.c, cfg.calls));
}

static bool run_case(const struct coll_options *opt, uint32_t nodes, uint32_t ranks, uint64_t bytes)
{
	struct sim_coll_cfg cfg = opt->cfg;
	bool good;

	cfg.c.nodes = nodes;
	cfg.c.ranks = ranks;
	cfg.c.bytes = bytes;
	cfg.nonblocking = opt->overlap;
	cfg.calls = calloc((size_t)cfg.c.iterations * nodes * ranks, sizeof(*cfg.calls));
	good = run_line(opt, cfg);
	free(cfg.calls);
	return good;
}

static bool run_all(const struct coll_options *opt)
{
	if (!opt->json)
		print_title(opt);
	for (size_t n = 0; n < opt->nodes.n; n++)
		for (size_t r = 0; r < opt->ranks.n; r++)
			for (size_t s = 0; s < opt->sizes.n; s++)
				if (!run_case(opt, opt->nodes.value[n], opt->ranks.value[r],
					      opt->sizes.value[s]))
					return false;
	return true;
}

int coll_main(int argc, char **argv)
{
	struct coll_options opt;
	int status;

	if (option_go_on(parse(&opt, argc, argv), "coll", usage, &status))
		status = set_way(opt.way) && run_all(&opt) ? EXIT_SUCCESS : EXIT_FAILURE;
	sim_progress_end();
	option_list_free(&opt.nodes);
	option_list_free(&opt.ranks);
	option_list_free(&opt.sizes);
	return status;
}
