// SPDX-License-Identifier: BSD-2-Clause
/* The wires from the host alone: doorbells, entries of send queues, and answers of memory. */
#include "engine/common.h"
#include "engine/events.h"
#include "engine/test/alone.h"
#include "engine/wr.h"

#include <endian.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define QPN 3
#define DEPTH 16

/* Ranks 0, 2 and 5, and a child. The firmware is busy with something else. */
static struct alone a;
static struct qp *qp;

static int setup(void **state)
{
	(void)state;
	alone_setup(&a);
	alone_children(&a, 1);
	a.g->rank_mask = 0x25;
	qp = alone_qp(&a, QPN, 0x25);
	qp->cfg.depth = DEPTH;
	a.e->firmware = (struct fiber *)&a;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	a.e->firmware = NULL;
	alone_teardown(&a);
	return 0;
}

static void ring(uint64_t posted)
{
	engine_doorbell(a.e, QPN, posted);
}

/* ---- Doorbells ---- */

static void doorbell_has_the_next_entry_fetched(void **state)
{
	(void)state;
	ring(2);
	assert_int_equal(qp->posted, 2);
	assert_int_equal(a.fetches, 1);
	assert_int_equal(a.fetch_qp, QPN);
	assert_int_equal(a.fetch_index, 0);
	ring(2);
	ring(1); /* stale */
	assert_int_equal(qp->posted, 2);
	qp->used = false;
	ring(3);
	assert_int_equal(qp->posted, 2);
}

/* The count has 64 bits in the doorbell, and wraps at 32 in the queue pair. */
static void count_wraps(void **state)
{
	(void)state;
	qp->head = qp->admit = qp->scan = qp->posted = UINT32_MAX;
	ring(1ULL << 32 | 3);
	assert_int_equal(qp->posted, 3);
	ring(1ULL << 32);
	assert_int_equal(qp->posted, 3);
	assert_int_equal(qp->state, TALLY_QPS_RTS);
}

static void queue_is_full(void **state)
{
	(void)state;
	qp->head = qp->admit = qp->scan = qp->posted = UINT32_MAX - 2;
	ring(DEPTH - 3);
	assert_int_equal(qp->posted, DEPTH - 3);
	assert_int_equal(qp->state, TALLY_QPS_RTS);
}

/* One more than the queue holds ends the queue pair, and with it the epoch. */
static void queue_overruns(void **state)
{
	(void)state;
	ring(DEPTH + 1);
	assert_int_equal(qp->posted, 0);
	assert_int_equal(qp->state, TALLY_QPS_ERROR);
	assert_int_equal(a.eqe.type, TALLY_EQE_QP_FATAL);
	assert_int_equal(a.eqe.id, QPN);
	assert_int_equal(a.eqes, 1);
	assert_int_equal(alone_exception(&a)->status, TALLY_COLL_SQ_OVERRUN);
	assert_int_equal(alone_exception(&a)->ranks, 0x25);
	ring(DEPTH + 2); /* once */
	assert_int_equal(a.eqes, 1);
}

static void queue_that_does_not_work(void **state)
{
	(void)state;
	qp->state = TALLY_QPS_RESET;
	ring(1);
	assert_int_equal(qp->posted, 0);
	ring(DEPTH + 1);
	assert_int_equal(a.eqes, 0);
	qp->state = TALLY_QPS_ERROR;
	ring(1); /* it is flushed */
	assert_int_equal(qp->posted, 1);
	assert_int_equal(a.fetches, 1);
}

/* ---- Entries ---- */

static void entry(uint32_t index)
{
	uint8_t data[TALLY_MIN_WQE_SIZE] = { 0 };
	const struct tally_wqe w = { .opcode = TALLY_OPCODE_BARRIER,
				     .index = htole32(index),
				     .jid = htole32(ALONE_JID),
				     .mid = htole32(4),
				     .rank_mask = htole64(1) };

	memcpy(data, &w, sizeof(w));
	engine_wqe(a.e, QPN, index, data, sizeof(data));
}

static void entry_is_taken_in(void **state)
{
	(void)state;
	a.e->timing = (struct engine_timing){ .clock_mhz = 250, .request = 3 };
	ring(2);
	entry(1); /* was not asked for */
	assert_int_equal(qp->admit, 0);
	entry(0);
	assert_int_equal(qp->admit, 1);
	assert_int_equal(a.e->spent, 12 * NS);
	assert_int_equal(a.fetch_index, 1); /* the next one is fetched */
	entry(0);
	assert_int_equal(qp->admit, 1);
	qp->used = false;
	entry(1);
	assert_int_equal(qp->admit, 1);
}

static void entry_of_an_earlier_state(void **state)
{
	(void)state;
	ring(1);
	qp->fetch_stale = true;
	entry(0);
	assert_int_equal(qp->admit, 0);
	assert_false(qp->fetch_stale);
	assert_int_equal(a.fetches, 2); /* it is fetched again */
	entry(0);
	assert_int_equal(qp->admit, 1);
}

static void entry_behind_a_failure(void **state)
{
	(void)state;
	ring(1);
	qp->failing = true;
	entry(0);
	assert_int_equal(qp->admit, 0);
	assert_false(qp->fetching);
}

static void entry_is_flushed(void **state)
{
	(void)state;
	ring(1);
	qp->state = TALLY_QPS_ERROR;
	entry(0);
	assert_int_equal(a.cqes, 1);
	assert_int_equal(a.cqe[0].cqe.status, TALLY_WC_WR_FLUSH_ERR);
	assert_int_equal(le32toh(a.cqe[0].cqe.mid), 4);
	assert_int_equal(qp->head, 1);
}

/* ---- Answers of memory ---- */

/* Ranks 2 and 5 have posted chunk 0, two INT32, of a message that takes their data from memory. */
static struct wr *post(void)
{
	struct wr *wr = alone_wr(qp, WR_ACTIVE, TALLY_OPCODE_ALLREDUCE, 0, 0x24);
	struct slot *s = slot_of(a.e, a.g, 0);
	unsigned int i;

	wr->begun = 1;
	wr->to_go = 2;
	wr->w.flags = TALLY_WQE_F_SIGNALED;
	wr->w.dtype = TALLY_TYPE_INT32;
	wr->w.op = TALLY_OP_SUM;
	wr->w.num_gather = wr->w.num_result = 2;
	*s = (struct slot){ .state = TALLY_SEG_BUSY,
			    .mode = TALLY_MODE_TREE,
			    .total = 2,
			    .count = 2,
			    .opcode = TALLY_OPCODE_ALLREDUCE,
			    .op = TALLY_OP_SUM,
			    .elem = 4,
			    .dtype = TALLY_TYPE_INT32,
			    .up_ranks = 0x24,
			    .up_contributors = 1,
			    .posted = 0x24,
			    .stride = 16,
			    .limit = 1000 * MS };
	for (i = 0; i < TALLY_MAX_RANKS; i++)
		s->by[i] = (struct wr_ref){ QPN, wr - qp->wrs };
	return wr;
}

/* Let the request read, or write, list entry k. Returns the tag. */
static uint64_t access_entry(struct wr *wr, unsigned int k, bool write)
{
	const unsigned int seg = a.g->seg[0];

	if (write)
		wr_write(a.e, qp, wr, k, seg, 0, 8, "12345678");
	else
		wr_read(a.e, qp, wr, k, seg, 0, 8);
	return write ? a.write[a.writes - 1].tag : a.read[a.reads - 1].tag;
}

static void data_reach_their_slot(void **state)
{
	const struct slot *s = slot_of(a.e, a.g, 0);
	const int32_t data[2] = { 3, 4 };
	struct wr *wr = post();
	uint64_t tag = access_entry(wr, 1, false); /* of rank 5 */

	(void)state;
	engine_read_done(a.e, tag, TALLY_COLL_OK, data, 8);
	assert_int_equal(wr->io, 0);
	assert_int_equal(s->up_ranks, 4);
	assert_memory_equal(s->data, data, 8);
	engine_read_done(a.e, tag, TALLY_COLL_OK, data, 8); /* nobody waits for it */
	assert_int_equal(wr->io, 0);
	engine_read_done(a.e, access_entry(wr, 0, false), TALLY_COLL_OK, data, 8);
	assert_int_equal(s->up_ranks, 0);
	assert_int_equal(s->data[0], 6);
}

/* Values of the message's element i get the index loc_index + i. */
static void values_get_indices(void **state)
{
	struct slot *s = slot_of(a.e, a.g, 0);
	const int32_t data[2] = { 3, 4 };
	struct wr *wr = post();
	uint32_t got[4];

	(void)state;
	wr->w.op = s->op = TALLY_OP_MAXLOC;
	wr->w.flags |= TALLY_WQE_F_LOC_VALUES;
	wr->w.loc_index = 100;
	s->elem = 8;
	s->first = 10;
	engine_read_done(a.e, access_entry(wr, 0, false), TALLY_COLL_OK, data, 8);
	memcpy(got, s->data, sizeof(got));
	assert_int_equal(got[0], 3);
	assert_int_equal(got[1], 110);
	assert_int_equal(got[3], 111);
}

static void memory_cannot_be_read(void **state)
{
	struct wr *wr = post();

	(void)state;
	wr->w.mid = 7;
	engine_read_done(a.e, access_entry(wr, 1, false), TALLY_COLL_MR_RANGE, NULL, 0);
	assert_int_equal(alone_exception(&a)->status, TALLY_COLL_DMA_ERROR);
	assert_int_equal(alone_exception(&a)->ranks, 0x24);
	assert_int_equal(alone_exception(&a)->mid, 7);
	assert_int_equal(slot_of(a.e, a.g, 0)->up_ranks, 0x24);
}

/* After the end, an answer only lets its request retire. */
static void data_after_the_end(void **state)
{
	const int32_t data[2] = { 0 };
	struct wr *wr = post();
	uint64_t first = access_entry(wr, 0, false), second = access_entry(wr, 1, false);

	(void)state;
	a.g->state = TALLY_GROUP_COLLECT;
	engine_read_done(a.e, first, TALLY_COLL_OK, data, 8);
	assert_int_equal(slot_of(a.e, a.g, 0)->up_ranks, 0x24);
	wr->state = WR_DONE;
	wr->status = TALLY_COLL_ABORTED;
	a.g->state = TALLY_GROUP_DEAD;
	engine_read_done(a.e, second, TALLY_COLL_MR_RANGE, NULL, 0);
	assert_int_equal(a.cqes, 1);
	assert_false(events_wait(a.e));
}

static void data_of_a_descriptor(void **state)
{
	const int32_t data[2] = { 8, 9 };
	struct wr *wr = alone_wr(qp, WR_ACTIVE, TALLY_OPCODE_BCAST_MP, 0, 1);

	(void)state;
	wr->buf = 2;
	wr->w.count = 2;
	wr->w.elem = 4;
	wr->w.cpcnt = 1;
	engine_read_done(a.e, access_entry(wr, 0, false), TALLY_COLL_OK, data, 8);
	assert_true(wr->data_ready);
	assert_memory_equal(qp->bufs[1].data, data, 8);
}

static void results_are_written(void **state)
{
	struct slot *s = slot_of(a.e, a.g, 0);
	struct wr *wr = post();

	(void)state;
	s->delivering = 0x24;
	engine_write_done(a.e, access_entry(wr, 1, true), TALLY_COLL_OK);
	assert_int_equal(s->delivering, 4);
	assert_int_equal(s->delivered, 0x20);
	assert_int_equal(wr->to_go, 1);
	assert_int_equal(wr->status, 0);
	a.g->state = TALLY_GROUP_COLLECT; /* what was under way counts */
	engine_write_done(a.e, access_entry(wr, 0, true), TALLY_COLL_OK);
	assert_int_equal(wr->to_go, 0);
	assert_int_equal(a.cqes, 1);
	assert_int_equal(a.cqe[0].cqe.status, TALLY_WC_SUCCESS);
}

static void result_cannot_be_written(void **state)
{
	struct wr *wr = post();

	(void)state;
	slot_of(a.e, a.g, 0)->delivering = 0x24;
	engine_write_done(a.e, access_entry(wr, 1, true), TALLY_COLL_MR_ACCESS);
	assert_int_equal(wr->status, TALLY_COLL_DMA_ERROR);
	engine_write_done(a.e, access_entry(wr, 0, true), TALLY_COLL_OK);
	assert_int_equal(le16toh(a.cqe[0].cqe.coll_status), TALLY_COLL_DMA_ERROR);
	assert_int_equal(qp->state, TALLY_QPS_ERROR);
}

static void result_after_the_end(void **state)
{
	struct wr *wr = post();
	uint64_t tag = access_entry(wr, 1, true);

	(void)state;
	a.g->state = TALLY_GROUP_DEAD;
	wr->state = WR_DONE;
	wr->status = TALLY_COLL_ABORTED;
	engine_write_done(a.e, tag, TALLY_COLL_MR_ACCESS);
	assert_int_equal(a.cqes, 1);
	assert_int_equal(le16toh(a.cqe[0].cqe.coll_status), TALLY_COLL_ABORTED);
	assert_int_equal(slot_of(a.e, a.g, 0)->delivered, 0);
}

static void flag_word_completes(void **state)
{
	struct wr *wr = post();

	(void)state;
	wr->w.flags |= TALLY_WQE_F_FLAG_WORD;
	wr_complete(a.e, qp, wr);
	a.g->state = TALLY_GROUP_DEAD; /* it succeeds all the same */
	engine_write_done(a.e, a.write[0].tag, TALLY_COLL_OK);
	assert_int_equal(a.cqes, 1);
	assert_int_equal(a.cqe[0].cqe.status, TALLY_WC_SUCCESS);
}

static void flag_word_cannot_be_written(void **state)
{
	struct wr *wr = post();

	(void)state;
	wr->w.flags |= TALLY_WQE_F_FLAG_WORD;
	wr_complete(a.e, qp, wr);
	engine_write_done(a.e, a.write[0].tag, TALLY_COLL_MR_RANGE);
	assert_int_equal(le16toh(a.cqe[0].cqe.coll_status), TALLY_COLL_DMA_ERROR);
}

static void payload_of_a_descriptor_is_written(void **state)
{
	struct wr *wr = alone_wr(qp, WR_ACTIVE, TALLY_OPCODE_BCAST_MP, 0, 1);

	(void)state;
	wr->buf = 1;
	qp->bufs_used = 1;
	wr->fired = wr->write_todo = true;
	engine_write_done(a.e, access_entry(wr, 0, true), TALLY_COLL_OK);
	assert_int_equal(wr->state, WR_FREE);
	assert_int_equal(qp->bufs_used, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(doorbell_has_the_next_entry_fetched),
		TEST(count_wraps),
		TEST(queue_is_full),
		TEST(queue_overruns),
		TEST(queue_that_does_not_work),
		TEST(entry_is_taken_in),
		TEST(entry_of_an_earlier_state),
		TEST(entry_behind_a_failure),
		TEST(entry_is_flushed),
		TEST(data_reach_their_slot),
		TEST(values_get_indices),
		TEST(memory_cannot_be_read),
		TEST(data_after_the_end),
		TEST(data_of_a_descriptor),
		TEST(results_are_written),
		TEST(result_cannot_be_written),
		TEST(result_after_the_end),
		TEST(flag_word_completes),
		TEST(flag_word_cannot_be_written),
		TEST(payload_of_a_descriptor_is_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
