// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Checks of a group's description: each field that is wrong by itself is refused. */
#include "test/fake_group.h"

#include "ib_group_check.c"

static struct tally_uresp_why why;

static struct tally_group_check check_of(struct kunit *test, const struct fake_group *group)
{
	why = (struct tally_uresp_why){};
	return (struct tally_group_check){ tally_fake_ib(test), &group->req, &why };
}

static int check(struct kunit *test, const struct fake_group *group, u32 room)
{
	const struct tally_group_check c = check_of(test, group);

	return tally_check_group(&c, room, group->edges, group->num);
}

static int check_change(struct kunit *test, const struct fake_change *change)
{
	struct fake_group *group = kunit_kzalloc(test, sizeof(*group), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, group);
	tally_fake_change(group, change);
	return check(test, group, FAKE_ROOM);
}

static void change_name(const struct fake_change *change, char *text)
{
	strscpy(text, change->name, KUNIT_PARAM_DESC_SIZE);
}

static void group_check_bases(struct kunit *test)
{
	struct fake_group *group = kunit_kzalloc(test, sizeof(*group), GFP_KERNEL);
	enum fake_base base;

	KUNIT_ASSERT_NOT_NULL(test, group);
	for (base = 0; base < FAKE_NUM_BASES; base++) {
		tally_fake_group(group, base);
		KUNIT_EXPECT_EQ_MSG(test, check(test, group, FAKE_ROOM), 0, "base %d", base);
	}
}

static const struct fake_change good[] = {
	FIELD("largest jid", TREE_ROOT, jid, U32_MAX),
	FIELD("most cells", TREE_LEAF, msg_cells, TALLY_MAX_GROUP_CELLS),
	FIELD("no rank of the owner's", TREE_ROOT, owner_ranks, 0),
	FIELD("all ranks the owner's", TREE_ROOT, owner_ranks, 0x3),
	FIELD("shortest timeout", TREE_ROOT, timeout_ms, TALLY_MIN_TIMEOUT_MS),
	FIELD("longest timeout", TREE_ROOT, timeout_ms, TALLY_MAX_TIMEOUT_MS),
	FIELD("smallest mtu", TREE_ROOT, mtu, MIN_MTU),
	FIELD("largest mtu", TREE_ROOT, mtu, TALLY_MAX_MTU),
	FIELD("largest retry_limit", TREE_ROOT, retry_limit, TALLY_MAX_RETRIES),
	FIELD("largest rto_us", TREE_ROOT, rto_us, TALLY_MAX_RTO_US),
	FIELD("segments by number", TREE_ROOT, num_segs, FAKE_ROOM),
	FIELD("one segment", RING, num_segs, 1),
	FIELD("the cells that two rounds hold", EXCHANGE, msg_cells, 6),
	FIELD("exchange, half of the segments", EXCHANGE, num_segs, FAKE_ROOM / 2),
	FIELD("level is for people", TREE_ROOT, level, 0xff),
};

KUNIT_ARRAY_PARAM(good, good, change_name);

static void group_check_takes(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, check_change(test, test->param_value), 0);
}

#define F(flags) (TALLY_GROUP_F_ROOT | (flags))

static const struct fake_change bad[] = {
	FIELD("jid 0", TREE_ROOT, jid, 0),
	FIELD("a reserved byte", TREE_ROOT, reserved, 1),
	FIELD("an unknown flag", TREE_ROOT, flags, F(BIT(31))),
	FIELD("mode 0", TREE_ROOT, mode, TALLY_MODE_TREE - 1),
	FIELD("an unknown mode", TREE_ROOT, mode, TALLY_MODE_RING + 1),
	FIELD("largest mode", TREE_ROOT, mode, 0xff),
	FIELD("no node", TREE_ROOT, num_nodes, 0),
	FIELD("too many nodes", TREE_ROOT, num_nodes, TALLY_MAX_NODES + 1),
	FIELD("node behind the last", TREE_LEAF, node, 3),
	FIELD("largest node", TREE_LEAF, node, U16_MAX),
	FIELD("root of a ring at another node", RING, flags, TALLY_GROUP_F_ROOT),
	FIELD("node 0 of a ring without root", RING_OF_2, flags, 0),
	FIELD("a root without epoch", TREE_ROOT, epoch, 0),
	FIELD("an epoch but no root", TREE_LEAF, epoch, 1),
	FIELD("rounds in a tree", TREE_ROOT, rounds, 1),
	FIELD("rounds in a ring", RING, rounds, 1),
	FIELD("an exchange without rounds", EXCHANGE, rounds, 0),
	FIELD("too many rounds", EXCHANGE, rounds, TALLY_MAX_ROUNDS + 1),
	FIELD("largest rounds", EXCHANGE, rounds, 0xff),
	FIELD("more segments than the range", TREE_ROOT, num_segs, 2 * FAKE_ROOM),
	FIELD("most segments", TREE_ROOT, num_segs, U32_MAX),
	FIELD("segments no power of two", TREE_ROOT, num_segs, 3),
	FIELD("segments of all rounds", EXCHANGE, num_segs, FAKE_ROOM),
	FIELD("segments that overflow", EXCHANGE, num_segs, 0x80000000),
	FIELD("mcast_gid without multicast", TREE_ROOT, mcast_gid, 0xff),
	FIELD("source_gid without multicast", TREE_ROOT, source_gid, 0xfe),
	FIELD("multicast without an address", TREE_ROOT, flags, F(TALLY_GROUP_F_MULTICAST)),
	FIELD("multicast in a ring", RING, flags, TALLY_GROUP_F_MULTICAST),
	FIELD("no rank", TREE_ROOT, rank_mask, 0),
	FIELD("the owner of another's ranks", TREE_ROOT, owner_ranks, 0x4),
	FIELD("a sparse ring", RING, flags, TALLY_GROUP_F_SPARSE),
	FIELD("no rank at all", TREE_ROOT, total_ranks, 0),
	FIELD("fewer ranks than here", TREE_ROOT, total_ranks, 1),
	FIELD("more ranks than there are", TREE_LEAF, total_ranks, MAX_TOTAL_RANKS + 1),
	FIELD("most ranks", TREE_LEAF, total_ranks, U32_MAX),
	FIELD("rank_first behind the last", TREE_LEAF, rank_first, 5),
	FIELD("largest rank_first", TREE_LEAF, rank_first, U32_MAX),
	FIELD("a short timeout", TREE_ROOT, timeout_ms, TALLY_MIN_TIMEOUT_MS - 1),
	FIELD("a long timeout", TREE_ROOT, timeout_ms, TALLY_MAX_TIMEOUT_MS + 1),
	FIELD("no timeout", TREE_ROOT, timeout_ms, 0),
	FIELD("mtu 0", TREE_ROOT, mtu, 0),
	FIELD("a small mtu", TREE_ROOT, mtu, MIN_MTU / 2),
	FIELD("a large mtu", TREE_ROOT, mtu, 2 * TALLY_MAX_MTU),
	FIELD("mtu no power of two", TREE_ROOT, mtu, 1000),
	FIELD("retry_limit", TREE_ROOT, retry_limit, TALLY_MAX_RETRIES + 1),
	FIELD("rto_us", TREE_ROOT, rto_us, TALLY_MAX_RTO_US + 1),
	FIELD("too many cells", TREE_ROOT, msg_cells, TALLY_MAX_GROUP_CELLS + 1),
	FIELD("most cells", TREE_ROOT, msg_cells, U32_MAX),
	FIELD("a tree's order without cells", TREE_ROOT, flags, F(TALLY_GROUP_F_ORDERED)),
	FIELD("a ring's order without cells", RING, flags, TALLY_GROUP_F_ORDERED),
	FIELD("a cell too few for two rounds", EXCHANGE, msg_cells, 5),
};

KUNIT_ARRAY_PARAM(bad, bad, change_name);

static void group_check_refuses(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, check_change(test, test->param_value), -EINVAL);
	KUNIT_EXPECT_NE(test, why.where, TALLY_WHY_UNKNOWN);
}

/* The field at fault is told, and what it says. */
static void group_check_why(struct kunit *test)
{
	static const struct fake_change mtu = FIELD("", TREE_ROOT, mtu, 1000);

	KUNIT_EXPECT_EQ(test, check_change(test, &mtu), -EINVAL);
	KUNIT_EXPECT_EQ(test, why.where, TALLY_WHY_REQUEST);
	KUNIT_EXPECT_EQ(test, why.offset, offsetof(struct tally_ureq_group, mtu));
	KUNIT_EXPECT_EQ(test, why.value, 1000);
}

/* Each may be as large as it can be, both together may not. */
static void group_check_retry_span(struct kunit *test)
{
	static const struct {
		u32 retry_limit, rto_us;
		int err;
	} cases[] = {
		{ 8, 1000000, 0 },
		{ 9, 1000000, -EINVAL },
		{ TALLY_MAX_RETRIES, 31372, 0 },
		{ TALLY_MAX_RETRIES, 31373, -EINVAL },
		{ TALLY_MAX_RETRIES, 0, 0 },
	};
	struct fake_group *group = kunit_kzalloc(test, sizeof(*group), GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, group);
	tally_fake_group(group, TREE_ROOT);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		group->req.retry_limit = cases[i].retry_limit;
		group->req.rto_us = cases[i].rto_us;
		KUNIT_EXPECT_EQ_MSG(test, check(test, group, FAKE_ROOM), cases[i].err, "case %u", i);
	}
}

/* Who has no ranks says so, or has forgotten them. */
static void group_check_no_ranks(struct kunit *test)
{
	struct fake_group *group = kunit_kzalloc(test, sizeof(*group), GFP_KERNEL);
	struct tally_group_check c;

	KUNIT_ASSERT_NOT_NULL(test, group);
	c = check_of(test, group);
	tally_fake_group(group, TREE_ROOT);
	group->req.rank_mask = 0;
	group->req.owner_ranks = 0;
	KUNIT_EXPECT_EQ(test, check_ranks(&c), -EINVAL);
	group->req.flags |= TALLY_GROUP_F_SPARSE;
	KUNIT_EXPECT_EQ(test, check_ranks(&c), 0);
}

/* What a device does not offer is refused, and offered it is taken. */
static void group_check_caps(struct kunit *test)
{
	static const u64 modes[] = { TALLY_CAP_TREE, TALLY_CAP_EXCHANGE, TALLY_CAP_RING };
	static const enum fake_base bases[] = { TREE_ROOT, EXCHANGE, RING };
	struct fake_group *group = kunit_kzalloc(test, sizeof(*group), GFP_KERNEL);
	struct tally_fake *fake = test->priv;
	struct tally_caps *caps = &fake->pf.pub.caps;
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, group);
	for (i = 0; i < ARRAY_SIZE(modes); i++) {
		tally_fake_group(group, bases[i]);
		caps->caps = ~modes[i];
		KUNIT_EXPECT_EQ(test, check(test, group, FAKE_ROOM), -EINVAL);
		caps->caps = modes[i];
		KUNIT_EXPECT_EQ(test, check(test, group, FAKE_ROOM), 0);
	}
	tally_fake_group(group, TREE_ROOT);
	group->req.flags |= TALLY_GROUP_F_ORDERED;
	group->req.msg_cells = 4;	/* two ranks here and two children */
	caps->caps = TALLY_CAP_TREE;
	KUNIT_EXPECT_EQ(test, check(test, group, FAKE_ROOM), -EINVAL);
	caps->caps |= TALLY_CAP_ORDERED;
	KUNIT_EXPECT_EQ(test, check(test, group, FAKE_ROOM), 0);
	group->req.msg_cells--;
	KUNIT_EXPECT_EQ(test, check(test, group, FAKE_ROOM), -EINVAL);
	group->req.msg_cells++;
	caps->max_ranks = 1;
	KUNIT_EXPECT_EQ(test, check(test, group, FAKE_ROOM), -EINVAL);
}

/* The address that results come down by, and the root's own, from which they come. */
static void group_check_multicast(struct kunit *test)
{
	struct fake_group *group = kunit_kzalloc(test, sizeof(*group), GFP_KERNEL);
	union ib_gid own;

	KUNIT_ASSERT_NOT_NULL(test, group);
	tally_ib_query_gid(&tally_fake_ib(test)->ibdev, 1, 0, &own);
	tally_fake_group(group, TREE_ROOT);
	group->req.flags |= TALLY_GROUP_F_MULTICAST;
	group->req.mcast_gid[0] = 0xff;
	memcpy(group->req.source_gid, own.raw, sizeof(own));
	KUNIT_EXPECT_EQ(test, check(test, group, FAKE_ROOM), 0);
	group->req.source_gid[15] ^= 1;
	KUNIT_EXPECT_EQ(test, check(test, group, FAKE_ROOM), -EINVAL);
	/* Elsewhere it is another's. */
	tally_fake_group(group, TREE_LEAF);
	group->req.flags |= TALLY_GROUP_F_MULTICAST;
	group->req.mcast_gid[0] = 0xff;
	group->req.source_gid[0] = 0xfe;
	KUNIT_EXPECT_EQ(test, check(test, group, FAKE_ROOM), 0);
	group->req.source_gid[0] = 0xff;
	KUNIT_EXPECT_EQ(test, check(test, group, FAKE_ROOM), -EINVAL);
	memset(group->req.source_gid, 0, 16);
	KUNIT_EXPECT_EQ(test, check(test, group, FAKE_ROOM), -EINVAL);
}

/* How many segments a round gets: what is asked for, or the largest power of two there is. */
static void group_check_num_segs(struct kunit *test)
{
	static const struct { u8 rounds; u32 num_segs, room, want; } cases[] = {
		{ 0, 0, 16, 16 }, { 1, 0, 16, 16 }, { 2, 0, 16, 8 }, { 3, 0, 16, 4 },
		{ 5, 0, 16, 2 }, { 16, 0, 16, 1 }, { 17, 0, 16, 0 }, { 0, 0, 0, 0 },
		{ 0, 4, 16, 4 }, { 17, 3, 16, 3 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct tally_ureq_group req = {
			.rounds = cases[i].rounds, .num_segs = cases[i].num_segs,
		};

		KUNIT_EXPECT_EQ(test, tally_group_num_segs(&req, cases[i].room), cases[i].want);
	}
}

static struct kunit_case group_check_cases[] = {
	KUNIT_CASE(group_check_bases),
	KUNIT_CASE_PARAM(group_check_takes, good_gen_params),
	KUNIT_CASE_PARAM(group_check_refuses, bad_gen_params),
	KUNIT_CASE(group_check_why),
	KUNIT_CASE(group_check_retry_span),
	KUNIT_CASE(group_check_no_ranks),
	KUNIT_CASE(group_check_caps),
	KUNIT_CASE(group_check_multicast),
	KUNIT_CASE(group_check_num_segs),
	{}
};

static struct kunit_suite group_check_suite = {
	.name = "tally_ib_group_check",
	.init = tally_fake_ib_init,
	.exit = tally_fake_ib_exit,
	.test_cases = group_check_cases,
};

kunit_test_suite(group_check_suite);
