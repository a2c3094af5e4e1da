// SPDX-License-Identifier: BSD-2-Clause
/*
 * Local ranks alone: whose request a chunk belongs to, which part of which list is read and
 * written, and when a request is finished.
 */
#include "engine/common.h"
#include "engine/local.h"
#include "engine/test/alone.h"
#include "engine/wr.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SEG 2
#define GATHER 0x10000
#define RESULT 0x20000

/*
 * Ranks 1, 4 and 5 of a group of eight, which are global ranks 2 to 4, have posted chunk 2 of a
 * message of 40 INT32, 8 of a chunk, with one request.
 */
static struct alone a;
static struct qp *qp;
static struct wr *wr;
static struct slot *s;

static int setup(void **state)
{
	unsigned int i;

	(void)state;
	alone_setup(&a);
	a.g->rank_mask = 0x32;
	a.g->rank_first = 2;
	a.g->total_ranks = 8;
	a.g->by_ranks = divisor_of(8);
	qp = alone_qp(&a, 3, 0x32);
	alone_wr(qp, WR_SKIP, TALLY_OPCODE_QUERY, 0, 0x32);
	wr = alone_wr(qp, WR_ACTIVE, TALLY_OPCODE_ALLREDUCE, 6, 0x32);
	wr->num = 20;
	wr->begun = 3;
	wr->to_go = 15;
	wr->w.elem = wr->w.give = 4;
	wr->w.chunk = 8;
	wr->w.chunks = 5;
	wr->w.total = wr->w.count = 40;
	wr->w.num_gather = wr->w.num_result = 3;
	for (i = 0; i < 3; i++) {
		wr->w.gather[i] = (struct engine_sge){ GATHER + 1024 * i, 160, 70 + i };
		wr->w.result[i] = (struct engine_sge){ RESULT + 1024 * i, 160, 80 + i };
	}
	s = &a.e->slots[SEG];
	*s = (struct slot){ .state = TALLY_SEG_BUSY,
			    .mode = TALLY_MODE_TREE,
			    .mid = 6,
			    .num = 22,
			    .opcode = TALLY_OPCODE_ALLREDUCE,
			    .dtype = TALLY_TYPE_INT32,
			    .elem = 4,
			    .sid = 2,
			    .total = 40,
			    .first = 16,
			    .count = 8 };
	for (i = 0; i < TALLY_MAX_RANKS; i++)
		s->by[i] = (struct wr_ref){ 3, 1 };
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	alone_teardown(&a);
	return 0;
}

static void check_part(const struct alone_access *x, uint64_t addr, uint32_t len)
{
	assert_int_equal(x->sge.addr, addr);
	assert_int_equal(x->sge.length, len);
	assert_int_equal(x->pd, 103);
}

static void check_owner(const struct alone_access *x, unsigned int entry)
{
	struct access got;

	assert_true(wr_access(a.e, x->tag, &got));
	assert_ptr_equal(got.qp, qp);
	assert_ptr_equal(got.wr, wr);
	assert_int_equal(got.entry, entry);
	assert_int_equal(got.seg, SEG);
}

/* ---- The request of a chunk ---- */

/* Whether the request is still that of the chunk and of rank 4. */
static bool has_request(void)
{
	bool has;

	s->delivering = 1 << 4;
	has = local_writing(a.e, s);
	assert_int_equal(local_deliver(a.e, a.g, s, 1 << 4, s->data), has ? 0 : 1 << 4);
	return has;
}

static void request_of_a_chunk(void **state)
{
	(void)state;
	assert_true(has_request());
	qp->used = false;
	assert_false(has_request());
	qp->used = true;
	wr->state = WR_DONE;
	assert_false(has_request());
	wr->state = WR_READY;
	assert_false(has_request());
	wr->state = WR_ACTIVE;
	wr->w.opcode = TALLY_OPCODE_BCAST_MP;
	assert_false(has_request());
	wr->w.opcode = TALLY_OPCODE_ALLREDUCE;
	wr->w.rank_mask = 0x22;
	assert_false(has_request());
	wr->w.rank_mask = 0x10;
	wr->w.num_result = 1;
	assert_true(has_request());
}

/* Its chunks are those that have begun; numbers may wrap among them. */
static void chunks_of_a_request(void **state)
{
	(void)state;
	s->num = 20;
	assert_true(has_request());
	s->num = 19;
	assert_false(has_request());
	s->num = 22;
	assert_true(has_request());
	s->num = 23;
	assert_false(has_request());
	wr->num = UINT32_MAX;
	s->num = UINT32_MAX;
	assert_true(has_request());
	s->num = 1;
	assert_true(has_request());
	s->num = 2;
	assert_false(has_request());
	s->num = UINT32_MAX - 1;
	assert_false(has_request());
}

/* Each rank may have another request. */
static void request_of_each_rank(void **state)
{
	struct wr *other = alone_wr(qp, WR_ACTIVE, TALLY_OPCODE_ALLREDUCE, 6, 0x20);

	(void)state;
	other->num = 22;
	other->begun = 1;
	other->to_go = 2;
	wr->w.rank_mask = 0x12;
	s->by[5].wr = 2;
	local_finished(a.e, s, 0x32);
	assert_int_equal(wr->to_go, 13);
	assert_int_equal(other->to_go, 1);
}

/* ---- Data ---- */

static bool fetch(unsigned int rank, uint8_t *data)
{
	return local_fetch(a.e, a.g, s, rank, data);
}

static void data_are_read(void **state)
{
	uint8_t data[64];

	(void)state;
	assert_false(fetch(1, data));
	assert_false(fetch(4, data));
	assert_false(fetch(5, data));
	assert_int_equal(a.reads, 3);
	check_part(&a.read[0], GATHER + 64, 32);
	check_part(&a.read[1], GATHER + 1024 + 64, 32);
	check_part(&a.read[2], GATHER + 2048 + 64, 32);
	assert_int_equal(a.read[2].sge.lkey, 72);
	check_owner(&a.read[0], 0);
	check_owner(&a.read[2], 2);
	assert_int_equal(wr->io, 3);
}

/* The list has an entry for each rank that gives data, so its index depends on the request. */
static void lists_of_fewer_ranks(void **state)
{
	uint8_t data[64];

	(void)state;
	wr->w.rank_mask = 0x30;
	assert_false(fetch(5, data));
	check_part(&a.read[0], GATHER + 1024 + 64, 32);
	assert_false(fetch(1, data)); /* did not post it */
	assert_int_equal(a.reads, 1);
	local_deliver(a.e, a.g, s, 0x30, s->data);
	check_part(&a.write[0], RESULT + 64, 32);
	check_part(&a.write[1], RESULT + 1024 + 64, 32);
}

/* The root of a broadcast is the only one with an entry in the gather list, and has no result. */
static void lists_of_a_broadcast(void **state)
{
	uint8_t data[64];

	(void)state;
	wr->w.opcode = s->opcode = TALLY_OPCODE_BCAST;
	wr->w.root_rank = 4;
	assert_false(fetch(4, data));
	check_part(&a.read[0], GATHER + 64, 32);
	assert_int_equal(local_deliver(a.e, a.g, s, 0x22, s->data), 0);
	check_part(&a.write[0], RESULT + 64, 32);
	check_part(&a.write[1], RESULT + 1024 + 64, 32);
}

/* Blocks of five elements: the chunk, elements 16 to 23, has those of global rank 3, and parts. */
static void data_are_a_block(void **state)
{
	uint8_t data[64];

	(void)state;
	wr->w.opcode = s->opcode = TALLY_OPCODE_GATHER;
	a.g->node = 9;
	s->first = 12;
	assert_false(fetch(1, data)); /* elements 12 to 14 of 10 to 14 */
	assert_false(fetch(4, data)); /* 15 to 19 */
	check_part(&a.read[0], GATHER + 8, 12);
	check_part(&a.read[1], GATHER + 1024, 20);
	assert_true(fetch(5, data)); /* from 20 on: nothing */
	assert_int_equal(a.reads, 2);
}

static void data_in_the_request(void **state)
{
	uint8_t data[64] = { 0 };
	unsigned int i;

	(void)state;
	wr->w.num_gather = 0;
	wr->w.rank_mask = 1 << 4;
	for (i = 0; i < 160; i++)
		wr->w.data[i] = i;
	assert_true(fetch(4, data));
	for (i = 0; i < 64; i++)
		assert_int_equal(data[i], i < 32 ? 64 + i : 0);
	assert_int_equal(a.reads, 0);
	assert_int_equal(wr->io, 0);
	wr->w.opcode = s->opcode = TALLY_OPCODE_ALLGATHER;
	assert_true(fetch(4, data)); /* elements 16 to 19 of its block from 15 on */
	assert_int_equal(data[0], 4);
	assert_int_equal(data[15], 19);
	assert_int_equal(data[16], 80); /* as before */
}

/* Values get their indices, which count from the message's first element. */
static void values_get_indices(void **state)
{
	uint8_t data[64] = { 0 };
	uint32_t pair[2];

	(void)state;
	wr->w.num_gather = 0;
	wr->w.rank_mask = 1 << 4;
	wr->w.flags = TALLY_WQE_F_LOC_VALUES;
	wr->w.op = s->op = TALLY_OP_MINLOC;
	wr->w.dtype = TALLY_TYPE_INT32;
	wr->w.elem = s->elem = 8;
	wr->w.loc_index = 100;
	memset(wr->w.data + 64, 0x11, 4);
	memset(wr->w.data + 68, 0x22, 4);
	assert_true(fetch(4, data));
	memcpy(pair, data, 8);
	assert_int_equal(pair[0], 0x11111111);
	assert_int_equal(pair[1], 116);
	memcpy(pair, data + 8, 8);
	assert_int_equal(pair[0], 0x22222222);
	assert_int_equal(pair[1], 117);
	wr->w.num_gather = 1;
	assert_false(fetch(4, data)); /* in memory they are values, too */
	check_part(&a.read[0], GATHER + 64, 32);
}

static void no_request_any_more(void **state)
{
	uint8_t data[64];

	(void)state;
	qp->used = false;
	assert_false(fetch(4, data));
	assert_int_equal(a.reads, 0);
}

/* ---- Results ---- */

static void results_are_written(void **state)
{
	(void)state;
	memcpy(s->data, "0123", 4);
	assert_int_equal(local_deliver(a.e, a.g, s, 0x22, s->data), 0);
	assert_int_equal(a.writes, 2);
	check_part(&a.write[0], RESULT + 64, 32);
	check_part(&a.write[1], RESULT + 2048 + 64, 32);
	assert_int_equal(a.write[1].sge.lkey, 82);
	assert_memory_equal(a.write[1].data, "0123", 4);
	check_owner(&a.write[1], 2);
	assert_int_equal(wr->io, 2);
	assert_int_equal(wr->bytes, 64);
}

static void results_are_blocks(void **state)
{
	unsigned int i;

	(void)state;
	wr->w.opcode = s->opcode = TALLY_OPCODE_SCATTER;
	a.g->node = 9;
	s->first = 12;
	for (i = 0; i < 32; i++)
		s->data[i] = i;
	assert_int_equal(local_deliver(a.e, a.g, s, 0x32, s->data), 0x20);
	check_part(&a.write[0], RESULT + 8, 12);
	check_part(&a.write[1], RESULT + 1024, 20);
	assert_int_equal(a.write[0].data[0], 0);
	assert_int_equal(a.write[1].data[0], 12);
	assert_int_equal(a.write[1].data[19], 31);
}

static void nothing_to_write(void **state)
{
	(void)state;
	wr->w.num_result = 0;
	assert_int_equal(local_deliver(a.e, a.g, s, 0x32, s->data), 0x32);
	wr->w.num_result = 3;
	s->count = 0;
	assert_int_equal(local_deliver(a.e, a.g, s, 0x32, s->data), 0x32);
	assert_int_equal(local_deliver(a.e, a.g, s, 0, s->data), 0);
	assert_int_equal(local_deliver(a.e, a.g, s, 1, s->data), 1); /* no rank of the request */
	assert_int_equal(a.writes, 0);
	assert_int_equal(wr->io, 0);
}

static void results_that_are_being_written(void **state)
{
	(void)state;
	s->delivering = 0;
	assert_false(local_writing(a.e, s));
	s->delivering = 0x20;
	assert_true(local_writing(a.e, s));
	s->by[5].qp = 9; /* is gone */
	assert_false(local_writing(a.e, s));
	s->delivering = 0x30;
	assert_true(local_writing(a.e, s));
}

/* ---- The end of a request ---- */

static void ranks_finish_one_by_one(void **state)
{
	(void)state;
	s->err_vector = TALLY_ERR_FP_INVALID;
	local_finished(a.e, s, 0x12);
	assert_int_equal(wr->to_go, 13);
	assert_int_equal(wr->err_vector, TALLY_ERR_FP_INVALID);
	s->err_vector = TALLY_ERR_FP_INEXACT;
	local_finished(a.e, s, 0x20);
	assert_int_equal(wr->to_go, 12);
	assert_int_equal(wr->err_vector, TALLY_ERR_FP_INVALID | TALLY_ERR_FP_INEXACT);
	assert_int_equal(wr->state, WR_ACTIVE);
	local_finished(a.e, s, 1); /* is no rank of the request */
	assert_int_equal(wr->to_go, 12);
}

static void last_rank_completes(void **state)
{
	(void)state;
	wr->to_go = 2;
	wr->io = 1; /* so it does not retire */
	local_finished(a.e, s, 2);
	assert_int_equal(wr->state, WR_ACTIVE);
	local_finished(a.e, s, 0x10);
	assert_int_equal(wr->state, WR_DONE);
	assert_int_equal(wr->to_go, 0);
	wr->state = WR_ACTIVE; /* as while its flag word is being written */
	local_finished(a.e, s, 0x20);
	assert_int_equal(wr->to_go, 0);
	assert_int_equal(wr->state, WR_ACTIVE);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(request_of_a_chunk),      TEST(chunks_of_a_request),
		TEST(request_of_each_rank),    TEST(data_are_read),
		TEST(lists_of_fewer_ranks),    TEST(lists_of_a_broadcast),
		TEST(data_are_a_block),	       TEST(data_in_the_request),
		TEST(values_get_indices),      TEST(no_request_any_more),
		TEST(results_are_written),     TEST(results_are_blocks),
		TEST(nothing_to_write),	       TEST(results_that_are_being_written),
		TEST(ranks_finish_one_by_one), TEST(last_rank_completes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
