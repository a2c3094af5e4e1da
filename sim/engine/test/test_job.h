/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A job for tests. Every rank of a group posts the same list of messages, at its own times.
 * Afterwards every result is compared with one that is computed here, without the engine's ALU,
 * from values whose sums are exact.
 */
#ifndef TALLY_SIM_ENGINE_TEST_TEST_JOB_H
#define TALLY_SIM_ENGINE_TEST_TEST_JOB_H

#include "engine/test/testbed.h"

#define JOB_MAX_MSGS (WR_WINDOW + 16)
#define JOB_MAX_POSTERS 80

struct job_msg {
	uint8_t opcode, op, dtype, mode;
	uint32_t count;
	uint16_t root_node;
	uint8_t root_rank;
	uint32_t chunk_len; /* in bytes; 0: the MTU */
	bool in_place, inline_data, silent; /* silent: not signaled */
	bool combined; /* one entry of a list stands for all ranks of a request, if it may */
};

/* A process, which posts for some ranks of a node through one queue pair. */
struct job_poster {
	unsigned int node;
	uint64_t ranks;
	struct tb_qp *qp;
	uint32_t next; /* next message to post */
	uint32_t index[JOB_MAX_MSGS]; /* indices of its work requests */
	vtime_t posted[JOB_MAX_MSGS];
};

struct job {
	struct tb_group *g;
	struct testbed *tb;
	uint64_t seed;
	struct job_msg msgs[JOB_MAX_MSGS];
	unsigned int num_msgs;
	struct job_poster posters[JOB_MAX_POSTERS];
	unsigned int num_posters;
	uint32_t first_mid; /* first message of this batch; below, messages are counted from 0 */
	uint32_t first_num; /* running number of its first chunk */
	/* result buffers by node, rank and message; ~0: none */
	uint64_t out[TB_MAX_NODES][8][JOB_MAX_MSGS];
};

/*
 * Initialize a job. With `leaders`, some processes post for several ranks. A node has at most 8
 * ranks.
 */
void job_init(struct job *j, struct tb_group *g, uint64_t seed, bool leaders);
/* Initialize a job in which one process of each node posts for all of its ranks. */
void job_init_by_node(struct job *j, struct tb_group *g, uint64_t seed);
/* Begin the next batch of messages. All messages so far must have completed. */
void job_next_batch(struct job *j);
/* Whether every process has posted every message. */
bool job_posted(const struct job *j);
struct job_msg *job_add(struct job *j, uint8_t opcode, uint8_t op, uint8_t dtype, uint32_t count);
/* Choose an existing root: the k-th rank of the group in tree order, modulo the number of ranks. */
void job_root(const struct job *j, struct job_msg *m, unsigned int k);
unsigned int job_ranks(const struct job *j);
/*
 * Return the number of chunks of this batch before message mid, or of all its chunks if mid is
 * num_msgs.
 */
uint32_t job_chunks_before(const struct job *j, unsigned int mid);
/* Add a message of a random kind that must succeed. */
void job_add_random(struct job *j);
/* Let one process post its next message. */
void job_post(struct job *j, struct job_poster *p);
/* Let all processes post everything, at random times within `spread` and at different paces. */
void job_post_all(struct job *j, vtime_t spread);
/*
 * Check that every request succeeded with the correct result, and not before the posts on which it
 * depends.
 */
void job_check(const struct job *j);
/* Check the requests that succeeded, in a job that ended early. */
void job_check_successful(const struct job *j);
/*
 * Post everything, wait at most `limit`, check, and wait until nothing is in flight. Every chunk is
 * done, and unless the network is lossy nothing was sent again or dropped.
 */
void job_run(struct job *j, vtime_t limit, bool lossy);
/* Destroy the queue pairs and groups and wait until the groups have drained. */
void job_end(struct job *j);

uint32_t job_elem_size(uint8_t dtype);

#endif
