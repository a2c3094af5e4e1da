// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Queries of groups, and the epochs that may follow. */
#include "test/fake.h"

#include "group_cmd.c"
#include "group_query.c"

#define GROUP 11
#define ROUNDS 3
#define SEGS 4

static int query_init(struct kunit *test)
{
	tally_fake_init(test);
	tally_fake_serve(test->priv);
	return 0;
}

/* Returns a group in the state that group.c leaves it, on the device of the test. */
static struct tally_group_handle *handle_of(struct kunit *test)
{
	struct tally_group_handle *handle = kunit_kzalloc(test, sizeof(*handle), GFP_KERNEL);
	struct tally_group *group = kunit_kzalloc(test, sizeof(*group), GFP_KERNEL);
	struct tally_fake *fake = test->priv;

	KUNIT_ASSERT_NOT_NULL(test, handle);
	KUNIT_ASSERT_NOT_NULL(test, group);
	mutex_init(&group->resetting);
	group->pf = &fake->pf;
	group->num = GROUP;
	group->cfg.num_segs = cpu_to_le16(SEGS);
	handle->group = group;
	handle->ranks = 0xf0;
	return handle;
}

static struct tally_group_info *info_of(struct kunit *test)
{
	struct tally_fake *fake = test->priv;

	return (struct tally_group_info *)fake->info;
}

/* The body of a query of this kind names the group and has room for the whole answer. */
static void expect_query(struct kunit *test, enum tally_admin_opcode opcode, size_t size)
{
	struct tally_fake *fake = test->priv;
	const struct tally_cmd_query *body = (const void *)fake->last[opcode].body;

	KUNIT_EXPECT_EQ(test, fake->seen[opcode], 1);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(body->id), GROUP);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(body->length), size);
}

static void query_all(struct kunit *test)
{
	struct tally_group_handle *handle = handle_of(test);
	struct tally_group_info info;
	void *list;

	list = kunit_kzalloc(test, TALLY_PAGE_SIZE, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, list);
	info_of(test)->jid = cpu_to_le32(0x77);
	KUNIT_EXPECT_EQ(test, tally_group_query(handle, &info), 0);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(info.jid), 0x77);
	expect_query(test, TALLY_ADMIN_QUERY_GROUP, sizeof(info));
	KUNIT_EXPECT_EQ(test, tally_group_query_segs(handle, list), 0);
	expect_query(test, TALLY_ADMIN_QUERY_SEGS, SEGS * sizeof(struct tally_seg_info));
	KUNIT_EXPECT_EQ(test, tally_group_query_arrivals(handle, list), 0);
	expect_query(test, TALLY_ADMIN_QUERY_ARRIVALS,
		     TALLY_NUM_ARRIVALS * sizeof(struct tally_arrival));
}

static void query_edges(struct kunit *test)
{
	size_t size = (TALLY_MAX_CONTRIBUTORS + 1) * sizeof(struct tally_edge_info);
	struct tally_edge_info *edges = kunit_kzalloc(test, size, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, edges);
	KUNIT_EXPECT_EQ(test, tally_group_query_edges(handle_of(test), edges), 0);
	expect_query(test, TALLY_ADMIN_QUERY_EDGES, size);
}

/* ---- Epochs ---- */

static void query_epochs(struct kunit *test)
{
	static const struct { u32 epoch, old; bool after; } cases[] = {
		{ 0, 0, false }, { 0, 1, false }, { 0, U32_MAX, false },
		{ 1, 0, true }, { U32_MAX, 0, true },
		{ 2, 1, true }, { 1, 1, false }, { 1, 2, false },
		{ 1, U32_MAX, true }, { U32_MAX, 1, false },
		{ 0x80000000, 1, true }, { 0x80000002, 1, false },
		{ 0x7fffffff, 0xffffffff, false }, { 0x7ffffffe, 0xffffffff, true },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		KUNIT_EXPECT_EQ_MSG(test, epoch_comes_after(cases[i].epoch, cases[i].old),
				    cases[i].after, "epoch %#x after %#x", cases[i].epoch,
				    cases[i].old);
}

static void query_reset(struct kunit *test)
{
	struct tally_group_handle *handle = handle_of(test);
	struct tally_fake *fake = test->priv;
	const struct tally_cmd_reset_group *body = (const void *)
		fake->last[TALLY_ADMIN_RESET_GROUP].body;
	struct tally_group_info *info = info_of(test);
	u8 state;

	info->epoch = cpu_to_le32(7);
	for (state = 0; state < U8_MAX; state++) {
		info->state = state;
		if (state != TALLY_GROUP_DEAD)
			KUNIT_EXPECT_EQ(test, tally_group_reset(handle, 8), -EBUSY);
	}
	info->state = TALLY_GROUP_DEAD;
	info->gone = cpu_to_le64(1);
	KUNIT_EXPECT_EQ(test, tally_group_reset(handle, 8), -EOWNERDEAD);
	info->gone = 0;
	KUNIT_EXPECT_EQ(test, tally_group_reset(handle, 7), -EINVAL);
	KUNIT_EXPECT_EQ(test, tally_group_reset(handle, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, fake->seen[TALLY_ADMIN_RESET_GROUP], 0);
	KUNIT_EXPECT_EQ(test, tally_group_reset(handle, 8), 0);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(body->group), GROUP);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(body->epoch), 8);
	fake->status = TALLY_ADMIN_STATUS_NOT_FOUND;
	KUNIT_EXPECT_EQ(test, tally_group_reset(handle, 8), -ENOENT);
}

/* ---- The tables ---- */

static void query_tables(struct kunit *test)
{
	struct tally_group_handle *handle = handle_of(test);
	struct tally_fake *fake = test->priv;
	struct tally_segs *segs = (struct tally_segs *)handle;	/* any address */
	struct tally_group *group = handle->group;
	struct tally_group_view view;
	u32 num, jid;

	KUNIT_EXPECT_FALSE(test, tally_group_snapshot(&fake->pf, GROUP, &view));
	KUNIT_EXPECT_FALSE(test, tally_group_of_segs(&fake->pf, segs, &num, &jid));
	group->segs = segs;
	group->held = 0x5;
	group->cfg.jid = cpu_to_le32(0x99);
	fake->pf.groups[GROUP] = group;
	KUNIT_EXPECT_TRUE(test, tally_group_snapshot(&fake->pf, GROUP, &view));
	KUNIT_EXPECT_EQ(test, view.num, GROUP);
	KUNIT_EXPECT_EQ(test, view.held, 0x5);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(view.cfg.jid), 0x99);
	KUNIT_EXPECT_TRUE(test, tally_group_of_segs(&fake->pf, segs, &num, &jid));
	KUNIT_EXPECT_EQ(test, num, GROUP);
	KUNIT_EXPECT_EQ(test, jid, 0x99);
	KUNIT_EXPECT_EQ(test, tally_group_handle_num(handle), GROUP);
	KUNIT_EXPECT_EQ(test, tally_group_handle_ranks(handle), 0xf0);
	KUNIT_EXPECT_EQ(test, tally_group_handle_may_post(handle), 0xf0);
	group->cfg.flags = cpu_to_le32(TALLY_GROUP_F_SHARED);
	KUNIT_EXPECT_EQ(test, tally_group_handle_may_post(handle), 0x5);
	KUNIT_EXPECT_PTR_EQ(test, tally_group_handle_cfg(handle),
			    (const struct tally_group_cfg *)&group->cfg);
	fake->pf.groups[GROUP] = NULL;
}

static void query_next(struct kunit *test)
{
	struct tally_group *group = handle_of(test)->group;
	struct tally_fake *fake = test->priv;
	struct tally_pf *pf = &fake->pf;

	KUNIT_EXPECT_EQ(test, tally_group_next(pf, 0), TALLY_MAX_GROUP);
	pf->groups[GROUP] = group;
	KUNIT_EXPECT_EQ(test, tally_group_next(pf, 0), GROUP);
	KUNIT_EXPECT_EQ(test, tally_group_next(pf, GROUP), GROUP);
	KUNIT_EXPECT_EQ(test, tally_group_next(pf, GROUP + 1), TALLY_MAX_GROUP);
	pf->groups[TALLY_MAX_GROUP - 1] = group;
	KUNIT_EXPECT_EQ(test, tally_group_next(pf, GROUP + 1), TALLY_MAX_GROUP - 1);
	KUNIT_EXPECT_EQ(test, tally_group_next(pf, TALLY_MAX_GROUP), TALLY_MAX_GROUP);
	pf->groups[GROUP] = NULL;
	pf->groups[TALLY_MAX_GROUP - 1] = NULL;
}

static struct kunit_case query_cases[] = {
	KUNIT_CASE(query_all),
	KUNIT_CASE(query_edges),
	KUNIT_CASE(query_epochs),
	KUNIT_CASE(query_reset),
	KUNIT_CASE(query_tables),
	KUNIT_CASE(query_next),
	{}
};

static struct kunit_suite query_suite = {
	.name = "tally_group_query",
	.init = query_init,
	.exit = tally_fake_exit,
	.test_cases = query_cases,
};

kunit_test_suite(query_suite);
