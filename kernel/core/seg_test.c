// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The segment allocator, compared with a plain array of the owner of each segment. */
#include <linux/prandom.h>

#include "test/fake.h"

#include "seg.c"

#define NUM_RANGES 64
#define NUM_STEPS 4000
#define SEED 20240601

/* A quota above the device's number of segments, so that the allocator decides. */
static struct tally_quota *big_quota(struct kunit *test)
{
	struct tally_fake *fake = test->priv;
	struct tally_dev tdev = fake->pf.pub;
	struct tally_quota *quota;

	tdev.caps.max_seg = 4 * TALLY_MAX_SEG;
	quota = tally_quota_create(&tdev);
	KUNIT_ASSERT_NOT_NULL(test, quota);
	return quota;
}

static struct tally_segs *alloc(struct kunit *test, struct tally_quota *quota, u32 count)
{
	struct tally_fake *fake = test->priv;

	return tally_segs_alloc(&fake->pf.pub, quota, count);
}

/* Allocates a range that must fit. */
static struct tally_segs *must_alloc(struct kunit *test, struct tally_quota *quota, u32 count)
{
	struct tally_segs *segs = alloc(test, quota, count);

	KUNIT_ASSERT_FALSE(test, IS_ERR(segs));
	KUNIT_EXPECT_EQ(test, tally_segs_count(segs), count);
	KUNIT_EXPECT_TRUE(test, IS_ALIGNED(tally_segs_base(segs), count));
	return segs;
}

static void expect_empty(struct kunit *test)
{
	struct tally_fake *fake = test->priv;
	u32 i;

	KUNIT_EXPECT_TRUE(test, bitmap_empty(fake->pf.seg_map, TALLY_MAX_SEG));
	for (i = 0; i < TALLY_MAX_SEG; i++)
		KUNIT_EXPECT_PTR_EQ(test, fake->pf.segs[i], NULL);
}

static void seg_refuses_counts(struct kunit *test)
{
	static const u32 bad[] = { 0, 3, 5, 6, 7, 9, 12, TALLY_MAX_GROUP_SEGS - 1,
				   TALLY_MAX_GROUP_SEGS + 1, 2 * TALLY_MAX_GROUP_SEGS, U32_MAX };
	struct tally_quota *quota = big_quota(test);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++)
		KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(alloc(test, quota, bad[i])), -EINVAL);
	expect_empty(test);
	tally_quota_put(quota);
}

/* Ranges of each size fill the device in natural alignment, up to the last segment. */
static void seg_fills_device(struct kunit *test)
{
	struct tally_fake *fake = test->priv;
	struct tally_quota *quota = big_quota(test);
	struct tally_segs **segs;
	u32 count, i;

	segs = kunit_kcalloc(test, TALLY_MAX_SEG, sizeof(*segs), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, segs);
	for (count = 1; count <= TALLY_MAX_GROUP_SEGS; count *= 2) {
		for (i = 0; i < TALLY_MAX_SEG / count; i++)
			segs[i] = must_alloc(test, quota, count);
		KUNIT_EXPECT_TRUE(test, bitmap_full(fake->pf.seg_map, TALLY_MAX_SEG));
		KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(alloc(test, quota, 1)), -ENOSPC);
		while (i--)
			tally_segs_put(segs[i]);
		expect_empty(test);
	}
	tally_quota_put(quota);
}

/* If the number of segments is not a power of two, the rest at the end is used, and no more. */
static void seg_odd_device(struct kunit *test)
{
	struct tally_fake *fake = test->priv;
	struct tally_quota *quota = big_quota(test);
	struct tally_segs *segs[4];
	unsigned int i;

	fake->pf.pub.caps.max_seg = 13;
	segs[0] = must_alloc(test, quota, 8);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(alloc(test, quota, 8)), -ENOSPC);
	segs[1] = must_alloc(test, quota, 4);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(alloc(test, quota, 2)), -ENOSPC);
	segs[2] = must_alloc(test, quota, 1);
	KUNIT_EXPECT_EQ(test, tally_segs_base(segs[0]), 0);
	KUNIT_EXPECT_EQ(test, tally_segs_base(segs[1]), 8);
	KUNIT_EXPECT_EQ(test, tally_segs_base(segs[2]), 12);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(alloc(test, quota, 1)), -ENOSPC);
	for (i = 0; i < 3; i++)
		tally_segs_put(segs[i]);
	expect_empty(test);
	tally_quota_put(quota);
}

/* The first free aligned block is taken, even if it precedes ranges in use. */
static void seg_first_free(struct kunit *test)
{
	struct tally_fake *fake = test->priv;
	struct tally_quota *quota = big_quota(test);
	struct tally_segs *a, *b, *c, *d;

	fake->pf.pub.caps.max_seg = 32;
	a = must_alloc(test, quota, 16);
	b = must_alloc(test, quota, 4);
	KUNIT_EXPECT_EQ(test, tally_segs_base(b), 16);
	c = must_alloc(test, quota, 8);
	KUNIT_EXPECT_EQ(test, tally_segs_base(c), 24);
	tally_segs_put(a);
	d = must_alloc(test, quota, 2);
	KUNIT_EXPECT_EQ(test, tally_segs_base(d), 0);
	a = must_alloc(test, quota, 8);
	KUNIT_EXPECT_EQ(test, tally_segs_base(a), 8);
	tally_segs_put(a);
	tally_segs_put(b);
	tally_segs_put(c);
	tally_segs_put(d);
	expect_empty(test);
	tally_quota_put(quota);
}

/* Every second segment is free: no two of them form a range. */
static void seg_fragmented(struct kunit *test)
{
	struct tally_fake *fake = test->priv;
	struct tally_quota *quota = big_quota(test);
	struct tally_segs *segs[16], *pair;
	unsigned int i;

	fake->pf.pub.caps.max_seg = ARRAY_SIZE(segs);
	for (i = 0; i < ARRAY_SIZE(segs); i++)
		segs[i] = must_alloc(test, quota, 1);
	for (i = 0; i < ARRAY_SIZE(segs); i += 2)
		tally_segs_put(segs[i]);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(alloc(test, quota, 2)), -ENOSPC);
	/* Adjacent segments that become free form one block at once, if they are buddies. */
	tally_segs_put(segs[5]);
	pair = must_alloc(test, quota, 2);
	KUNIT_EXPECT_EQ(test, tally_segs_base(pair), 4);
	tally_segs_put(pair);
	for (i = 1; i < ARRAY_SIZE(segs); i += 2)
		if (i != 5)
			tally_segs_put(segs[i]);
	expect_empty(test);
	tally_quota_put(quota);
}

/* Owner of each segment in a plain array: 0, or the number of a range from 1. */
struct model {
	u8 owner[TALLY_MAX_SEG];
	struct tally_segs *segs[NUM_RANGES + 1];
	u32 used;
};

/* Returns whether there is a free aligned block of this size, by a slow search. */
static bool model_has_room(const struct model *model, u32 count)
{
	u32 base;

	for (base = 0; base < TALLY_MAX_SEG; base += count)
		if (!memchr_inv(&model->owner[base], 0, count))
			return true;
	return false;
}

static void model_take(struct kunit *test, struct model *model, unsigned int n, u32 count,
		       struct tally_quota *quota)
{
	struct tally_segs *segs = alloc(test, quota, count);
	u32 base;

	if (IS_ERR(segs)) {
		KUNIT_ASSERT_EQ(test, PTR_ERR(segs), -ENOSPC);
		KUNIT_ASSERT_FALSE(test, model_has_room(model, count));
		return;
	}
	base = tally_segs_base(segs);
	KUNIT_ASSERT_TRUE(test, IS_ALIGNED(base, count));
	KUNIT_ASSERT_LE(test, base + count, TALLY_MAX_SEG);
	KUNIT_ASSERT_PTR_EQ(test, memchr_inv(&model->owner[base], 0, count), NULL);
	memset(&model->owner[base], n, count);
	model->segs[n] = segs;
	model->used += count;
}

static void model_give(struct model *model, unsigned int n)
{
	struct tally_segs *segs = model->segs[n];

	memset(&model->owner[tally_segs_base(segs)], 0, tally_segs_count(segs));
	model->used -= tally_segs_count(segs);
	model->segs[n] = NULL;
	tally_segs_put(segs);
}

/* Random allocations and releases. */
static void seg_random(struct kunit *test)
{
	struct tally_fake *fake = test->priv;
	struct tally_quota *quota = big_quota(test);
	unsigned int step, n;
	struct rnd_state rnd;
	struct model *model;

	model = kunit_kzalloc(test, sizeof(*model), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, model);
	prandom_seed_state(&rnd, SEED);
	for (step = 0; step < NUM_STEPS; step++) {
		u32 size = 1 << prandom_u32_state(&rnd) % (ilog2(TALLY_MAX_GROUP_SEGS) + 1);

		n = 1 + prandom_u32_state(&rnd) % NUM_RANGES;
		if (model->segs[n])
			model_give(model, n);
		else
			model_take(test, model, n, size, quota);
		KUNIT_ASSERT_EQ(test, bitmap_weight(fake->pf.seg_map, TALLY_MAX_SEG), model->used);
	}
	for (n = 1; n <= NUM_RANGES; n++)
		if (model->segs[n])
			model_give(model, n);
	expect_empty(test);
	tally_quota_put(quota);
}

/* The quota is charged, and uncharged if the device has no room. */
static void seg_charges_quota(struct kunit *test)
{
	struct tally_fake *fake = test->priv;
	struct tally_quota *quota = tally_quota_create(&fake->pf.pub), *other;
	u32 half = TALLY_MAX_SEG / 2, i;
	struct tally_segs **segs;

	KUNIT_ASSERT_NOT_NULL(test, quota);
	other = big_quota(test);
	segs = kunit_kcalloc(test, half + 1, sizeof(*segs), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, segs);
	for (i = 0; i < half; i++)
		segs[i] = must_alloc(test, quota, 1);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(alloc(test, quota, 1)), -EDQUOT);
	tally_segs_put(segs[0]);
	fake->pf.pub.caps.max_seg = half;
	segs[0] = must_alloc(test, other, 1);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(alloc(test, quota, 1)), -ENOSPC);
	fake->pf.pub.caps.max_seg = TALLY_MAX_SEG;
	segs[half] = must_alloc(test, quota, 1);
	for (i = 0; i <= half; i++)
		tally_segs_put(segs[i]);
	expect_empty(test);
	tally_quota_put(quota);
	tally_quota_put(other);
}

/* One group at a time may claim a range, which outlives its owner meanwhile. */
static void seg_claim(struct kunit *test)
{
	struct tally_fake *fake = test->priv;
	struct tally_quota *quota = big_quota(test);
	struct tally_segs *segs = must_alloc(test, quota, 4);

	KUNIT_EXPECT_TRUE(test, tally_segs_claim(segs));
	KUNIT_EXPECT_FALSE(test, tally_segs_claim(segs));
	tally_segs_release(segs);
	KUNIT_EXPECT_TRUE(test, tally_segs_claim(segs));
	tally_segs_put(segs);
	KUNIT_EXPECT_EQ(test, bitmap_weight(fake->pf.seg_map, TALLY_MAX_SEG), 4);
	tally_segs_release(segs);
	expect_empty(test);
	tally_quota_put(quota);
}

/* The ranges and free blocks that debugfs shows cover the whole device. */
static void seg_look(struct kunit *test)
{
	static const struct { u32 base, count; bool taken; } want[] = {
		{ 0, 2, true }, { 2, 1, true }, { 3, 1, false }, { 4, 4, false }, { 8, 8, true },
		{ 16, 4, false },
	};
	struct tally_fake *fake = test->priv;
	struct tally_quota *quota = big_quota(test);
	struct tally_segs *one, *two, *eight, *gone;
	struct tally_segs_view *views;
	unsigned int i, n;

	fake->pf.pub.caps.max_seg = 20;
	views = kunit_kcalloc(test, 20, sizeof(*views), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, views);
	gone = must_alloc(test, quota, 8);
	eight = must_alloc(test, quota, 8);
	tally_segs_put(gone);
	two = must_alloc(test, quota, 2);
	one = must_alloc(test, quota, 1);
	n = tally_segs_snapshot(&fake->pf, views);
	KUNIT_ASSERT_EQ(test, n, ARRAY_SIZE(want));
	for (i = 0; i < n; i++) {
		KUNIT_EXPECT_EQ(test, views[i].base, want[i].base);
		KUNIT_EXPECT_EQ(test, views[i].count, want[i].count);
		KUNIT_EXPECT_EQ(test, views[i].taken, want[i].taken);
		KUNIT_EXPECT_FALSE(test, views[i].grouped);
	}
	KUNIT_EXPECT_EQ(test, views[0].owner.pid, task_tgid_nr(current));
	tally_segs_put(one);
	tally_segs_put(two);
	tally_segs_put(eight);
	expect_empty(test);
	tally_quota_put(quota);
}

static struct kunit_case seg_cases[] = {
	KUNIT_CASE(seg_refuses_counts),
	KUNIT_CASE(seg_fills_device),
	KUNIT_CASE(seg_odd_device),
	KUNIT_CASE(seg_first_free),
	KUNIT_CASE(seg_fragmented),
	KUNIT_CASE(seg_random),
	KUNIT_CASE(seg_charges_quota),
	KUNIT_CASE(seg_claim),
	KUNIT_CASE(seg_look),
	{}
};

static struct kunit_suite seg_suite = {
	.name = "tally_seg",
	.init = tally_fake_init,
	.exit = tally_fake_exit,
	.test_cases = seg_cases,
};

kunit_test_suite(seg_suite);
