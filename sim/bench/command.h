/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of `tallysim bench` share. */
#ifndef TALLY_SIM_BENCH_COMMAND_H
#define TALLY_SIM_BENCH_COMMAND_H

#include "baseline/baseline.h"
#include "bench/names.h"
#include "bench/options.h"

/* The software that a case is compared with. */
enum bench_softs {
	BENCH_MPICH,			/* what the libraries choose by default */
	BENCH_OPENMPI,
	BENCH_BEST,			/* of all there is */
	BENCH_NAMED,			/* --algorithm */
	BENCH_BASELINES,
};

struct bench_baseline {
	char name[BASELINE_NAME_MAX];	/* "": was not run */
	struct bench_result res;
};

/* One size, one number of nodes. */
struct bench_line {
	const struct bench_options *opt;
	struct bench_workload c;
	struct offload_result offload, offload_overlapped;
	struct offload_result unpushed;	/* queue pairs without push buffers; no time: was not run */
	struct bench_baseline baseline[BENCH_BASELINES], baseline_overlapped[BENCH_BASELINES];
};

/* The libraries' default is the faster one of the two. */
unsigned int bench_default(const struct bench_line *line);

/* Print a line as the options want it. False: no memory, or stdout does not take it. */
bool bench_print(const struct bench_line *line);
void bench_print_title(const struct bench_options *opt);

#endif
