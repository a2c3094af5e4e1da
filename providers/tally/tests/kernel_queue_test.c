// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Completion queues and queue pairs, with a device and after its loss. */
#include <string.h>
#include <unistd.h>

#include "objects.h"

/* ---- Completion queues ---- */
static void completion_queues(void **state)
{
	struct objects *o = *state;
	struct tally_uar_slot *slots;
	struct ibv_cq *cq = ibv_create_cq(o->context, 10, NULL, NULL, 0);

	assert_non_null(cq);
	assert_int_equal(kernel.cq_req.depth, 16);
	assert_int_equal(kernel.cq_req.buf_addr % TALLY_PAGE_SIZE, 0);
	assert_int_equal(cq->cqe, 16);
	slots = (void *)(kernel.pages + KERNEL_PAGE_UAR * TALLY_PAGE_SIZE);
	kernel_status()->need_wake = htole32(1);
	assert_int_equal(ibv_req_notify_cq(cq, 0), 0);
	assert_int_equal(le64toh(slots[kernel.db_slot].arm), 2);
	assert_int_equal(*(uint32_t *)(kernel.pages + KERNEL_PAGE_WAKE * TALLY_PAGE_SIZE + 12),
			 htole32(0x10000));
	assert_int_equal(ibv_destroy_cq(cq), 0);
}

/* A doorbell page is mapped once, for as long as it has a user. */
static void doorbell_pages(void **state)
{
	struct objects *o = *state;
	int before = faults.mappings;
	struct ibv_cq *first = ibv_create_cq(o->context, 1, NULL, NULL, 0);
	struct ibv_cq *second = ibv_create_cq(o->context, 1, NULL, NULL, 0);

	/* A ring each, and one page. */
	assert_int_equal(faults.mappings, before + 3);
	assert_int_equal(ibv_destroy_cq(first), 0);
	assert_int_equal(faults.mappings, before + 2);
	first = ibv_create_cq(o->context, 1, NULL, NULL, 0);
	assert_int_equal(ibv_destroy_cq(second), 0);
	assert_int_equal(ibv_destroy_cq(first), 0);
	assert_int_equal(faults.mappings, before);
}

/* There are two pages, and the one that was mapped first is unmapped first. */
static void doorbell_pages_in_order(void **state)
{
	struct tally_context *ctx = to_tctx(((struct objects *)*state)->context);
	uint64_t offset = KERNEL_PAGE_UAR * TALLY_PAGE_SIZE;
	int before = faults.mappings;
	struct tally_uar *first = tally_get_uar(ctx, offset);
	struct tally_uar *second = tally_get_uar(ctx, offset + TALLY_PAGE_SIZE);

	assert_true(first && second && first != second);
	tally_put_uar(ctx, first);
	assert_int_equal(faults.mappings, before + 1);
	assert_ptr_equal(tally_get_uar(ctx, offset + TALLY_PAGE_SIZE), second);
	tally_put_uar(ctx, second);
	tally_put_uar(ctx, second);
	assert_int_equal(faults.mappings, before);
}

static void assert_no_cq(struct objects *o, struct ibv_cq_init_attr_ex attr, int err)
{
	errno = 0;
	assert_null(tally_create_cq_ex(o->context, &attr));
	assert_int_equal(errno, err);
	assert_int_equal(kernel_objects(), 0);
}

static void refused_completion_queues(void **state)
{
	struct objects *o = *state;
	struct ibv_comp_channel foreign = { .context = NULL };
	struct ibv_cq_init_attr_ex attr = cq_attr();

	attr.comp_mask = 1U << 31;
	assert_no_cq(o, attr, EOPNOTSUPP);
	attr.comp_mask = IBV_CQ_INIT_ATTR_MASK_FLAGS;
	attr.flags = IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN;
	assert_no_cq(o, attr, EOPNOTSUPP);
	attr = cq_attr();
	attr.wc_flags = IBV_WC_EX_WITH_FLOW_TAG;
	assert_no_cq(o, attr, EOPNOTSUPP);
	attr = cq_attr();
	attr.cqe = 0;
	assert_no_cq(o, attr, EINVAL);
	attr.cqe = TALLY_MAX_CQ_DEPTH + 1;
	assert_no_cq(o, attr, EINVAL);
	attr = cq_attr();
	attr.channel = &foreign;
	assert_no_cq(o, attr, EINVAL);
	errno = 0;
	assert_null(ibv_create_cq(o->context, -1, NULL, NULL, 0));
	assert_int_equal(errno, EINVAL);
	/* A kernel that names a slot outside of the page. */
	kernel.db_slot = TALLY_UAR_SLOTS;
	assert_no_cq(o, cq_attr(), EPROTO);
}

static void the_largest_completion_queue(void **state)
{
	struct objects *o = *state;
	struct ibv_cq_init_attr_ex attr = cq_attr();
	struct ibv_cq_ex *cq;

	attr.cqe = TALLY_MAX_CQ_DEPTH;
	cq = tally_create_cq_ex(o->context, &attr);
	assert_non_null(cq);
	assert_int_equal(kernel.cq_req.depth, TALLY_MAX_CQ_DEPTH);
	assert_int_equal(ibv_destroy_cq(ibv_cq_ex_to_cq(cq)), 0);
}

static void single_threaded(void **state)
{
	struct objects *o = *state;
	struct ibv_cq_init_attr_ex attr = cq_attr();
	struct ibv_cq_ex *cq;
	struct ibv_wc wc;

	attr.comp_mask = IBV_CQ_INIT_ATTR_MASK_FLAGS;
	attr.flags = IBV_CREATE_CQ_ATTR_SINGLE_THREADED;
	cq = tally_create_cq_ex(o->context, &attr);
	assert_non_null(cq);
	assert_int_equal(ibv_poll_cq(ibv_cq_ex_to_cq(cq), 1, &wc), 0);
	assert_int_equal(ibv_destroy_cq(ibv_cq_ex_to_cq(cq)), 0);
}

/* ---- Queue pairs ---- */
static void queue_pairs(void **state)
{
	struct objects *o = *state;
	struct ibv_qp_init_attr_ex attr = qp_attr(o);
	struct tallydv_qp_init_attr dv = qp_dv_attr(o);
	struct ibv_qp *qp;

	kernel.qpn = 6;
	attr.cap.max_send_wr = 20;
	dv.ranks = 2;
	qp = tallydv_create_qp(o->context, &attr, &dv, NULL, 0);
	assert_non_null(qp);
	assert_int_equal(qp->qp_num, 6);
	assert_int_equal(qp->state, IBV_QPS_RTS);
	assert_int_equal(attr.cap.max_send_wr, 31);
	assert_int_equal(kernel.qp_req.sq_depth, 32);
	assert_int_equal(kernel.qp_req.sq_stride, TALLY_MIN_WQE_SIZE);
	assert_int_equal(kernel.qp_req.sq_addr % TALLY_PAGE_SIZE, 0);
	assert_int_equal(kernel.qp_req.ranks, 2);
	assert_int_equal(kernel.qp_req.group_handle, 1234);
	assert_int_equal(kernel.qp_req.port, 1);
	assert_ptr_equal(tallydv_qp_from_ibv_qp_ex(ibv_qp_to_qp_ex(qp)), &to_tqp(qp)->dv);
	assert_int_equal(to_tqp(qp)->node, 1);
	assert_int_equal(ibv_destroy_qp(qp), 0);
}

static void assert_no_qp(struct objects *o, struct ibv_qp_init_attr_ex attr,
			 struct tallydv_qp_init_attr dv, int err)
{
	unsigned int before = kernel_objects();

	errno = 0;
	assert_null(tallydv_create_qp(o->context, &attr, &dv, NULL, 0));
	assert_int_equal(errno, err);
	assert_int_equal(kernel_objects(), before);
}

static void refused_queue_pairs(void **state)
{
	struct objects *o = *state;
	const struct ibv_qp_init_attr_ex good = qp_attr(o);
	const struct tallydv_qp_init_attr good_dv = qp_dv_attr(o);
	struct tallydv_group foreign = *o->group;
	struct ibv_qp_init_attr_ex a;
	struct tallydv_qp_init_attr d;

#define ASSERT_NO_QP(change, err) \
	(a = good, d = good_dv, (change), assert_no_qp(o, a, d, err))
	ASSERT_NO_QP(a.comp_mask |= IBV_QP_INIT_ATTR_XRCD, EOPNOTSUPP);
	ASSERT_NO_QP(d.comp_mask = 1, EOPNOTSUPP);
	ASSERT_NO_QP(a.send_ops_flags = IBV_QP_EX_WITH_SEND, EOPNOTSUPP);
	ASSERT_NO_QP(d.flags = 1U << 31, EOPNOTSUPP);
	ASSERT_NO_QP(a.qp_type = IBV_QPT_RC, EOPNOTSUPP);
	ASSERT_NO_QP(a.comp_mask &= ~IBV_QP_INIT_ATTR_PD, EINVAL);
	ASSERT_NO_QP(a.pd = NULL, EINVAL);
	ASSERT_NO_QP(a.send_cq = NULL, EINVAL);
	ASSERT_NO_QP(a.cap.max_recv_wr = 1, EINVAL);
	ASSERT_NO_QP(a.srq = (struct ibv_srq *)o, EINVAL);
	ASSERT_NO_QP(d.group = NULL, EINVAL);
	ASSERT_NO_QP((foreign.context = NULL, d.group = &foreign), EINVAL);
	foreign = *o->group;
	ASSERT_NO_QP((foreign.modes = TALLY_OPS_MODES + 1, d.group = &foreign), EINVAL);
	foreign = *o->group;
	ASSERT_NO_QP((foreign.modes = 0, d.group = &foreign), EINVAL);
	ASSERT_NO_QP(d.ranks = 4, EINVAL);
	ASSERT_NO_QP(a.cap.max_send_wr = TALLY_MAX_SQ_DEPTH, EINVAL);
	/* A kernel that names an impossible queue pair, or a slot outside of the page. */
	ASSERT_NO_QP(kernel.qpn = TALLY_MAX_QP, EPROTO);
	kernel.qpn = 6;
	ASSERT_NO_QP(kernel.db_slot = TALLY_UAR_SLOTS, EPROTO);
#undef ASSERT_NO_QP
}

static void queue_pairs_without_attributes(void **state)
{
	struct objects *o = *state;
	struct ibv_qp_init_attr_ex attr = qp_attr(o);
	struct tallydv_qp_init_attr dv = qp_dv_attr(o);
	char why[80] = "";

	errno = 0;
	assert_null(tallydv_create_qp(o->context, &attr, NULL, why, sizeof(why)));
	assert_int_equal(errno, EINVAL);
	assert_string_equal(why, "dv_attr: is NULL");
	errno = 0;
	assert_null(tallydv_create_qp(o->context, NULL, &dv, why, sizeof(why)));
	assert_int_equal(errno, EINVAL);
	assert_string_equal(why, "attr: is NULL");
}

/* Each object of another context is refused, because its handle names an unrelated object here. */
static void queue_pairs_of_two_contexts(void **state)
{
	struct objects *o = *state;
	const struct ibv_qp_init_attr_ex good = qp_attr(o);
	struct tallydv_qp_init_attr dv = qp_dv_attr(o);
	struct ibv_qp_init_attr_ex attr = good;
	struct tallydv_group group = *o->group;
	struct ibv_context other = *o->context;
	struct ibv_cq cq = *good.send_cq;
	struct ibv_pd pd = *good.pd;

	group.context = cq.context = pd.context = &other;
	attr.pd = &pd;
	assert_no_qp(o, attr, dv, EINVAL);
	attr = good;
	attr.send_cq = &cq;
	assert_no_qp(o, attr, dv, EINVAL);
	attr = good;
	attr.recv_cq = &cq;
	assert_no_qp(o, attr, dv, EINVAL);
	dv.group = &group;
	assert_no_qp(o, good, dv, EINVAL);
}

static void other_kinds_of_queue_pairs(void **state)
{
	struct objects *o = *state;
	struct ibv_qp_init_attr attr = { .qp_type = IBV_QPT_RC };
	struct ibv_qp_init_attr_ex attr_ex = { .qp_type = IBV_QPT_UD };

	errno = 0;
	assert_null(tally_create_qp(o->pd, &attr));
	assert_int_equal(errno, EOPNOTSUPP);
	errno = 0;
	assert_null(tally_create_qp_ex(o->context, &attr_ex));
	assert_int_equal(errno, EOPNOTSUPP);
}

static int post_barrier(struct objects *o, uint64_t wr_id)
{
	struct tallydv_send_wr wr = {
		.wr = { .wr_id = wr_id, .opcode = IBV_WR_DRIVER1 },
		.coll = { .opcode = TALLY_OPCODE_BARRIER },
	};
	struct ibv_send_wr *bad;

	return ibv_post_send(o->qp, &wr.wr, &bad);
}

/* A queue pair uses a push buffer if the kernel gives it one, and works without it. */
static void push_buffers(void **state)
{
	struct objects *o = *state;
	struct tally_push_buf *buf = (void *)(kernel.pages + KERNEL_PAGE_PUSH * TALLY_PAGE_SIZE);
	struct ibv_qp_init_attr_ex good = qp_attr(o);
	struct tallydv_qp_init_attr dv = qp_dv_attr(o);
	struct ibv_qp *qp, *first = o->qp;
	int before = faults.mappings;

	kernel.qpn++;
	qp = tallydv_create_qp(o->context, &good, &dv, NULL, 0);
	assert_int_equal(kernel.qp_req.flags, 0);
	assert_null(to_tqp(qp)->push);
	before = faults.mappings - before;
	assert_int_equal(ibv_destroy_qp(qp), 0);
	to_tctx(o->context)->info.caps |= TALLY_CAP_PUSH;
	qp = tallydv_create_qp(o->context, &good, &dv, NULL, 0);
	assert_int_equal(kernel.qp_req.flags, TALLY_QP_F_PUSH);
	assert_null(to_tqp(qp)->push);
	assert_int_equal(ibv_destroy_qp(qp), 0);
	kernel.push_size = sizeof(*buf);
	before += 1 + faults.mappings;
	o->qp = tallydv_create_qp(o->context, &good, &dv, NULL, 0);
	assert_non_null(o->qp);
	assert_int_equal(faults.mappings, before);
	assert_int_equal(post_barrier(o, 1), 0);
	assert_int_equal(le64toh(tally_push_first(buf, 1)->posted), 1);
	assert_int_equal(tally_push_first(buf, 1)->data[0], TALLY_OPCODE_BARRIER);
	assert_int_equal(ibv_destroy_qp(o->qp), 0);
	o->qp = first;
	/* A kernel with a push buffer of another size. */
	kernel.push_size = TALLY_PAGE_SIZE;
	assert_no_qp(o, good, dv, EPROTO);
	kernel.push_size = sizeof(*buf) + 1;
	assert_no_qp(o, good, dv, EPROTO);
}

/* A program that wants all requests signaled says so once, at creation. */
static void all_signalled(void **state)
{
	struct objects *o = *state;
	struct ibv_qp_init_attr_ex attr = qp_attr(o);
	struct tallydv_qp_init_attr dv = qp_dv_attr(o);
	struct ibv_qp *first = o->qp;

	assert_int_equal(post_barrier(o, 1), 0);
	assert_int_equal(le32toh(tally_qp_entry(to_tqp(o->qp), 0)->flags), 0);
	kernel.qpn++;
	attr.sq_sig_all = 1;
	o->qp = tallydv_create_qp(o->context, &attr, &dv, NULL, 0);
	assert_non_null(o->qp);
	assert_int_equal(post_barrier(o, 1), 0);
	assert_int_equal(le32toh(tally_qp_entry(to_tqp(o->qp), 0)->flags), TALLY_WQE_F_SIGNALED);
	assert_int_equal(ibv_destroy_qp(o->qp), 0);
	o->qp = first;
}

/* Device and library count from 0 again. */
static void reset_queue_pair(void **state)
{
	struct objects *o = *state;
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RESET };
	struct tally_uar_slot *slots =
		(void *)(kernel.pages + (KERNEL_PAGE_UAR + 1) * TALLY_PAGE_SIZE);

	struct tally_cq *cq = to_tcq_ex(o->cq);
	struct ibv_wc wc;

	for (unsigned int i = 0; i < 7; i++)
		assert_int_equal(post_barrier(o, i), 0);
	assert_int_equal(post_barrier(o, 7), ENOMEM);
	cq->ring[0] = (struct tally_cqe){
		.qpn = htole32(o->qp->qp_num), .opcode = TALLY_OPCODE_BARRIER,
		.owner = TALLY_OWNER_PHASE,
	};
	assert_int_equal(le64toh(slots[kernel.db_slot].counter), 7);
	assert_int_equal(ibv_modify_qp(o->qp, &attr, IBV_QP_STATE), 0);
	assert_int_equal(le64toh(slots[kernel.db_slot].counter), 0);
	attr.qp_state = IBV_QPS_RTS;
	assert_int_equal(ibv_modify_qp(o->qp, &attr, IBV_QP_STATE), 0);
	assert_int_equal(post_barrier(o, 0), 0);
	assert_int_equal(le64toh(slots[kernel.db_slot].counter), 1);
	/*
	 * A completion from before the reset that was not polled is not taken for one of the new
	 * requests.
	 */
	assert_int_equal(ibv_poll_cq(ibv_cq_ex_to_cq(o->cq), 1, &wc), 0);
}

static void *to_reset(void *qp)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RESET };

	assert_int_equal(ibv_modify_qp(qp, &attr, IBV_QP_STATE), 0);
	return NULL;
}

/* A reset waits for a post that is in progress. */
static void a_reset_waits_for_posts(void **state)
{
	struct objects *o = *state;
	struct tally_qp *qp = to_tqp(o->qp);
	pthread_t thread;

	assert_int_equal(post_barrier(o, 1), 0);
	tally_lock(&qp->lock);
	assert_int_equal(pthread_create(&thread, NULL, to_reset, o->qp), 0);
	usleep(20000);
	assert_int_equal(__atomic_load_n(&qp->tracker.posted, __ATOMIC_SEQ_CST), 1);
	tally_unlock(&qp->lock);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(qp->tracker.posted, 0);
}

/* A request that the device does not read would never complete. */
static void states_without_posts(void **state)
{
	static const struct { enum ibv_qp_state state; int err; } steps[] = {
		{ IBV_QPS_RESET, EINVAL }, { IBV_QPS_INIT, EINVAL }, { IBV_QPS_RTR, EINVAL },
		{ IBV_QPS_RTS, 0 }, { IBV_QPS_RESET, EINVAL }, { IBV_QPS_ERR, 0 },
	};
	struct objects *o = *state;
	struct ibv_qp_ex *qp = ibv_qp_to_qp_ex(o->qp);
	struct ibv_qp_attr attr = {};

	for (unsigned int i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		attr.qp_state = steps[i].state;
		assert_int_equal(ibv_modify_qp(o->qp, &attr, IBV_QP_STATE), 0);
		assert_int_equal(post_barrier(o, i), steps[i].err);
		assert_int_equal(tallydv_qp_last_refusal(o->qp), TALLY_COLL_OK);
		ibv_wr_start(qp);
		tallydv_wr_abort(tallydv_qp_from_ibv_qp_ex(qp));
		assert_int_equal(ibv_wr_complete(qp), steps[i].err);
	}
	/* Other attributes do not change the state. */
	assert_int_equal(ibv_modify_qp(o->qp, &attr, IBV_QP_PORT), 0);
	attr.qp_state = IBV_QPS_RESET;
	assert_int_equal(ibv_modify_qp(o->qp, &attr, IBV_QP_PORT), 0);
	assert_int_equal(post_barrier(o, 9), 0);
	/* The change of state fails. */
	kernel.gone = true;
	assert_int_equal(ibv_modify_qp(o->qp, &attr, IBV_QP_STATE), EIO);
	kernel.gone = false;
	assert_int_equal(post_barrier(o, 10), 0);
}

/* ---- After the loss of the device ---- */
static void device_removed(void **state)
{
	struct objects *o = *state;
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RESET };
	struct ibv_cq *cq = ibv_cq_ex_to_cq(o->cq);
	struct ibv_wc wc[4];

	assert_int_equal(post_barrier(o, 1), 0);
	kernel.gone = true;
	memset(kernel_status(), 0, sizeof(*kernel_status()));
	assert_int_equal(post_barrier(o, 2), 0);
	assert_int_equal(ibv_req_notify_cq(cq, 0), 0);
	assert_int_equal(ibv_poll_cq(cq, 4, wc), 2);
	assert_int_equal(wc[1].wr_id, 2);
	assert_int_equal(wc[1].status, IBV_WC_FATAL_ERR);
	assert_int_equal(wc[1].vendor_err, TALLY_COLL_DEVICE_LOST);
	assert_int_equal(ibv_modify_qp(o->qp, &attr, IBV_QP_STATE), EIO);
	errno = 0;
	assert_null(ibv_alloc_pd(o->context));
	assert_int_equal(errno, EIO);
	assert_int_equal(post_barrier(o, 3), 0);
	assert_int_equal(objects_destroy(o), 0);
}

/*
 * The kernel has destroyed everything and checks nothing, but the queue pair refers to the other
 * objects.
 */
static void taken_away_and_in_use(void **state)
{
	struct objects *o = *state;
	struct ibv_cq *other = ibv_create_cq(o->context, 1, NULL, NULL, 0);
	struct ibv_qp_init_attr_ex attr = qp_attr(o);
	struct tallydv_qp_init_attr dv = qp_dv_attr(o);
	struct ibv_qp *qp;

	kernel.qpn++;
	attr.recv_cq = other;
	qp = tallydv_create_qp(o->context, &attr, &dv, NULL, 0);
	assert_non_null(qp);
	/* This fake kernel never checks, and would return success. */
	assert_int_equal(ibv_destroy_cq(ibv_cq_ex_to_cq(o->cq)), EBUSY);
	kernel.gone = true;
	memset(kernel_status(), 0, sizeof(*kernel_status()));
	assert_int_equal(ibv_destroy_cq(ibv_cq_ex_to_cq(o->cq)), EBUSY);
	assert_int_equal(ibv_destroy_cq(other), EBUSY);
	assert_int_equal(ibv_dealloc_pd(o->pd), EBUSY);
	assert_int_equal(ibv_destroy_qp(qp), 0);
	assert_int_equal(ibv_destroy_cq(other), 0);
	assert_int_equal(ibv_destroy_cq(ibv_cq_ex_to_cq(o->cq)), EBUSY);
	assert_int_equal(objects_destroy(o), 0);
}

/* EIO from a working device is an error. */
static void eio_of_a_device_that_works(void **state)
{
	struct objects *o = *state;

	kernel.gone = true;
	/* The library itself knows which objects the queue pair uses. */
	for (unsigned int i = 0; i < NUM_OBJECT_KINDS; i++)
		assert_int_equal(object_kinds[i].destroy(o), i == 0 || i == 2 ? EBUSY : EIO);
	kernel.gone = false;
}

/*
 * The kernel destroys a queue and returns EFAULT. The next attempt gets ENOENT, and frees the rest.
 */
static void destroy_returns_efault(void **state)
{
	struct objects *o = *state;

	kernel.fail_event_report = true;
	assert_int_equal(ibv_destroy_qp(o->qp), EFAULT);
	assert_int_equal(ibv_destroy_cq(ibv_cq_ex_to_cq(o->cq)), EBUSY);
	assert_int_equal(ibv_destroy_qp(o->qp), 0);
	o->qp = NULL;
	assert_int_equal(ibv_destroy_cq(ibv_cq_ex_to_cq(o->cq)), EFAULT);
	assert_int_equal(ibv_destroy_cq(ibv_cq_ex_to_cq(o->cq)), 0);
	o->cq = NULL;
	kernel.fail_event_report = false;
	for (unsigned int i = NUM_OBJECT_KINDS; i-- > 0;)
		if (strcmp(object_kinds[i].name, "queue pair") &&
		    strcmp(object_kinds[i].name, "completion queue"))
			assert_int_equal(object_kinds[i].destroy(o), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(completion_queues, context_setup, context_teardown),
		cmocka_unit_test_setup_teardown(doorbell_pages, context_setup, context_teardown),
		cmocka_unit_test_setup_teardown(doorbell_pages_in_order, context_setup,
						context_teardown),
		cmocka_unit_test_setup_teardown(refused_completion_queues, context_setup,
						context_teardown),
		cmocka_unit_test_setup_teardown(the_largest_completion_queue, context_setup,
						context_teardown),
		cmocka_unit_test_setup_teardown(single_threaded, context_setup, context_teardown),
		cmocka_unit_test_setup_teardown(queue_pairs, objects_setup, objects_teardown),
		cmocka_unit_test_setup_teardown(queue_pairs_without_attributes, objects_setup,
						objects_teardown),
		cmocka_unit_test_setup_teardown(queue_pairs_of_two_contexts, objects_setup,
						objects_teardown),
		cmocka_unit_test_setup_teardown(refused_queue_pairs, objects_setup,
						objects_teardown),
		cmocka_unit_test_setup_teardown(other_kinds_of_queue_pairs, objects_setup,
						objects_teardown),
		cmocka_unit_test_setup_teardown(push_buffers, objects_setup, objects_teardown),
		cmocka_unit_test_setup_teardown(all_signalled, objects_setup, objects_teardown),
		cmocka_unit_test_setup_teardown(reset_queue_pair, objects_setup, objects_teardown),
		cmocka_unit_test_setup_teardown(a_reset_waits_for_posts, objects_setup,
						objects_teardown),
		cmocka_unit_test_setup_teardown(states_without_posts, objects_setup,
						objects_teardown),
		cmocka_unit_test_setup_teardown(destroy_returns_efault, objects_setup,
						context_teardown),
		cmocka_unit_test_setup_teardown(device_removed, objects_setup, context_teardown),
		cmocka_unit_test_setup_teardown(taken_away_and_in_use, objects_setup,
						context_teardown),
		cmocka_unit_test_setup_teardown(eio_of_a_device_that_works, objects_setup,
						objects_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
