// SPDX-License-Identifier: BSD-2-Clause
/*
 * The request sender alone: whose turn it is, how many chunks may begin, what failed requests hold
 * up, and what becomes of all requests at the end of an epoch.
 */
#include "engine/common.h"
#include "engine/sender.h"
#include "engine/test/alone.h"

#include <endian.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/*
 * Three ranks and a child, without which nothing is ever finished. A second queue pair may post for
 * all of them, so a message that is late may still come.
 */
static struct alone a;
static struct qp *qp;

static int setup(void **state)
{
	(void)state;
	alone_setup(&a);
	alone_children(&a, 1);
	a.g->rank_mask = 7;
	a.g->total_ranks = 4;
	alone_qp(&a, 8, 7);
	qp = alone_qp(&a, 1, 7);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	alone_teardown(&a);
	return 0;
}

/* A request that is taken in: an ALLREDUCE of so many chunks of one element each. */
static struct wr *request(uint32_t mid, uint64_t ranks, uint32_t chunks)
{
	struct wr *wr = alone_wr(qp, WR_READY, TALLY_OPCODE_ALLREDUCE, mid, ranks);

	wr->w.op = TALLY_OP_SUM;
	wr->w.dtype = TALLY_TYPE_INT8;
	wr->w.chunks = wr->w.total = wr->w.count = chunks;
	wr->w.node_mask = ~0ULL;
	wr->w.flags = TALLY_WQE_F_SIGNALED;
	return wr;
}

static void pump(void)
{
	sender_pump(a.e, qp);
}

/* Let the messages of all ranks begin with this number. */
static void begin_at(uint32_t mid)
{
	unsigned int i;

	for (i = 0; i < 3; i++)
		a.g->ranks[i].next_mid = mid;
	a.g->mid_done = mid;
}

static void check_rank(unsigned int rank, uint32_t mid, uint32_t num, bool streaming)
{
	assert_int_equal(a.g->ranks[rank].next_mid, mid);
	assert_int_equal(a.g->ranks[rank].next_num, num);
	assert_int_equal(a.g->ranks[rank].streaming, streaming);
}

static uint16_t refusal(const struct wr *wr)
{
	assert_int_equal(wr->state, WR_FREE); /* it has retired */
	assert_int_equal(a.cqes, 1);
	return le16toh(a.cqe[0].cqe.coll_status);
}

/* ---- Whose turn it is ---- */

static void next_message_begins(void **state)
{
	struct wr *wr = request(0, 5, 1);

	(void)state;
	wr->since = 99;
	pump();
	assert_int_equal(wr->state, WR_ACTIVE);
	assert_int_equal(wr->num, 0);
	assert_int_equal(wr->begun, 1);
	assert_int_equal(wr->to_go, 2);
	assert_int_equal(wr->since, 0);
	check_rank(0, 1, 1, false);
	check_rank(1, 0, 0, false);
	check_rank(2, 1, 1, false);
	assert_int_equal(slot_of(a.e, a.g, 0)->posted, 5);
	assert_int_equal(slot_of(a.e, a.g, 0)->state, TALLY_SEG_BUSY);
}

static void messages_of_all_ranks(void **state)
{
	struct wr *wr;

	(void)state;
	request(0, 1, 1);
	request(0, 2, 1);
	request(1, 1, 1);
	wr = request(1, 6, 1); /* rank 2 has not posted message 0 */
	pump();
	check_rank(0, 2, 2, false);
	check_rank(1, 1, 1, false);
	check_rank(2, 0, 0, false);
	assert_int_equal(wr->state, WR_READY);
	assert_int_equal(wr->since, a.e->now);
}

/* Whether message `mid` of rank 0 begins while rank 0 is at `next`. */
static bool begins(uint32_t mid, uint32_t next)
{
	struct wr *wr;
	bool begun;

	teardown(NULL);
	setup(NULL);
	begin_at(next);
	wr = request(mid, 1, 1);
	pump();
	begun = wr->state == WR_ACTIVE;
	assert_int_equal(a.g->ranks[0].next_mid, next + begun);
	return begun;
}

static void numbers_of_messages_wrap(void **state)
{
	(void)state;
	assert_true(begins(UINT32_MAX, UINT32_MAX));
	assert_true(begins(0, 0));
	assert_false(begins(0, UINT32_MAX)); /* ahead */
	assert_int_equal(a.cqes, 0);
	assert_false(begins(UINT32_MAX, 0)); /* behind */
	assert_int_equal(le16toh(a.cqe[0].cqe.coll_status), TALLY_COLL_MID_BEHIND);
}

static void requests_behind_one_that_is_ahead(void **state)
{
	struct wr *ahead = request(1, 1, 1), *behind = request(0, 2, 1);

	(void)state;
	pump();
	assert_int_equal(ahead->state, WR_READY);
	assert_int_equal(behind->state, WR_READY);
	a.g->ranks[0].next_mid = 1;
	a.g->ranks[0].next_num = 1;
	a.e->now += 5;
	pump();
	assert_int_equal(ahead->state, WR_ACTIVE);
	assert_int_equal(behind->state, WR_ACTIVE);
}

static void message_that_was_posted_before(void **state)
{
	struct wr *wr;

	(void)state;
	request(0, 1, 1);
	pump();
	wr = request(0, 3, 1); /* the first one's chunk is still in its slot */
	pump();
	assert_int_equal(wr->state, WR_DONE);
	assert_int_equal(wr->status, TALLY_COLL_RANK_TWICE);
	assert_true(qp->failing);
	assert_int_equal(a.counters[TALLY_CTR_wqe_refused], 1);
	check_rank(1, 0, 0, false);
}

static void message_that_is_over(void **state)
{
	struct wr *wr;

	(void)state;
	begin_at(5);
	wr = request(4, 1, 1); /* nothing of it is in a slot */
	pump();
	assert_int_equal(refusal(wr), TALLY_COLL_MID_BEHIND);
	assert_int_equal(qp->state, TALLY_QPS_ERROR);
	assert_int_equal(a.counters[TALLY_CTR_wqe_refused], 1);
	check_rank(0, 5, 0, false);
}

/* The message before the last is behind, even if a rank still streams the last. */
static void message_before_the_last(void **state)
{
	struct wr *wr;

	(void)state;
	begin_at(5);
	a.g->ranks[0].streaming = true;
	wr = request(3, 1, 1);
	pump();
	assert_int_equal(refusal(wr), TALLY_COLL_MID_BEHIND);
}

static void message_that_streams(void **state)
{
	struct wr *wr;

	(void)state;
	begin_at(5);
	a.g->ranks[0].streaming = true;
	wr = request(4, 1, 1);
	pump();
	assert_int_equal(refusal(wr), TALLY_COLL_RANK_TWICE);
}

/* Without another queue pair, the missing message can never come. */
static void message_that_was_skipped(void **state)
{
	struct wr *wr;

	(void)state;
	a.e->qps[8].state = TALLY_QPS_ERROR;
	wr = request(1, 1, 1);
	pump();
	assert_int_equal(refusal(wr), TALLY_COLL_MID_SKIPPED);
	assert_int_equal(a.g->ranks[0].next_mid, 0);
}

/* ---- Chunks ---- */

/* Chunks begin as far as the window reaches, and the message of the same rank waits for the last. */
static void chunks_fill_the_window(void **state)
{
	struct wr *wr = request(0, 3, 6), *next = request(1, 1, 1);

	(void)state;
	pump();
	assert_int_equal(wr->state, WR_ACTIVE);
	assert_int_equal(wr->begun, 4);
	assert_int_equal(wr->to_go, 12);
	check_rank(0, 1, 4, true);
	check_rank(1, 1, 4, true);
	check_rank(2, 0, 0, false);
	assert_int_equal(next->state, WR_READY);
	assert_int_equal(next->since, 0); /* it waits for the window only */
	pump();
	assert_int_equal(wr->begun, 4);
}

/* Let the oldest chunk be done, so that the window moves. */
static void finish_chunk(void)
{
	struct slot *s = slot_of(a.e, a.g, a.g->done);
	uint16_t seg = a.g->seg[a.g->done % TALLY_MAX_GROUP_SEGS];

	s->state = TALLY_SEG_FREE;
	a.g->seg[a.g->limit++ % TALLY_MAX_GROUP_SEGS] = seg;
	a.g->done++;
}

static void chunks_follow_the_window(void **state)
{
	struct wr *wr = request(0, 1, 6), *next = request(1, 1, 1);

	(void)state;
	pump();
	finish_chunk();
	pump();
	assert_int_equal(wr->begun, 5);
	check_rank(0, 1, 5, true);
	finish_chunk();
	pump();
	assert_int_equal(wr->begun, 6);
	check_rank(0, 1, 6, false);
	assert_int_equal(next->state, WR_READY);
	finish_chunk();
	pump();
	assert_int_equal(next->state, WR_ACTIVE);
	assert_int_equal(next->num, 6);
	check_rank(0, 2, 7, false);
}

/* A message may use fewer segments: only so many chunks from the oldest unfinished one on. */
static void fewer_segments(void **state)
{
	struct wr *wr = request(0, 1, 6), *next;

	(void)state;
	wr->w.seg_count = 2;
	pump();
	assert_int_equal(wr->begun, 2);
	finish_chunk();
	pump();
	assert_int_equal(wr->begun, 3);
	wr->w.seg_count = 0;
	pump();
	assert_int_equal(wr->begun, 5);
	finish_chunk();
	next = request(1, 1, 3);
	next->w.seg_count = 1; /* they count from its own first chunk */
	pump();
	assert_int_equal(wr->begun, 6);
	assert_int_equal(next->begun, 0);
	finish_chunk();
	pump();
	assert_int_equal(next->begun, 1);
	finish_chunk();
	pump();
	assert_int_equal(next->begun, 1);
}

static void segments_for_all_chunks(void **state)
{
	struct wr *wr = request(0, 1, 3);

	(void)state;
	wr->w.seg_count = 3;
	pump();
	assert_int_equal(wr->begun, 3);
	check_rank(0, 1, 3, false);
}

/* Move the group so that its next chunk has this number. */
static void move_window(uint32_t num)
{
	uint16_t seg[4];
	unsigned int i;

	memcpy(seg, a.g->seg, sizeof(seg));
	a.g->done = a.g->top = num;
	a.g->limit = num + 4;
	for (i = 0; i < 4; i++)
		a.g->seg[(num + i) % TALLY_MAX_GROUP_SEGS] = seg[i];
	for (i = 0; i < 3; i++)
		a.g->ranks[i].next_num = num;
}

static void numbers_of_chunks_wrap(void **state)
{
	struct wr *wr;

	(void)state;
	move_window(UINT32_MAX - 1);
	wr = request(0, 1, 5);
	wr->w.seg_count = 3;
	pump();
	assert_int_equal(wr->num, UINT32_MAX - 1);
	assert_int_equal(wr->begun, 3);
	check_rank(0, 1, 1, true);
	assert_int_equal(slot_of(a.e, a.g, 0)->sid, 2);
	finish_chunk();
	finish_chunk();
	pump();
	assert_int_equal(wr->begun, 5);
}

/* A request whose first chunk has no place yet does not begin. */
static void window_is_shut(void **state)
{
	struct wr *wr;

	(void)state;
	a.g->ranks[0].next_num = 4;
	wr = request(0, 1, 1);
	pump();
	assert_int_equal(wr->state, WR_READY);
	assert_int_equal(wr->to_go, 0);
	check_rank(0, 0, 4, false);
	a.g->ranks[0].next_num = 3;
	pump();
	assert_int_equal(wr->state, WR_ACTIVE);
	assert_int_equal(wr->num, 3);
}

/* The window grows by segments that the group borrows, and the neighbours learn of it at once. */
static void window_grows(void **state)
{
	struct wr *wr;

	(void)state;
	a.g->max_segs = 6;
	wr = request(0, 1, 8);
	pump();
	assert_int_equal(wr->begun, 6);
	assert_int_equal(a.g->limit, 6);
	assert_int_equal(a.e->segs_lent, 2);
	wr = request(1, 1, 1);
	pump();
	assert_int_equal(a.g->limit, 6);
}

/* A chunk that disagrees with its slot ends the epoch; no further one begins. */
static void chunk_disagrees(void **state)
{
	struct wr *wr;

	(void)state;
	request(0, 1, 1);
	pump();
	wr = request(0, 2, 3);
	pump();
	assert_int_equal(alone_exception(&a)->status, TALLY_COLL_COUNT_MISMATCH);
	assert_int_equal(wr->begun, 1);
	assert_int_equal(slot_of(a.e, a.g, 1)->state, TALLY_SEG_FREE);
}

/* ---- Requests that failed ---- */

static void nothing_begins_behind_a_failure(void **state)
{
	struct wr *before = request(0, 1, 5), *failed = request(1, 1, 1),
		  *behind = request(0, 2, 1);

	(void)state;
	failed->state = WR_DONE;
	failed->status = TALLY_COLL_BAD_OP;
	pump();
	assert_int_equal(before->begun, 4);
	assert_int_equal(behind->state, WR_READY);
	finish_chunk();
	pump();
	assert_int_equal(before->begun, 5); /* what has begun goes on */
	assert_int_equal(behind->state, WR_READY);
}

static void a_mismatch_holds_nothing_up(void **state)
{
	struct wr *first = request(0, 1, 1), *failed = request(1, 1, 1), *behind = request(0, 2, 1);

	(void)state;
	failed->state = WR_DONE;
	failed->status = TALLY_COLL_MISMATCH;
	pump();
	assert_int_equal(first->state, WR_ACTIVE);
	assert_int_equal(behind->state, WR_ACTIVE);
}

/* Requests that need nothing of others finish while they begin. */
static void requests_that_finish_at_once(void **state)
{
	unsigned int i;

	(void)state;
	for (i = 0; i < 5; i++) {
		struct wr *wr = request(i, 7, 1);

		wr->w.opcode = TALLY_OPCODE_BARRIER;
		wr->w.op = TALLY_OP_NONE;
		wr->w.dtype = TALLY_TYPE_NONE;
		wr->w.total = wr->w.count = 0;
		wr->w.node_mask = 0;
		a.g->flags |= TALLY_GROUP_F_ROOT;
	}
	pump();
	assert_int_equal(a.cqes, 5);
	assert_int_equal(qp->head, 5);
	assert_int_equal(a.g->done, 5);
	assert_int_equal(a.g->mid_done, 5);
	assert_int_equal(qp->wrs_used, 0);
}

static void only_a_queue_that_works(void **state)
{
	struct wr *wr = request(0, 1, 1);

	(void)state;
	qp->posted++;
	qp->state = TALLY_QPS_RESET;
	pump();
	assert_int_equal(wr->state, WR_READY);
	assert_int_equal(a.fetches, 0);
	qp->state = TALLY_QPS_RTS;
	a.g->state = TALLY_GROUP_COLLECT;
	pump();
	assert_int_equal(wr->state, WR_READY);
	assert_int_equal(a.fetches, 0);
	a.g->state = TALLY_GROUP_DRAINING;
	pump();
	assert_int_equal(wr->state, WR_ACTIVE);
	assert_int_equal(a.fetches, 1);
	qp->state = TALLY_QPS_ERROR;
	request(1, 1, 1);
	pump();
	assert_int_equal(wr->state, WR_ACTIVE);
	assert_int_equal(a.cqes, 0); /* the first is still in its slot */
}

/* ---- Triggered descriptors ---- */

static struct wr *descriptor(uint32_t cpcnt)
{
	struct wr *wr = alone_wr(qp, WR_READY, TALLY_OPCODE_BCAST_MP, 0, 1);

	wr->w.cpcnt = cpcnt;
	wr->w.flags = TALLY_WQE_F_CP;
	wr->w.node_mask = 1;
	wr->w.count = 0;
	return wr;
}

/* One begins when those before it have fired, though they may not have sent everything. */
static void descriptors_in_order(void **state)
{
	struct wr *first = descriptor(1), *second = descriptor(0), *message = request(0, 1, 1);

	(void)state;
	pump();
	assert_int_equal(first->state, WR_ACTIVE);
	assert_false(first->fired);
	assert_int_equal(second->state, WR_READY);
	assert_int_equal(message->state, WR_READY);
	qp->counters[0].count = 1;
	qp->counters[0].alone[0] = 1;
	pump();
	assert_true(first->fired);
	assert_int_equal(first->state, WR_ACTIVE); /* the child has not acknowledged it */
	assert_true(second->fired);
	assert_int_equal(message->state, WR_ACTIVE);
	assert_int_equal(a.sent, 2);
}

/* Four have buffers. The next waits, and with it what is behind it. */
static void descriptors_without_a_buffer(void **state)
{
	struct wr *wr, *behind;
	unsigned int i;

	(void)state;
	for (i = 0; i < TALLY_SEND_BUFS; i++)
		descriptor(0);
	wr = descriptor(0);
	behind = request(0, 1, 1);
	pump();
	assert_int_equal(wr_at(qp, TALLY_SEND_BUFS - 1)->state, WR_ACTIVE);
	assert_int_equal(wr->state, WR_READY);
	assert_int_equal(behind->state, WR_READY);
	qp->bufs_used = 7;
	pump();
	assert_int_equal(wr->state, WR_ACTIVE);
	assert_int_equal(behind->state, WR_ACTIVE);
}

/* ---- The end ---- */

static void everything_has_its_outcome(void **state)
{
	struct wr *active = request(0, 1, 1), *flag = request(0, 2, 1);
	struct report r = { .status = TALLY_COLL_ABORTED, .detector = 3, .ranks = 4, .mid = 9 };

	(void)state;
	pump();
	request(1, 1, 1);
	active->io = 1;
	active->buf = 2;
	qp->bufs_used = 3;
	flag->flag_written = true;
	flag->io = 1;
	a.g->state = TALLY_GROUP_DEAD;
	a.g->report = r;
	sender_group_dead(a.e, qp);
	assert_int_equal(active->state, WR_DONE);
	assert_int_equal(active->status, TALLY_COLL_ABORTED);
	assert_int_equal(active->report.detector, 3);
	assert_int_equal(active->report.ranks, 4);
	assert_int_equal(qp->bufs_used, 1);
	assert_int_equal(flag->state, WR_ACTIVE); /* it succeeds */
	assert_int_equal(flag->status, 0);
	assert_int_equal(qp->state, TALLY_QPS_ERROR);
	assert_true(qp->failing && qp->left_behind);
	assert_int_equal(a.cqes, 0); /* an access is in flight */
	active->io = 0;
	sender_pump(a.e, qp);
	assert_int_equal(a.cqes, 1);
	assert_int_equal(le16toh(a.cqe[0].cqe.coll_status), TALLY_COLL_ABORTED);
}

/* What waits in cells returns, and so do the places of requests that had not begun. */
static void everything_is_returned(void **state)
{
	(void)state;
	request(5, 1, 1);
	qp->counters[1].head = qp->counters[1].tail = 0;
	a.e->cells[0].next = NONE;
	a.e->cell_fresh = a.e->shared_used = 1;
	qp->rmq_cells = 1;
	qp->waiting = wr_at(qp, 0);
	a.g->state = TALLY_GROUP_DEAD;
	a.g->report.status = TALLY_COLL_ABORTED;
	sender_group_dead(a.e, qp);
	assert_int_equal(a.e->shared_used, 0);
	assert_int_equal(a.e->cell_free, 0);
	assert_int_equal(qp->rmq_cells, 0);
	assert_null(qp->waiting);
	assert_int_equal(a.cqes, 1);
	assert_int_equal(a.cqe[0].cqe.status, TALLY_WC_WR_FLUSH_ERR);
	assert_int_equal(qp->wrs_used, 0);
}

/* A queue pair in RESET has no part in what ends. */
static void queue_in_reset_stays(void **state)
{
	(void)state;
	qp->state = TALLY_QPS_RESET;
	a.g->state = TALLY_GROUP_DEAD;
	sender_group_dead(a.e, qp);
	assert_int_equal(qp->state, TALLY_QPS_RESET);
	assert_false(qp->failing || qp->left_behind);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(next_message_begins),
		TEST(messages_of_all_ranks),
		TEST(numbers_of_messages_wrap),
		TEST(requests_behind_one_that_is_ahead),
		TEST(message_that_was_posted_before),
		TEST(message_that_is_over),
		TEST(message_before_the_last),
		TEST(message_that_streams),
		TEST(message_that_was_skipped),
		TEST(chunks_fill_the_window),
		TEST(chunks_follow_the_window),
		TEST(fewer_segments),
		TEST(segments_for_all_chunks),
		TEST(numbers_of_chunks_wrap),
		TEST(window_is_shut),
		TEST(window_grows),
		TEST(chunk_disagrees),
		TEST(nothing_begins_behind_a_failure),
		TEST(a_mismatch_holds_nothing_up),
		TEST(requests_that_finish_at_once),
		TEST(only_a_queue_that_works),
		TEST(descriptors_in_order),
		TEST(descriptors_without_a_buffer),
		TEST(everything_has_its_outcome),
		TEST(everything_is_returned),
		TEST(queue_in_reset_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
