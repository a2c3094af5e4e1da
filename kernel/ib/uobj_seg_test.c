// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Segment ranges as uverbs objects: arguments and results of calls, and cleanup after failures. */
#include "core/quota.h"
#include "core/seg.h"
#include "test/fake_uverbs.h"

#include "uobj_seg.c"

#define COUNT 8

static u32 seg_count, seg_base;

static int seg_init(struct kunit *test)
{
	fake_uverbs_init(test);
	seg_count = COUNT;
	seg_base = U32_MAX;
	fake_attr_set(TALLY_ATTR_SEG_ALLOC_COUNT, &seg_count, sizeof(seg_count));
	fake_attr_set(TALLY_ATTR_SEG_ALLOC_RESP_BASE, &seg_base, sizeof(seg_base));
	return 0;
}

static int seg_alloc(void)
{
	return fake_call_new(UVERBS_HANDLER(TALLY_METHOD_SEG_ALLOC), uobj_seg_free);
}

static unsigned int segs_taken(struct kunit *test)
{
	struct tally_fake *fake = test->priv;

	return bitmap_weight(fake->pf.seg_map, TALLY_MAX_SEG);
}

static void seg_life(struct kunit *test)
{
	struct ib_uobject first;

	KUNIT_ASSERT_EQ(test, seg_alloc(), 0);
	KUNIT_EXPECT_EQ(test, tally_segs_count(call.uobject.object), COUNT);
	KUNIT_EXPECT_EQ(test, seg_base, tally_segs_base(call.uobject.object));
	first = call.uobject;
	KUNIT_ASSERT_EQ(test, seg_alloc(), 0);
	KUNIT_EXPECT_EQ(test, seg_base, COUNT);
	KUNIT_EXPECT_EQ(test, segs_taken(test), 2 * COUNT);
	KUNIT_EXPECT_EQ(test, uobj_seg_free(&first, RDMA_REMOVE_DESTROY, user.attrs), 0);
	KUNIT_EXPECT_EQ(test, segs_taken(test), COUNT);
	KUNIT_EXPECT_EQ(test, uobj_seg_free(&call.uobject, RDMA_REMOVE_CLOSE, user.attrs), 0);
	KUNIT_EXPECT_EQ(test, segs_taken(test), 0);
}

static void seg_copies_fail(struct kunit *test)
{
	fake_attr(TALLY_ATTR_SEG_ALLOC_COUNT)->fails = true;
	KUNIT_EXPECT_EQ(test, seg_alloc(), -EFAULT);
	KUNIT_EXPECT_FALSE(test, call.finalized);
	fake_attr(TALLY_ATTR_SEG_ALLOC_COUNT)->fails = false;
	/* The range exists before the answer, and is freed with the object. */
	fake_attr(TALLY_ATTR_SEG_ALLOC_RESP_BASE)->fails = true;
	KUNIT_EXPECT_EQ(test, seg_alloc(), -EFAULT);
	KUNIT_EXPECT_TRUE(test, call.finalized);
	KUNIT_EXPECT_EQ(test, segs_taken(test), 0);
}

static void seg_refused(struct kunit *test)
{
	static const u32 bad[] = { 0, 3, COUNT + 1, 2 * TALLY_MAX_GROUP_SEGS, U32_MAX };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		seg_count = bad[i];
		KUNIT_EXPECT_EQ_MSG(test, seg_alloc(), -EINVAL, "%u segments", bad[i]);
		KUNIT_EXPECT_FALSE(test, call.finalized);
		KUNIT_EXPECT_NULL(test, call.uobject.object);
	}
	KUNIT_EXPECT_EQ(test, seg_base, U32_MAX);
}

/* The process first takes its half of the device, then all of a smaller device. */
static void seg_no_room(struct kunit *test)
{
	struct tally_fake *fake = test->priv;
	struct ib_uobject first;

	KUNIT_ASSERT_TRUE(test, tally_quota_charge_segs(user.ctx.quota,
							TALLY_MAX_SEG / 2 - COUNT / 2));
	KUNIT_EXPECT_EQ(test, seg_alloc(), -EDQUOT);
	tally_quota_uncharge_segs(user.ctx.quota, TALLY_MAX_SEG / 2 - COUNT / 2);
	fake->pf.pub.caps.max_seg = COUNT;
	KUNIT_ASSERT_EQ(test, seg_alloc(), 0);
	seg_count = 1;
	seg_base = U32_MAX;
	first = call.uobject;
	KUNIT_EXPECT_EQ(test, seg_alloc(), -ENOSPC);
	KUNIT_EXPECT_EQ(test, seg_base, U32_MAX);
	uobj_seg_free(&first, RDMA_REMOVE_DESTROY, user.attrs);
	KUNIT_ASSERT_EQ(test, seg_alloc(), 0);
	uobj_seg_free(&call.uobject, RDMA_REMOVE_DESTROY, user.attrs);
}

/* The process releases a range that a group uses. The group keeps it until it ends. */
static void seg_outlived_by_group(struct kunit *test)
{
	struct tally_segs *segs;

	KUNIT_ASSERT_EQ(test, seg_alloc(), 0);
	segs = call.uobject.object;
	KUNIT_ASSERT_TRUE(test, tally_segs_claim(segs));
	KUNIT_EXPECT_EQ(test, uobj_seg_free(&call.uobject, RDMA_REMOVE_DESTROY, user.attrs), 0);
	KUNIT_EXPECT_EQ(test, segs_taken(test), COUNT);
	tally_segs_release(segs);
	KUNIT_EXPECT_EQ(test, segs_taken(test), 0);
}

/* Freeing a range needs no command to the device. */
static void seg_without_device(struct kunit *test)
{
	struct tally_fake *fake = test->priv;

	KUNIT_ASSERT_EQ(test, seg_alloc(), 0);
	tally_fail(&fake->pf, "test");
	KUNIT_EXPECT_EQ(test, uobj_seg_free(&call.uobject, RDMA_REMOVE_DRIVER_REMOVE, user.attrs), 0);
	KUNIT_EXPECT_EQ(test, segs_taken(test), 0);
	KUNIT_EXPECT_EQ(test, fake->fetched, 0);
}

static struct kunit_case seg_cases[] = {
	KUNIT_CASE(seg_life),
	KUNIT_CASE(seg_copies_fail),
	KUNIT_CASE(seg_refused),
	KUNIT_CASE(seg_no_room),
	KUNIT_CASE(seg_outlived_by_group),
	KUNIT_CASE(seg_without_device),
	{}
};

static struct kunit_suite seg_suite = {
	.name = "tally_ib_uobj_seg",
	.init = seg_init,
	.exit = fake_user_exit,
	.test_cases = seg_cases,
};

kunit_test_suite(seg_suite);
