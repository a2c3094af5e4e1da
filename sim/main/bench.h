/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of `tallysim bench` share. */
#ifndef TALLY_SIM_MAIN_BENCH_H
#define TALLY_SIM_MAIN_BENCH_H

#include "bench/soft.h"
#include "main/bench_names.h"
#include "main/bench_options.h"

/* The software that a case is compared with. */
enum bench_softs {
	BENCH_MPICH,			/* what the libraries choose by default */
	BENCH_OPENMPI,
	BENCH_BEST,			/* of all there is */
	BENCH_NAMED,			/* --algorithm */
	BENCH_SOFTS,
};

struct bench_soft {
	char name[SOFT_NAME_MAX];	/* "": was not run */
	struct bench_result res;
};

/* One size, one number of nodes. */
struct bench_line {
	const struct bench_options *opt;
	struct bench_case c;
	struct offload_result offload, offload_overlapped;
	struct offload_result unpushed;	/* queue pairs without push buffers; no time: was not run */
	struct bench_soft soft[BENCH_SOFTS], soft_overlapped[BENCH_SOFTS];
};

/* The libraries' default is the faster one of the two. */
unsigned int bench_default(const struct bench_line *line);

/* Print a line as the options want it. False: no memory, or stdout does not take it. */
bool bench_print(const struct bench_line *line);
void bench_print_title(const struct bench_options *opt);

#endif
