// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* A device that was reset or removed: every request completes, exactly once. */
#include <signal.h>
#include <sys/mman.h>

#include "rig.h"

#define CQ_DEPTH 4
#define LOOK_EACH 256 /* empty polls for each check of the status page */

static int setup(void **state)
{
	*state = rig_new(15, CQ_DEPTH);
	return 0;
}

static int teardown(void **state)
{
	rig_free(*state);
	return 0;
}

static struct ibv_cq *cq_of(struct rig *rig)
{
	return &rig->cq.vcq.cq;
}

/* Sets the epoch of a device that was reset; 0 is the value of a page that was unmapped. */
static void lose(struct rig *rig, uint32_t epoch)
{
	rig->status.epoch = htole32(epoch);
}

/* Makes the next empty poll check the status page. */
static void expect_loss(struct rig *rig)
{
	tally_cq_event(cq_of(rig));
}

static void assert_flushed(struct rig *rig, uint64_t wr_id)
{
	struct ibv_wc wc = {};

	assert_int_equal(tally_poll_cq(cq_of(rig), 1, &wc), 1);
	assert_int_equal(wc.wr_id, wr_id);
	assert_int_equal(wc.status, IBV_WC_FATAL_ERR);
	assert_int_equal(wc.vendor_err, TALLY_COLL_DEVICE_LOST);
	assert_int_equal(wc.opcode, IBV_WC_DRIVER1);
	assert_int_equal(wc.qp_num, RIG_QPN);
	assert_int_equal(wc.byte_len, 0);
}

static void assert_empty(struct rig *rig)
{
	struct ibv_wc wc;

	assert_int_equal(tally_poll_cq(cq_of(rig), 1, &wc), 0);
}

static void a_device_that_works_is_not_lost(void **state)
{
	struct rig *rig = *state;

	rig_post(rig, TALLY_OPCODE_BARRIER, 1);
	for (unsigned int i = 0; i < 3 * LOOK_EACH; i++)
		assert_empty(rig);
	assert_int_equal(tally_req_notify_cq(cq_of(rig), 0), 0);
	assert_empty(rig);
	assert_false(rig->ctx.lost);
}

/* Requests of any kind complete, signaled or not, in the order of posting, and only once. */
static void all_that_was_posted_completes(void **state)
{
	struct rig *rig = *state;

	for (unsigned int i = 0; i < 15; i++)
		rig_post(rig, i % 3 ? TALLY_OPCODE_ALLREDUCE : TALLY_OPCODE_QUERY, 100 + i);
	lose(rig, RIG_EPOCH + 1);
	for (unsigned int i = 0; i < LOOK_EACH - 1; i++)
		assert_empty(rig);
	for (unsigned int i = 0; i < 15; i++)
		assert_flushed(rig, 100 + i);
	assert_empty(rig);
	assert_int_equal(rig->qp.tracker.retired, 15);
}

static void requests_after_loss_complete(void **state)
{
	struct rig *rig = *state;

	lose(rig, 0);
	expect_loss(rig);
	for (unsigned int i = 0; i < 100; i++) {
		assert_int_equal(rig_post(rig, TALLY_OPCODE_BARRIER, i), 0);
		assert_flushed(rig, i);
		assert_empty(rig);
	}
	for (unsigned int i = 0; i < 15; i++)
		assert_int_equal(rig_post(rig, TALLY_OPCODE_BARRIER, i), 0);
	assert_int_equal(rig_post(rig, TALLY_OPCODE_BARRIER, 15), ENOMEM);
	/* If the device returns with its old epoch, it is still lost for this context. */
	lose(rig, RIG_EPOCH);
	assert_flushed(rig, 0);
}

/* Completions that the device wrote before its loss are valid. */
static void completions_before_loss_count(void **state)
{
	struct rig *rig = *state;
	struct ibv_wc wc[CQ_DEPTH];

	for (unsigned int i = 0; i < 6; i++)
		rig_post(rig, TALLY_OPCODE_BARRIER, i);
	rig_complete(rig, 1, TALLY_OPCODE_BARRIER);
	rig_complete(rig, 2, TALLY_OPCODE_BARRIER);
	lose(rig, RIG_EPOCH + 1);
	expect_loss(rig);
	/* One call returns only these two, because it has found completions. */
	assert_int_equal(tally_poll_cq(cq_of(rig), CQ_DEPTH, wc), 2);
	assert_int_equal(wc[0].status, IBV_WC_SUCCESS);
	assert_int_equal(wc[1].wr_id, 2);
	assert_int_equal(tally_poll_cq(cq_of(rig), CQ_DEPTH, wc), 3);
	for (unsigned int i = 0; i < 3; i++) {
		assert_int_equal(wc[i].status, IBV_WC_FATAL_ERR);
		assert_int_equal(wc[i].wr_id, 3 + i);
	}
	assert_int_equal(le64toh(rig->cq.record->consumed), 2);
}

static struct rig *watched;

/*
 * Handles the first read of the status page: a completion arrives before the page shows the loss.
 */
static void on_read(int signal)
{
	struct tally_status_page *status = watched->ctx.status_page;

	(void)signal;
	mprotect(status, sizeof(*status), PROT_READ | PROT_WRITE);
	rig_complete(watched, 0, TALLY_OPCODE_BARRIER);
	status->epoch = htole32(RIG_EPOCH + 1);
}

/*
 * The ring is empty, then the completion and the loss arrive, in this order: the completion counts.
 */
static void a_completion_between_two_looks(void **state)
{
	struct rig *rig = watched = *state;
	struct sigaction act = { .sa_handler = on_read }, old;
	struct ibv_wc wc[2];

	rig->ctx.status_page = mmap(NULL, TALLY_PAGE_SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS,
				    -1, 0);
	assert_ptr_not_equal(rig->ctx.status_page, MAP_FAILED);
	rig_post(rig, TALLY_OPCODE_BARRIER, 1);
	rig_post(rig, TALLY_OPCODE_BARRIER, 2);
	expect_loss(rig);
	assert_int_equal(sigaction(SIGSEGV, &act, &old), 0);
	assert_int_equal(tally_poll_cq(cq_of(rig), 2, wc), 2);
	assert_int_equal(sigaction(SIGSEGV, &old, NULL), 0);
	assert_int_equal(wc[0].wr_id, 1);
	assert_int_equal(wc[0].status, IBV_WC_SUCCESS);
	assert_int_equal(wc[1].wr_id, 2);
	assert_int_equal(wc[1].status, IBV_WC_FATAL_ERR);
	munmap(rig->ctx.status_page, TALLY_PAGE_SIZE);
}

/*
 * A reset device that still writes to its old rings reports requests that have completed already.
 */
static void late_completions_are_not_seen(void **state)
{
	struct rig *rig = *state;

	rig_post(rig, TALLY_OPCODE_BARRIER, 7);
	lose(rig, RIG_EPOCH + 1);
	expect_loss(rig);
	assert_flushed(rig, 7);
	rig_complete(rig, 0, TALLY_OPCODE_BARRIER);
	assert_empty(rig);
	rig_post(rig, TALLY_OPCODE_BARRIER, 8);
	rig_complete(rig, 0, TALLY_OPCODE_BARRIER);
	rig_write(rig, rig_cqe(99, 0, 0, 0, 0));
	assert_flushed(rig, 8);
	assert_empty(rig);
}

/* A bad completion is reported before anything is flushed. */
static void bad_completions_come_first(void **state)
{
	struct rig *rig = *state;
	struct ibv_wc wc[2];

	rig_post(rig, TALLY_OPCODE_BARRIER, 7);
	rig_write(rig, rig_cqe(99, 0, 0, 0, 0));
	lose(rig, RIG_EPOCH + 1);
	expect_loss(rig);
	assert_int_equal(tally_poll_cq(cq_of(rig), 2, wc), -EIO);
	assert_flushed(rig, 7);
}

/* ---- Checks for the loss ---- */
static void armed_queue_checks_each_poll(void **state)
{
	struct rig *rig = *state;

	assert_int_equal(tally_req_notify_cq(cq_of(rig), 0), 0);
	assert_empty(rig);
	rig_post(rig, TALLY_OPCODE_BARRIER, 1);
	lose(rig, RIG_EPOCH + 1);
	assert_flushed(rig, 1);
}

static void event_makes_next_poll_check(void **state)
{
	struct rig *rig = *state;

	rig_post(rig, TALLY_OPCODE_BARRIER, 1);
	assert_int_equal(tally_req_notify_cq(cq_of(rig), 0), 0);
	tally_cq_event(cq_of(rig));
	assert_empty(rig);
	lose(rig, RIG_EPOCH + 1);
	assert_empty(rig);
	tally_cq_event(cq_of(rig));
	assert_flushed(rig, 1);
}

static void a_fatal_event_is_enough(void **state)
{
	struct rig *rig = *state;
	struct ibv_async_event event = { .event_type = IBV_EVENT_PORT_ERR };

	rig_post(rig, TALLY_OPCODE_BARRIER, 1);
	tally_async_event(&rig->ctx.vctx.context, &event);
	assert_empty(rig);
	event.event_type = IBV_EVENT_DEVICE_FATAL;
	tally_async_event(&rig->ctx.vctx.context, &event);
	assert_flushed(rig, 1);
}

/* ---- Queues ---- */
static void each_queue_flushes_its_own(void **state)
{
	struct rig *rig = *state;
	struct tallydv_send_wr wr = {
		.wr = { .wr_id = 2, .opcode = IBV_WR_DRIVER1 }, .coll = { .opcode = TALLY_OPCODE_BARRIER }
	};
	struct ibv_send_wr *bad;
	struct ibv_wc wc[2];

	rig_post(rig, TALLY_OPCODE_BARRIER, 1);
	assert_int_equal(tally_post_send(&rig->other.vqp.qp, &wr.wr, &bad), 0);
	lose(rig, RIG_EPOCH + 1);
	expect_loss(rig);
	assert_flushed(rig, 1);
	assert_empty(rig);
	/* One queue has noticed the loss, so the other need not check. */
	assert_int_equal(tally_poll_cq(&rig->other_cq.vcq.cq, 2, wc), 1);
	assert_int_equal(wc[0].wr_id, 2);
	assert_int_equal(wc[0].qp_num, RIG_QPN + 1);
	/* Destroyed queue pairs have nothing to complete. */
	rig_post(rig, TALLY_OPCODE_BARRIER, 3);
	tally_cq_detach(&rig->cq, &rig->qp);
	assert_empty(rig);
}

static void counts_wrap(void **state)
{
	struct rig *rig = *state;
	struct tally_wr_tracker *tracker = &rig->qp.tracker;

	tracker->posted = tracker->retired = tracker->in_order = UINT32_MAX - 1ULL;
	for (unsigned int i = 0; i < 4; i++)
		assert_int_equal(rig_post(rig, TALLY_OPCODE_BARRIER, i), 0);
	lose(rig, RIG_EPOCH + 1);
	expect_loss(rig);
	for (unsigned int i = 0; i < 4; i++)
		assert_flushed(rig, i);
	assert_empty(rig);
	assert_int_equal(tracker->retired, UINT32_MAX + 3ULL);
}

/* ---- Extended completion queues ---- */
static void assert_current(struct ibv_cq_ex *cq, uint64_t wr_id, uint8_t opcode, uint8_t flags)
{
	assert_int_equal(cq->wr_id, wr_id);
	assert_int_equal(cq->status, IBV_WC_FATAL_ERR);
	assert_int_equal(ibv_wc_read_opcode(cq), IBV_WC_DRIVER1);
	assert_int_equal(ibv_wc_read_vendor_err(cq), TALLY_COLL_DEVICE_LOST);
	assert_int_equal(ibv_wc_read_byte_len(cq), 0);
	assert_int_equal(tallydv_wc_read_coll_status(cq), TALLY_COLL_DEVICE_LOST);
	assert_int_equal(tallydv_wc_read_opcode(cq), opcode);
	assert_int_equal(tallydv_wc_read_flags(cq), flags);
	assert_int_equal(tallydv_wc_read_jid(cq), RIG_JID);
	assert_int_equal(tallydv_wc_read_mid(cq), 0);
	assert_int_equal(tallydv_wc_read_detector(cq), 9);
	assert_int_equal(tallydv_wc_read_rank_bitmap(cq), 0);
	assert_int_equal(tallydv_wc_read_node_bitmap(cq), 0);
	assert_int_equal(tallydv_wc_read_timestamp_ns(cq), 0);
}

static void readers(void **state)
{
	struct rig *rig = *state;
	struct ibv_cq_ex *cq = &rig->cq.vcq.cq_ex;
	struct ibv_poll_cq_attr attr = {};

	rig->qp.node = 9;
	rig_post(rig, TALLY_OPCODE_BARRIER, 4);
	rig_post(rig, TALLY_OPCODE_ALLREDUCE, 5);
	rig_post(rig, TALLY_OPCODE_QUERY, 6);
	rig_complete(rig, 0, TALLY_OPCODE_BARRIER);
	lose(rig, RIG_EPOCH + 1);
	expect_loss(rig);
	assert_int_equal(ibv_start_poll(cq, &attr), 0);
	assert_int_equal(cq->status, IBV_WC_SUCCESS);
	assert_int_equal(ibv_next_poll(cq), ENOENT);
	ibv_end_poll(cq);
	assert_int_equal(ibv_start_poll(cq, &attr), 0);
	assert_current(cq, 5, TALLY_OPCODE_ALLREDUCE, 0);
	assert_int_equal(ibv_next_poll(cq), 0);
	assert_current(cq, 6, TALLY_OPCODE_QUERY, TALLY_CQE_F_NO_RETIRE);
	assert_int_equal(ibv_next_poll(cq), ENOENT);
	ibv_end_poll(cq);
	assert_int_equal(ibv_start_poll(cq, &attr), ENOENT);
	rig_post(rig, TALLY_OPCODE_ALLREDUCE, 7);
	assert_int_equal(ibv_start_poll(cq, &attr), 0);
	assert_current(cq, 7, TALLY_OPCODE_ALLREDUCE, 0);
	ibv_end_poll(cq);
}

/* ---- Destruction ---- */
static void destroy_after_loss_succeeds(void **state)
{
	struct rig *rig = *state;

	assert_int_equal(tally_destroy_errno(&rig->ctx, 0), 0);
	assert_int_equal(tally_destroy_errno(&rig->ctx, EIO), EIO);
	lose(rig, 0);
	assert_int_equal(tally_destroy_errno(&rig->ctx, EBUSY), EBUSY);
	assert_int_equal(tally_destroy_errno(&rig->ctx, EIO), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_device_that_works_is_not_lost, setup, teardown),
		cmocka_unit_test_setup_teardown(all_that_was_posted_completes, setup, teardown),
		cmocka_unit_test_setup_teardown(requests_after_loss_complete, setup, teardown),
		cmocka_unit_test_setup_teardown(completions_before_loss_count, setup, teardown),
		cmocka_unit_test_setup_teardown(a_completion_between_two_looks, setup, teardown),
		cmocka_unit_test_setup_teardown(late_completions_are_not_seen, setup, teardown),
		cmocka_unit_test_setup_teardown(bad_completions_come_first, setup, teardown),
		cmocka_unit_test_setup_teardown(armed_queue_checks_each_poll, setup,
						teardown),
		cmocka_unit_test_setup_teardown(event_makes_next_poll_check, setup, teardown),
		cmocka_unit_test_setup_teardown(a_fatal_event_is_enough, setup, teardown),
		cmocka_unit_test_setup_teardown(each_queue_flushes_its_own, setup, teardown),
		cmocka_unit_test_setup_teardown(counts_wrap, setup, teardown),
		cmocka_unit_test_setup_teardown(readers, setup, teardown),
		cmocka_unit_test_setup_teardown(destroy_after_loss_succeeds, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
