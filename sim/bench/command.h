/* SPDX-License-Identifier: BSD-2-Clause */
/* Declarations shared by the files of `tallysim bench`. */
#ifndef TALLY_SIM_BENCH_COMMAND_H
#define TALLY_SIM_BENCH_COMMAND_H

#include "baseline/baseline.h"
#include "bench/names.h"
#include "bench/options.h"

/* Software that the offload is compared with. */
enum bench_softs {
	BENCH_MPICH,			/* the libraries' default choices */
	BENCH_OPENMPI,
	BENCH_BEST,			/* the best of all algorithms */
	BENCH_NAMED,			/* --algorithm */
	BENCH_BASELINES,
};

struct bench_baseline {
	char name[BASELINE_NAME_MAX];	/* "": not run */
	struct bench_result res;
};

/* A line of the output: one size, one number of nodes. */
struct bench_line {
	const struct bench_options *opt;
	struct bench_workload c;
	struct offload_result offload, offload_overlapped;
	struct offload_result unpushed;	/* without push buffers; time 0: not run */
	struct bench_baseline baseline[BENCH_BASELINES], baseline_overlapped[BENCH_BASELINES];
};

/* Returns the library whose default choice is faster. */
unsigned int bench_default(const struct bench_line *line);

/* Print a line in the format of the options. Return false if out of memory, or if stdout fails. */
bool bench_print(const struct bench_line *line);
void bench_print_title(const struct bench_options *opt);

#endif
