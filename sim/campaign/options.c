// SPDX-License-Identifier: BSD-2-Clause
#include <getopt.h>
#include <string.h>

#include "campaign/campaign.h"
#include "cli/options.h"
#include "core/log.h"
#include "rtl/rtl.h"

#define MAX_TRIES	255	/* the largest retry_limit that CREATE_GROUP accepts */
#define FEWEST_CELLS	16
#define FEWEST_SHARE	4	/* of a group; fewer cells are too few for almost any group */
#define FEWEST_SEGS	32	/* leaks.c needs eight groups */
#define SEGS_SHARE	8	/* of a group: its plan may need as many */
#define ALL_MODES	((1u << JOB_SINGLE_MODES) - 1)

enum {
	OPT_COLLECTIVES = 256, OPT_SEED, OPT_DROP, OPT_DUP, OPT_REORDER, OPT_CORRUPT, OPT_DEATHS,
	OPT_ABORTS, OPT_NODES, OPT_GROUPS, OPT_HEAVY, OPT_UNLIMITED, OPT_COMBINED, OPT_CELLS, OPT_SEGMENTS, OPT_MODE, OPT_ENGINE, OPT_WAVE, OPT_ORDERED, OPT_JSON, OPT_TRACE, OPT_HELP,
};

static const struct option long_options[] = {
	{ "collectives", required_argument, NULL, OPT_COLLECTIVES },
	{ "seed", required_argument, NULL, OPT_SEED },
	{ "drop", required_argument, NULL, OPT_DROP },
	{ "dup", required_argument, NULL, OPT_DUP },
	{ "reorder", required_argument, NULL, OPT_REORDER },
	{ "corrupt", required_argument, NULL, OPT_CORRUPT },
	{ "deaths", required_argument, NULL, OPT_DEATHS },
	{ "aborts", required_argument, NULL, OPT_ABORTS },
	{ "nodes", required_argument, NULL, OPT_NODES },
	{ "groups", required_argument, NULL, OPT_GROUPS },
	{ "heavy", required_argument, NULL, OPT_HEAVY },
	{ "unlimited", required_argument, NULL, OPT_UNLIMITED },
	{ "combined", required_argument, NULL, OPT_COMBINED },
	{ "cells", required_argument, NULL, OPT_CELLS },
	{ "segments", required_argument, NULL, OPT_SEGMENTS },
	{ "mode", required_argument, NULL, OPT_MODE },
	{ "engine", required_argument, NULL, OPT_ENGINE },
	{ "wave", required_argument, NULL, OPT_WAVE },
	{ "ordered", no_argument, NULL, OPT_ORDERED },
	{ "json", no_argument, NULL, OPT_JSON },
	{ "trace-failure", no_argument, NULL, OPT_TRACE },
	{ "help", no_argument, NULL, OPT_HELP },
	{ NULL, 0, NULL, 0 },
};

void campaign_usage(FILE *to)
{
	fprintf(to,
"Usage: tallysim campaign [options]\n"
"Runs random collectives on simulated NICs over a faulty network, in virtual time, and compares\n"
"every result with a result that it computes separately.\n"
"\n"
"  --collectives N  minimum number of collectives; batches that were begun are finished (10000)\n"
"  --nodes MAX      number of hosts, 1 to %d (8); a group has 1 to MAX of them\n"
"  --groups N       number of groups at a time, 1 to %d (4)\n"
"  --heavy RATE     share of groups with up to 64 ranks per node and degrees and radices to 64,\n"
"                   or with messages up to 1 MiB (0.02)\n"
"  --unlimited RATE share of groups without a time limit for messages (0)\n"
"  --combined RATE  probability that a process posts one entry for all or several of its ranks (0)\n"
"  --cells N        cells of each receive message queue that its groups share, %d to %d (%d);\n"
"                   with few cells, NICs answer packets with BUSY\n"
"  --segments N     segments of each NIC, %d to %d (%d); if they are few, a NIC has a quarter\n"
"                   as many groups, and groups borrow all that others do not own\n"
"  --mode MODE      mode of the groups: tree, multicast (a tree with results that go down by\n"
"                   multicast), exchange, ring, all of these, or mixed: in each group every\n"
"                   message has its own mode (all)\n"
"  --seed S         seed of all random numbers; drawn at random if absent\n"
"  --drop RATE      share of frames lost, on each link and direction, 0 to 0.3 (0)\n"
"  --dup RATE       share of frames duplicated (0)\n"
"  --reorder RATE   share of frames delayed, so that others overtake them (0)\n"
"  --corrupt RATE   share of frames with one bit flipped (0)\n"
"  --deaths RATE    probability that a process ends or a NIC loses power during a collective (0)\n"
"  --aborts RATE    probability that during a collective a rank aborts its group, or posts a\n"
"                   request that disagrees with the others or is refused (0)\n"
"  --engine KIND    model (the default), or rtl: the Verilated hardware, as far as it is built\n"
"  --wave DIR[,nic=NAME][,from=TIME][,to=TIME]  with --engine rtl: write the wave forms of each NIC,\n"
"                   or of one, to DIR/NAME.fst, from one virtual time to another\n"
"  --ordered        groups reduce in fixed order; half of mixed groups have one mode then\n"
"  --json           print the report as JSON\n"
"  --trace-failure  on a failure, print the last frames, posts and completions of the group\n"
"  --help           print this text\n"
"\n"
"Exit status: 0 all results right, 1 failure, %d bad command line.\n", CAMPAIGN_MAX_NODES,
		CAMPAIGN_MAX_JOBS, FEWEST_CELLS, TALLY_RMQ_CELLS, TALLY_RMQ_CELLS, FEWEST_SEGS,
		TALLY_MAX_SEG, TALLY_MAX_SEG, EXIT_USAGE);
}

static bool take_nodes(struct campaign_options *opt)
{
	uint64_t n;

	if (!option_number("nodes", optarg, 1, CAMPAIGN_MAX_NODES, &n))
		return false;
	opt->nodes = n;
	return true;
}

static bool take_groups(struct campaign_options *opt)
{
	uint64_t n;

	if (!option_number("groups", optarg, 1, CAMPAIGN_MAX_JOBS, &n))
		return false;
	opt->jobs = n;
	return true;
}

static bool take_cells(struct campaign_options *opt)
{
	uint64_t n;

	if (!option_number("cells", optarg, FEWEST_CELLS, TALLY_RMQ_CELLS, &n))
		return false;
	opt->cells = n;
	return true;
}

static bool take_segments(struct campaign_options *opt)
{
	uint64_t n;

	if (!option_number("segments", optarg, FEWEST_SEGS, TALLY_MAX_SEG, &n))
		return false;
	opt->segs = n;
	return true;
}

static bool take_mode(struct campaign_options *opt)
{
	if (!strcmp(optarg, "all")) {
		opt->modes = ALL_MODES;
		return true;
	}
	for (unsigned int k = 0; k < JOB_MODES; k++) {
		if (strcmp(optarg, job_mode_name(k)))
			continue;
		opt->modes = 1u << k;
		return true;
	}
	sim_warn("--mode %s: not tree, multicast, exchange, ring, all or mixed", optarg);
	return false;
}

static bool take_option(struct campaign_options *opt, int option)
{
	/* At higher rates no packet gets through, and there are no answers. */
	const double most = 0.3;

	switch (option) {
	case OPT_COLLECTIVES:
		return option_number("collectives", optarg, 1, UINT32_MAX, &opt->collectives);
	case OPT_SEED:
		return option_number("seed", optarg, 0, UINT64_MAX, &opt->seed);
	case OPT_DROP:
		return option_rate("drop", optarg, most, &opt->drop);
	case OPT_DUP:
		return option_rate("dup", optarg, most, &opt->dup);
	case OPT_REORDER:
		return option_rate("reorder", optarg, 1, &opt->reorder);
	case OPT_CORRUPT:
		return option_rate("corrupt", optarg, most, &opt->corrupt);
	case OPT_DEATHS:
		return option_rate("deaths", optarg, 1, &opt->deaths);
	case OPT_ABORTS:
		return option_rate("aborts", optarg, 1, &opt->aborts);
	case OPT_NODES:
		return take_nodes(opt);
	case OPT_GROUPS:
		return take_groups(opt);
	case OPT_HEAVY:
		return option_rate("heavy", optarg, 1, &opt->heavy);
	case OPT_UNLIMITED:
		return option_rate("unlimited", optarg, 1, &opt->unlimited);
	case OPT_COMBINED:
		return option_rate("combined", optarg, 1, &opt->combined);
	case OPT_CELLS:
		return take_cells(opt);
	case OPT_SEGMENTS:
		return take_segments(opt);
	case OPT_MODE:
		return take_mode(opt);
	case OPT_ENGINE:
		return rtl_take_engine(optarg, &opt->units);
	case OPT_WAVE:
		return rtl_take_wave(optarg);
	case OPT_ORDERED:
		opt->ordered = true;
		return true;
	case OPT_JSON:
		opt->json = true;
		return true;
	case OPT_TRACE:
		opt->trace_failure = true;
		return true;
	default:
		return false;	/* getopt_long() has printed the error */
	}
}

enum options_result campaign_options_parse(struct campaign_options *opt, int argc, char **argv)
{
	int option;

	*opt = (struct campaign_options){ .collectives = 10000, .nodes = 8, .jobs = 4, .heavy = 0.02,
					   .cells = TALLY_RMQ_CELLS, .segs = TALLY_MAX_SEG, .modes = ALL_MODES };
	if (!option_random_seed(&opt->seed))
		return OPTIONS_BAD;
	while ((option = getopt_long(argc, argv, "", long_options, NULL)) != -1) {
		if (option == OPT_HELP)
			return OPTIONS_HELP;
		if (!take_option(opt, option))
			return OPTIONS_BAD;
	}
	if (optind < argc) {
		sim_warn("%s: not an option", argv[optind]);
		return OPTIONS_BAD;
	}
	if (!rtl_check_wave(opt->units))
		return OPTIONS_BAD;
	if (campaign_tries(opt) > MAX_TRIES) {
		sim_warn("--drop %g --corrupt %g: a packet may need %u tries, but a NIC makes at "
			 "most %u", opt->drop, opt->corrupt, campaign_tries(opt), MAX_TRIES);
		return OPTIONS_BAD;
	}
	if (opt->cells / opt->jobs < FEWEST_SHARE) {
		sim_warn("--cells %u: fewer than %u for each of %u groups", opt->cells,
			 FEWEST_SHARE, opt->jobs);
		return OPTIONS_BAD;
	}
	if (opt->segs / opt->jobs < SEGS_SHARE) {
		sim_warn("--segments %u: fewer than %u for each of %u groups", opt->segs, SEGS_SHARE,
			 opt->jobs);
		return OPTIONS_BAD;
	}
	return OPTIONS_OK;
}

void campaign_print_command(const struct campaign_options *opt, FILE *to)
{
	const char *mode = opt->modes == ALL_MODES ? "all" :
						     job_mode_name(__builtin_ctz(opt->modes));

	fprintf(to, "tallysim campaign --collectives %ju --nodes %u --groups %u --heavy %g --unlimited %g --combined %g --cells %u --segments %u --mode %s --seed %ju --drop %g "
		"--dup %g --reorder %g --corrupt %g --deaths %g --aborts %g%s%s --trace-failure\n",
		(uintmax_t)opt->collectives, opt->nodes, opt->jobs, opt->heavy, opt->unlimited, opt->combined, opt->cells, opt->segs, mode, (uintmax_t)opt->seed, opt->drop,
		opt->dup, opt->reorder, opt->corrupt, opt->deaths, opt->aborts,
		opt->ordered ? " --ordered" : "", opt->units ? " --engine rtl" : "");
}
