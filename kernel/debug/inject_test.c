// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Which calls the driver's faults make fail, and what the device is told of its own. */
#include "core/quota.h"
#include "test/fake.h"

#include "inject.c"
#include "inject_nic.c"

#define FAULT TALLY_FAULT_SEG_EXHAUSTED
#define NIC_FAULT TALLY_FAULT_CORRUPT_CQE

static struct tally_fault *fault_of(struct kunit *test)
{
	struct tally_fake *fake = test->priv;

	return &fake->pf.faults.fault[FAULT];
}

static void set(struct kunit *test, enum tally_knob knob, u32 value)
{
	KUNIT_ASSERT_EQ(test, tally_fault_set(fault_of(test), knob, value), 0);
}

static bool ask(struct kunit *test, u32 object)
{
	struct tally_fake *fake = test->priv;

	return tally_inject(&fake->pf, FAULT, object);
}

/* Makes @n calls; a bit for each that must fail, the first one's lowest. */
static u64 calls(struct kunit *test, unsigned int n)
{
	u64 failed = 0;
	unsigned int i;

	for (i = 0; i < n; i++)
		failed |= (u64)ask(test, i) << i;
	return failed;
}

/* The key is one of the whole module: a test must not leave it on. */
static void inject_exit(struct kunit *test)
{
	struct tally_fake *fake = test->priv;

	if (!fake)
		return;
	tally_inject_disarm(&fake->pf);
	KUNIT_EXPECT_FALSE(test, static_key_enabled(&tally_inject_armed));
	tally_fake_exit(test);
}

/* ---- The driver's ---- */

static void inject_off(struct kunit *test)
{
	struct tally_fake *fake = test->priv;
	enum tally_fault_id id;

	KUNIT_EXPECT_FALSE(test, static_key_enabled(&tally_inject_armed));
	for (id = 0; id < TALLY_NUM_FAULTS; id++) {
		KUNIT_EXPECT_EQ(test, fake->pf.faults.fault[id].knobs[TALLY_KNOB_PROBABILITY], 0);
		KUNIT_EXPECT_NOT_NULL(test, tally_fault_names[id]);
	}
	KUNIT_EXPECT_EQ(test, calls(test, 64), 0);
	/* Another fault that is on does not switch this one on. */
	fake->pf.faults.fault[TALLY_FAULT_MR_REGISTER].knobs[TALLY_KNOB_TIMES] = 0;
	tally_fault_set(&fake->pf.faults.fault[TALLY_FAULT_MR_REGISTER], TALLY_KNOB_PROBABILITY,
			100);
	KUNIT_EXPECT_TRUE(test, static_key_enabled(&tally_inject_armed));
	KUNIT_EXPECT_EQ(test, calls(test, 64), 0);
	KUNIT_EXPECT_EQ(test, fault_of(test)->count, 0);
}

/* As fault_attr has it: once, unless more is asked for. */
static void inject_once(struct kunit *test)
{
	set(test, TALLY_KNOB_PROBABILITY, 100);
	KUNIT_EXPECT_EQ(test, calls(test, 64), 0x1);
	KUNIT_EXPECT_EQ(test, fault_of(test)->count, 1);
	set(test, TALLY_KNOB_TIMES, 3);
	KUNIT_EXPECT_EQ(test, calls(test, 64), 0x7);
	KUNIT_EXPECT_EQ(test, fault_of(test)->count, 4);
	KUNIT_EXPECT_EQ(test, fault_of(test)->knobs[TALLY_KNOB_TIMES], 0);
}

static void inject_always(struct kunit *test)
{
	set(test, TALLY_KNOB_TIMES, TALLY_INJECT_ALWAYS);
	set(test, TALLY_KNOB_PROBABILITY, 100);
	KUNIT_EXPECT_EQ(test, calls(test, 64), U64_MAX);
	KUNIT_EXPECT_EQ(test, fault_of(test)->knobs[TALLY_KNOB_TIMES], TALLY_INJECT_ALWAYS);
	set(test, TALLY_KNOB_PROBABILITY, 0);
	KUNIT_EXPECT_EQ(test, calls(test, 64), 0);
	KUNIT_EXPECT_EQ(test, fault_of(test)->count, 64);
}

/* Interval n and one time is: exactly the n-th call. */
static void inject_nth(struct kunit *test)
{
	unsigned int n;

	for (n = 1; n <= 20; n++) {
		set(test, TALLY_KNOB_PROBABILITY, 100);
		set(test, TALLY_KNOB_TIMES, 1);
		set(test, TALLY_KNOB_INTERVAL, n);
		KUNIT_EXPECT_EQ(test, calls(test, 64), BIT_ULL(n - 1));
	}
}

static void inject_interval(struct kunit *test)
{
	set(test, TALLY_KNOB_TIMES, TALLY_INJECT_ALWAYS);
	set(test, TALLY_KNOB_PROBABILITY, 100);
	set(test, TALLY_KNOB_INTERVAL, 4);
	KUNIT_EXPECT_EQ(test, calls(test, 16), 0x8888);
	set(test, TALLY_KNOB_INTERVAL, 0);
	KUNIT_EXPECT_EQ(test, calls(test, 16), 0xffff);
	/* Writing the probability, too, counts calls anew. */
	set(test, TALLY_KNOB_INTERVAL, 4);
	KUNIT_EXPECT_EQ(test, calls(test, 3), 0);
	set(test, TALLY_KNOB_PROBABILITY, 100);
	KUNIT_EXPECT_EQ(test, calls(test, 4), 0x8);
}

/* What the filter does not let pass is no call at all. */
static void inject_filter(struct kunit *test)
{
	set(test, TALLY_KNOB_TIMES, TALLY_INJECT_ALWAYS);
	set(test, TALLY_KNOB_PROBABILITY, 100);
	set(test, TALLY_KNOB_FILTER, 5);
	KUNIT_EXPECT_EQ(test, calls(test, 64), BIT_ULL(5));
	set(test, TALLY_KNOB_FILTER, 0);
	KUNIT_EXPECT_EQ(test, calls(test, 64), BIT_ULL(0));
	set(test, TALLY_KNOB_FILTER, 9);
	set(test, TALLY_KNOB_INTERVAL, 2);
	KUNIT_EXPECT_EQ(test, calls(test, 64), 0);
	KUNIT_EXPECT_EQ(test, calls(test, 64), BIT_ULL(9));
	set(test, TALLY_KNOB_FILTER, TALLY_INJECT_ANY);
	KUNIT_EXPECT_EQ(test, calls(test, 4), 0xa);
}

static void inject_pid(struct kunit *test)
{
	set(test, TALLY_KNOB_TIMES, TALLY_INJECT_ALWAYS);
	set(test, TALLY_KNOB_PROBABILITY, 100);
	set(test, TALLY_KNOB_PID, task_tgid_nr(current) + 1);
	KUNIT_EXPECT_EQ(test, calls(test, 8), 0);
	set(test, TALLY_KNOB_PID, task_tgid_nr(current));
	KUNIT_EXPECT_EQ(test, calls(test, 8), 0xff);
}

/* About as many as the probability says, and with the same seed the same ones. */
static void inject_probability(struct kunit *test)
{
	struct tally_fake *fake = test->priv;
	u32 percent, failed, i;
	u64 first;

	set(test, TALLY_KNOB_TIMES, TALLY_INJECT_ALWAYS);
	for (percent = 10; percent < 100; percent += 20) {
		tally_inject_seed(&fake->pf, 7);
		set(test, TALLY_KNOB_PROBABILITY, percent);
		for (failed = 0, i = 0; i < 10000; i++)
			failed += ask(test, 0);
		/* 10 standard deviations or more. */
		KUNIT_EXPECT_GE(test, failed, percent * 100 - 500);
		KUNIT_EXPECT_LE(test, failed, percent * 100 + 500);
	}
	tally_inject_seed(&fake->pf, 7);
	first = calls(test, 64);
	KUNIT_EXPECT_NE(test, calls(test, 64), first);
	tally_inject_seed(&fake->pf, 7);
	KUNIT_EXPECT_EQ(test, calls(test, 64), first);
	tally_inject_seed(&fake->pf, 8);
	KUNIT_EXPECT_NE(test, calls(test, 64), first);
}

/* Faults of one device are no other's. */
static void inject_two_devices(struct kunit *test)
{
	struct tally_fake *other = tally_fake_new(test);

	KUNIT_ASSERT_NOT_NULL(test, other);
	set(test, TALLY_KNOB_TIMES, TALLY_INJECT_ALWAYS);
	set(test, TALLY_KNOB_PROBABILITY, 100);
	KUNIT_EXPECT_FALSE(test, tally_inject(&other->pf, FAULT, 0));
	tally_fault_set(&other->pf.faults.fault[FAULT], TALLY_KNOB_PROBABILITY, 100);
	set(test, TALLY_KNOB_PROBABILITY, 0);
	KUNIT_EXPECT_TRUE(test, tally_inject(&other->pf, FAULT, 0));
	KUNIT_EXPECT_FALSE(test, ask(test, 0));
	tally_inject_disarm(&other->pf);
	KUNIT_EXPECT_FALSE(test, static_key_enabled(&tally_inject_armed));
	tally_fake_free(other);
}

/* The key is switched as often as a fault is, not as often as somebody writes. */
static void inject_key(struct kunit *test)
{
	set(test, TALLY_KNOB_PROBABILITY, 50);
	set(test, TALLY_KNOB_PROBABILITY, 100);
	set(test, TALLY_KNOB_INTERVAL, 2);
	KUNIT_EXPECT_TRUE(test, static_key_enabled(&tally_inject_armed));
	set(test, TALLY_KNOB_PROBABILITY, 0);
	KUNIT_EXPECT_FALSE(test, static_key_enabled(&tally_inject_armed));
	set(test, TALLY_KNOB_PROBABILITY, 0);
	set(test, TALLY_KNOB_PROBABILITY, 100);
	KUNIT_EXPECT_TRUE(test, static_key_enabled(&tally_inject_armed));
}

/* ---- Where the driver asks ---- */

static void inject_status(struct kunit *test)
{
	struct tally_fake *fake = test->priv;
	struct tally_fault *fault = &fake->pf.faults.fault[TALLY_FAULT_ADMIN_STATUS];
	u8 body[1] = {};

	tally_fake_serve(fake);
	tally_fault_set(fault, TALLY_KNOB_FILTER, TALLY_ADMIN_QUERY_QP);
	tally_fault_set(fault, TALLY_KNOB_VALUE, TALLY_ADMIN_STATUS_EXISTS);
	tally_fault_set(fault, TALLY_KNOB_PROBABILITY, 100);
	KUNIT_EXPECT_EQ(test, tally_exec(&fake->pf, TALLY_ADMIN_NOP, 0, body, 1), 0);
	KUNIT_EXPECT_EQ(test, tally_exec(&fake->pf, TALLY_ADMIN_QUERY_QP, 0, body, 1), -EEXIST);
	KUNIT_EXPECT_EQ(test, fake->fetched, 1);
	KUNIT_EXPECT_EQ(test, tally_exec(&fake->pf, TALLY_ADMIN_QUERY_QP, 0, body, 1), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&fake->failures), 0);
}

/* The device answers, and the driver does not hear it: the real time-out. */
static void inject_time_out(struct kunit *test)
{
	struct tally_fake *fake = test->priv;
	struct tally_fault *fault = &fake->pf.faults.fault[TALLY_FAULT_ADMIN_TIMEOUT];
	u8 body[1] = {};

	tally_fake_timeout_ms = 100;
	tally_fake_serve(fake);
	tally_fault_set(fault, TALLY_KNOB_PROBABILITY, 100);
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
	set(test, TALLY_KNOB_FILTER, 8);
	set(test, TALLY_KNOB_PROBABILITY, 100);
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

/* ---- The device's ---- */

static u64 nic_count;

static bool reply_count(struct tally_fake *fake, const struct tally_admin_cmd *cmd,
			struct tally_admin_cqe *answer)
{
	answer->status = cpu_to_le16(fake->status);
	answer->value[0] = cpu_to_le64(nic_count);
	return true;
}

static struct tally_fault *nic_fault(struct kunit *test)
{
	struct tally_fake *fake = test->priv;

	nic_count = 0;
	fake->reply = reply_count;
	tally_fake_serve(fake);
	return &fake->pf.faults.fault[NIC_FAULT];
}

static void inject_nic(struct kunit *test)
{
	struct tally_fault *fault = nic_fault(test);
	struct tally_fake *fake = test->priv;
	const struct tally_cmd_inject *body = (const void *)fake->last[TALLY_ADMIN_INJECT].body;

	KUNIT_EXPECT_EQ(test, tally_fault_set_nic(fault, TALLY_KNOB_TIMES, 10), 0);
	KUNIT_EXPECT_EQ(test, tally_fault_set_nic(fault, TALLY_KNOB_FILTER, 44), 0);
	KUNIT_EXPECT_EQ(test, tally_fault_set_nic(fault, TALLY_KNOB_VALUE, 12), 0);
	KUNIT_EXPECT_EQ(test, tally_fault_set_nic(fault, TALLY_KNOB_INTERVAL, 3), 0);
	KUNIT_EXPECT_EQ(test, tally_fault_set_nic(fault, TALLY_KNOB_PROBABILITY, 60), 0);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(body->fault), TALLY_INJECT_CORRUPT_CQE);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(body->action), TALLY_INJECT_ACTION_SET);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(body->probability), 60);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(body->interval), 3);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(body->times), 10);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(body->object), 44);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(body->value), 12);
	/* The driver's hooks have no part in it. */
	KUNIT_EXPECT_FALSE(test, static_key_enabled(&tally_inject_armed));
	nic_count = 4;
	KUNIT_EXPECT_EQ(test, tally_fault_look_nic(fault), 0);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(body->action), TALLY_INJECT_ACTION_QUERY);
	KUNIT_EXPECT_EQ(test, fault->count, 4);
	KUNIT_EXPECT_EQ(test, fault->knobs[TALLY_KNOB_TIMES], 6);
}

static void inject_nic_refused(struct kunit *test)
{
	struct tally_fault *fault = nic_fault(test);
	struct tally_fake *fake = test->priv;

	fake->status = TALLY_ADMIN_STATUS_BAD_FIELD;
	KUNIT_EXPECT_EQ(test, tally_fault_set_nic(fault, TALLY_KNOB_VALUE, 9999), -EINVAL);
	KUNIT_EXPECT_EQ(test, fault->knobs[TALLY_KNOB_VALUE], 0);
}

/* The device begins anew, the driver's count goes on. */
static void inject_nic_reset(struct kunit *test)
{
	struct tally_fault *fault = nic_fault(test);
	struct tally_fake *fake = test->priv;

	KUNIT_EXPECT_EQ(test, tally_fault_set_nic(fault, TALLY_KNOB_TIMES, TALLY_INJECT_ALWAYS), 0);
	KUNIT_EXPECT_EQ(test, tally_fault_set_nic(fault, TALLY_KNOB_PROBABILITY, 100), 0);
	nic_count = 5;
	KUNIT_EXPECT_EQ(test, tally_fault_look_nic(fault), 0);
	tally_inject_device_reset(&fake->pf);
	nic_count = 0;
	KUNIT_EXPECT_EQ(test, fault->knobs[TALLY_KNOB_PROBABILITY], 0);
	KUNIT_EXPECT_EQ(test, tally_fault_look_nic(fault), 0);
	KUNIT_EXPECT_EQ(test, fault->count, 5);
	nic_count = 2;
	KUNIT_EXPECT_EQ(test, tally_fault_look_nic(fault), 0);
	KUNIT_EXPECT_EQ(test, fault->count, 7);
	KUNIT_EXPECT_EQ(test, fault->knobs[TALLY_KNOB_TIMES], TALLY_INJECT_ALWAYS);
}

static struct kunit_case inject_cases[] = {
	KUNIT_CASE(inject_off),
	KUNIT_CASE(inject_once),
	KUNIT_CASE(inject_always),
	KUNIT_CASE(inject_nth),
	KUNIT_CASE(inject_interval),
	KUNIT_CASE(inject_filter),
	KUNIT_CASE(inject_pid),
	KUNIT_CASE(inject_probability),
	KUNIT_CASE(inject_two_devices),
	KUNIT_CASE(inject_key),
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
	.exit = inject_exit,
	.test_cases = inject_cases,
};

kunit_test_suite(inject_suite);
