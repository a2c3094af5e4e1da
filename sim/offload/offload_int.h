/* SPDX-License-Identifier: BSD-2-Clause */
/* Declarations shared by the files of the offload run. */
#ifndef TALLY_SIM_OFFLOAD_OFFLOAD_INT_H
#define TALLY_SIM_OFFLOAD_OFFLOAD_INT_H

#include "offload/group.h"
#include "offload/offload.h"
#include "workload/cpu.h"

/* Flags of posts: requests go through the push buffer, and contain inline data. */
enum {
	OFFLOAD_PUSH = 1,
	OFFLOAD_INLINE = 2,
};

/* A rank of the case. */
struct offload_rank {
	struct offload *run;
	struct bench_cpu cpu;
	struct sim_event stored;	/* the CPU has stored the request */
	struct sim_event ring;		/* the bus has carried all of the request */
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
	vtime_t *bus;			/* time until which each node's bus is busy with pushes */
};

/* ---- offload_post.c: the cost of a post ---- */
/* Chooses inline data or not by the parameters, and pushing by libtally's rule. */
unsigned int offload_choose_how(const struct bench_workload *c,
				const struct offload_choice *choice);
/* Returns the stride of the send queue that the workload needs, for bench_group_cfg.stride. */
uint32_t offload_stride(const struct bench_workload *c, const struct offload_choice *choice);
/* Returns the CPU time of a rank's post, without that of its call. */
vtime_t offload_post_time(const struct offload *run, uint32_t rank);
/* Return the part of it that pushing takes, and the bus time of the pushed bytes. */
vtime_t offload_push_time(const struct offload *run, uint32_t rank);
vtime_t offload_bus_time(const struct offload *run, uint32_t rank);

/* ---- offload_check.c: data ---- */
/* Returns the bytes of a region; sets @window to the bytes that repeat, or 0. */
uint64_t offload_buffer(const struct bench_workload *c, uint64_t *window);
/* Returns whether results can be compared. */
bool offload_checkable(const struct bench_workload *c);
/* Writes the ranks' data, and wrong bytes to their results. Returns false if out of memory. */
bool offload_fill(struct offload *run);
/* Returns whether all results are right. If not, writes the reason to @why. */
bool offload_check(struct offload *run, char *why, size_t size);

#endif
