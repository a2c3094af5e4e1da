// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Queue pairs: commands to the device, the ranks they post for, and cleanup after failures. */
#include "core/group.h"
#include "test/fake_user.h"

#include "qp.c"

#define DEPTH 16
#define STRIDE 512
#define HANDLE 3
#define RANKS 0x3
#define CQN 7
#define PDN 5

static struct tally_group group;
static struct tally_group_handle handle;
static struct tally_cq cq;
static struct tally_pd pd;
static unsigned int errors;

static void on_event(struct ib_event *event, void *context)
{
	if (event->event == IB_EVENT_QP_FATAL && event->element.qp == context)
		errors++;
}

static const struct tally_events qp_events = { .qp_fatal = tally_ib_qp_fatal_event };

/* A process with a group handle and a correct request. */
static int qp_init(struct kunit *test)
{
	struct tally_ureq_create_qp *req = (void *)user.req;
	struct tally_fake *fake;

	fake_user_init(test);
	fake = test->priv;
	errors = 0;
	group = (struct tally_group){ .pf = &fake->pf };
	handle = (struct tally_group_handle){ .group = &group, .ranks = RANKS };
	kref_init(&handle.ref);
	KUNIT_ASSERT_EQ(test, xa_err(xa_store(&user.ctx.groups, HANDLE, &handle, GFP_KERNEL)), 0);
	cq = (struct tally_cq){ .cqn = CQN };
	pd = (struct tally_pd){ .pdn = PDN };
	req->sq_addr = 0x10000;
	req->ranks = 1;
	req->group_handle = HANDLE;
	req->sq_depth = DEPTH;
	req->sq_stride = STRIDE;
	user.attrs->driver_udata.inlen = sizeof(*req);
	return 0;
}

/* Only the process's own reference to the handle remains. */
static void qp_exit(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, kref_read(&handle.ref), 1);
	fake_user_exit(test);
}

static struct tally_qp *qp_prepare(struct kunit *test)
{
	struct tally_qp *qp = kunit_kzalloc(test, sizeof(*qp), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, qp);
	qp->ibqp.device = &tally_fake_ib(test)->ibdev;
	qp->ibqp.pd = &pd.ibpd;
	qp->ibqp.event_handler = on_event;
	qp->ibqp.qp_context = &qp->ibqp;
	return qp;
}

static int create(struct tally_qp *qp, struct ib_qp_init_attr attr)
{
	attr.send_cq = &cq.ibcq;
	if (!attr.cap.max_send_wr)
		attr.cap.max_send_wr = DEPTH - 1;
	return tally_ib_create_qp(&qp->ibqp, &attr, &user.attrs->driver_udata);
}

static int create_good(struct tally_qp *qp)
{
	return create(qp, (struct ib_qp_init_attr){ .qp_type = IB_QPT_DRIVER });
}

static void qp_life(struct kunit *test)
{
	const struct tally_uresp_create_qp *resp = (const void *)user.resp;
	struct tally_fake *fake = test->priv;
	const struct tally_cmd_create_qp *body = (const void *)
		fake->last[TALLY_ADMIN_CREATE_QP].body;
	struct tally_qp *qp = qp_prepare(test);

	KUNIT_ASSERT_EQ(test, create_good(qp), 0);
	KUNIT_EXPECT_GE(test, qp->ibqp.qp_num, TALLY_IB_FIRST_QPN);
	KUNIT_EXPECT_EQ(test, resp->qpn, qp->ibqp.qp_num);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(body->qpn), qp->ibqp.qp_num);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(body->pd), PDN);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(body->cqn), CQN);
	KUNIT_EXPECT_EQ(test, le64_to_cpu(body->ranks), 1);
	KUNIT_EXPECT_EQ(test, qp->state, IB_QPS_RTS);
	KUNIT_EXPECT_EQ(test, kref_read(&handle.ref), 2);
	KUNIT_EXPECT_EQ(test, tally_ib_destroy_qp(&qp->ibqp, NULL), 0);
	KUNIT_EXPECT_EQ(test, fake->seen[TALLY_ADMIN_DESTROY_QP], 1);
}

static void qp_fails(struct kunit *test)
{
	static const int errors_of[NUM_FAILS] = {
		[FAIL_COPY_IN] = -EFAULT, [FAIL_PIN] = -ENOMEM, [FAIL_DOORBELL] = -ENOSPC,
		[FAIL_QUOTA] = -EDQUOT, [FAIL_DEVICE] = -EBUSY, [FAIL_COPY_OUT] = -EFAULT,
	};
	struct tally_fake *fake = test->priv;

	for (user.fail = FAIL_COPY_IN; user.fail < NUM_FAILS; user.fail++) {
		unsigned int spent = user.fail == FAIL_QUOTA ? TALLY_MAX_QP / 2 : 0;

		fake_spend(TALLY_QUOTA_QP, true, spent);
		fake->status = user.fail == FAIL_DEVICE ? TALLY_ADMIN_STATUS_IN_USE : 0;
		KUNIT_EXPECT_EQ_MSG(test, create_good(qp_prepare(test)), errors_of[user.fail],
				    "failure %d", user.fail);
		fake_spend(TALLY_QUOTA_QP, false, spent);
		KUNIT_EXPECT_EQ(test, user.pins, 0);
		KUNIT_EXPECT_EQ(test, user.doorbells, 0);
		KUNIT_EXPECT_EQ(test, kref_read(&handle.ref), 1);
		KUNIT_EXPECT_TRUE(test, xa_empty(&tally_fake_ib(test)->qps));
	}
	KUNIT_EXPECT_EQ(test, fake->seen[TALLY_ADMIN_DESTROY_QP], 1);
}

/* A queue pair that cannot have its request entries is charged for nothing; others go on. */
static void qp_requests_quota(struct kunit *test)
{
	const unsigned int left = DEPTH - 1, spent = TALLY_MAX_REQUESTS / 2 - left;
	struct tally_quota *quota = user.ctx.quota;
	struct tally_qp *qp = qp_prepare(test);

	KUNIT_ASSERT_TRUE(test, tally_quota_charge_objects(quota, TALLY_QUOTA_REQUEST, spent));
	KUNIT_EXPECT_EQ(test, create_good(qp_prepare(test)), -EDQUOT);
	KUNIT_EXPECT_TRUE(test, tally_quota_charge_objects(quota, TALLY_QUOTA_QP, TALLY_MAX_QP / 2));
	tally_quota_uncharge_objects(quota, TALLY_QUOTA_QP, TALLY_MAX_QP / 2);
	tally_quota_uncharge_objects(quota, TALLY_QUOTA_REQUEST, 1);
	KUNIT_ASSERT_EQ(test, create_good(qp), 0);
	KUNIT_EXPECT_FALSE(test, tally_quota_charge_objects(quota, TALLY_QUOTA_REQUEST, 1));
	KUNIT_EXPECT_EQ(test, tally_ib_destroy_qp(&qp->ibqp, NULL), 0);
	KUNIT_EXPECT_TRUE(test, tally_quota_charge_objects(quota, TALLY_QUOTA_REQUEST, DEPTH));
	tally_quota_uncharge_objects(quota, TALLY_QUOTA_REQUEST, spent - 1 + DEPTH);
}

/* The request is refused, and the process gets the field at fault and its value. */
static void expect_blamed(struct kunit *test, int err, u32 offset, u64 value)
{
	const struct tally_uresp_why *why =
		&((const struct tally_uresp_create_qp *)user.resp)->why;

	memset(user.resp, 0xff, sizeof(user.resp));
	KUNIT_EXPECT_EQ(test, create_good(qp_prepare(test)), err);
	KUNIT_EXPECT_EQ(test, why->where, TALLY_WHY_REQUEST);
	KUNIT_EXPECT_EQ(test, why->offset, offset);
	KUNIT_EXPECT_EQ(test, why->value, value);
}

#define EXPECT_BLAMED(err, field) \
	expect_blamed(test, err, offsetof(struct tally_ureq_create_qp, field), req->field)

/* The ranks must be those of a handle of the process. */
static void qp_foreign(struct kunit *test)
{
	struct tally_ureq_create_qp *req = (void *)user.req;
	struct tally_fake *fake = test->priv;

	req->group_handle = HANDLE + 1;
	EXPECT_BLAMED(-ENOENT, group_handle);
	req->group_handle = HANDLE;
	req->ranks = 0;
	EXPECT_BLAMED(-EINVAL, ranks);
	req->ranks = RANKS + 1;
	EXPECT_BLAMED(-EINVAL, ranks);
	group.cfg.flags = cpu_to_le32(TALLY_GROUP_F_SHARED);
	group.held = RANKS;
	EXPECT_BLAMED(-EINVAL, ranks);
	KUNIT_EXPECT_EQ(test, fake->seen[TALLY_ADMIN_CREATE_QP], 0);
}

/* In a shared group, a process posts for the ranks of others, and the device learns whose they are. */
static void qp_shared(struct kunit *test)
{
	struct tally_fake *fake = test->priv;
	const struct tally_cmd_create_qp *body = (const void *)
		fake->last[TALLY_ADMIN_CREATE_QP].body;
	struct tally_ureq_create_qp *req = (void *)user.req;
	struct tally_qp *qp = qp_prepare(test);

	group.cfg.flags = cpu_to_le32(TALLY_GROUP_F_SHARED);
	group.held = ~0ULL;
	req->ranks = ~0ULL;
	KUNIT_ASSERT_EQ(test, create_good(qp), 0);
	KUNIT_EXPECT_EQ(test, le64_to_cpu(body->ranks), ~0ULL);
	KUNIT_EXPECT_EQ(test, le64_to_cpu(body->holder), RANKS);
	KUNIT_EXPECT_EQ(test, tally_ib_destroy_qp(&qp->ibqp, NULL), 0);
}

static void qp_refused(struct kunit *test)
{
	struct tally_ureq_create_qp *req = (void *)user.req;

	KUNIT_EXPECT_EQ(test, create(qp_prepare(test), (struct ib_qp_init_attr){
		.qp_type = IB_QPT_RC }), -EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, create(qp_prepare(test), (struct ib_qp_init_attr){
		.qp_type = IB_QPT_DRIVER, .cap.max_recv_wr = 1 }), -EINVAL);
	KUNIT_EXPECT_EQ(test, create(qp_prepare(test), (struct ib_qp_init_attr){
		.qp_type = IB_QPT_DRIVER, .cap.max_send_wr = DEPTH + 1 }), -EINVAL);
	req->sq_depth = DEPTH - 1;
	EXPECT_BLAMED(-EINVAL, sq_depth);
	req->sq_depth = DEPTH;
	req->sq_stride = TALLY_MIN_WQE_SIZE / 2;
	EXPECT_BLAMED(-EINVAL, sq_stride);
	req->sq_stride = STRIDE;
	user.fail = FAIL_PIN;
	EXPECT_BLAMED(-ENOMEM, sq_addr);
	user.fail = FAIL_NOTHING;
	req->sq_addr++;
	EXPECT_BLAMED(-EINVAL, sq_addr);
}

static void qp_error_event(struct kunit *test)
{
	struct tally_ibdev *dev = tally_fake_ib(test);
	struct tally_qp *qp = qp_prepare(test);
	struct tally_fake *fake = test->priv;

	KUNIT_ASSERT_EQ(test, create_good(qp), 0);
	KUNIT_ASSERT_EQ(test, tally_events_register(&fake->pf.pub, &qp_events, dev), 0);
	tally_fake_event(fake, TALLY_EQE_QP_FATAL, qp->ibqp.qp_num + 1, 0);
	tally_events_flush(&fake->pf.pub);
	KUNIT_EXPECT_EQ(test, qp->state, IB_QPS_RTS);
	tally_fake_event(fake, TALLY_EQE_QP_FATAL, qp->ibqp.qp_num, 0);
	tally_events_flush(&fake->pf.pub);
	KUNIT_EXPECT_EQ(test, qp->state, IB_QPS_ERR);
	KUNIT_EXPECT_EQ(test, errors, 1);
	tally_fake_event(fake, TALLY_EQE_QP_FATAL, qp->ibqp.qp_num, 0);
	tally_ib_destroy_qp(&qp->ibqp, NULL);
	KUNIT_EXPECT_EQ(test, fake->pf.eqs[0].consumed, 3);
	KUNIT_EXPECT_EQ(test, errors, 1);
	tally_events_unregister(&fake->pf.pub);
}

static struct kunit_case qp_cases[] = {
	KUNIT_CASE(qp_life),
	KUNIT_CASE(qp_fails),
	KUNIT_CASE(qp_requests_quota),
	KUNIT_CASE(qp_foreign),
	KUNIT_CASE(qp_shared),
	KUNIT_CASE(qp_refused),
	KUNIT_CASE(qp_error_event),
	{}
};

static struct kunit_suite qp_suite = {
	.name = "tally_ib_qp",
	.init = qp_init,
	.exit = qp_exit,
	.test_cases = qp_cases,
};

kunit_test_suite(qp_suite);
