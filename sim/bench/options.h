/* SPDX-License-Identifier: BSD-2-Clause */
/* Command line of `tallysim bench`. */
#ifndef TALLY_SIM_BENCH_OPTIONS_H
#define TALLY_SIM_BENCH_OPTIONS_H

#include "cli/options.h"
#include "offload/offload.h"

struct bench_options {
	struct bench_params params;
	struct bench_workload c;		/* each run sets nodes and bytes */
	struct offload_choice choice;
	struct option_list nodes, sizes;
	bool sized;			/* the user gave sizes */
	bool overlap_all;		/* compute for as long as the blocking operation */
	bool no_host;
	const char *algorithm;		/* NULL: the libraries' choices and the best one */
	bool json;
	const char *commits;		/* NULL: none */
	const char *trace;		/* NULL: none */
};

enum options_result bench_options_parse(struct bench_options *opt, int argc, char **argv);
void bench_usage(FILE *to);

#endif
