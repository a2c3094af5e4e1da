// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory regions: keys are not reused, failures are cleaned up, and the device releases memory
 * first.
 */
#include "test/fake_user.h"

#include "mr.c"

#define PDN 5
#define BYTES 8192
#define IOVA 0x7f0000001000

static struct tally_pd pd;
static int pins_at_dereg;

/* Records the pinned pages when the device releases a region. */
static bool reply_watch(struct tally_fake *fake, const struct tally_admin_cmd *cmd,
			struct tally_admin_cqe *answer)
{
	if (le16_to_cpu(cmd->opcode) == TALLY_ADMIN_DEREG_MR)
		pins_at_dereg = user.pins;
	answer->status = cpu_to_le16(fake->status);
	return true;
}

static int mr_init(struct kunit *test)
{
	struct tally_ibdev *dev;
	struct tally_fake *fake;

	fake_user_init(test);
	fake = test->priv;
	dev = tally_fake_ib(test);
	fake->reply = reply_watch;
	dev->mr_variants = kunit_kzalloc(test, TALLY_MAX_MR, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, dev->mr_variants);
	pd = (struct tally_pd){ .pdn = PDN, .ibpd.device = &dev->ibdev };
	pins_at_dereg = -1;
	return 0;
}

static struct ib_mr *reg(u64 start, u64 length, u64 iova, int access)
{
	struct ib_mr *ibmr = tally_ib_reg_user_mr(&pd.ibpd, start, length, iova, access,
						  &user.attrs->driver_udata);

	if (!IS_ERR(ibmr))
		ibmr->device = pd.ibpd.device;	/* like the core */
	return ibmr;
}

static struct ib_mr *reg_good(void)
{
	return reg(0x10000, BYTES, IOVA, IB_ACCESS_LOCAL_WRITE);
}

static void mr_life(struct kunit *test)
{
	struct tally_fake *fake = test->priv;
	const struct tally_cmd_reg_mr *body = (const void *)fake->last[TALLY_ADMIN_REG_MR].body;
	struct ib_mr *ibmr = reg_good();

	KUNIT_ASSERT_FALSE(test, IS_ERR(ibmr));
	KUNIT_EXPECT_EQ(test, le32_to_cpu(body->lkey), ibmr->lkey);
	KUNIT_EXPECT_EQ(test, ibmr->rkey, ibmr->lkey);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(body->pd), PDN);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(body->access), TALLY_ACCESS_LOCAL_WRITE);
	KUNIT_EXPECT_EQ(test, le64_to_cpu(body->iova), IOVA);
	KUNIT_EXPECT_EQ(test, le64_to_cpu(body->buf.length), BYTES);
	KUNIT_EXPECT_EQ(test, tally_ib_dereg_mr(ibmr, NULL), 0);
	/* The device releases the memory before its pages are unpinned. */
	KUNIT_EXPECT_EQ(test, pins_at_dereg, 1);
}

/* A stale key differs from that of the index's next user, and no key is 0. */
static void mr_keys(struct kunit *test)
{
	struct ib_mr *ibmr;
	u32 last = 0;
	int i;

	for (i = 0; i < 600; i++) {
		ibmr = reg_good();
		KUNIT_ASSERT_FALSE(test, IS_ERR(ibmr));
		KUNIT_ASSERT_NE(test, ibmr->lkey, 0);
		KUNIT_ASSERT_NE(test, ibmr->lkey, last);
		last = ibmr->lkey;
		tally_ib_dereg_mr(ibmr, NULL);
	}
}

static void mr_fails(struct kunit *test)
{
	static const struct { enum fake_fail fail; int err; } cases[] = {
		{ FAIL_PIN, -ENOMEM }, { FAIL_QUOTA, -EDQUOT }, { FAIL_DEVICE, -ENOSPC },
	};
	struct tally_fake *fake = test->priv;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		unsigned int spent = 0;

		if (cases[i].fail == FAIL_QUOTA)
			spent = TALLY_MAX_MR / 2;
		user.fail = cases[i].fail;
		fake->status = 0;
		if (user.fail == FAIL_DEVICE)
			fake->status = TALLY_ADMIN_STATUS_NO_RESOURCE;
		fake_spend(TALLY_QUOTA_MR, true, spent);
		KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(reg_good()), cases[i].err);
		fake_spend(TALLY_QUOTA_MR, false, spent);
		KUNIT_EXPECT_EQ(test, user.pins, 0);
		KUNIT_EXPECT_TRUE(test, ida_is_empty(&tally_fake_ib(test)->mrs));
	}
}

static void mr_no_number(struct kunit *test)
{
	struct tally_fake *fake = test->priv;
	struct ib_mr *ibmr;

	fake->pf.pub.caps.max_mr = 1;
	ibmr = reg_good();
	KUNIT_ASSERT_FALSE(test, IS_ERR(ibmr));
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(reg_good()), -ENOSPC);
	KUNIT_EXPECT_EQ(test, user.pins, 1);
	tally_ib_dereg_mr(ibmr, NULL);
}

static void mr_refused(struct kunit *test)
{
	struct tally_fake *fake = test->priv;

	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(reg(0x1000, 0, IOVA, 0)), -EINVAL);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(reg(0x1000, 2, U64_MAX, 0)), -EINVAL);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(reg(0x1000, tally_umem_max() + 1, 0, 0)), -EINVAL);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(reg(0x1000, 8, IOVA, IB_ACCESS_MW_BIND)),
			-EOPNOTSUPP);
	user.attrs->driver_udata.inlen = 8;
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(reg_good()), -EINVAL);
	KUNIT_EXPECT_EQ(test, fake->seen[TALLY_ADMIN_REG_MR], 0);
}

/* Relaxed ordering is a hint that the device does not need, and does not change the command. */
static void mr_relaxed(struct kunit *test)
{
	struct tally_fake *fake = test->priv;
	const struct tally_cmd_reg_mr *body = (const void *)fake->last[TALLY_ADMIN_REG_MR].body;
	struct ib_mr *ibmr = reg(0x10000, BYTES, IOVA, IB_ACCESS_LOCAL_WRITE |
				 IB_ACCESS_RELAXED_ORDERING);

	KUNIT_ASSERT_FALSE(test, IS_ERR(ibmr));
	KUNIT_EXPECT_EQ(test, le32_to_cpu(body->access), TALLY_ACCESS_LOCAL_WRITE);
	tally_ib_dereg_mr(ibmr, NULL);
}

static int rereg(struct ib_mr *ibmr, int flags)
{
	return PTR_ERR_OR_ZERO(tally_ib_rereg_user_mr(ibmr, flags, 0x20000, BYTES, IOVA,
						      IB_ACCESS_LOCAL_WRITE, &pd.ibpd,
						      &user.attrs->driver_udata));
}

/* The file of a dma-buf may be another one now, so a change would need its memory again. */
static void mr_cannot_change(struct kunit *test)
{
	struct tally_mr mr = {
		.ibmr.device = pd.ibpd.device,
		.what = { .length = BYTES, .iova = IOVA, .fd = 3 },
	};

	KUNIT_EXPECT_EQ(test, rereg(&mr.ibmr, IB_MR_REREG_ACCESS), -EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, rereg(&mr.ibmr, IB_MR_REREG_PD), -EOPNOTSUPP);
	mr.what.fd = -1;
	KUNIT_EXPECT_EQ(test, rereg(&mr.ibmr, IB_MR_REREG_SUPPORTED + 1), -EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, user.pins, 0);
}

static struct kunit_case mr_cases[] = {
	KUNIT_CASE(mr_life),
	KUNIT_CASE(mr_keys),
	KUNIT_CASE(mr_fails),
	KUNIT_CASE(mr_no_number),
	KUNIT_CASE(mr_refused),
	KUNIT_CASE(mr_relaxed),
	KUNIT_CASE(mr_cannot_change),
	{}
};

static struct kunit_suite mr_suite = {
	.name = "tally_ib_mr",
	.init = mr_init,
	.exit = fake_user_exit,
	.test_cases = mr_cases,
};

kunit_test_suite(mr_suite);
