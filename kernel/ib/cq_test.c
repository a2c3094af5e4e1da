// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Completion queues: commands to the device, cleanup after failures, and events. */
#include "test/fake_user.h"

#include "cq.c"

#define DEPTH 16
#define VECTOR 0

static unsigned int completions, errors;

static void on_completion(struct ib_cq *ibcq, void *context)
{
	completions++;
}

static void on_event(struct ib_event *event, void *context)
{
	if (event->event == IB_EVENT_CQ_ERR && event->element.cq == context)
		errors++;
}

static const struct tally_events cq_events = {
	.cq = tally_ib_cq_event,
	.cq_error = tally_ib_cq_error_event,
};

static int cq_init(struct kunit *test)
{
	struct tally_ureq_create_cq *req = (void *)user.req;

	fake_user_init(test);
	completions = 0;
	errors = 0;
	req->depth = DEPTH;
	req->buf_addr = 0x10000;
	user.attrs->driver_udata.inlen = sizeof(*req);
	return 0;
}

static struct tally_cq *cq_prepare(struct kunit *test)
{
	struct tally_cq *cq = kunit_kzalloc(test, sizeof(*cq), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, cq);
	cq->ibcq.device = &tally_fake_ib(test)->ibdev;
	cq->ibcq.comp_handler = on_completion;
	cq->ibcq.event_handler = on_event;
	cq->ibcq.cq_context = &cq->ibcq;
	return cq;
}

static int cq_create(struct tally_cq *cq)
{
	const struct ib_cq_init_attr attr = { .cqe = DEPTH - 1, .comp_vector = VECTOR };

	return tally_ib_create_cq(&cq->ibcq, &attr, &user.attrs->driver_udata);
}

static void cq_life(struct kunit *test)
{
	const struct tally_uresp_create_cq *resp = (const void *)user.resp;
	struct tally_fake *fake = test->priv;
	const struct tally_cmd_create_cq *body = (const void *)
		fake->last[TALLY_ADMIN_CREATE_CQ].body;
	struct tally_cq *cq = cq_prepare(test);

	KUNIT_ASSERT_EQ(test, cq_create(cq), 0);
	KUNIT_EXPECT_EQ(test, cq->ibcq.cqe, DEPTH);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(body->cqn), cq->cqn);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(body->depth), DEPTH);
	KUNIT_EXPECT_EQ(test, resp->cqn, cq->cqn);
	KUNIT_EXPECT_EQ(test, resp->db_slot, 2);
	KUNIT_EXPECT_EQ(test, user.pins, 1);
	KUNIT_EXPECT_EQ(test, user.doorbells, 1);
	KUNIT_EXPECT_EQ(test, tally_ib_destroy_cq(&cq->ibcq, &user.attrs->driver_udata), 0);
	KUNIT_EXPECT_EQ(test, fake->seen[TALLY_ADMIN_DESTROY_CQ], 1);
}

/* Whatever fails, nothing remains, neither in the driver nor in the device. */
static void cq_fails(struct kunit *test)
{
	static const int errors_of[NUM_FAILS] = {
		[FAIL_COPY_IN] = -EFAULT, [FAIL_PIN] = -ENOMEM, [FAIL_DOORBELL] = -ENOSPC,
		[FAIL_QUOTA] = -EDQUOT, [FAIL_DEVICE] = -EINVAL, [FAIL_COPY_OUT] = -EFAULT,
	};
	struct tally_fake *fake = test->priv;
	struct tally_cq *cq;

	for (user.fail = FAIL_COPY_IN; user.fail < NUM_FAILS; user.fail++) {
		fake_spend(TALLY_QUOTA_CQ, true, user.fail == FAIL_QUOTA ? TALLY_MAX_CQ / 2 : 0);
		fake->status = user.fail == FAIL_DEVICE ? TALLY_ADMIN_STATUS_BAD_FIELD : 0;
		cq = cq_prepare(test);
		KUNIT_EXPECT_EQ_MSG(test, cq_create(cq), errors_of[user.fail], "failure %d",
				    user.fail);
		fake_spend(TALLY_QUOTA_CQ, false, user.fail == FAIL_QUOTA ? TALLY_MAX_CQ / 2 : 0);
		KUNIT_EXPECT_EQ(test, user.pins, 0);
		KUNIT_EXPECT_EQ(test, user.doorbells, 0);
		KUNIT_EXPECT_TRUE(test, xa_empty(&tally_fake_ib(test)->cqs));
	}
	/* The device destroys the queue that the process was not told of. */
	KUNIT_EXPECT_EQ(test, fake->seen[TALLY_ADMIN_DESTROY_CQ], 1);
}

static void cq_refused(struct kunit *test)
{
	struct tally_ureq_create_cq *req = (void *)user.req;
	struct tally_cq *cq = cq_prepare(test);

	user.attrs->driver_udata.inlen = sizeof(*req) - 1;
	KUNIT_EXPECT_EQ(test, cq_create(cq), -EINVAL);
	user.attrs->driver_udata.inlen = sizeof(*req);
	req->depth = DEPTH + 1;
	KUNIT_EXPECT_EQ(test, cq_create(cq), -EINVAL);
	req->depth = DEPTH / 2;
	KUNIT_EXPECT_EQ(test, cq_create(cq), -EINVAL);
	req->depth = 2 * TALLY_MAX_CQ_DEPTH;
	KUNIT_EXPECT_EQ(test, cq_create(cq), -EINVAL);
	req->depth = DEPTH;
	req->buf_addr += 64;
	KUNIT_EXPECT_EQ(test, cq_create(cq), -EINVAL);
}

/* The device has no more numbers, although the quota of the process allows more. */
static void cq_no_number(struct kunit *test)
{
	struct tally_cq *cq = cq_prepare(test), *other = cq_prepare(test);
	struct tally_fake *fake = test->priv;

	fake->pf.pub.caps.max_cq = 1;
	KUNIT_ASSERT_EQ(test, cq_create(cq), 0);
	KUNIT_EXPECT_EQ(test, cq_create(other), -ENOSPC);
	KUNIT_EXPECT_EQ(test, user.pins, 1);
	tally_ib_destroy_cq(&cq->ibcq, NULL);
}

static void cq_events_to_owner(struct kunit *test)
{
	struct tally_ibdev *dev = tally_fake_ib(test);
	struct tally_cq *cq = cq_prepare(test);
	struct tally_fake *fake = test->priv;

	KUNIT_ASSERT_EQ(test, cq_create(cq), 0);
	KUNIT_ASSERT_EQ(test, tally_events_register(&fake->pf.pub, &cq_events, dev), 0);
	tally_fake_event(fake, TALLY_EQE_CQ, cq->cqn, 0);
	tally_fake_event(fake, TALLY_EQE_CQ_ERROR, cq->cqn, 0);
	/* Events of queues that do not exist. */
	tally_fake_event(fake, TALLY_EQE_CQ, cq->cqn + 1, 0);
	tally_fake_event(fake, TALLY_EQE_CQ_ERROR, U32_MAX, 0);
	tally_events_flush(&fake->pf.pub);
	KUNIT_EXPECT_EQ(test, completions, 1);
	KUNIT_EXPECT_EQ(test, errors, 1);
	/*
	 * An event that the device wrote before the queue was destroyed is handled before its
	 * memory is freed.
	 */
	tally_fake_event(fake, TALLY_EQE_CQ, cq->cqn, 0);
	tally_ib_destroy_cq(&cq->ibcq, NULL);
	KUNIT_EXPECT_EQ(test, fake->pf.eqs[0].consumed, 5);
	KUNIT_EXPECT_EQ(test, completions, 1);
	tally_events_unregister(&fake->pf.pub);
}

static struct kunit_case cq_cases[] = {
	KUNIT_CASE(cq_life),
	KUNIT_CASE(cq_fails),
	KUNIT_CASE(cq_refused),
	KUNIT_CASE(cq_no_number),
	KUNIT_CASE(cq_events_to_owner),
	{}
};

static struct kunit_suite cq_suite = {
	.name = "tally_ib_cq",
	.init = cq_init,
	.exit = fake_user_exit,
	.test_cases = cq_cases,
};

kunit_test_suite(cq_suite);
