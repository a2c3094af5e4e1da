/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libtallycoll in virtual time: nodes are scripted hosts with one NIC each, ranks are fibers that
 * call the library. The library's own code runs; its platform (coll_platform) performs what it asks
 * for on the memory of the hosts, and takes the time of the parameter file:
 *
 *	call of the platform    time of the rank's CPU
 *	copy                    bytes / host.copy_rate
 *	reduce                  host.reduce_start + bytes / host.reduce_rate
 *	set                     none; other ranks see it host.share later
 *	add                     host.share, one rank after the other; others see it host.share later
 *	post                    host.post, and the request's lines / host.push_rate
 *	poll                    host.poll if the NIC has written a completion or a flag word
 *
 * A rank's own stores are visible to itself at once. The calls of objects take the time of the
 * admin queue's answers. All other instructions are free, so a rank's program adds what it wants
 * with coll_compute(), also for the call of the library itself (mpi.call).
 */
#ifndef TALLY_SIM_COLL_COLL_H
#define TALLY_SIM_COLL_COLL_H

#include "core/create.h"
#include "fabric/faults.h"
#include "workload/workload.h"

struct sim_coll;
struct coll_rank;

struct sim_coll_cfg {
	/* params, topology, nodes, ranks, noise, seed; rank = node * ranks + local rank, unless: */
	struct bench_workload c;
	const uint32_t *node_of;	/* node of each of num_ranks ranks; NULL: see above */
	uint32_t num_ranks;
	uint32_t sockets;		/* CPU sockets of a node; 0: 1 */
	uint64_t memory;		/* bytes that the ranks of a node get from coll_alloc() */
	/* of measure.h */
	vtime_t work;			/* see coll_measure() */
	vtime_t *calls;			/* NULL, or room for each rank's in each iteration */
	bool nonblocking;		/* operations without TALLYCOLL_F_BLOCKING */
	uint32_t progress;		/* calls of the library while a rank computes */
	uint32_t max_inline, queue_depth;	/* of the platform; 0: usual values */
	uint32_t max_groups;		/* of a process; 0: as many as the NIC has queue pairs for */
	struct fab_faults faults;	/* of all links, from the beginning of sim_coll_run() on */
	vtime_t limit;			/* of sim_coll_run(); 0: COLL_LIMIT */
};

#define COLL_LIMIT (20 * VT_S)

/* Builds the nodes. Returns NULL with a sentence in `why`. */
struct sim_coll *sim_coll_new(const struct sim_coll_cfg *cfg, char *why, size_t size);
void sim_coll_free(struct sim_coll *s);

/*
 * Runs body(rank, arg) at every rank until all have returned. Returns 0, or -1 if one failed, if a
 * device reported an error, or after the time limit: sim_coll_trouble() has the first cause. May
 * be called again after 0.
 */
int sim_coll_run(struct sim_coll *s, void (*body)(struct coll_rank *r, void *arg), void *arg);
const char *sim_coll_trouble(const struct sim_coll *s);
/*
 * Returns what a run that went well has left behind of what its ranks opened, such as a group; NULL:
 * nothing.
 */
const char *sim_coll_remains(const struct sim_coll *s);
struct host_set *sim_coll_hosts(struct sim_coll *s);

/* ---- For the ranks' programs; all but coll_number() may let other ranks run ---- */
/* For tc_context_create(), whose argument is the rank. */
extern const struct tc_platform coll_platform;

uint32_t coll_number(const struct coll_rank *r);
vtime_t coll_now(const struct coll_rank *r);
/* Takes the rank's CPU for this time. */
void coll_compute(struct coll_rank *r, vtime_t time);
/* Waits until a time, without work. */
void coll_sleep_until(struct coll_rank *r, vtime_t at);
/* Zeroed memory of the rank's host; the run fails if there is none. A program may use its own. */
void *coll_alloc(struct coll_rank *r, size_t bytes);
void coll_release(struct coll_rank *r, void *memory, size_t bytes);
/*
 * An allgather without cost among the ranks @member[0..@num), which all of them must ask for with
 * equal lists; NULL: all ranks.
 */
struct tallycoll_oob coll_oob(struct coll_rank *r, const uint32_t *member, uint32_t num);
/* Notes that the run has failed. */
__attribute__((format(printf, 2, 3)))
void coll_fail(struct coll_rank *r, const char *format, ...);

#endif
