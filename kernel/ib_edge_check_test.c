// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Checks of a group's neighbours. */
#include "test/fake_group.h"

#include "ib_edge_check.c"

static struct tally_uresp_why why;

static struct tally_group_check check_of(struct kunit *test, const struct fake_group *group)
{
	why = (struct tally_uresp_why){};
	return (struct tally_group_check){ tally_fake_ib(test), &group->req, &why };
}

static int check(struct kunit *test, const struct fake_group *group)
{
	const struct tally_group_check c = check_of(test, group);

	return tally_check_num_edges(&c, group->num) ?:
	       tally_check_edges(&c, group->edges, group->num);
}

static int check_change(struct kunit *test, const struct fake_change *change)
{
	struct fake_group *group = kunit_kzalloc(test, sizeof(*group), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, group);
	tally_fake_change(group, change);
	return check(test, group);
}

static void change_name(const struct fake_change *change, char *text)
{
	strscpy(text, change->name, KUNIT_PARAM_DESC_SIZE);
}

static const struct fake_change good[] = {
	EDGE("the last index at a parent", TREE_INNER, 1, remote_index, TALLY_CONTRIB_PARENT - 1),
	FIELD("a part of a larger tree", TREE_INNER, num_nodes, 4),
};

KUNIT_ARRAY_PARAM(good, good, change_name);

static void edge_check_takes(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, check_change(test, test->param_value), 0);
}

#define IN TALLY_ROLE_IN
#define OUT TALLY_ROLE_OUT
#define EPOCH TALLY_ROLE_EPOCH

static const struct fake_change bad[] = {
	EDGE("no GID", TREE_ROOT, 0, gid, 0),
	EDGE("a MAC of zeros", TREE_ROOT, 0, mac, 0),
	EDGE("a MAC of many stations", TREE_ROOT, 0, mac, 1),
	EDGE("reserved", TREE_ROOT, 1, rsvd2, 1),
	EDGE("reserved, of the parent", TREE_LEAF, 0, rsvd2, BIT_ULL(63)),
	EDGE("an index behind the parent's", TREE_ROOT, 0, remote_index, TALLY_CONTRIB_PARENT + 1),
	EDGE("largest index", TREE_ROOT, 0, remote_index, U16_MAX),
	EDGE("a role in a tree", TREE_ROOT, 0, roles, IN),
	EDGE("a round in a tree", TREE_ROOT, 0, round, 1),
	EDGE("a position in a tree", TREE_ROOT, 0, position, 1),
	EDGE("an empty subtree", TREE_ROOT, 0, subtree_count, 0),
	EDGE("a subtree that ends outside", TREE_ROOT, 1, subtree_count, 2),
	EDGE("largest subtree", TREE_ROOT, 1, subtree_count, U16_MAX),
	EDGE("a subtree that begins outside", TREE_ROOT, 1, subtree_first, 3),
	EDGE("largest first node", TREE_ROOT, 1, subtree_first, U16_MAX),
	EDGE("a subtree with this node", TREE_ROOT, 0, subtree_first, 0),
	EDGE("fewer ranks than nodes", TREE_ROOT, 0, rank_count, 0),
	EDGE("ranks of this node", TREE_ROOT, 0, rank_first, 1),
	EDGE("ranks of another subtree", TREE_ROOT, 1, rank_first, 3),
	EDGE("ranks behind the last", TREE_ROOT, 1, rank_first, 6),
	EDGE("largest rank_first", TREE_ROOT, 1, rank_first, U32_MAX),
	EDGE("largest rank_count", TREE_ROOT, 1, rank_count, U32_MAX),
	EDGE("a rank left out", TREE_ROOT, 1, rank_count, 1),
	FIELD("ranks of a root that are not all", TREE_ROOT, total_ranks, 7),
	FIELD("ranks that are not consecutive", TREE_INNER, rank_first, 0),
	EDGE("a peer with a subtree", TREE_ROOT, 0, remote_index, 1),
	EDGE("an edge to a parent in a ring", RING, 0, remote_index, TALLY_CONTRIB_PARENT),
	EDGE("an unknown role", RING, 0, roles, IN | EPOCH | BIT(15)),
	EDGE("nobody who tells the epoch", RING, 0, roles, IN),
	EDGE("two who tell the epoch", RING, 1, roles, OUT | EPOCH),
	EDGE("somebody who tells node 0", RING_OF_2, 0, roles, IN | OUT | EPOCH),
	EDGE("no way out of a ring", RING, 1, roles, 0),
	EDGE("two ways out of a ring", RING, 0, roles, IN | OUT | EPOCH),
	EDGE("no way into a ring", RING, 0, roles, EPOCH),
	EDGE("half an edge of two nodes", RING_OF_2, 0, roles, IN),
	EDGE("a round in a ring", RING, 0, round, 1),
	EDGE("a position in a ring", RING, 0, position, 1),
	EDGE("ranks in a ring", RING, 0, rank_count, 1),
	EDGE("a subtree in a ring", RING, 0, subtree_count, 1),
	EDGE("an exchange in round 0", EXCHANGE, 0, round, 0),
	EDGE("an exchange behind the last round", EXCHANGE, 1, round, 3),
	EDGE("largest round", EXCHANGE, 1, round, 0xff),
	EDGE("a position for nobody", EXCHANGE, 0, position, 2),
	EDGE("largest position", EXCHANGE, 0, position, 0xff),
	EDGE("an input without ranks", EXCHANGE, 0, rank_count, 0),
	EDGE("an input of this node's ranks", EXCHANGE, 0, rank_first, 1),
	EDGE("an input of ranks combined before", EXCHANGE, 1, rank_first, 3),
	EDGE("an input that leaves ranks out", EXCHANGE, 1, rank_count, 3),
	EDGE("an input that begins too late", EXCHANGE, 1, rank_first, 5),
	EDGE("a subtree in an exchange", EXCHANGE, 0, subtree_first, 1),
	FIELD("ranks that never come together", EXCHANGE, total_ranks, 9),
};

KUNIT_ARRAY_PARAM(bad, bad, change_name);

static void edge_check_refuses(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, check_change(test, test->param_value), -EINVAL);
	KUNIT_EXPECT_NE(test, why.where, TALLY_WHY_UNKNOWN);
}

/* The entry and field at fault are told. */
static void edge_check_why(struct kunit *test)
{
	static const struct fake_change mac = EDGE("", TREE_ROOT, 1, mac, 1);
	static const struct fake_change roles = EDGE("", RING, 1, roles, BIT(15));
	static const struct fake_change nobody = EDGE("", RING, 0, roles, IN);

	KUNIT_EXPECT_EQ(test, check_change(test, &mac), -EINVAL);
	KUNIT_EXPECT_EQ(test, why.where, TALLY_WHY_EDGE);
	KUNIT_EXPECT_EQ(test, why.edge, 1);
	KUNIT_EXPECT_EQ(test, why.offset, offsetof(struct tally_ureq_edge, mac));
	KUNIT_EXPECT_EQ(test, check_change(test, &roles), -EINVAL);
	KUNIT_EXPECT_EQ(test, why.offset, offsetof(struct tally_ureq_edge, roles));
	KUNIT_EXPECT_EQ(test, why.value, BIT(15));
	KUNIT_EXPECT_EQ(test, check_change(test, &nobody), -EINVAL);
	KUNIT_EXPECT_EQ(test, why.where, TALLY_WHY_EDGES);
}

/* Ranges whose end overflows, too, whatever other checks would say. */
static void edge_check_ranges(struct kunit *test)
{
	static const struct { u32 first, count; int err; } cases[] = {
		{ 0, 6, 0 }, { 5, 1, 0 }, { 0, 7, -EINVAL }, { 6, 1, -EINVAL }, { 5, 2, -EINVAL },
		{ U32_MAX, 1, -EINVAL }, { U32_MAX, 2, -EINVAL }, { 2, U32_MAX, -EINVAL },
		{ U32_MAX, U32_MAX, -EINVAL }, { 0x80000000, 0x80000000, -EINVAL },
		{ 0, 0, -EINVAL },
	};
	struct fake_group *group = kunit_kzalloc(test, sizeof(*group), GFP_KERNEL);
	struct tally_group_check c;
	struct group_edges g;
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, group);
	tally_fake_group(group, TREE_ROOT);
	c = check_of(test, group);
	g = (struct group_edges){
		.c = &c, .req = &group->req, .edge = group->edges, .num = 1,
	};
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		group->edges[0].rank_first = cpu_to_le32(cases[i].first);
		group->edges[0].rank_count = cpu_to_le32(cases[i].count);
		KUNIT_EXPECT_EQ_MSG(test, check_range(&g, 0, 1), cases[i].err, "%#x from %#x",
				    cases[i].count, cases[i].first);
	}
}

/* Two inputs of a round have two positions. */
static void edge_check_positions(struct kunit *test)
{
	struct fake_group *group = kunit_kzalloc(test, sizeof(*group), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, group);
	tally_fake_group(group, EXCHANGE);
	/* Both in round 1, of three inputs. */
	group->req.rounds = 1;
	group->edges[1].round = 1;
	KUNIT_EXPECT_EQ(test, check(test, group), 0);
	group->edges[0].position = 2;
	KUNIT_EXPECT_EQ(test, check(test, group), 0);
	group->edges[1].position = 2;
	KUNIT_EXPECT_EQ(test, check(test, group), -EINVAL);
	group->edges[1].position = 3;
	KUNIT_EXPECT_EQ(test, check(test, group), -EINVAL);
}

/* Of two nodes each is to the left and to the right of the other, by one edge. */
static void edge_check_ring_of_2(struct kunit *test)
{
	struct fake_group *group = kunit_kzalloc(test, sizeof(*group), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, group);
	tally_fake_group(group, RING);
	KUNIT_EXPECT_EQ(test, check(test, group), 0);
	group->req.num_nodes = 2;
	KUNIT_EXPECT_EQ(test, check(test, group), -EINVAL);
}

static void edge_check_number(struct kunit *test)
{
	struct tally_fake *fake = test->priv;
	struct fake_group *group = kunit_kzalloc(test, sizeof(*group), GFP_KERNEL);
	u32 max = fake->pf.pub.caps.max_contributors;
	struct tally_group_check c;

	KUNIT_ASSERT_NOT_NULL(test, group);
	c = check_of(test, group);
	tally_fake_group(group, TREE_ROOT);
	KUNIT_EXPECT_EQ(test, tally_check_num_edges(&c, max), 0);
	KUNIT_EXPECT_EQ(test, tally_check_num_edges(&c, max + 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, tally_check_num_edges(&c, 0), 0);
	group->req.rank_mask = 0;
	KUNIT_EXPECT_EQ(test, tally_check_num_edges(&c, 0), -EINVAL);
	tally_fake_group(group, TREE_LEAF);
	KUNIT_EXPECT_EQ(test, tally_check_num_edges(&c, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, tally_check_num_edges(&c, max + 1), 0);
	KUNIT_EXPECT_EQ(test, tally_check_num_edges(&c, max + 2), -EINVAL);
	KUNIT_EXPECT_EQ(test, tally_check_num_edges(&c, UINT_MAX), -EINVAL);
}

static struct kunit_case edge_check_cases[] = {
	KUNIT_CASE_PARAM(edge_check_takes, good_gen_params),
	KUNIT_CASE_PARAM(edge_check_refuses, bad_gen_params),
	KUNIT_CASE(edge_check_why),
	KUNIT_CASE(edge_check_ranges),
	KUNIT_CASE(edge_check_positions),
	KUNIT_CASE(edge_check_ring_of_2),
	KUNIT_CASE(edge_check_number),
	{}
};

static struct kunit_suite edge_check_suite = {
	.name = "tally_ib_edge_check",
	.init = tally_fake_ib_init,
	.exit = tally_fake_ib_exit,
	.test_cases = edge_check_cases,
};

kunit_test_suite(edge_check_suite);
