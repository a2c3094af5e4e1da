// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Quotas: limits are exact, even if several processes charge at once. */
#include <linux/kthread.h>

#include "test/fake.h"

/*
 * All quotas of all suites are counted, and checked when they are freed. When a suite ends, none is
 * left, and none was freed with charges (test/fake.c).
 */
atomic_t tally_fake_quotas;
atomic_t tally_fake_debts;

static void *quota_alloc(size_t size, gfp_t gfp)
{
	void *quota = kmalloc(size, gfp | __GFP_ZERO);

	if (quota)
		atomic_inc(&tally_fake_quotas);
	return quota;
}

static void quota_free(struct tally_quota *quota);

#define kzalloc(size, gfp) quota_alloc(size, gfp)
#define kfree(quota) quota_free(quota)
#include "quota.c"
#undef kfree

static void quota_free(struct tally_quota *quota)
{
	enum tally_quota_kind kind;
	bool owes = atomic_read(&quota->segs) || atomic_read(&quota->groups) ||
		    atomic_read(&quota->edges) || atomic_read(&quota->cells);

	for (kind = 0; kind < TALLY_NUM_QUOTAS; kind++)
		owes |= atomic_read(&quota->objects[kind]);
	if (owes)
		atomic_inc(&tally_fake_debts);
	atomic_dec(&tally_fake_quotas);
	kfree(quota);
}

#define NUM_CALLERS 4
#define NUM_CALLS 2000

static struct tally_quota *create(struct kunit *test, u32 max_seg, u32 max_group)
{
	struct tally_dev tdev = { .caps = { .max_seg = max_seg, .max_group = max_group } };
	struct tally_quota *quota = tally_quota_create(&tdev);

	KUNIT_ASSERT_NOT_NULL(test, quota);
	return quota;
}

/* A quota is half of everything, or the whole of a single thing. */
static void quota_limits(struct kunit *test)
{
	struct tally_quota *quota = create(test, TALLY_MAX_SEG, TALLY_MAX_GROUP);

	KUNIT_EXPECT_EQ(test, tally_quota_segs(quota), TALLY_MAX_SEG / 2);
	KUNIT_EXPECT_EQ(test, tally_quota_groups(quota), TALLY_MAX_GROUP / 2);
	KUNIT_EXPECT_EQ(test, tally_quota_cells(quota), TALLY_RMQ_CELLS / 2);
	tally_quota_put(quota);
	quota = create(test, 1, 1);
	KUNIT_EXPECT_EQ(test, tally_quota_segs(quota), 1);
	KUNIT_EXPECT_EQ(test, tally_quota_groups(quota), 1);
	tally_quota_put(quota);
}

static void quota_segs(struct kunit *test)
{
	struct tally_quota *quota = create(test, 20, 2);

	KUNIT_EXPECT_TRUE(test, tally_quota_charge_segs(quota, 8));
	KUNIT_EXPECT_FALSE(test, tally_quota_charge_segs(quota, 4));
	KUNIT_EXPECT_TRUE(test, tally_quota_charge_segs(quota, 2));
	KUNIT_EXPECT_FALSE(test, tally_quota_charge_segs(quota, 1));
	KUNIT_EXPECT_FALSE(test, tally_quota_charge_segs(quota, TALLY_MAX_GROUP_SEGS));
	tally_quota_uncharge_segs(quota, 8);
	KUNIT_EXPECT_TRUE(test, tally_quota_charge_segs(quota, 8));
	KUNIT_EXPECT_EQ(test, atomic_read(&quota->segs), 10);
	tally_quota_uncharge_segs(quota, 10);
	tally_quota_put(quota);
}

/* A group is charged together with its cells, or not at all. */
static void quota_groups_and_cells(struct kunit *test)
{
	struct tally_quota *quota = create(test, 2, 8);
	struct tally_blame blame;
	u32 cells = tally_quota_cells(quota);
	unsigned int i;

	KUNIT_EXPECT_TRUE(test, tally_quota_charge_group(quota, 0, cells - 1, &blame));
	KUNIT_EXPECT_FALSE(test, tally_quota_charge_group(quota, 0, 2, &blame));
	KUNIT_EXPECT_EQ(test, blame.offset, offsetof(struct tally_group_cfg, msg_cells));
	KUNIT_EXPECT_TRUE(test, blame.in_config && !blame.no_group);
	KUNIT_EXPECT_EQ(test, atomic_read(&quota->groups), 1);
	KUNIT_EXPECT_TRUE(test, tally_quota_charge_group(quota, 0, 1, &blame));
	KUNIT_EXPECT_TRUE(test, tally_quota_charge_group(quota, 0, 0, &blame));
	KUNIT_EXPECT_TRUE(test, tally_quota_charge_group(quota, 0, 0, &blame));
	KUNIT_EXPECT_FALSE(test, tally_quota_charge_group(quota, 0, 0, &blame));
	KUNIT_EXPECT_TRUE(test, blame.no_group && !blame.in_config);
	tally_quota_uncharge_group(quota, 0, 1);
	KUNIT_EXPECT_FALSE(test, tally_quota_charge_group(quota, 0, 2, &blame));
	KUNIT_EXPECT_TRUE(test, tally_quota_charge_group(quota, 0, 1, &blame));
	KUNIT_EXPECT_EQ(test, atomic_read(&quota->groups), 4);
	KUNIT_EXPECT_EQ(test, atomic_read(&quota->cells), cells);
	tally_quota_uncharge_group(quota, 0, cells);
	for (i = 0; i < 3; i++)
		tally_quota_uncharge_group(quota, 0, 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&quota->cells), 0);
	tally_quota_put(quota);
}

/* A group is charged together with its edges, or not at all. */
static void quota_edges(struct kunit *test)
{
	struct tally_dev tdev = { .caps = { .max_group = 8, .max_edges = 20 } };
	struct tally_quota *quota = tally_quota_create(&tdev);
	struct tally_blame blame;

	KUNIT_ASSERT_NOT_NULL(test, quota);
	KUNIT_EXPECT_EQ(test, tally_quota_edges(quota), 10);
	KUNIT_EXPECT_TRUE(test, tally_quota_charge_group(quota, 8, 0, &blame));
	KUNIT_EXPECT_FALSE(test, tally_quota_charge_group(quota, 3, 1, &blame));
	KUNIT_EXPECT_EQ(test, blame.offset, offsetof(struct tally_group_cfg, num_edges));
	KUNIT_EXPECT_TRUE(test, blame.in_config && !blame.no_group);
	KUNIT_EXPECT_EQ(test, atomic_read(&quota->groups), 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&quota->edges), 8);
	KUNIT_EXPECT_EQ(test, atomic_read(&quota->cells), 0);
	KUNIT_EXPECT_FALSE(test, tally_quota_charge_group(quota, 2, tally_quota_cells(quota) + 1,
							  &blame));
	KUNIT_EXPECT_EQ(test, atomic_read(&quota->edges), 8);
	KUNIT_EXPECT_TRUE(test, tally_quota_charge_group(quota, 2, 0, &blame));
	tally_quota_uncharge_group(quota, 8, 0);
	KUNIT_EXPECT_TRUE(test, tally_quota_charge_group(quota, 8, 0, &blame));
	tally_quota_uncharge_group(quota, 8, 0);
	tally_quota_uncharge_group(quota, 2, 0);
	tally_quota_put(quota);
}

/*
 * On a device with all that the ABI allows, a process may hold 16 groups with as many edges as a
 * group may have, and two edges for each of the other groups that it may hold.
 */
static void quota_of_a_large_device(struct kunit *test)
{
	struct tally_dev tdev = {
		.caps = { .max_group = TALLY_MAX_GROUP, .max_edges = TALLY_MAX_EDGES },
	};
	struct tally_quota *quota = tally_quota_create(&tdev);
	struct tally_blame blame;
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, quota);
	for (i = 0; i < 16; i++)
		KUNIT_EXPECT_TRUE(test, tally_quota_charge_group(quota, TALLY_MAX_CONTRIBUTORS + 1,
								 0, &blame));
	for (; i < TALLY_MAX_GROUP / 2; i++)
		KUNIT_EXPECT_TRUE(test, tally_quota_charge_group(quota, 2, 0, &blame));
	KUNIT_EXPECT_FALSE(test, tally_quota_charge_group(quota, 0, 0, &blame));
	for (i = 0; i < 16; i++)
		tally_quota_uncharge_group(quota, TALLY_MAX_CONTRIBUTORS + 1, 0);
	for (; i < TALLY_MAX_GROUP / 2; i++)
		tally_quota_uncharge_group(quota, 2, 0);
	tally_quota_put(quota);
}

static void quota_references(struct kunit *test)
{
	struct tally_quota *quota = create(test, 2, 2);

	tally_quota_get(quota);
	tally_quota_put(quota);
	/* KASAN reports it if the quota was freed. */
	KUNIT_EXPECT_EQ(test, kref_read(&quota->ref), 1);
	tally_quota_put(quota);
}

/* Each kind of object has a limit of its own. */
static void quota_objects(struct kunit *test)
{
	struct tally_dev tdev = {
		.caps = { .max_pd = 6, .max_mr = 5, .max_cq = 4, .max_qp = 2, .num_uars = 1,
			  .max_requests = 8 },
	};
	static const u32 limits[TALLY_NUM_QUOTAS] = {
		[TALLY_QUOTA_PD] = 3, [TALLY_QUOTA_MR] = 3, [TALLY_QUOTA_CQ] = 2,
		[TALLY_QUOTA_QP] = 1, [TALLY_QUOTA_UAR] = 1, [TALLY_QUOTA_REQUEST] = 4,
	};
	struct tally_quota *quota = tally_quota_create(&tdev);
	enum tally_quota_kind kind;
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, quota);
	for (kind = 0; kind < TALLY_NUM_QUOTAS; kind++) {
		for (i = 0; i < limits[kind]; i++)
			KUNIT_EXPECT_TRUE(test, tally_quota_charge_objects(quota, kind, 1));
		KUNIT_EXPECT_FALSE(test, tally_quota_charge_objects(quota, kind, 1));
	}
	for (kind = 0; kind < TALLY_NUM_QUOTAS; kind++) {
		tally_quota_uncharge_objects(quota, kind, 1);
		KUNIT_EXPECT_TRUE(test, tally_quota_charge_objects(quota, kind, 1));
		KUNIT_EXPECT_FALSE(test, tally_quota_charge_objects(quota, kind, 1));
	}
	for (kind = 0; kind < TALLY_NUM_QUOTAS; kind++)
		for (i = 0; i < limits[kind]; i++)
			tally_quota_uncharge_objects(quota, kind, 1);
	/* Several are charged together, or none. */
	KUNIT_EXPECT_FALSE(test, tally_quota_charge_objects(quota, TALLY_QUOTA_REQUEST, 5));
	KUNIT_EXPECT_TRUE(test, tally_quota_charge_objects(quota, TALLY_QUOTA_REQUEST, 3));
	KUNIT_EXPECT_FALSE(test, tally_quota_charge_objects(quota, TALLY_QUOTA_REQUEST, 2));
	KUNIT_EXPECT_TRUE(test, tally_quota_charge_objects(quota, TALLY_QUOTA_REQUEST, 1));
	tally_quota_uncharge_objects(quota, TALLY_QUOTA_REQUEST, 4);
	tally_quota_put(quota);
}

/* A process has one quota for each device, as long as it has the device open. */
static void quota_of_process(struct kunit *test)
{
	struct tally_dev tdev = { .caps = { .max_seg = 4 } }, other = { .caps = { .max_seg = 4 } };
	struct tally_quota *a = tally_quota_of_process(&tdev);
	struct tally_quota *b = tally_quota_of_process(&tdev);
	struct tally_quota *c = tally_quota_of_process(&other);

	KUNIT_ASSERT_NOT_NULL(test, a);
	KUNIT_ASSERT_NOT_NULL(test, c);
	KUNIT_EXPECT_PTR_EQ(test, a, b);
	KUNIT_EXPECT_PTR_NE(test, a, c);
	KUNIT_EXPECT_TRUE(test, tally_quota_charge_segs(a, 2));
	KUNIT_EXPECT_FALSE(test, tally_quota_charge_segs(b, 1));
	KUNIT_EXPECT_TRUE(test, tally_quota_charge_segs(c, 2));
	tally_quota_put(b);
	KUNIT_EXPECT_EQ(test, atomic_read(&a->segs), 2);
	tally_quota_uncharge_segs(a, 2);
	tally_quota_uncharge_segs(c, 2);
	tally_quota_put(a);
	tally_quota_put(c);
	KUNIT_EXPECT_TRUE(test, list_empty(&quotas));
	a = tally_quota_of_process(&tdev);
	KUNIT_ASSERT_NOT_NULL(test, a);
	KUNIT_EXPECT_EQ(test, atomic_read(&a->segs), 0);
	/* A later process with the same number gets a quota of its own. */
	a->started++;
	b = tally_quota_of_process(&tdev);
	KUNIT_EXPECT_PTR_NE(test, a, b);
	tally_quota_put(a);
	tally_quota_put(b);
}

struct caller {
	struct tally_quota *quota;
	atomic_t *have;
	u32 count;
	bool exceeded;
	struct completion done;
};

/* Charges and uncharges, and checks that the sum of all charges is within the limit. */
static int call(void *data)
{
	struct caller *caller = data;
	unsigned int i;

	for (i = 0; i < NUM_CALLS; i++) {
		if (!tally_quota_charge_segs(caller->quota, caller->count))
			continue;
		if (atomic_add_return(caller->count, caller->have) > caller->quota->max_segs)
			caller->exceeded = true;
		cond_resched();
		atomic_sub(caller->count, caller->have);
		tally_quota_uncharge_segs(caller->quota, caller->count);
	}
	complete(&caller->done);
	return 0;
}

static void quota_many_callers(struct kunit *test)
{
	struct tally_quota *quota = create(test, 20, 2);
	struct caller callers[NUM_CALLERS];
	atomic_t have = ATOMIC_INIT(0);
	unsigned int i, started;

	for (started = 0; started < NUM_CALLERS; started++) {
		callers[started] = (struct caller){
			.quota = quota,
			.have = &have,
			.count = 1 + 2 * started,
		};
		init_completion(&callers[started].done);
		if (IS_ERR(kthread_run(call, &callers[started], "tally_quota%u", started)))
			break;
	}
	for (i = 0; i < started; i++) {
		wait_for_completion(&callers[i].done);
		KUNIT_EXPECT_FALSE(test, callers[i].exceeded);
	}
	KUNIT_EXPECT_EQ(test, started, NUM_CALLERS);
	KUNIT_EXPECT_EQ(test, atomic_read(&quota->segs), 0);
	tally_quota_put(quota);
}

static struct kunit_case quota_cases[] = {
	KUNIT_CASE(quota_limits),
	KUNIT_CASE(quota_segs),
	KUNIT_CASE(quota_groups_and_cells),
	KUNIT_CASE(quota_edges),
	KUNIT_CASE(quota_of_a_large_device),
	KUNIT_CASE(quota_references),
	KUNIT_CASE(quota_objects),
	KUNIT_CASE(quota_of_process),
	KUNIT_CASE(quota_many_callers),
	{}
};

static struct kunit_suite quota_suite = {
	.name = "tally_quota",
	.exit = tally_fake_expect_no_quotas,
	.test_cases = quota_cases,
};

kunit_test_suite(quota_suite);
