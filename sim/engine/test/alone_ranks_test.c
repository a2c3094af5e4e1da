// SPDX-License-Identifier: BSD-2-Clause
/*
 * A host that begins the requests of groups that it stores, and has the local ranks of their chunks: what
 * follows from what it says, what is left to it, and what it is told of queue pairs and epochs. The node has
 * the ranks 0, 1 and 4, two children and a parent.
 */
#include "engine/begun.h"
#include "engine/common.h"
#include "engine/pool.h"
#include "engine/qp.h"
#include "engine/qp_failure.h"
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
static struct {
	uint32_t reg, value;
} writes[KEPT];
static unsigned int num_ops, num_updates, num_writes, ends;

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
	writes[num_writes % KEPT].reg = reg;
	writes[num_writes++ % KEPT].value = value;
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
	a.e->qps[1].requests = a.e->qps[3].requests = TALLY_REQUEST_STEP;
	a.g->modes = TALLY_MODES_TREE;
	a.g->stored = store_does_group(a.e, a.g);
	wr->entry = ENTRY;
	wr->state = WR_READY;
	wr->begun = 0;
	wr->w.chunks = 1;
	wr->w.node_mask = ~0ULL;
	a.e->firmware = (struct fiber *)&a; /* it is busy with something else */
	num_ops = num_updates = num_writes = ends = 0;
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

static const struct engine_answer stored = { TALLY_FW_STORE_ANSWER_STORED, 0, 0 };

/* The host begins the chunk of this number of the request. */
static void begins(uint32_t num, bool here, struct engine_answer answer)
{
	const struct engine_begun b = {
		.entry = ENTRY, .num = num, .here = here, .answer = answer
	};

	engine_began(a.e, &b);
}

/* Its ranks are at the next message, and the host reads and tells the rest by itself. */
static void chunk_is_here(void **state)
{
	(void)state;
	begins(0, true, stored);
	assert_int_equal(wr->state, WR_ACTIVE);
	assert_int_equal(wr->begun, 1);
	assert_int_equal(a.g->ranks[4].next_mid, 1);
	assert_int_equal(a.g->ranks[4].next_num, 1);
	assert_int_equal(s->posted, RANKS);
	assert_int_equal(num_ops + num_updates + a.reads, 0);
	engine_moved(a.e, a.g - a.e->groups, 1, a.g->limit);
	assert_int_equal(a.g->done, 1);
	assert_int_equal(ends, 0);
	assert_int_equal(a.writes, 0);
	assert_int_equal(wr->state, WR_ACTIVE); /* until the host has retired it */
}

static void only_the_first_chunk_begins_the_message(void **state)
{
	(void)state;
	wr->w.chunks = 2;
	wr->w.total = 10;
	begins(0, true, stored);
	assert_true(a.g->ranks[1].streaming);
	begins(1, true, stored);
	assert_int_equal(a.g->ranks[1].next_mid, 1);
	assert_int_equal(a.g->ranks[1].next_num, 2);
	assert_false(a.g->ranks[1].streaming);
	assert_int_equal(slot_of(a.e, a.g, 1)->sid, 1);
}

static void store_disagrees(void **state)
{
	const struct engine_answer other = { TALLY_FW_STORE_ANSWER_DISAGREES, TALLY_COLL_OP_MISMATCH, 0 };

	(void)state;
	begins(0, true, other);
	assert_int_equal(alone_exception(&a)->status, TALLY_COLL_OP_MISMATCH);
	assert_int_equal(alone_exception(&a)->ranks, RANKS);
}

/* Two ranks disagree on the neighbours that take part. */
static void masks_disagree(void **state)
{
	struct wr *other = alone_wr(qp, WR_READY, TALLY_OPCODE_ALLREDUCE, 0, 0x10);
	const struct engine_begun b = { .entry = ENTRY + 1, .here = true,
					.answer = { TALLY_FW_STORE_ANSWER_DISAGREES, TALLY_COLL_MASK_MISMATCH, 0 } };

	(void)state;
	wr->w.rank_mask = 3;
	begins(0, true, stored);
	assert_true(group_alive(a.g));
	other->w = wr->w;
	other->w.rank_mask = 0x10;
	other->w.node_mask = 1;
	other->entry = ENTRY + 1;
	engine_began(a.e, &b);
	assert_false(group_alive(a.g));
	assert_int_equal(alone_exception(&a)->status, TALLY_COLL_MASK_MISMATCH);
	assert_int_equal(alone_exception(&a)->ranks, 0x10);
}

/* The host's sender has told the store who takes no part. */
static void nobody_is_told_twice(void **state)
{
	(void)state;
	wr->w.node_mask = 1;
	wr->w.flags |= TALLY_WQE_F_COMBINED;
	begins(0, true, stored);
	assert_int_equal(num_ops, 0);
}

/* What the store does not do is carried out here, and each rank is told. */
static void chunk_is_away(void **state)
{
	(void)state;
	wr->w.opcode = TALLY_OPCODE_SCATTER;
	wr->w.op = TALLY_OP_NONE;
	wr->w.flags = TALLY_WQE_F_EMPTY;
	wr->w.root_node = a.g->node + 1;
	begins(0, false, stored);
	assert_int_equal(s->posted, RANKS);
	assert_int_equal(num_ops, 0);
	assert_int_equal(ends, 3);
}

static void request_is_refused(void **state)
{
	const struct engine_begun b = { .entry = ENTRY, .refused = true, .status = TALLY_COLL_MID_BEHIND };

	(void)state;
	engine_began(a.e, &b);
	assert_int_equal(wr->state, WR_DONE);
	assert_int_equal(wr->status, TALLY_COLL_MID_BEHIND);
	assert_true(qp->failing);
	assert_int_equal(a.counters[TALLY_CTR_wqe_refused], 1);
	assert_int_equal(num_updates, 0); /* it has told itself */
	assert_int_equal(a.g->ranks[0].next_mid, 0);
}

/* It is not begun before the host has come to it. */
static void descriptor_waits_for_the_host(void **state)
{
	(void)state;
	wr->w.opcode = TALLY_OPCODE_PUT_MP;
	wr->w.rank_mask = 1;
	engine_look(a.e, 0);
	assert_int_equal(wr->state, WR_READY);
	begins(0, false, stored);
	assert_int_equal(wr->state, WR_ACTIVE);
	assert_int_equal(num_updates, 1);
	assert_true(updates[0].last && updates[0].ranks == 1);
}

static void what_comes_too_late(void **state)
{
	(void)state;
	a.g->state = TALLY_GROUP_COLLECT;
	begins(0, true, stored);
	assert_int_equal(wr->state, WR_READY);
	qp->used = false;
	a.g->state = TALLY_GROUP_OPEN;
	begins(0, true, stored);
	engine_look(a.e, 0);
	assert_int_equal(wr->state, WR_READY);
	qp->used = true;
}

/* Only the first request that has not begun is judged. */
static void turns_are_noted(void **state)
{
	struct wr *next = alone_wr(qp, WR_READY, TALLY_OPCODE_BARRIER, 7, 1);

	(void)state;
	a.e->now = 5000;
	wr->w.mid = 1;
	engine_look(a.e, 0);
	assert_int_equal(wr->since, 5000);
	assert_int_equal(next->since, 0);
	a.g->ranks[0].next_mid = a.g->ranks[1].next_mid = a.g->ranks[4].next_mid = 1;
	engine_look(a.e, 0);
	assert_int_equal(wr->since, 0);
}

/* ---- What the host is told ---- */

#define AT(field) (TALLY_FW_SENDER_BASE + offsetof(struct tally_fw_sender, field))

/* Return the newest value that was written to a register. */
static uint32_t written(uint32_t reg)
{
	unsigned int i;

	for (i = num_writes; i-- && num_writes - i <= KEPT;)
		if (writes[i % KEPT].reg == reg)
			return writes[i % KEPT].value;
	fail_msg("register %x was not written", reg);
	return 0;
}

static void queue_pairs_are_told(void **state)
{
	(void)state;
	qp->told_flags = ~0U;
	qp_failure_tell_sender(a.e, a.g);
	assert_int_equal(written(AT(go)), TALLY_FW_SENDER_SET_QP);
	assert_int_equal(written(AT(flags)),
			 TALLY_FW_SENDER_F_BEGINS | TALLY_FW_SENDER_F_SHARED | TALLY_FW_SENDER_F_ALONE);
	assert_int_equal(written(AT(sole)) & RANKS, RANKS);
	num_writes = 0;
	qp_failure_tell_sender(a.e, a.g);
	assert_int_equal(num_writes, 0);
	alone_qp(&a, 1, 1);
	a.e->qps[1].told_flags = ~0U;
	qp_failure_tell_sender(a.e, a.g);
	assert_int_equal(qp->told_flags, TALLY_FW_SENDER_F_BEGINS | TALLY_FW_SENDER_F_SHARED | TALLY_FW_SENDER_F_OTHERS);
	assert_int_equal(qp->told_sole & RANKS, RANKS & ~1u);
	assert_int_equal(a.e->qps[1].told_flags, TALLY_FW_SENDER_F_BEGINS | TALLY_FW_SENDER_F_OTHERS);
	qp_forget(a.e, 1);
	a.g->had_qp = 2;
	qp_failure_tell_sender(a.e, a.g);
	assert_int_equal(qp->told_flags, TALLY_FW_SENDER_F_BEGINS | TALLY_FW_SENDER_F_SHARED);
	a.g->stored = false;
	qp_failure_tell_sender(a.e, a.g);
	assert_int_equal(qp->told_flags, 0);
}

static void lists_are_told(void **state)
{
	(void)state;
	a.e->qps[3].cfg = qp->cfg;
	qp_create(a.e, 3);
	assert_int_equal(a.g->qps, 3);
	assert_int_equal(a.e->qps[3].next_in_group, 0);
	num_writes = 0;
	qp_forget(a.e, 0);
	assert_int_equal(writes[0].reg, TALLY_FW_STATUS_BASE); /* it has no requests before */
	assert_int_equal(writes[1].reg, AT(next));
	assert_int_equal(writes[1].value, TALLY_FW_NO_QP);
	assert_int_equal(writes[2].value, TALLY_FW_SENDER_NEXT_QP | 3u << 16);
	num_writes = 0;
	qp_forget(a.e, 3);
	assert_int_equal(writes[2].value, TALLY_FW_SENDER_FIRST_QP);
}

static void epochs_are_told(void **state)
{
	(void)state;
	pool_end(a.e, a.g);
	assert_int_equal(written(AT(go)), TALLY_FW_SENDER_END_EPOCH);
	pool_begin(a.e, a.g);
	assert_int_equal(written(AT(go)), TALLY_FW_SENDER_BEGIN_EPOCH);
	assert_int_equal(written(AT(max_segs)), a.g->max_segs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(which_chunks, setup, teardown),
		cmocka_unit_test_setup_teardown(chunk_is_here, setup, teardown),
		cmocka_unit_test_setup_teardown(only_the_first_chunk_begins_the_message, setup, teardown),
		cmocka_unit_test_setup_teardown(store_disagrees, setup, teardown),
		cmocka_unit_test_setup_teardown(masks_disagree, setup, teardown),
		cmocka_unit_test_setup_teardown(nobody_is_told_twice, setup, teardown),
		cmocka_unit_test_setup_teardown(chunk_is_away, setup, teardown),
		cmocka_unit_test_setup_teardown(request_is_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(descriptor_waits_for_the_host, setup, teardown),
		cmocka_unit_test_setup_teardown(what_comes_too_late, setup, teardown),
		cmocka_unit_test_setup_teardown(turns_are_noted, setup, teardown),
		cmocka_unit_test_setup_teardown(queue_pairs_are_told, setup, teardown),
		cmocka_unit_test_setup_teardown(lists_are_told, setup, teardown),
		cmocka_unit_test_setup_teardown(epochs_are_told, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
