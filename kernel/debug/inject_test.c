// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Calls that fail by faults of the driver, and commands for faults of the device. */
#include "core/quota.h"
#include "test/fake.h"

#include "inject.c"
#include "inject_nic.c"

#define FAULT TALLY_FAULT_SEG_EXHAUSTED

static struct tally_fault *fault_of(struct kunit *test, enum tally_fault_id id)
{
	struct tally_fake *fake = test->priv;

	return &fake->pf.faults.fault[id];
}

/* Makes every call that passes the filter fail, this many times. */
static struct tally_fault *arm(struct kunit *test, enum tally_fault_id id, int times)
{
	struct tally_fault *fault = fault_of(test, id);

	fault->attr.probability = 100;
	atomic_set(&fault->attr.times, times);
	return fault;
}

/* Makes @n calls. Returns a bit for each call that must fail; the lowest bit is the first call. */
static u64 calls(struct kunit *test, unsigned int n)
{
	struct tally_fake *fake = test->priv;
	u64 failed = 0;
	unsigned int i;

	for (i = 0; i < n; i++)
		failed |= (u64)tally_inject(&fake->pf, FAULT, i) << i;
	return failed;
}

/* ---- Faults of the driver ---- */

static void inject_off(struct kunit *test)
{
	enum tally_fault_id id;

	for (id = 0; id < TALLY_NUM_FAULTS; id++)
		KUNIT_EXPECT_NOT_NULL(test, tally_fault_names[id]);
	for (id = 0; id < TALLY_FIRST_NIC_FAULT; id++)
		KUNIT_EXPECT_EQ(test, fault_of(test, id)->attr.probability, 0);
	KUNIT_EXPECT_EQ(test, calls(test, 64), 0);
	/* Another active fault does not activate this one. */
	arm(test, TALLY_FAULT_MR_REGISTER, -1);
	KUNIT_EXPECT_EQ(test, calls(test, 64), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&fault_of(test, FAULT)->count), 0);
}

static void inject_times(struct kunit *test)
{
	struct tally_fault *fault = arm(test, FAULT, 3);

	KUNIT_EXPECT_EQ(test, calls(test, 64), 0x7);
	KUNIT_EXPECT_EQ(test, atomic_read(&fault->count), 3);
	arm(test, FAULT, -1);
	KUNIT_EXPECT_EQ(test, calls(test, 64), U64_MAX);
	KUNIT_EXPECT_EQ(test, atomic_read(&fault->count), 67);
}

/* With space for n calls and times 1, exactly the n-th following call fails. */
static void inject_nth(struct kunit *test)
{
	int n;

	for (n = 1; n <= 20; n++) {
		atomic_set(&arm(test, FAULT, 1)->attr.space, n);
		KUNIT_EXPECT_EQ(test, calls(test, 64), BIT_ULL(n - 1));
	}
}

/* Calls that do not pass the filter do not count. */
static void inject_filter(struct kunit *test)
{
	struct tally_fault *fault = arm(test, FAULT, -1);

	fault->filter = 5;
	KUNIT_EXPECT_EQ(test, calls(test, 64), BIT_ULL(5));
	fault->filter = 0;
	KUNIT_EXPECT_EQ(test, calls(test, 64), BIT_ULL(0));
	fault->filter = 9;
	atomic_set(&fault->attr.space, 2);
	KUNIT_EXPECT_EQ(test, calls(test, 64), 0);
	KUNIT_EXPECT_EQ(test, calls(test, 64), BIT_ULL(9));
	fault->filter = TALLY_INJECT_ANY;
	KUNIT_EXPECT_EQ(test, calls(test, 4), 0xf);
}

static void inject_task(struct kunit *test)
{
	arm(test, FAULT, -1)->attr.task_filter = true;
	KUNIT_EXPECT_EQ(test, calls(test, 8), 0);
	current->make_it_fail = 1;
	KUNIT_EXPECT_EQ(test, calls(test, 8), 0xff);
	current->make_it_fail = 0;
}

/* A sweep over the allocations of a call by fail-nth does not count these calls. */
static void inject_no_nth(struct kunit *test)
{
	current->fail_nth = 1;
	KUNIT_EXPECT_EQ(test, calls(test, 8), 0);
	KUNIT_EXPECT_EQ(test, current->fail_nth, 1);
	current->fail_nth = 0;
}

/* A fault of one device has no effect on another. */
static void inject_two_devices(struct kunit *test)
{
	struct tally_fake *other = tally_fake_new(test);

	KUNIT_ASSERT_NOT_NULL(test, other);
	arm(test, FAULT, -1);
	KUNIT_EXPECT_FALSE(test, tally_inject(&other->pf, FAULT, 0));
	KUNIT_EXPECT_EQ(test, calls(test, 1), 1);
	tally_fake_free(other);
}

/* ---- Calls of tally_inject() in the driver ---- */

static void inject_status(struct kunit *test)
{
	struct tally_fake *fake = test->priv;
	struct tally_fault *fault = arm(test, TALLY_FAULT_ADMIN_STATUS, 1);
	u8 body[1] = {};

	tally_fake_serve(fake);
	fault->filter = TALLY_ADMIN_QUERY_QP;
	fault->status = TALLY_ADMIN_STATUS_EXISTS;
	KUNIT_EXPECT_EQ(test, tally_exec(&fake->pf, TALLY_ADMIN_NOP, 0, body, 1), 0);
	KUNIT_EXPECT_EQ(test, tally_exec(&fake->pf, TALLY_ADMIN_QUERY_QP, 0, body, 1), -EEXIST);
	KUNIT_EXPECT_EQ(test, fake->fetched, 1);
	KUNIT_EXPECT_EQ(test, tally_exec(&fake->pf, TALLY_ADMIN_QUERY_QP, 0, body, 1), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&fake->failures), 0);
}

/* The device answers, but the driver does not see the answer, so the real timeout passes. */
static void inject_time_out(struct kunit *test)
{
	struct tally_fake *fake = test->priv;
	u8 body[1] = {};

	tally_fake_timeout_ms = 100;
	tally_fake_serve(fake);
	arm(test, TALLY_FAULT_ADMIN_TIMEOUT, 1);
	KUNIT_EXPECT_EQ(test, tally_exec(&fake->pf, TALLY_ADMIN_NOP, 0, body, 1), -ETIMEDOUT);
	KUNIT_EXPECT_EQ(test, fake->fetched, 1);
	KUNIT_EXPECT_EQ(test, fake->produced, 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&fake->failures), 1);
}

static void inject_segs(struct kunit *test)
{
	struct tally_fake *fake = test->priv;
	struct tally_quota *quota = tally_quota_create(&fake->pf.pub);
	struct tally_segs *segs;

	KUNIT_ASSERT_NOT_NULL(test, quota);
	arm(test, FAULT, 1)->filter = 8;
	segs = tally_segs_alloc(&fake->pf.pub, quota, 4);
	KUNIT_ASSERT_FALSE(test, IS_ERR(segs));
	tally_segs_put(segs);
	segs = tally_segs_alloc(&fake->pf.pub, quota, 8);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(segs), -ENOSPC);
	segs = tally_segs_alloc(&fake->pf.pub, quota, 8);
	KUNIT_ASSERT_FALSE(test, IS_ERR(segs));
	tally_segs_put(segs);
	KUNIT_EXPECT_TRUE(test, bitmap_empty(fake->pf.seg_map, TALLY_MAX_SEG));
	tally_quota_put(quota);
}

/* ---- Faults of the device ---- */

static u64 nic_count;

static bool reply_count(struct tally_fake *fake, const struct tally_admin_cmd *cmd,
			struct tally_admin_cqe *answer)
{
	answer->status = cpu_to_le16(fake->status);
	answer->value[0] = cpu_to_le64(nic_count);
	return true;
}

static struct tally_nic_fault *nic_fault(struct kunit *test)
{
	struct tally_fake *fake = test->priv;

	nic_count = 0;
	fake->reply = reply_count;
	tally_fake_serve(fake);
	return &fake->pf.faults.nic[TALLY_FAULT_CORRUPT_CQE - TALLY_FIRST_NIC_FAULT];
}

static void inject_nic(struct kunit *test)
{
	struct tally_nic_fault *fault = nic_fault(test);
	struct tally_fake *fake = test->priv;
	const struct tally_cmd_inject *body = (const void *)fake->last[TALLY_ADMIN_INJECT].body;

	KUNIT_EXPECT_EQ(test, tally_nic_fault_set(fault, TALLY_FAULT_ATTR_TIMES, 10), 0);
	KUNIT_EXPECT_EQ(test, tally_nic_fault_set(fault, TALLY_FAULT_ATTR_FILTER, 44), 0);
	KUNIT_EXPECT_EQ(test, tally_nic_fault_set(fault, TALLY_FAULT_ATTR_VALUE, 12), 0);
	KUNIT_EXPECT_EQ(test, tally_nic_fault_set(fault, TALLY_FAULT_ATTR_INTERVAL, 3), 0);
	KUNIT_EXPECT_EQ(test, tally_nic_fault_set(fault, TALLY_FAULT_ATTR_PROBABILITY, 60), 0);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(body->fault), TALLY_INJECT_CORRUPT_CQE);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(body->action), TALLY_INJECT_ACTION_SET);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(body->probability), 60);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(body->interval), 3);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(body->times), 10);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(body->object), 44);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(body->value), 12);
	nic_count = 4;
	KUNIT_EXPECT_EQ(test, tally_nic_fault_update(fault), 0);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(body->action), TALLY_INJECT_ACTION_QUERY);
	KUNIT_EXPECT_EQ(test, fault->count, 4);
	KUNIT_EXPECT_EQ(test, fault->attrs[TALLY_FAULT_ATTR_TIMES], 6);
}

static void inject_nic_refused(struct kunit *test)
{
	struct tally_nic_fault *fault = nic_fault(test);
	struct tally_fake *fake = test->priv;

	fake->status = TALLY_ADMIN_STATUS_BAD_FIELD;
	KUNIT_EXPECT_EQ(test, tally_nic_fault_set(fault, TALLY_FAULT_ATTR_VALUE, 9999), -EINVAL);
	KUNIT_EXPECT_EQ(test, fault->attrs[TALLY_FAULT_ATTR_VALUE], 0);
}

/* A reset restarts the count of the device, but not that of the driver. */
static void inject_nic_reset(struct kunit *test)
{
	struct tally_nic_fault *fault = nic_fault(test);
	struct tally_fake *fake = test->priv;

	KUNIT_EXPECT_EQ(test,
			tally_nic_fault_set(fault, TALLY_FAULT_ATTR_TIMES, TALLY_INJECT_ALWAYS),
			0);
	KUNIT_EXPECT_EQ(test, tally_nic_fault_set(fault, TALLY_FAULT_ATTR_PROBABILITY, 100), 0);
	nic_count = 5;
	KUNIT_EXPECT_EQ(test, tally_nic_fault_update(fault), 0);
	tally_inject_device_reset(&fake->pf);
	nic_count = 0;
	KUNIT_EXPECT_EQ(test, fault->attrs[TALLY_FAULT_ATTR_PROBABILITY], 0);
	KUNIT_EXPECT_EQ(test, tally_nic_fault_update(fault), 0);
	KUNIT_EXPECT_EQ(test, fault->count, 5);
	nic_count = 2;
	KUNIT_EXPECT_EQ(test, tally_nic_fault_update(fault), 0);
	KUNIT_EXPECT_EQ(test, fault->count, 7);
	KUNIT_EXPECT_EQ(test, fault->attrs[TALLY_FAULT_ATTR_TIMES], TALLY_INJECT_ALWAYS);
}

static struct kunit_case inject_cases[] = {
	KUNIT_CASE(inject_off),
	KUNIT_CASE(inject_times),
	KUNIT_CASE(inject_nth),
	KUNIT_CASE(inject_filter),
	KUNIT_CASE(inject_task),
	KUNIT_CASE(inject_no_nth),
	KUNIT_CASE(inject_two_devices),
	KUNIT_CASE(inject_status),
	KUNIT_CASE(inject_time_out),
	KUNIT_CASE(inject_segs),
	KUNIT_CASE(inject_nic),
	KUNIT_CASE(inject_nic_refused),
	KUNIT_CASE(inject_nic_reset),
	{}
};

static struct kunit_suite inject_suite = {
	.name = "tally_inject",
	.init = tally_fake_init,
	.exit = tally_fake_exit,
	.test_cases = inject_cases,
};

kunit_test_suite(inject_suite);
