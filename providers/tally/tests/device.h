/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Common functions of the tests on devices: all Tally NICs of this machine, with one rank each, in
 * one process.
 */
#ifndef TALLY_TEST_DEVICE_H
#define TALLY_TEST_DEVICE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "examples/common.h"

#define DEVICE_SEGS 64 /* segments of a group */

struct fixture {
	struct demo_job job;
	struct demo_node nodes[DEMO_MAX_NODES];
	struct tallydv_tree_pos pos[DEMO_MAX_NODES]; /* in the tree of the groups */
	struct ibv_qp_ex *qp_ex[DEMO_MAX_NODES];
	struct tallydv_qp *dv[DEMO_MAX_NODES];
};

/* For cmocka: every test has its own group on all NICs, a tree, with segments and empty queues. */
int device_setup(void **state);
int device_teardown(void **state);

/* Like demo_create_queues(), with the ibv_wr_ calls and room for inline data. */
void create_queues(struct fixture *f, unsigned int i, struct ibv_comp_channel *channel);

/* Begin to post a signaled request at node i. */
void wr_start(struct fixture *f, unsigned int i, uint64_t wr_id);
/* Post a sum of FP64 with inline data. wr_id is the message. */
void post_sum(struct fixture *f, unsigned int i, uint32_t mid);

/* Begin to read the next completion of node i. The caller ends the reading. */
struct ibv_cq_ex *next(struct fixture *f, unsigned int i);
void assert_next(struct fixture *f, unsigned int i, uint64_t wr_id, enum tally_coll_status status);
/* Expect success and the right sum at all nodes. */
void assert_sums(struct fixture *f, uint32_t mid);

/* Tests of work requests, and of groups of many ranks. These return the number of failed tests. */
int device_work_tests(void);
int device_group_tests(void);

#endif
