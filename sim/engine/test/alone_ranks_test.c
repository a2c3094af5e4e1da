// SPDX-License-Identifier: BSD-2-Clause
/*
 * A host that has the local ranks of chunks in its segment store: what it is told with a post, and what is
 * left to it. The node has the ranks 0, 1 and 4, two children and a parent.
 */
#include "engine/common.h"
#include "engine/outcome.h"
#include "engine/segment.h"
#include "engine/store.h"
#include "engine/test/alone.h"
#include "engine/words.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define RANKS 0x13u
#define ENTRY 77
#define KEPT 32

static struct alone a;
static struct engine_host host;
static struct qp *qp;
static struct wr *wr;
static struct slot *s;
static struct engine_operation ops[KEPT];
static struct engine_update updates[KEPT];
static unsigned int num_ops, num_updates, ends;

static bool yes(void *ctx)
{
	(void)ctx;
	return true;
}

static void operate(void *ctx, const struct engine_operation *op, const void *data, uint64_t delay)
{
	(void)ctx;
	(void)data;
	(void)delay;
	assert_true(num_ops < KEPT);
	ops[num_ops++] = *op;
}

static void command(void *ctx, enum tally_fw_store_command c, uint32_t group, uint32_t num)
{
	(void)ctx;
	(void)c;
	(void)group;
	(void)num;
}

static void update(void *ctx, const struct engine_update *u)
{
	(void)ctx;
	assert_true(num_updates < KEPT);
	updates[num_updates++] = *u;
}

static void end(void *ctx, const struct engine_end *x)
{
	(void)ctx;
	(void)x;
	ends++;
}

static void table(void *ctx, uint32_t reg, uint32_t value)
{
	(void)ctx;
	(void)reg;
	(void)value;
}

static int setup(void **state)
{
	(void)state;
	wr = alone_sum(&a);
	qp = &a.e->qps[0];
	host = *a.e->host;
	host.fetches = host.completes = host.stores = host.delivers = yes;
	host.operate = operate;
	host.command = command;
	host.update = update;
	host.end = end;
	host.table = table;
	a.e->host = &host;
	a.g->modes = TALLY_MODES_TREE;
	a.g->stored = store_does_group(a.e, a.g);
	wr->entry = ENTRY;
	a.e->firmware = (struct fiber *)&a; /* it is busy with something else */
	num_ops = num_updates = ends = 0;
	s = slot_of(a.e, a.g, 0);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	a.e->firmware = NULL;
	alone_teardown(&a);
	return 0;
}

static void which_chunks(void **state)
{
	(void)state;
	assert_true(store_has_ranks(a.e, a.g, TALLY_OPCODE_BCAST));
	assert_false(store_has_ranks(a.e, a.g, TALLY_OPCODE_SCATTER));
	a.g->stored = false;
	assert_false(store_has_ranks(a.e, a.g, TALLY_OPCODE_BCAST));
	a.g->stored = true;
	host.delivers = NULL;
	assert_false(store_has_ranks(a.e, a.g, TALLY_OPCODE_BCAST));
}

static uint64_t due_of_post(void)
{
	assert_true(slot_post(a.e, a.g, qp, wr, 0));
	slot_pump(a.e, a.g, s);
	assert_true(num_ops);
	assert_int_equal(ops[0].kind, TALLY_FW_STORE_OP_POST);
	assert_int_equal(ops[0].ranks, RANKS);
	assert_int_equal(ops[0].qpn, 0);
	assert_int_equal(ops[0].entry, ENTRY);
	return ops[0].due;
}

/* Nobody but the host reads them. */
static void data_are_due(void **state)
{
	(void)state;
	assert_int_equal(due_of_post(), RANKS);
	assert_int_equal(num_ops, 1);
	assert_int_equal(a.reads, 0);
}

static void data_of_one_rank_are_due(void **state)
{
	(void)state;
	wr->w.flags |= TALLY_WQE_F_COMBINED;
	assert_int_equal(due_of_post(), 1);
}

static void no_data_are_due(void **state)
{
	(void)state;
	wr->w.flags |= TALLY_WQE_F_EMPTY;
	assert_int_equal(due_of_post(), 0);
}

static uint8_t finished(uint8_t opcode, uint32_t flags)
{
	wr->w.opcode = opcode;
	wr->w.flags = flags;
	outcome_chunk(a.e, qp, wr, true);
	assert_true(updates[num_updates - 1].local);
	assert_int_equal(updates[num_updates - 1].ranks, 3);
	return updates[num_updates - 1].finished;
}

/* docs/rtl-sender.md, "Post". */
static void ranks_finish_with_the_post(void **state)
{
	(void)state;
	wr->w.root_node = a.g->node;
	wr->w.root_rank = 1;
	assert_int_equal(finished(TALLY_OPCODE_ALLREDUCE, 0), 0);
	assert_int_equal(finished(TALLY_OPCODE_ALLREDUCE, TALLY_WQE_F_EMPTY), 3);
	assert_int_equal(finished(TALLY_OPCODE_ALLREDUCE, TALLY_WQE_F_COMBINED), 2);
	assert_int_equal(finished(TALLY_OPCODE_REDUCE, 0), 0);
	assert_int_equal(finished(TALLY_OPCODE_REDUCE, TALLY_WQE_F_COMBINED), 1);
	assert_int_equal(finished(TALLY_OPCODE_BCAST, 0), 0);
	assert_int_equal(finished(TALLY_OPCODE_BCAST, TALLY_WQE_F_COMBINED), 2);
	assert_int_equal(finished(TALLY_OPCODE_BARRIER, 0), 0);
	assert_int_equal(finished(TALLY_OPCODE_BARRIER, TALLY_WQE_F_EMPTY), 3);
	wr->w.root_node = a.g->node + 1;
	assert_int_equal(finished(TALLY_OPCODE_REDUCE, TALLY_WQE_F_COMBINED), 2);
	assert_int_equal(finished(TALLY_OPCODE_BCAST, TALLY_WQE_F_COMBINED), 2);
}

static void other_chunks_finish_later(void **state)
{
	(void)state;
	wr->w.flags = TALLY_WQE_F_EMPTY;
	outcome_chunk(a.e, qp, wr, false);
	assert_false(updates[0].local);
	assert_int_equal(updates[0].finished, 0);
}

/* The host tells itself what ranks have finished. The chunk ends with the store's word. */
static void no_rank_is_told(void **state)
{
	const struct engine_answer stored = { TALLY_FW_STORE_ANSWER_STORED, 0, 0 };

	(void)state;
	due_of_post();
	engine_operated(a.e, &ops[0], &stored);
	assert_int_equal(alone_exception(&a)->status, TALLY_COLL_OK);
	engine_store_done(a.e, a.g - a.e->groups, 1);
	assert_int_equal(a.g->done, 1);
	assert_int_equal(ends, 0);
	assert_int_equal(a.writes, 0);
	assert_int_equal(wr->state, WR_ACTIVE); /* until the host has retired it */
}

static void memory_refuses_data(void **state)
{
	(void)state;
	due_of_post();
	engine_fault(a.e, a.g - a.e->groups, RANKS, 9);
	assert_int_equal(alone_exception(&a)->status, TALLY_COLL_DMA_ERROR);
	assert_int_equal(alone_exception(&a)->ranks, RANKS);
	assert_int_equal(alone_exception(&a)->mid, 9);
	assert_false(group_alive(a.g));
	engine_fault(a.e, a.g - a.e->groups, 1, 10); /* of an epoch that has ended */
	assert_int_equal(alone_exception(&a)->mid, 9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(which_chunks, setup, teardown),
		cmocka_unit_test_setup_teardown(data_are_due, setup, teardown),
		cmocka_unit_test_setup_teardown(data_of_one_rank_are_due, setup, teardown),
		cmocka_unit_test_setup_teardown(no_data_are_due, setup, teardown),
		cmocka_unit_test_setup_teardown(ranks_finish_with_the_post, setup, teardown),
		cmocka_unit_test_setup_teardown(other_chunks_finish_later, setup, teardown),
		cmocka_unit_test_setup_teardown(no_rank_is_told, setup, teardown),
		cmocka_unit_test_setup_teardown(memory_refuses_data, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
