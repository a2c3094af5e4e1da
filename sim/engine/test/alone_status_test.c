// SPDX-License-Identifier: BSD-2-Clause
/*
 * The status update alone: the kinds of statuses, the accesses to memory and the outcome of a
 * request, and how requests retire.
 */
#include "engine/coll_status.h"
#include "engine/common.h"
#include "engine/status.h"
#include "engine/test/alone.h"
#include "engine/wr.h"

#include <endian.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define QPN 5
#define NODE 2

static struct alone a;
static struct qp *qp;

static int setup(void **state)
{
	(void)state;
	alone_setup(&a);
	a.g->node = NODE;
	qp = alone_qp(&a, QPN, 1);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	alone_teardown(&a);
	return 0;
}

/* A request of rank 0 that is taken in. */
static struct wr *request(enum wr_state wr_state)
{
	struct wr *wr = alone_wr(qp, wr_state, TALLY_OPCODE_ALLREDUCE, qp->admit + 30, 1);

	wr->w.flags = TALLY_WQE_F_SIGNALED;
	return wr;
}

/* Let the counts of the queue pair begin shortly before they wrap. */
static void begin_before_wrap(void)
{
	qp->head = qp->admit = qp->scan = qp->posted = UINT32_MAX - 1;
}

static const struct tally_cqe *cqe(unsigned int i)
{
	assert_true(i < a.cqes);
	return &a.cqe[i].cqe;
}

static void check_cqe(unsigned int i, uint16_t status, uint8_t wc)
{
	assert_int_equal(le16toh(cqe(i)->coll_status), status);
	assert_int_equal(cqe(i)->status, wc);
}

/* ---- Kinds of statuses ---- */

static const struct {
	uint16_t status;
	uint8_t wc;
} remote[] = {
	/* those from TIMEOUT on */
	{ TALLY_COLL_TIMEOUT, TALLY_WC_RESP_TIMEOUT_ERR },
	{ TALLY_COLL_RETRY_EXCEEDED, TALLY_WC_RETRY_EXC_ERR },
	{ TALLY_COLL_RANK_GONE, TALLY_WC_REM_ABORT_ERR },
	{ TALLY_COLL_ABORTED, TALLY_WC_REM_ABORT_ERR },
	{ TALLY_COLL_MISMATCH, TALLY_WC_REM_ABORT_ERR },
	{ TALLY_COLL_PEER_GONE, TALLY_WC_REM_ABORT_ERR },
	{ TALLY_COLL_EPOCH_CHANGED, TALLY_WC_REM_ABORT_ERR },
	{ TALLY_COLL_FLUSHED, TALLY_WC_WR_FLUSH_ERR },
	{ TALLY_COLL_NO_HANDSHAKE, TALLY_WC_RESP_TIMEOUT_ERR },
	{ TALLY_COLL_CONFIG_MISMATCH, TALLY_WC_REM_ABORT_ERR },
	{ TALLY_COLL_RMQ_OVERFLOW, TALLY_WC_RESP_TIMEOUT_ERR },
	{ TALLY_COLL_DMA_ERROR, TALLY_WC_LOC_ACCESS_ERR },
	{ TALLY_COLL_OPCODE_MISMATCH, TALLY_WC_REM_ABORT_ERR },
	{ TALLY_COLL_OP_MISMATCH, TALLY_WC_REM_ABORT_ERR },
	{ TALLY_COLL_TYPE_MISMATCH, TALLY_WC_REM_ABORT_ERR },
	{ TALLY_COLL_COUNT_MISMATCH, TALLY_WC_REM_ABORT_ERR },
	{ TALLY_COLL_ROOT_MISMATCH, TALLY_WC_REM_ABORT_ERR },
	{ TALLY_COLL_CHUNK_MISMATCH, TALLY_WC_REM_ABORT_ERR },
	{ TALLY_COLL_MASK_MISMATCH, TALLY_WC_REM_ABORT_ERR },
	{ TALLY_COLL_MODE_MISMATCH, TALLY_WC_REM_ABORT_ERR },
};

static uint8_t wc_of_local(uint16_t status)
{
	switch (status) {
	case TALLY_COLL_OK:
		return TALLY_WC_SUCCESS;
	case TALLY_COLL_BAD_COUNT:
	case TALLY_COLL_TOO_LONG:
	case TALLY_COLL_BAD_SGE_LENGTH:
	case TALLY_COLL_BAD_INLINE:
	case TALLY_COLL_BAD_CHUNK:
		return TALLY_WC_LOC_LEN_ERR;
	case TALLY_COLL_BAD_LKEY:
	case TALLY_COLL_MR_RANGE:
	case TALLY_COLL_MR_ACCESS:
		return TALLY_WC_LOC_PROT_ERR;
	case TALLY_COLL_WQE_FETCH:
		return TALLY_WC_LOC_ACCESS_ERR;
	default:
		return TALLY_WC_LOC_QP_OP_ERR;
	}
}

static uint8_t wc_of_remote(uint16_t status)
{
	unsigned int i;

	for (i = 0; i < sizeof(remote) / sizeof(remote[0]); i++)
		if (remote[i].status == status)
			return remote[i].wc;
	return TALLY_WC_GENERAL_ERR;
}

static void kinds_of_statuses(void **state)
{
	unsigned int st;

	(void)state;
	for (st = 0; st < 65536; st++) {
		bool local = (st && st < TALLY_COLL_TIMEOUT) || st == TALLY_COLL_DMA_ERROR;
		uint8_t wc = st < TALLY_COLL_TIMEOUT ? wc_of_local(st) : wc_of_remote(st);

		assert_int_equal(coll_status_wc(st), wc);
		assert_int_equal(coll_status_is_local(st), local);
		assert_int_equal(coll_status_wc_of_end(st), local ? TALLY_WC_REM_ABORT_ERR : wc);
		assert_int_equal(coll_status_spares_queue(st),
				 st == TALLY_COLL_OK || st == TALLY_COLL_MISMATCH);
	}
}

static void statuses_that_end_an_epoch(void **state)
{
	static const uint16_t known[] = {
#define VALUE(name, value, doc) value,
		TALLY_COLL_LIST(VALUE)
#undef VALUE
	};
	unsigned int st, i;

	(void)state;
	for (st = 0; st < 256; st++) {
		bool ends = false;

		for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
			ends |= known[i] == st;
		ends &= st != TALLY_COLL_OK && st != TALLY_COLL_MISMATCH &&
			st != TALLY_COLL_FLUSHED && st != TALLY_COLL_DEVICE_LOST;
		assert_int_equal(coll_status_ends_epoch(st), ends);
	}
	assert_false(coll_status_ends_epoch(TALLY_COLL_TIMEOUT + 256));
}

/* ---- Accesses to memory ---- */

static void list_entry(struct wr *wr, unsigned int k)
{
	wr->w.gather[k] = (struct engine_sge){ 0x1000000000 * (k + 1), 5000, 70 + k };
	wr->w.result[k] = (struct engine_sge){ 0x2000000000 * (k + 1), 6000, 90 + k };
}

static void reads_a_part(void **state)
{
	struct wr *wr = request(WR_ACTIVE);

	(void)state;
	list_entry(wr, 3);
	a.e->spent = 44;
	wr_read(a.e, qp, wr, 3, 2, 0x100000000, 400);
	assert_int_equal(wr->io, 1);
	assert_int_equal(wr->bytes, 0);
	assert_int_equal(a.reads, 1);
	assert_int_equal(a.read[0].pd, 100 + QPN);
	assert_int_equal(a.read[0].sge.addr, 0x4100000000);
	assert_int_equal(a.read[0].sge.length, 400);
	assert_int_equal(a.read[0].sge.lkey, 73);
	assert_int_equal(a.read[0].delay, 44);
}

static void writes_a_part(void **state)
{
	struct wr *wr = request(WR_ACTIVE);

	(void)state;
	list_entry(wr, 0);
	a.e->spent = 45;
	wr_write(a.e, qp, wr, 0, 2, 16, 4, "abcd");
	wr_write(a.e, qp, wr, 0, 2, 20, 2, "ef");
	assert_int_equal(wr->io, 2);
	assert_int_equal(wr->bytes, 6);
	assert_int_equal(a.write[0].pd, 100 + QPN);
	assert_int_equal(a.write[0].sge.addr, 0x2000000010);
	assert_int_equal(a.write[0].sge.length, 4);
	assert_int_equal(a.write[0].sge.lkey, 90);
	assert_int_equal(a.write[0].delay, 45);
	assert_memory_equal(a.write[0].data, "abcd", 4);
	assert_int_equal(a.write[1].sge.addr, 0x2000000014);
}

/* The bytes of 64 ranks may be more than 32 bits hold. */
static void bytes_saturate(void **state)
{
	struct wr *wr = request(WR_ACTIVE);

	(void)state;
	wr->bytes = UINT32_MAX - 4;
	wr_write(a.e, qp, wr, 0, 0, 0, 4, "abcd");
	assert_int_equal(wr->bytes, UINT32_MAX);
	wr->bytes = UINT32_MAX - 3;
	wr_write(a.e, qp, wr, 0, 0, 0, 4, "abcd");
	assert_int_equal(wr->bytes, UINT32_MAX);
}

static void check_tag(unsigned int qpn, unsigned int place, unsigned int entry, unsigned int seg,
		      uint32_t generation)
{
	struct qp *q = &a.e->qps[qpn];
	struct wr *wr = &q->wrs[place];
	struct access x;
	uint64_t tag;

	q->used = true;
	wr->generation = generation;
	wr_read(a.e, q, wr, entry, seg, 0, 0);
	tag = a.read[(a.reads - 1) % ALONE_KEPT].tag;
	assert_true(wr_access(a.e, tag, &x));
	assert_ptr_equal(x.qp, q);
	assert_ptr_equal(x.wr, wr);
	assert_int_equal(x.entry, entry);
	assert_int_equal(x.seg, seg);
	wr->generation++;
	assert_false(wr_access(a.e, tag, &x));
	wr->generation--;
	wr->io = 0;
	assert_false(wr_access(a.e, tag, &x));
	wr->io = 1;
	q->used = false;
	assert_false(wr_access(a.e, tag, &x));
	wr->io = 0;
}

static void tags_of_answers(void **state)
{
	(void)state;
	check_tag(0, 0, 0, 0, 1);
	check_tag(TALLY_MAX_QP - 1, 0, 0, 0, 2);
	check_tag(0, WR_WINDOW - 1, 0, 0, 3);
	check_tag(0, 0, WR_FLAG_ENTRY, 0, 4);
	check_tag(0, 0, 0, TALLY_MAX_SEG - 1, 5);
	check_tag(TALLY_MAX_QP - 1, WR_WINDOW - 1, WR_FLAG_ENTRY, TALLY_MAX_SEG - 1, 6);
	check_tag(341, 42, 21, 1365, 0x12345678);
	check_tag(682, 21, 42, 682, UINT32_MAX);
}

static void time_limit_begins_once(void **state)
{
	struct wr *wr = request(WR_READY);

	(void)state;
	a.g->timer.touched = false;
	wr_wait(a.e, a.g, wr);
	assert_int_equal(wr->since, a.e->now);
	assert_true(a.g->timer.touched);
	a.e->now += 5;
	a.g->timer.touched = false;
	wr_wait(a.e, a.g, wr);
	assert_int_equal(wr->since, a.e->now - 5);
	assert_false(a.g->timer.touched);
}

/* ---- Outcome ---- */

static void finish_with_success(void **state)
{
	struct wr *wr = request(WR_ACTIVE);

	(void)state;
	wr_complete(a.e, qp, wr);
	assert_int_equal(a.writes, 0);
	assert_int_equal(a.cqes, 1);
	check_cqe(0, TALLY_COLL_OK, TALLY_WC_SUCCESS);
	assert_false(qp->failing);
	assert_int_equal(qp->state, TALLY_QPS_RTS);
	assert_int_equal(qp->head, 1);
	assert_int_equal(qp->wrs_used, 0);
	assert_int_equal(wr->state, WR_FREE);
}

static void flag_word_is_written_first(void **state)
{
	struct wr *wr = request(WR_ACTIVE);
	struct access x;

	(void)state;
	wr->w.flags |= TALLY_WQE_F_FLAG_WORD;
	wr->w.flag = (struct engine_sge){ 0x88, 4, 9 };
	wr->w.flag_value = 0x01020304;
	a.e->spent = 3;
	wr_complete(a.e, qp, wr);
	assert_true(wr->flag_written);
	assert_int_equal(wr->state, WR_ACTIVE);
	assert_int_equal(wr->io, 1);
	assert_int_equal(wr->bytes, 0);
	assert_int_equal(a.cqes, 0);
	assert_int_equal(a.write[0].pd, 100 + QPN);
	assert_int_equal(a.write[0].sge.addr, 0x88);
	assert_int_equal(a.write[0].sge.length, 4);
	assert_int_equal(a.write[0].sge.lkey, 9);
	assert_int_equal(a.write[0].delay, 3);
	assert_memory_equal(a.write[0].data, "\4\3\2\1", 4);
	assert_true(wr_access(a.e, a.write[0].tag, &x));
	assert_int_equal(x.entry, WR_FLAG_ENTRY);
}

/* A request that has failed writes no flag word. */
static void no_flag_word_after_a_failure(void **state)
{
	struct wr *wr = request(WR_ACTIVE);

	(void)state;
	wr->w.flags |= TALLY_WQE_F_FLAG_WORD;
	wr->status = TALLY_COLL_DMA_ERROR;
	wr_complete(a.e, qp, wr);
	assert_int_equal(a.writes, 0);
	check_cqe(0, TALLY_COLL_DMA_ERROR, TALLY_WC_LOC_ACCESS_ERR);
	assert_int_equal(qp->state, TALLY_QPS_ERROR);
}

static void first_status_counts(void **state)
{
	struct wr *wr = request(WR_READY);

	(void)state;
	wr->status = TALLY_COLL_MID_BEHIND;
	wr_finish(a.e, qp, wr, TALLY_COLL_RANK_TWICE);
	check_cqe(0, TALLY_COLL_MID_BEHIND, TALLY_WC_LOC_QP_OP_ERR);
	assert_true(qp->failing);
}

/* Behind a request of which contributions disagree, others go on. */
static void mismatch_spares_the_queue(void **state)
{
	struct wr *wr = request(WR_ACTIVE);

	(void)state;
	request(WR_READY);
	wr_finish(a.e, qp, wr, TALLY_COLL_MISMATCH);
	check_cqe(0, TALLY_COLL_MISMATCH, TALLY_WC_REM_ABORT_ERR);
	assert_int_equal(a.cqes, 1);
	assert_false(qp->failing);
	assert_int_equal(qp->state, TALLY_QPS_RTS);
	assert_int_equal(a.counters[TALLY_CTR_messages_failed], 1);
	assert_int_equal(a.g->qp_errors, 0);
}

/* A request fails for a reason of its own, and its rank has no other queue pair. */
static void refusal_ends_the_epoch(void **state)
{
	struct wr *wr = request(WR_READY);

	(void)state;
	wr_finish(a.e, qp, wr, TALLY_COLL_BAD_OP);
	assert_int_equal(qp->state, TALLY_QPS_ERROR);
	assert_int_equal(a.g->qp_errors, 1);
	assert_int_equal(alone_exception(&a)->status, TALLY_COLL_BAD_OP);
	assert_int_equal(alone_exception(&a)->ranks, 1);
	assert_int_equal(alone_exception(&a)->mid, 30);
}

/* ---- Completions ---- */

static void completion_has_all_fields(void **state)
{
	struct wr *wr = request(WR_DONE);

	(void)state;
	a.e->timing = (struct engine_timing){ .clock_mhz = 250, .status = 2 };
	a.e->spent = 1000;
	wr->num = UINT32_MAX; /* numbers wrap within the message */
	wr->begun = 3;
	wr->bytes = 77;
	wr->err_vector = TALLY_ERR_FP_INEXACT;
	status_retire(a.e, qp);
	assert_int_equal(a.cqe[0].cqn, 200 + QPN);
	assert_int_equal(a.cqe[0].delay, 1000 + 8 * NS);
	assert_false(a.cqe[0].solicited);
	assert_int_equal(le32toh(cqe(0)->qpn), QPN);
	assert_int_equal(le32toh(cqe(0)->wqe_index), 0);
	assert_int_equal(le32toh(cqe(0)->byte_cnt), 77);
	assert_int_equal(le32toh(cqe(0)->jid), ALONE_JID);
	assert_int_equal(le32toh(cqe(0)->mid), 30);
	assert_int_equal(le32toh(cqe(0)->sid), 2);
	assert_int_equal(le16toh(cqe(0)->seg), 1); /* number 1 of 4 segments */
	assert_int_equal(le16toh(cqe(0)->err_vector), TALLY_ERR_FP_INEXACT);
	assert_int_equal(le16toh(cqe(0)->detector), NODE);
	assert_int_equal(le64toh(cqe(0)->contributors), 0);
	assert_int_equal(le64toh(cqe(0)->ranks), 0);
	assert_int_equal(cqe(0)->opcode, TALLY_OPCODE_ALLREDUCE);
	assert_int_equal(cqe(0)->flags, 0);
	check_cqe(0, TALLY_COLL_OK, TALLY_WC_SUCCESS);
	assert_int_equal(a.counters[TALLY_CTR_messages], 1);
	assert_int_equal(a.counters[TALLY_CTR_messages_failed], 0);
}

static void request_without_a_chunk(void **state)
{
	struct wr *wr = request(WR_DONE);

	(void)state;
	wr->num = 3;
	status_retire(a.e, qp);
	assert_int_equal(le32toh(cqe(0)->sid), 0);
	assert_int_equal(le16toh(cqe(0)->seg), 0);
}

static void report_is_passed_on(void **state)
{
	struct wr *wr = request(WR_DONE);

	(void)state;
	wr->status = TALLY_COLL_TIMEOUT;
	wr->begun = 5;
	wr->report = (struct report){ .status = TALLY_COLL_TIMEOUT,
				      .detector = 3,
				      .sid = 9,
				      .contributors = 0x123456789a,
				      .ranks = 1ULL << 63 };
	status_retire(a.e, qp);
	assert_int_equal(le16toh(cqe(0)->detector), 3);
	assert_int_equal(le64toh(cqe(0)->contributors), 0x123456789a);
	assert_int_equal(le64toh(cqe(0)->ranks), 1ULL << 63);
	assert_int_equal(le32toh(cqe(0)->sid), 9);
	check_cqe(0, TALLY_COLL_TIMEOUT, TALLY_WC_RESP_TIMEOUT_ERR);
	assert_int_equal(a.counters[TALLY_CTR_messages_failed], 1);
	assert_int_equal(a.counters[TALLY_CTR_messages], 0);
}

/* A local fault is the fault of the request only if the report names its ranks, at this node. */
static void fault_of_others(void **state)
{
	static const struct {
		uint16_t detector;
		uint64_t ranks;
		uint8_t wc;
	} rows[] = {
		{ NODE, 1, TALLY_WC_LOC_QP_OP_ERR },
		{ NODE, 3, TALLY_WC_LOC_QP_OP_ERR },
		{ NODE, 2, TALLY_WC_REM_ABORT_ERR },
		{ NODE + 1, 1, TALLY_WC_REM_ABORT_ERR },
	};
	unsigned int i;

	(void)state;
	for (i = 0; i < 4; i++) {
		struct wr *wr = request(WR_DONE);

		wr->status = TALLY_COLL_BAD_OP;
		wr->report = (struct report){ .status = TALLY_COLL_BAD_OP,
					      .ranks = rows[i].ranks,
					      .detector = rows[i].detector };
		status_retire(a.e, qp);
		check_cqe(i, TALLY_COLL_BAD_OP, rows[i].wc);
	}
}

static void who_gets_a_completion(void **state)
{
	static const struct {
		uint32_t flags;
		uint16_t status;
		bool cqe, solicited;
	} rows[] = {
		{ 0, TALLY_COLL_OK, false, false },
		{ TALLY_WQE_F_SIGNALED, TALLY_COLL_OK, true, false },
		{ TALLY_WQE_F_SOLICITED, TALLY_COLL_OK, false, false },
		{ TALLY_WQE_F_SIGNALED | TALLY_WQE_F_SOLICITED, TALLY_COLL_OK, true, true },
		{ 0, TALLY_COLL_MISMATCH, true, true },
	};
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct wr *wr = request(WR_DONE);

		wr->w.flags = rows[i].flags;
		wr->status = rows[i].status;
		a.cqes = 0;
		status_retire(a.e, qp);
		assert_int_equal(a.cqes, rows[i].cqe);
		if (rows[i].cqe)
			assert_int_equal(a.cqe[0].solicited, rows[i].solicited);
		assert_int_equal(qp->head, i + 1);
	}
	assert_int_equal(a.counters[TALLY_CTR_messages], 4);
	assert_int_equal(a.counters[TALLY_CTR_messages_failed], 1);
}

/* ---- Order ---- */

/* Requests retire in order, also where the counts wrap. One that was answered has no completion. */
static void in_order(void **state)
{
	struct wr *first, *third;

	(void)state;
	begin_before_wrap();
	first = request(WR_ACTIVE);
	request(WR_DONE);
	third = request(WR_SKIP);
	request(WR_DONE);
	status_retire(a.e, qp);
	assert_int_equal(a.cqes, 0);
	assert_int_equal(qp->head, UINT32_MAX - 1);
	third->io = 1;
	first->state = WR_DONE;
	status_retire(a.e, qp);
	assert_int_equal(a.cqes, 2);
	assert_int_equal(qp->head, 0);
	assert_int_equal(le32toh(cqe(0)->wqe_index), UINT32_MAX - 1);
	assert_int_equal(le32toh(cqe(1)->wqe_index), UINT32_MAX);
	assert_int_equal(qp->wrs_used, 12);
	third->io = 0;
	status_retire(a.e, qp);
	assert_int_equal(a.cqes, 3);
	assert_int_equal(qp->head, 2);
	assert_int_equal(qp->wrs_used, 0);
	assert_int_equal(a.counters[TALLY_CTR_messages], 3);
}

/* Nothing retires while an access to memory is in flight, a request with an error neither. */
static void accesses_end_first(void **state)
{
	struct wr *wr = request(WR_DONE);

	(void)state;
	wr->io = 1;
	wr->status = TALLY_COLL_DMA_ERROR;
	status_retire(a.e, qp);
	assert_int_equal(a.cqes, 0);
	assert_int_equal(qp->state, TALLY_QPS_RTS);
	wr->io = 0;
	status_retire(a.e, qp);
	assert_int_equal(a.cqes, 1);
}

static void request_that_has_not_begun_stays(void **state)
{
	(void)state;
	request(WR_READY);
	status_retire(a.e, qp);
	assert_int_equal(a.cqes, 0);
	qp->state = TALLY_QPS_RESET;
	status_retire(a.e, qp);
	assert_int_equal(a.cqes, 0);
	assert_int_equal(qp->head, 0);
}

/* ---- Flushing ---- */

static void flush_what_has_not_begun(void **state)
{
	struct wr *wr;

	(void)state;
	request(WR_READY)->w.flags = 0;
	wr = request(WR_READY);
	wr->buf = 2;
	qp->bufs_used = 7;
	qp->state = TALLY_QPS_ERROR;
	status_retire(a.e, qp);
	assert_int_equal(a.cqes, 2);
	check_cqe(0, TALLY_COLL_FLUSHED, TALLY_WC_WR_FLUSH_ERR);
	assert_true(a.cqe[0].solicited);
	assert_int_equal(le32toh(cqe(1)->wqe_index), 1);
	assert_int_equal(le32toh(cqe(1)->mid), 31);
	assert_int_equal(le16toh(cqe(1)->detector), NODE);
	assert_int_equal(qp->bufs_used, 5);
	assert_int_equal(qp->wrs_used, 0);
	assert_int_equal(qp->head, 2);
	assert_int_equal(a.fetches, 0);
	assert_int_equal(a.counters[TALLY_CTR_messages_failed], 0);
}

/* After the end of the epoch, they have its cause. */
static void flush_with_the_cause(void **state)
{
	(void)state;
	request(WR_READY);
	a.g->report = (struct report){ .status = TALLY_COLL_BAD_OP, .detector = 9, .ranks = 4 };
	qp->state = TALLY_QPS_ERROR;
	status_retire(a.e, qp);
	check_cqe(0, TALLY_COLL_BAD_OP, TALLY_WC_WR_FLUSH_ERR);
	assert_int_equal(le16toh(cqe(0)->detector), 9);
	assert_int_equal(le64toh(cqe(0)->ranks), 4);
}

/* A request behind a failed one is flushed at once; one that has begun is waited for. */
static void flush_behind_a_failure(void **state)
{
	struct wr *first = request(WR_ACTIVE);

	(void)state;
	request(WR_ACTIVE);
	request(WR_READY);
	wr_finish(a.e, qp, first, TALLY_COLL_DMA_ERROR);
	assert_int_equal(a.cqes, 1);
	wr_finish(a.e, qp, wr_at(qp, 1), TALLY_COLL_OK);
	assert_int_equal(a.cqes, 3);
	check_cqe(1, TALLY_COLL_OK, TALLY_WC_SUCCESS);
	check_cqe(2, TALLY_COLL_FLUSHED, TALLY_WC_WR_FLUSH_ERR);
}

static void entry_that_is_wanted(void **state)
{
	(void)state;
	qp->head = qp->admit = 8;
	qp->posted = 10;
	qp->state = TALLY_QPS_ERROR;
	assert_true(status_wants_entry(qp, 8));
	assert_false(status_wants_entry(qp, 9));
	assert_false(status_wants_entry(qp, 7));
	qp->state = TALLY_QPS_RTS;
	assert_false(status_wants_entry(qp, 8));
	qp->state = TALLY_QPS_RESET;
	assert_false(status_wants_entry(qp, 8));
	qp->state = TALLY_QPS_ERROR;
	qp->admit = 9;
	assert_false(status_wants_entry(qp, 8));
	qp->admit = qp->posted = 8;
	assert_false(status_wants_entry(qp, 8));
}

/* Entries that were not taken in are fetched, so that their completions can name them. */
static void flush_what_was_not_fetched(void **state)
{
	struct tally_wqe w = { .opcode = TALLY_OPCODE_BARRIER, .mid = htole32(0x01020304) };

	(void)state;
	begin_before_wrap();
	qp->posted = 1; /* three entries */
	qp->state = TALLY_QPS_ERROR;
	status_retire(a.e, qp);
	status_retire(a.e, qp);
	assert_int_equal(a.fetches, 1);
	assert_int_equal(a.fetch_index, UINT32_MAX - 1);
	qp->fetching = false;
	status_flush_entry(a.e, qp, &w);
	check_cqe(0, TALLY_COLL_FLUSHED, TALLY_WC_WR_FLUSH_ERR);
	assert_int_equal(cqe(0)->opcode, TALLY_OPCODE_BARRIER);
	assert_int_equal(le32toh(cqe(0)->mid), 0x01020304);
	assert_int_equal(le32toh(cqe(0)->wqe_index), UINT32_MAX - 1);
	assert_int_equal(qp->head, UINT32_MAX);
	assert_int_equal(qp->admit, UINT32_MAX);
	assert_int_equal(qp->scan, UINT32_MAX);
	status_retire(a.e, qp);
	assert_int_equal(a.fetch_index, UINT32_MAX);
	qp->fetching = false;
	status_flush_entry(a.e, qp, NULL);
	assert_int_equal(cqe(1)->opcode, 0);
	assert_int_equal(le32toh(cqe(1)->wqe_index), UINT32_MAX);
	assert_int_equal(qp->head, 0);
	assert_int_equal(a.cqes, 2);
}

/* One that was answered out of turn has had its completion. */
static void flush_what_was_answered(void **state)
{
	(void)state;
	qp->posted = 3;
	qp->scan = 3;
	qp->answered[0] = 3;
	qp->state = TALLY_QPS_ERROR;
	status_retire(a.e, qp);
	assert_int_equal(a.cqes, 0);
	assert_int_equal(qp->head, 2);
	assert_int_equal(qp->admit, 2);
	assert_int_equal(qp->scan, 3);
	assert_int_equal(a.fetch_index, 2);
	assert_int_equal(qp->answered[0], 0);
}

static void nothing_is_fetched_while_it_works(void **state)
{
	(void)state;
	qp->posted = 1;
	status_retire(a.e, qp);
	assert_int_equal(a.fetches, 0);
	assert_int_equal(qp->head, 0);
}

/* ---- Out of turn ---- */

static void answer_out_of_turn(void **state)
{
	const struct request q = { TALLY_OPCODE_QUERY, TALLY_WQE_F_SOLICITED, 6, 7 };
	const struct report r = { .detector = 4, .contributors = 5, .ranks = 6, .sid = 8 };

	(void)state;
	status_out_of_turn(a.e, qp, &q, TALLY_COLL_OK, TALLY_CQE_F_PENDING, &r);
	check_cqe(0, TALLY_COLL_OK, TALLY_WC_SUCCESS);
	assert_int_equal(cqe(0)->flags, TALLY_CQE_F_NO_RETIRE | TALLY_CQE_F_PENDING);
	assert_int_equal(cqe(0)->opcode, TALLY_OPCODE_QUERY);
	assert_int_equal(le32toh(cqe(0)->wqe_index), 6);
	assert_int_equal(le32toh(cqe(0)->mid), 7);
	assert_int_equal(le32toh(cqe(0)->sid), 8);
	assert_int_equal(le16toh(cqe(0)->detector), 4);
	assert_int_equal(le64toh(cqe(0)->contributors), 5);
	assert_int_equal(le64toh(cqe(0)->ranks), 6);
	assert_true(a.cqe[0].solicited);
	assert_int_equal(qp->head, 0);
}

/* An ABORT completes once everything posted has, and the epoch has ended. */
static void abort_completes_last(void **state)
{
	(void)state;
	qp->abort = (struct request){ TALLY_OPCODE_ABORT, 0, 1, 9 };
	qp->left_behind = true;
	status_retire(a.e, qp);
	assert_int_equal(a.cqes, 0);
	qp->abort_pending = true;
	qp->left_behind = false;
	status_retire(a.e, qp);
	assert_int_equal(a.cqes, 0);
	qp->left_behind = true;
	request(WR_ACTIVE);
	status_retire(a.e, qp);
	assert_int_equal(a.cqes, 0);
	wr_at(qp, 0)->state = WR_SKIP;
	status_retire(a.e, qp);
	assert_int_equal(a.cqes, 1);
	assert_false(qp->abort_pending);
	assert_int_equal(cqe(0)->opcode, TALLY_OPCODE_ABORT);
	assert_int_equal(cqe(0)->flags, TALLY_CQE_F_NO_RETIRE);
	assert_int_equal(le32toh(cqe(0)->mid), 9);
	check_cqe(0, TALLY_COLL_OK, TALLY_WC_SUCCESS);
	assert_int_equal(le16toh(cqe(0)->detector), NODE);
	status_retire(a.e, qp);
	assert_int_equal(a.cqes, 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kinds_of_statuses),
		cmocka_unit_test(statuses_that_end_an_epoch),
		TEST(reads_a_part),
		TEST(writes_a_part),
		TEST(bytes_saturate),
		TEST(tags_of_answers),
		TEST(time_limit_begins_once),
		TEST(finish_with_success),
		TEST(flag_word_is_written_first),
		TEST(no_flag_word_after_a_failure),
		TEST(first_status_counts),
		TEST(mismatch_spares_the_queue),
		TEST(refusal_ends_the_epoch),
		TEST(completion_has_all_fields),
		TEST(request_without_a_chunk),
		TEST(report_is_passed_on),
		TEST(fault_of_others),
		TEST(who_gets_a_completion),
		TEST(in_order),
		TEST(accesses_end_first),
		TEST(request_that_has_not_begun_stays),
		TEST(flush_what_has_not_begun),
		TEST(flush_with_the_cause),
		TEST(flush_behind_a_failure),
		TEST(entry_that_is_wanted),
		TEST(flush_what_was_not_fetched),
		TEST(flush_what_was_answered),
		TEST(nothing_is_fetched_while_it_works),
		TEST(answer_out_of_turn),
		TEST(abort_completes_last),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
