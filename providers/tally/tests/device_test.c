// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The provider on devices: all Tally NICs of this machine, with one rank each, in one process. This
 * tests what the unit tests cannot: that device, kernel and provider agree. The exit status is 77
 * if there is no NIC.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "device.h"

static void post_query(struct fixture *f, unsigned int i, uint32_t mid)
{
	wr_start(f, i, 1000 + mid);
	tallydv_wr_query(f->dv[i], mid);
	assert_int_equal(ibv_wr_complete(f->qp_ex[i]), 0);
}

/* More messages than the queue has entries and the group has segments. */
static void many_messages(void **state)
{
	struct fixture *f = *state;

	for (uint32_t mid = 0; mid < 3 * DEVICE_SEGS; mid++) {
		for (unsigned int i = 0; i < f->job.num_nodes; i++)
			post_sum(f, i, mid);
		assert_sums(f, mid);
	}
}

static void unsignalled(void **state)
{
	struct fixture *f = *state;

	for (unsigned int i = 0; i < f->job.num_nodes; i++) {
		for (uint32_t mid = 0; mid < 7; mid++) {
			wr_start(f, i, mid);
			f->qp_ex[i]->wr_flags = mid == 6 ? IBV_SEND_SIGNALED : 0;
			tallydv_wr_barrier(f->dv[i], mid);
			assert_int_equal(ibv_wr_complete(f->qp_ex[i]), 0);
		}
		wr_start(f, i, 7);
		tallydv_wr_barrier(f->dv[i], 7);
		assert_int_equal(ibv_wr_complete(f->qp_ex[i]), ENOMEM);
	}
	for (unsigned int i = 0; i < f->job.num_nodes; i++)
		assert_next(f, i, 6, TALLY_COLL_OK);
	for (unsigned int i = 0; i < f->job.num_nodes; i++)
		post_sum(f, i, 7);
	assert_sums(f, 7);
}

static void assert_query(struct fixture *f, unsigned int i, uint32_t mid, uint8_t flags)
{
	struct ibv_cq_ex *cq;

	post_query(f, i, mid);
	cq = next(f, i);
	assert_int_equal(cq->wr_id, 1000 + mid);
	assert_int_equal(cq->status, IBV_WC_SUCCESS);
	assert_int_equal(tallydv_wc_read_opcode(cq), TALLY_OPCODE_QUERY);
	assert_int_equal(tallydv_wc_read_mid(cq), mid);
	assert_int_equal(tallydv_wc_read_flags(cq) & (TALLY_CQE_F_PENDING | TALLY_CQE_F_UNKNOWN),
			 flags);
	ibv_end_poll(cq);
}

/* A query overtakes the message that it asks about. */
static void query(void **state)
{
	struct fixture *f = *state;
	unsigned int last = f->job.num_nodes - 1;

	assert_query(f, last, 0, TALLY_CQE_F_UNKNOWN);
	if (last) {
		for (unsigned int i = 0; i < last; i++)
			post_sum(f, i, 0);
		assert_query(f, 0, 0, TALLY_CQE_F_PENDING);
	}
	post_sum(f, last, 0);
	assert_sums(f, 0);
	assert_query(f, 0, 0, 0);
}

/*
 * One rank aborts a message that another rank has not posted yet: all ranks get the error, and
 * ABORT completes last.
 */
static void abort_ends_all(void **state)
{
	struct fixture *f = *state;
	unsigned int last = f->job.num_nodes - 1;

	if (!last)
		skip();
	for (unsigned int i = 0; i < last; i++)
		post_sum(f, i, 0);
	wr_start(f, 0, 99);
	tallydv_wr_abort(f->dv[0]);
	assert_int_equal(ibv_wr_complete(f->qp_ex[0]), 0);
	for (unsigned int i = 0; i < last; i++)
		assert_next(f, i, 0, TALLY_COLL_ABORTED);
	assert_next(f, 0, 99, TALLY_COLL_OK);
	/* After an error everything is flushed with its cause. */
	post_sum(f, 0, 1);
	assert_next(f, 0, 1, TALLY_COLL_ABORTED);
}

/* A reset restarts the count of work requests in both the library and the device. */
static void reset_and_go_on(void **state)
{
	struct fixture *f = *state;
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	for (uint32_t mid = 0; mid < 3; mid++) {
		for (unsigned int i = 0; i < f->job.num_nodes; i++)
			post_sum(f, i, mid);
		assert_sums(f, mid);
	}
	for (unsigned int i = 0; i < f->job.num_nodes; i++) {
		attr.qp_state = IBV_QPS_RESET;
		assert_int_equal(ibv_modify_qp(f->nodes[i].qp, &attr, IBV_QP_STATE), 0);
		attr.qp_state = IBV_QPS_RTS;
		assert_int_equal(ibv_modify_qp(f->nodes[i].qp, &attr, IBV_QP_STATE), 0);
		assert_int_equal(ibv_query_qp(f->nodes[i].qp, &attr, IBV_QP_STATE, &init), 0);
		assert_int_equal(attr.qp_state, IBV_QPS_RTS);
		assert_int_equal(init.cap.max_send_wr, 7);
	}
	for (uint32_t mid = 3; mid < 6; mid++) {
		for (unsigned int i = 0; i < f->job.num_nodes; i++)
			post_sum(f, i, mid);
		assert_sums(f, mid);
	}
}

/* A queue pair is destroyed before its completion was polled. */
static void destroyed_unpolled(void **state)
{
	struct fixture *f = *state;
	struct ibv_poll_cq_attr attr = {};

	for (unsigned int i = 0; i < f->job.num_nodes; i++)
		post_sum(f, i, 0);
	for (unsigned int i = 1; i < f->job.num_nodes; i++)
		assert_next(f, i, 0, TALLY_COLL_OK);
	assert_int_equal(ibv_destroy_qp(f->nodes[0].qp), 0);
	f->nodes[0].qp = NULL;
	assert_int_equal(ibv_start_poll(f->nodes[0].cq, &attr), ENOENT);
}

static void events(void **state)
{
	struct fixture *f = *state;
	struct demo_node *node = &f->nodes[0];
	struct ibv_comp_channel *channel = ibv_create_comp_channel(node->context);
	struct pollfd fd = { .fd = channel->fd, .events = POLLIN };
	struct ibv_cq *cq;
	void *context;

	assert_int_equal(ibv_destroy_qp(node->qp), 0);
	assert_int_equal(ibv_destroy_cq(ibv_cq_ex_to_cq(node->cq)), 0);
	create_queues(f, 0, channel);
	for (uint32_t mid = 0; mid < 3; mid++) {
		assert_int_equal(ibv_req_notify_cq(ibv_cq_ex_to_cq(node->cq), 0), 0);
		assert_int_equal(poll(&fd, 1, 50), 0);
		for (unsigned int i = 0; i < f->job.num_nodes; i++)
			post_sum(f, i, mid);
		assert_int_equal(poll(&fd, 1, DEMO_TIMEOUT_MS), 1);
		assert_int_equal(ibv_get_cq_event(channel, &cq, &context), 0);
		assert_ptr_equal(cq, ibv_cq_ex_to_cq(node->cq));
		ibv_ack_cq_events(cq, 1);
		assert_sums(f, mid);
	}
	ibv_destroy_qp(node->qp);
	node->qp = NULL;
	assert_int_equal(ibv_destroy_cq(ibv_cq_ex_to_cq(node->cq)), 0);
	node->cq = NULL;
	assert_int_equal(ibv_destroy_comp_channel(channel), 0);
}

/*
 * Runs in a child, which is killed by any system call after the filter is set, except for write and
 * exit.
 */
static void post_and_poll_filtered(void)
{
	struct ibv_wc wc;
	unsigned int left;
	void *state;
	struct fixture *f;

	device_setup(&state);
	f = state;
	left = f->job.num_nodes;
	alarm(2 * DEMO_TIMEOUT_MS / 1000);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT))
		_exit(2);
	for (unsigned int i = 0; i < f->job.num_nodes; i++)
		post_sum(f, i, 0);
	while (left)
		for (unsigned int i = 0; i < f->job.num_nodes; i++)
			if (ibv_poll_cq(ibv_cq_ex_to_cq(f->nodes[i].cq), 1, &wc) == 1)
				left -= wc.status == IBV_WC_SUCCESS;
	syscall(SYS_exit, 0);
}

static void no_system_call(void **state)
{
	pid_t pid = fork();
	int status;

	(void)state;
	if (!pid)
		post_and_poll_filtered();
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

/* Unsupported attributes are refused with the proper errno. */
static void other_queue_pairs(void **state)
{
	struct fixture *f = *state;
	struct demo_node *node = &f->nodes[0];
	struct ibv_qp_init_attr attr = {
		.qp_type = IBV_QPT_RC,
		.send_cq = ibv_cq_ex_to_cq(node->cq),
		.recv_cq = ibv_cq_ex_to_cq(node->cq),
		.cap = { .max_send_wr = 1, .max_send_sge = 1 },
	};

	assert_null(ibv_create_qp(node->pd, &attr));
	assert_int_equal(errno, EOPNOTSUPP);
	attr.qp_type = IBV_QPT_DRIVER;
	assert_null(ibv_create_qp(node->pd, &attr));
	assert_int_equal(errno, EOPNOTSUPP);
}

static void device_attributes(void **state)
{
	struct fixture *f = *state;
	struct tallydv_device_attr attr = {};
	struct tallydv_group_info info;

	for (unsigned int i = 0; i < f->job.num_nodes; i++)
		post_sum(f, i, 0);
	assert_sums(f, 0);
	assert_int_equal(tallydv_query_device(f->nodes[0].context, &attr), 0);
	assert_true(attr.caps & TALLY_CAP_TREE);
	assert_int_equal(attr.mtu, TALLY_MAX_MTU);
	assert_true(attr.max_sge >= 1 && attr.max_sge <= TALLY_MAX_SGE);
	assert_int_equal(attr.comp_mask, 0); /* an output: this library knows no later members */
	assert_int_equal(tallydv_query_group(f->nodes[0].group, &info), 0);
	assert_int_equal(info.jid, f->job.jid);
	assert_int_equal(info.state, TALLY_GROUP_OPEN);
	assert_int_equal(info.done, 1);
	assert_int_equal(info.attached_ranks, 1);
	assert_true(info.parent_open);
	assert_int_not_equal(info.epoch, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(device_attributes, device_setup, device_teardown),
		cmocka_unit_test_setup_teardown(many_messages, device_setup, device_teardown),
		cmocka_unit_test_setup_teardown(unsignalled, device_setup, device_teardown),
		cmocka_unit_test_setup_teardown(query, device_setup, device_teardown),
		cmocka_unit_test_setup_teardown(abort_ends_all, device_setup, device_teardown),
		cmocka_unit_test_setup_teardown(events, device_setup, device_teardown),
		cmocka_unit_test_setup_teardown(destroyed_unpolled, device_setup, device_teardown),
		cmocka_unit_test_setup_teardown(other_queue_pairs, device_setup, device_teardown),
		cmocka_unit_test(no_system_call),
		cmocka_unit_test_setup_teardown(reset_and_go_on, device_setup, device_teardown),
	};
	struct demo_job job;
	int err = demo_find_nodes(&job, 1);

	demo_forget_nodes(&job);
	if (err)
		return 77;
	err = cmocka_run_group_tests(tests, NULL, NULL);
	err += device_work_tests();
	err += device_group_tests();
	return err ? 1 : 0;
}
