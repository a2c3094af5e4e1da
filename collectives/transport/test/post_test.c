// SPDX-License-Identifier: BSD-2-Clause
/* Posting and polling, with the provider's queues in plain memory; the test plays the device. */
#include <errno.h>
#include <string.h>

#include "rig.h"
#include "transport/objects.h"

static struct rig *rig;
static struct tc_dv_net net;
static struct tc_group group;
static struct tc_queue queue;

static int setup(void **state)
{
	(void)state;
	rig = rig_new(TC_DV_DEPTH, 2 * TC_DV_ENTRIES);
	rig->ctx.vctx.context.ops.post_send = tally_post_send;
	memset(&net, 0, sizeof(net));
	net.cq = &rig->cq.vcq.cq_ex;
	group = (struct tc_group){ .net = &net, .queues = &queue };
	memset(&queue, 0, sizeof(queue));
	queue.group = &group;
	queue.qp = &rig->qp.vqp.qp;
	tc_dv_queue_prepare(&queue);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	rig_free(rig);
	return 0;
}

/* ---- Requests ---- */
static uint32_t flag;

static struct tc_work work_of(uint16_t flags, uint64_t id)
{
	return (struct tc_work){
		.opcode = TALLY_OPCODE_ALLREDUCE,
		.op = TALLY_OP_SUM,
		.dtype = TALLY_TYPE_FP64,
		.flags = TC_WORK_FROM | TC_WORK_TO | flags,
		.mid = 7,
		.count = 3,
		.rank_mask = 4,
		.from = { 0x1000, 11, 24 },
		.to = { 0x2000, 12, 24 },
		.id = id,
	};
}

static int post(uint16_t flags, uint64_t id)
{
	struct tc_work work = work_of(flags, id);

	return tc_dv_post(&queue, &work);
}

/* The device ends entry @index. */
static void complete(uint32_t index, uint8_t wc, uint16_t status)
{
	rig_write(rig, rig_cqe(RIG_QPN, index, TALLY_OPCODE_ALLREDUCE, wc, status));
}

static bool is_signaled(uint64_t index)
{
	return le32toh(rig_wqe(rig, index)->flags) & TALLY_WQE_F_SIGNALED;
}

/* So many polls find whatever there is. */
static int poll_all(struct tc_outcome *outcome)
{
	int found = 0;

	for (unsigned int i = 0; i < TC_DV_LOOK && !found; i++)
		found = tc_dv_poll(&net.net, outcome);
	return found;
}

static void expect_nothing(void)
{
	struct tc_outcome outcome;

	assert_int_equal(poll_all(&outcome), 0);
}

static struct tc_outcome expect_outcome(uint64_t id)
{
	struct tc_outcome outcome = { 0 };

	assert_int_equal(poll_all(&outcome), 1);
	assert_int_equal(outcome.id, id);
	return outcome;
}

/* ---- Tests ---- */
static void test_members_of_a_request(void **state)
{
	struct tc_work work = work_of(TC_WORK_COMBINED, 1);
	const struct tally_sge *sge;
	const struct tally_wqe *w;

	(void)state;
	work.opcode = TALLY_OPCODE_REDUCE;
	work.root_node = 0x1234;
	work.root_rank = 5;
	work.flag = &flag;
	work.flag_key = 13;
	work.flag_value = 14;
	assert_int_equal(tc_dv_post(&queue, &work), 0);
	w = rig_wqe(rig, 0);
	sge = (const struct tally_sge *)(w + 1);
	assert_int_equal(w->opcode, TALLY_OPCODE_REDUCE);
	assert_int_equal(w->op, TALLY_OP_SUM);
	assert_int_equal(w->dtype, TALLY_TYPE_FP64);
	assert_int_equal(le32toh(w->flags),
			 TALLY_WQE_F_SIGNALED | TALLY_WQE_F_COMBINED | TALLY_WQE_F_FLAG_WORD);
	assert_int_equal(le16toh(w->root_node), 0x1234);
	assert_int_equal(w->root_rank, 5);
	assert_int_equal(le32toh(w->mid), 7);
	assert_int_equal(le64toh(w->count), 3);
	assert_int_equal(le64toh(w->rank_mask), 4);
	assert_int_equal(le64toh(w->flag_addr), (uintptr_t)&flag);
	assert_int_equal(le32toh(w->flag_lkey), 13);
	assert_int_equal(le32toh(w->flag_value), 14);
	assert_int_equal(w->num_gather, 1);
	assert_int_equal(w->num_result, 1);
	assert_int_equal(le64toh(sge[0].addr), 0x1000);
	assert_int_equal(le32toh(sge[0].lkey), 11);
	assert_int_equal(le32toh(sge[0].length), 24);
	assert_int_equal(le64toh(sge[1].addr), 0x2000);
	assert_int_equal(le32toh(sge[1].lkey), 12);
}

/* Nothing of a request is left in the next one. */
static void test_a_request_leaves_nothing(void **state)
{
	static const double data[3] = { 1, 2, 3 };
	struct tc_work first = work_of(TC_WORK_COMBINED, 1), barrier = {
		.opcode = TALLY_OPCODE_BARRIER,
		.rank_mask = 4,
		.mid = 8,
	};
	struct tc_work inline_data = work_of(TC_WORK_INLINE, 2);
	const struct tally_wqe *w;

	(void)state;
	first.flag = &flag;
	first.mode = TALLY_MODE_TREE;
	inline_data.data = data;
	assert_int_equal(tc_dv_post(&queue, &first), 0);
	assert_int_equal(rig_wqe(rig, 0)->mode, TALLY_MODE_TREE);
	assert_int_equal(tc_dv_post(&queue, &inline_data), 0);
	w = rig_wqe(rig, 1);
	assert_int_equal(w->mode, 0);
	assert_int_equal(w->num_gather, 0);
	assert_int_equal(le32toh(w->inline_len), sizeof(data));
	assert_memory_equal(w + 1, data, sizeof(data));
	assert_int_equal(tc_dv_post(&queue, &barrier), 0);
	w = rig_wqe(rig, 2);
	assert_int_equal(le32toh(w->flags), TALLY_WQE_F_SIGNALED);
	assert_int_equal(w->num_gather + w->num_result, 0);
	assert_int_equal(le32toh(w->inline_len), 0);
	assert_int_equal(le64toh(w->flag_addr), 0);
}

static void test_outcomes(void **state)
{
	struct tc_outcome outcome;

	(void)state;
	expect_nothing();
	assert_int_equal(post(0, 0xdeadbeefcafe), 0);
	assert_int_equal(post(0, 2), 0);
	expect_nothing();
	complete(0, TALLY_WC_SUCCESS, TALLY_COLL_OK);
	complete(1, TALLY_WC_REM_ABORT_ERR, TALLY_COLL_RANK_GONE);
	outcome = expect_outcome(0xdeadbeefcafe);
	assert_int_equal(outcome.status, TALLY_COLL_OK);
	outcome = expect_outcome(2);
	assert_int_equal(outcome.status, TALLY_COLL_RANK_GONE);
	assert_int_equal(outcome.detector, 0x99);
	assert_int_equal(outcome.nodes, 0x4444444444444444);
	assert_int_equal(outcome.ranks, 0x5555555555555555);
	expect_nothing();
}

/* Quiet requests go on for ever if polls happen, and only then. */
static void test_quiet_requests_free_the_queue(void **state)
{
	uint64_t done = 0, posted = 0, signals = 0;

	(void)state;
	for (unsigned int lap = 0; lap < 10; lap++) {
		while (!post(TC_WORK_QUIET, posted))
			posted++;
		assert_int_equal(post(TC_WORK_QUIET, posted), -EAGAIN);
		assert_true(posted > done + TC_DV_ENTRIES / 2 - 1);
		for (; done < posted; done++)
			if (is_signaled(done)) {
				complete(done, TALLY_WC_SUCCESS, TALLY_COLL_OK);
				signals++;
			}
		expect_nothing();
	}
	assert_true(posted > 4 * TC_DV_ENTRIES);
	assert_in_range(signals, posted / (TC_DV_QUIET + 1), posted / (TC_DV_QUIET + 1) + 1);
}

static void test_a_quiet_request_tells_a_failure(void **state)
{
	struct tc_outcome outcome;

	(void)state;
	for (unsigned int i = 0; i < TC_DV_ENTRIES / 2; i++)
		assert_int_equal(post(TC_WORK_QUIET, 100 + i), 0);
	/* An unsignaled one, and the signaled one that is flushed after it. */
	complete(3, TALLY_WC_REM_ABORT_ERR, TALLY_COLL_ABORTED);
	complete(TC_DV_QUIET, TALLY_WC_WR_FLUSH_ERR, TALLY_COLL_FLUSHED);
	outcome = expect_outcome(103);
	assert_int_equal(outcome.status, TALLY_COLL_ABORTED);
	outcome = expect_outcome(100 + TC_DV_QUIET);
	assert_int_equal(outcome.status, TALLY_COLL_FLUSHED);
	expect_nothing();
}

static void test_a_signaled_request_begins_a_new_row(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < TC_DV_QUIET; i++)
		assert_int_equal(post(TC_WORK_QUIET, i), 0);
	assert_int_equal(post(0, 99), 0);
	assert_int_equal(post(TC_WORK_QUIET, 100), 0);
	for (unsigned int i = 0; i < TC_DV_QUIET; i++)
		assert_false(is_signaled(i));
	assert_true(is_signaled(TC_DV_QUIET));
	assert_false(is_signaled(TC_DV_QUIET + 1));
	complete(TC_DV_QUIET, TALLY_WC_SUCCESS, TALLY_COLL_OK);
	expect_outcome(99);
}

/* A caller that waits for an outcome, or for room, need not poll more than once. */
static void test_one_poll_is_enough(void **state)
{
	struct tc_outcome outcome;

	(void)state;
	for (unsigned int i = 0; i < 3; i++) {
		assert_int_equal(post(0, i), 0);
		assert_int_equal(tc_dv_poll(&net.net, &outcome), 0);
		complete(i, TALLY_WC_SUCCESS, TALLY_COLL_OK);
		assert_int_equal(tc_dv_poll(&net.net, &outcome), 1);
		assert_int_equal(net.awaited, 0);
		assert_int_equal(queue.awaited, 0);
	}
	for (unsigned int i = 0; i < TC_DV_DEPTH; i++)
		assert_int_equal(post(TC_WORK_QUIET, i), 0);
	assert_int_equal(net.awaited, 0);
	assert_int_equal(tc_dv_poll(&net.net, &outcome), 0);
	complete(3 + TC_DV_QUIET, TALLY_WC_SUCCESS, TALLY_COLL_OK);
	assert_int_equal(post(TC_WORK_QUIET, 1), -EAGAIN);
	assert_int_equal(tc_dv_poll(&net.net, &outcome), 0);
	assert_int_equal(post(TC_WORK_QUIET, 1), 0);
	complete(3 + TC_DV_QUIET + 1, TALLY_WC_REM_ABORT_ERR, TALLY_COLL_ABORTED);
	complete(3 + TC_DV_QUIET + 2, TALLY_WC_WR_FLUSH_ERR, TALLY_COLL_FLUSHED);
	assert_int_equal(poll_all(&outcome), 1);
	assert_int_equal(tc_dv_poll(&net.net, &outcome), 1);
	assert_int_equal(outcome.status, TALLY_COLL_FLUSHED);
}

/* A refused post leaves the queue as it was. */
static void test_a_full_queue_keeps_its_requests(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < TC_DV_DEPTH; i++)
		assert_int_equal(post(0, 100 + i), 0);
	for (unsigned int i = 0; i < 3; i++)
		assert_int_equal(post(0, 1), -EAGAIN);
	for (unsigned int i = 0; i < TC_DV_DEPTH; i++)
		complete(i, TALLY_WC_SUCCESS, TALLY_COLL_OK);
	for (unsigned int i = 0; i < TC_DV_DEPTH; i++)
		expect_outcome(100 + i);
	expect_nothing();
}

static void test_a_bad_request_is_refused(void **state)
{
	struct tc_work work = work_of(0, 1);

	(void)state;
	work.op = 200;
	assert_int_equal(tc_dv_post(&queue, &work), -EINVAL);
	assert_int_equal(post(0, 2), 0);
	complete(0, TALLY_WC_SUCCESS, TALLY_COLL_OK);
	expect_outcome(2);
}

/* An ABORT fits into a full queue, is posted once, and has no outcome, however it ends. */
static void test_abort(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < TC_DV_DEPTH; i++)
		assert_int_equal(post(0, i), 0);
	tc_dv_group_abort(&group, TALLY_COLL_ROOT_MISMATCH);
	assert_int_equal(rig->qp.tracker.posted, TC_DV_ENTRIES);
	assert_int_equal(rig_wqe(rig, TC_DV_DEPTH)->opcode, TALLY_OPCODE_ABORT);
	assert_int_equal(le64toh(rig_wqe(rig, TC_DV_DEPTH)->count), TALLY_COLL_ROOT_MISMATCH);
	tc_dv_group_abort(&group, TALLY_COLL_ROOT_MISMATCH);
	assert_int_equal(rig->qp.tracker.posted, TC_DV_ENTRIES);
	for (unsigned int i = 0; i < TC_DV_DEPTH; i++)
		complete(i, TALLY_WC_REM_ABORT_ERR, TALLY_COLL_ABORTED);
	rig_write(rig, rig_cqe(RIG_QPN, TC_DV_DEPTH, TALLY_OPCODE_ABORT, TALLY_WC_WR_FLUSH_ERR,
			       TALLY_COLL_ABORTED));
	for (unsigned int i = 0; i < TC_DV_DEPTH; i++)
		assert_int_equal(expect_outcome(i).status, TALLY_COLL_ABORTED);
	expect_nothing();
}

static void test_abort_is_posted_once(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 3; i++)
		tc_dv_group_abort(&group, TALLY_COLL_ROOT_MISMATCH);
	assert_int_equal(rig->qp.tracker.posted, 1);
	group.queues = NULL;
	group.aborted = false;
	tc_dv_group_abort(&group, TALLY_COLL_ROOT_MISMATCH);
	assert_int_equal(rig->qp.tracker.posted, 1);
}

/* A queue of which the NIC has refused a request performs no ABORT, so all queues get it. */
static void test_abort_by_all_queues(void **state)
{
	static struct tc_queue other;

	(void)state;
	memset(&other, 0, sizeof(other));
	other.group = &group;
	other.qp = &rig->other.vqp.qp;
	tc_dv_queue_prepare(&other);
	queue.next = &other;
	tc_dv_group_abort(&group, TALLY_COLL_ROOT_MISMATCH);
	assert_int_equal(rig->qp.tracker.posted, 1);
	assert_int_equal(rig->other.tracker.posted, 1);
	assert_true(group.aborted);
}

/* What a closed queue has left takes room until the completion queue has been seen empty. */
static void test_room_of_closed_queues(void **state)
{
	(void)state;
	net.entries = net.reserved = 2 * TC_DV_ENTRIES;
	net.stale = TC_DV_ENTRIES;
	assert_int_equal(post(0, 1), 0);
	complete(0, TALLY_WC_SUCCESS, TALLY_COLL_OK);
	expect_outcome(1);
	assert_int_equal(net.reserved, 2 * TC_DV_ENTRIES);
	expect_nothing();
	assert_int_equal(net.reserved, TC_DV_ENTRIES);
	expect_nothing();
	assert_int_equal(net.reserved, TC_DV_ENTRIES);
}

static void test_an_error_without_a_status(void **state)
{
	(void)state;
	assert_int_equal(post(0, 5), 0);
	complete(0, TALLY_WC_WR_FLUSH_ERR, TALLY_COLL_OK);
	assert_int_equal(expect_outcome(5).status, TALLY_COLL_FLUSHED);
}

/* ---- Opening and closing, without the kernel ---- */
struct ibv_qp *__wrap_tallydv_create_qp(struct ibv_context *context,
					struct ibv_qp_init_attr_ex *attr,
					struct tallydv_qp_init_attr *dv_attr, char *why, size_t size);
int __wrap_ibv_destroy_qp(struct ibv_qp *qp);

struct ibv_qp *__wrap_tallydv_create_qp(struct ibv_context *context,
					struct ibv_qp_init_attr_ex *attr,
					struct tallydv_qp_init_attr *dv_attr, char *why, size_t size)
{
	(void)context, (void)attr, (void)dv_attr, (void)why, (void)size;
	return &rig->qp.vqp.qp;
}

int __wrap_ibv_destroy_qp(struct ibv_qp *qp)
{
	(void)qp;
	return 0;
}

static struct tc_queue *open_queue(int want)
{
	struct tc_queue *opened = NULL;
	char why[100];

	assert_int_equal(tc_dv_queue_open(&group, 1, 0, &opened, why, sizeof(why)), want);
	return opened;
}

/* Queues may fill the completion queue. One that has posted nothing leaves nothing there. */
static void test_queues_reserve_room(void **state)
{
	struct tc_queue *first, *second;

	(void)state;
	group.queues = NULL;
	net.entries = 2 * TC_DV_ENTRIES;
	first = open_queue(0);
	second = open_queue(0);
	open_queue(-ENOSPC);
	tc_dv_queue_close(second);
	assert_int_equal(net.reserved, TC_DV_ENTRIES);
	assert_int_equal(net.stale, 0);
	tc_dv_queue_close(first);
	assert_int_equal(net.reserved, 0);
}

/* Nobody awaits the outcomes of a closed queue, but its completions take room, also that of an ABORT. */
static void test_closed_queues_leave_completions(void **state)
{
	const struct tc_work work = work_of(0, 1);
	struct tc_queue *opened;

	(void)state;
	group.queues = NULL;
	net.entries = 2 * TC_DV_ENTRIES;
	opened = open_queue(0);
	assert_int_equal(tc_dv_post(opened, &work), 0);
	assert_int_equal(net.awaited, 1);
	tc_dv_queue_close(opened);
	assert_int_equal(net.awaited, 0);
	assert_int_equal(net.stale, TC_DV_ENTRIES);
	opened = open_queue(0);
	tc_dv_group_abort(&group, TALLY_COLL_ABORTED);
	tc_dv_queue_close(opened);
	assert_int_equal(net.stale, 2 * TC_DV_ENTRIES);
	assert_int_equal(net.reserved, 2 * TC_DV_ENTRIES);
}

/* The device's fault, which is not that of a request. */
static void test_a_strange_completion(void **state)
{
	struct tc_outcome outcome;

	(void)state;
	complete(5, TALLY_WC_SUCCESS, TALLY_COLL_OK);
	assert_int_equal(poll_all(&outcome), -EIO);
	expect_nothing();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_members_of_a_request, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_request_leaves_nothing, setup, teardown),
		cmocka_unit_test_setup_teardown(test_outcomes, setup, teardown),
		cmocka_unit_test_setup_teardown(test_quiet_requests_free_the_queue, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_quiet_request_tells_a_failure, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_signaled_request_begins_a_new_row, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_one_poll_is_enough, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_full_queue_keeps_its_requests, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_bad_request_is_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(test_abort, setup, teardown),
		cmocka_unit_test_setup_teardown(test_abort_is_posted_once, setup, teardown),
		cmocka_unit_test_setup_teardown(test_abort_by_all_queues, setup, teardown),
		cmocka_unit_test_setup_teardown(test_room_of_closed_queues, setup, teardown),
		cmocka_unit_test_setup_teardown(test_an_error_without_a_status, setup, teardown),
		cmocka_unit_test_setup_teardown(test_queues_reserve_room, setup, teardown),
		cmocka_unit_test_setup_teardown(test_closed_queues_leave_completions, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_strange_completion, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
