/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of the offload run share. */
#ifndef TALLY_SIM_OFFLOAD_OFFLOAD_INT_H
#define TALLY_SIM_OFFLOAD_OFFLOAD_INT_H

#include "offload/group.h"
#include "offload/offload.h"
#include "workload/cpu.h"

/* How requests are posted: through the push buffer, with the data in them. */
enum {
	OFFLOAD_PUSH = 1,
	OFFLOAD_INLINE = 2,
};

/* A rank of the case. */
struct offload_rank {
	struct offload *run;
	struct bench_cpu cpu;
	struct sim_event stored;	/* the CPU has posted */
	struct sim_event ring;		/* all of it is on its way over the bus */
	vtime_t call, posted, end;
	struct sim_track *track;	/* NULL: no trace */
};

struct offload {
	const struct bench_workload *c;
	struct bench_group group;
	struct message m;
	unsigned int how;		/* OFFLOAD_PUSH, _INLINE */
	uint32_t mid;
	struct offload_rank *rank;
	vtime_t *bus;			/* until when each node's bus carries pushed requests */
};

/* ---- offload_post.c: what a post costs ---- */
/* How requests are posted: with or without their data by the parameters, pushed by libtally's rule. */
unsigned int offload_choose_how(const struct bench_workload *c,
				const struct offload_choice *choice);
/* Send queue entries that the case needs, as bench_group_cfg.stride. */
uint32_t offload_stride(const struct bench_workload *c, const struct offload_choice *choice);
/* CPU time of a rank's post, once it knows that it is to post. */
vtime_t offload_post_time(const struct offload *run, uint32_t rank);
/* Which part of it is pushing, and the time on the bus of what is pushed. */
vtime_t offload_push_time(const struct offload *run, uint32_t rank);
vtime_t offload_bus_time(const struct offload *run, uint32_t rank);

/* ---- offload_check.c: data ---- */
/* Memory of a region: all of it, or pages that repeat. */
uint64_t offload_buffer(const struct bench_workload *c, uint64_t *window);
/* Can results be compared? */
bool offload_checkable(const struct bench_workload *c);
/* Write the ranks' data, and make their results wrong. False: no memory. */
bool offload_fill(struct offload *run);
/* Are all results right? If not, says so in @why. */
bool offload_check(struct offload *run, char *why, size_t size);

#endif
