/* SPDX-License-Identifier: BSD-2-Clause */
/* The time of an operation by libtallycoll, over a number of iterations. */
#ifndef TALLY_SIM_COLL_MEASURE_H
#define TALLY_SIM_COLL_MEASURE_H

#include "coll/coll.h"

struct coll_measured {
	/* Over the iterations: from the last rank's call to the last rank's return. */
	vtime_t mean, max, median;
	/* Mean times from a rank's call to its return: of all ranks, the longest, that of the root. */
	vtime_t rank_mean, rank_max, root_mean;
	vtime_t arrival;		/* mean time from the first rank's call to the last one's */
	uint32_t calls, offloaded;	/* of all ranks in all iterations */
	enum tallycoll_reason reason;	/* why not; of the last such call */
	bool checked;			/* results were compared bit by bit, and right */
	uint64_t retransmits;
	vtime_t setup;			/* until the team existed */
	char trouble[200];
};

/*
 * Runs the workload cfg->c: opcode, op, type, bytes, skew, warmup and iterations. All ranks begin an
 * iteration at once, when the network is quiet, and each calls after its share of the skew. With
 * overlap it computes between the call and its wait, in cfg->progress + 1 parts, between which it calls
 * tallycoll_progress(). An operation that is not offloaded takes no time: there is no software here.
 *
 * With cfg->work it is instead a program that works for so long before each operation and does not
 * stop in between, so that ranks are late because of each other and of noise. In a broadcast each
 * COLL_ROOT_TURN operations the root is the next rank, as document 002's program ASP has it.
 *
 * Returns 0, or -1 with res->trouble.
 */
int coll_measure(const struct sim_coll_cfg *cfg, struct coll_measured *res);

#define COLL_ROOT_TURN 80	/* rows of a rank: 10,240 over 128 ranks */

#endif
