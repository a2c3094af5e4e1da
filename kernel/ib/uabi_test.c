// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Conversion of the structures between processes and the device, and of the fields that the device
 * blames.
 */
#include "test/fake.h"

#include "uabi.c"

static void uabi_edge_from_user(struct kunit *test)
{
	const struct tally_ureq_edge user = {
		.gid = { 0xfe, 0x80, [15] = 7 }, .mac = { 2, 3, 4, 5, 6, 7 },
		.remote_index = 0x102, .subtree_first = 0x304, .subtree_count = 0x506,
		.round = 7, .position = 8, .roles = 0x90a, .rank_first = 0x0b0c0d0e,
		.rank_count = 0x0f101112, .part_first = 0x13141516, .part_count = 0x1718191a,
	};
	struct tally_group_edge edge;

	memset(&edge, 0xff, sizeof(edge));
	tally_edge_from_user(&edge, &user);
	KUNIT_EXPECT_EQ(test, memcmp(edge.gid, user.gid, sizeof(edge.gid)), 0);
	KUNIT_EXPECT_EQ(test, memcmp(edge.mac, user.mac, sizeof(edge.mac)), 0);
	KUNIT_EXPECT_EQ(test, le16_to_cpu(edge.remote_index), 0x102);
	KUNIT_EXPECT_EQ(test, le16_to_cpu(edge.subtree_first), 0x304);
	KUNIT_EXPECT_EQ(test, le16_to_cpu(edge.subtree_count), 0x506);
	KUNIT_EXPECT_EQ(test, edge.round, 7);
	KUNIT_EXPECT_EQ(test, edge.position, 8);
	KUNIT_EXPECT_EQ(test, le16_to_cpu(edge.roles), 0x90a);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(edge.rank_first), 0x0b0c0d0e);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(edge.rank_count), 0x0f101112);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(edge.part_first), 0x13141516);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(edge.part_count), 0x1718191a);
}

/* Groups without `modes`: RING has roles of its own, and a part has members of its own. */
static void uabi_edge_from_first_version(struct kunit *test)
{
	static const struct {
		u8 mode;
		u16 roles, to_roles;
		u32 rank_count, part_count, to_rank_count, to_part_count;
	} cases[] = {
		{ TALLY_MODE_TREE, 0, 0, 5, 0, 5, 0 },
		{ TALLY_MODE_TREE, TALLY_ROLE_IN, TALLY_ROLE_IN, 5, 0, 5, 0 },
		{ TALLY_MODE_EXCHANGE, TALLY_ROLE_IN | TALLY_ROLE_EPOCH,
		  TALLY_ROLE_IN | TALLY_ROLE_EPOCH, 5, 0, 0, 5 },
		{ TALLY_MODE_EXCHANGE, TALLY_ROLE_IN, TALLY_ROLE_IN, 5, 6, 5, 6 },
		{ TALLY_MODE_EXCHANGE, TALLY_ROLE_OUT, TALLY_ROLE_OUT, 5, 0, 5, 0 },
		{ TALLY_MODE_RING, TALLY_ROLE_IN | TALLY_ROLE_EPOCH,
		  TALLY_ROLE_RING_IN | TALLY_ROLE_EPOCH, 0, 0, 0, 0 },
		{ TALLY_MODE_RING, TALLY_ROLE_OUT, TALLY_ROLE_RING_OUT, 5, 0, 5, 0 },
		{ TALLY_MODE_RING, TALLY_ROLE_IN | TALLY_ROLE_OUT,
		  TALLY_ROLE_RING_IN | TALLY_ROLE_RING_OUT, 0, 0, 0, 0 },
		{ TALLY_MODE_RING, TALLY_ROLE_RING_IN, TALLY_ROLE_RING_IN, 0, 0, 0, 0 },
		{ 0xff, TALLY_ROLE_IN, TALLY_ROLE_IN, 5, 0, 5, 0 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct tally_ureq_edge edge = {
			.roles = cases[i].roles, .rank_first = 2 * cases[i].rank_count,
			.rank_count = cases[i].rank_count, .part_first = 2 * cases[i].part_count,
			.part_count = cases[i].part_count, .round = 3,
		};

		tally_edge_from_first_version(&edge, cases[i].mode);
		KUNIT_EXPECT_EQ_MSG(test, edge.roles, cases[i].to_roles, "case %u", i);
		KUNIT_EXPECT_EQ_MSG(test, edge.rank_count, cases[i].to_rank_count, "case %u", i);
		KUNIT_EXPECT_EQ_MSG(test, edge.rank_first, 2 * cases[i].to_rank_count, "case %u", i);
		KUNIT_EXPECT_EQ_MSG(test, edge.part_count, cases[i].to_part_count, "case %u", i);
		KUNIT_EXPECT_EQ_MSG(test, edge.part_first, 2 * cases[i].to_part_count, "case %u", i);
		KUNIT_EXPECT_EQ(test, edge.round, 3);
	}
}

static void uabi_group_info(struct kunit *test)
{
	const struct tally_group_info info = {
		.jid = cpu_to_le32(0x101), .epoch = cpu_to_le32(0x102), .state = 3,
		.status = cpu_to_le16(0x104), .done = cpu_to_le32(0x105),
		.open_edges = cpu_to_le64(1ULL << 40), .parent_open = 1,
		.detector = cpu_to_le16(0x106), .attached = cpu_to_le64(1ULL << 41),
		.gone = cpu_to_le64(1ULL << 42), .contributors = cpu_to_le64(1ULL << 43),
		.ranks = cpu_to_le64(1ULL << 44),
	};
	static const u8 none[6];
	struct tally_uresp_group_info user;

	memset(&user, 0xff, sizeof(user));
	tally_group_info_to_user(&user, &info);
	KUNIT_EXPECT_EQ(test, user.jid, 0x101);
	KUNIT_EXPECT_EQ(test, user.epoch, 0x102);
	KUNIT_EXPECT_EQ(test, user.state, 3);
	KUNIT_EXPECT_EQ(test, user.status, 0x104);
	KUNIT_EXPECT_EQ(test, user.done, 0x105);
	KUNIT_EXPECT_EQ(test, user.detector, 0x106);
	KUNIT_EXPECT_EQ(test, user.parent_open, 1);
	KUNIT_EXPECT_EQ(test, user.open_edges, 1ULL << 40);
	KUNIT_EXPECT_EQ(test, user.attached, 1ULL << 41);
	KUNIT_EXPECT_EQ(test, user.gone, 1ULL << 42);
	KUNIT_EXPECT_EQ(test, user.contributors, 1ULL << 43);
	KUNIT_EXPECT_EQ(test, user.ranks, 1ULL << 44);
	KUNIT_EXPECT_EQ(test, memcmp(user.reserved, none, sizeof(none)), 0);
}

static void uabi_lists(struct kunit *test)
{
	const struct tally_edge_info edge = {
		.gid = { 9 }, .mac = { 8 }, .state = 1, .index = 2,
		.subtree_first = cpu_to_le16(0x103), .subtree_count = cpu_to_le16(0x104),
		.peer_done = cpu_to_le32(0x105), .outstanding = cpu_to_le32(0x106),
		.retries = cpu_to_le32(0x107), .sent = cpu_to_le64(0x108),
		.retransmits = cpu_to_le64(0x109), .received = cpu_to_le64(0x10a),
		.duplicates = cpu_to_le64(0x10b), .busy = cpu_to_le64(0x10c),
	};
	const struct tally_seg_info seg = {
		.state = 1, .opcode = 2, .op = 3, .dtype = 4, .num = cpu_to_le32(0x105),
		.mid = cpu_to_le32(0x106), .sid = cpu_to_le32(0x107),
		.contributors = cpu_to_le64(0x108), .ranks = cpu_to_le64(0x109),
		.receivers = cpu_to_le64(0x10a), .deliver = cpu_to_le64(0x10b),
	};
	const struct tally_arrival arrival = {
		.mid = cpu_to_le32(0x101), .opcode = 2, .op = 3, .dtype = 4, .last = 5,
		.count = cpu_to_le64(0x106), .first_ns = cpu_to_le64(0x107),
		.last_ns = cpu_to_le64(0x108), .done_ns = cpu_to_le64(0x109),
		.ranks = cpu_to_le64(0x10a), .contributors = cpu_to_le64(0x10b),
	};
	const struct tally_uresp_edge want_edge = {
		.gid = { 9 }, .mac = { 8 }, .state = 1, .index = 2, .subtree_first = 0x103,
		.subtree_count = 0x104, .peer_done = 0x105, .outstanding = 0x106,
		.retries = 0x107, .sent = 0x108, .retransmits = 0x109, .received = 0x10a,
		.duplicates = 0x10b, .busy = 0x10c,
	};
	const struct tally_uresp_seg want_seg = {
		.contributors = 0x108, .ranks = 0x109, .receivers = 0x10a, .deliver = 0x10b,
		.num = 0x105, .mid = 0x106, .sid = 0x107, .state = 1, .opcode = 2, .op = 3,
		.dtype = 4,
	};
	const struct tally_uresp_arrival want_arrival = {
		.count = 0x106, .first_ns = 0x107, .last_ns = 0x108, .done_ns = 0x109,
		.ranks = 0x10a, .contributors = 0x10b, .mid = 0x101, .opcode = 2, .op = 3,
		.dtype = 4, .last = 5,
	};
	union {
		struct tally_uresp_edge edge;
		struct tally_uresp_seg seg;
		struct tally_uresp_arrival arrival;
	} user;

	tally_edge_to_user(&user, &edge);
	KUNIT_EXPECT_EQ(test, memcmp(&user, &want_edge, sizeof(want_edge)), 0);
	tally_seg_to_user(&user, &seg);
	KUNIT_EXPECT_EQ(test, memcmp(&user, &want_seg, sizeof(want_seg)), 0);
	tally_arrival_to_user(&user, &arrival);
	KUNIT_EXPECT_EQ(test, memcmp(&user, &want_arrival, sizeof(want_arrival)), 0);
}

/* No structure has a gap, through which kernel memory could leak. */
static void uabi_gaps(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, sizeof(struct tally_uresp_why), 24);
	KUNIT_EXPECT_EQ(test, sizeof(struct tally_ureq_edge), 48);
	KUNIT_EXPECT_EQ(test, offsetof(struct tally_ureq_group, max_segs), 112);
	KUNIT_EXPECT_EQ(test, sizeof(struct tally_ureq_group), 168);
	KUNIT_EXPECT_EQ(test, sizeof(struct tally_uresp_group_info), 64);
	KUNIT_EXPECT_EQ(test, sizeof(struct tally_uresp_edge), 88);
	KUNIT_EXPECT_EQ(test, offsetof(struct tally_uresp_edge, sent),
			offsetofend(struct tally_uresp_edge, reserved));
	KUNIT_EXPECT_EQ(test, offsetof(struct tally_uresp_group, max_segs), 48);
	KUNIT_EXPECT_EQ(test, sizeof(struct tally_uresp_group), 56);
	KUNIT_EXPECT_EQ(test, sizeof(struct tally_uresp_seg), 48);
	KUNIT_EXPECT_EQ(test, sizeof(struct tally_uresp_arrival), 56);
}

/* ---- Fields that the device blames ---- */
static struct tally_ureq_group group_req = {
	.jid = 0x42, .mtu = 300, .choice_small = { 1, 2, 3 }, .modes = TALLY_MODES_TREE,
};

static struct tally_uresp_why why_of(u16 offset, bool in_config)
{
	const struct tally_blame blame = {
		.status = TALLY_ADMIN_STATUS_BAD_FIELD, .offset = offset, .in_config = in_config,
	};
	struct tally_uresp_why why = {};

	tally_blame_to_user_group(&why, &blame, &group_req, 3);
	return why;
}

/* The driver blames the number of groups, with the status of no device. */
static void uabi_why_no_group(struct kunit *test)
{
	const struct tally_blame blame = { .no_group = true };
	struct tally_uresp_why why = {};

	tally_blame_to_user_group(&why, &blame, &group_req, 3);
	KUNIT_EXPECT_EQ(test, why.where, TALLY_WHY_GROUPS);
	KUNIT_EXPECT_EQ(test, why.status, 0);
}

static void uabi_why_group(struct kunit *test)
{
	struct tally_uresp_why why = why_of(offsetof(struct tally_group_cfg, mtu), true);

	KUNIT_EXPECT_EQ(test, why.status, TALLY_ADMIN_STATUS_BAD_FIELD);
	KUNIT_EXPECT_EQ(test, why.where, TALLY_WHY_REQUEST);
	KUNIT_EXPECT_EQ(test, why.offset, offsetof(struct tally_ureq_group, mtu));
	KUNIT_EXPECT_EQ(test, why.value, 300);
	why = why_of(offsetof(struct tally_group_cfg, modes), true);
	KUNIT_EXPECT_EQ(test, why.offset, offsetof(struct tally_ureq_group, modes));
	KUNIT_EXPECT_EQ(test, why.value, TALLY_MODES_TREE);
	/* No value of an array. */
	why = why_of(offsetof(struct tally_group_cfg, choice_small), true);
	KUNIT_EXPECT_EQ(test, why.offset, offsetof(struct tally_ureq_group, choice_small));
	KUNIT_EXPECT_EQ(test, why.value, 0);
	why = why_of(offsetof(struct tally_group_cfg, num_edges), true);
	KUNIT_EXPECT_EQ(test, why.where, TALLY_WHY_EDGES);
	KUNIT_EXPECT_EQ(test, why.value, 3);
	/* None of the process's, and not in the configuration. */
	why = why_of(offsetof(struct tally_group_cfg, rsvd1), true);
	KUNIT_EXPECT_EQ(test, why.where, TALLY_WHY_UNKNOWN);
	why = why_of(offsetof(struct tally_group_cfg, mtu), false);
	KUNIT_EXPECT_EQ(test, why.where, TALLY_WHY_UNKNOWN);
	KUNIT_EXPECT_EQ(test, why.status, TALLY_ADMIN_STATUS_BAD_FIELD);
}

static void uabi_why_edge(struct kunit *test)
{
	const u16 second = sizeof(struct tally_group_cfg) + sizeof(struct tally_group_edge);
	struct tally_uresp_why why = why_of(second + offsetof(struct tally_group_edge, roles), true);

	KUNIT_EXPECT_EQ(test, why.where, TALLY_WHY_EDGE);
	KUNIT_EXPECT_EQ(test, why.edge, 1);
	KUNIT_EXPECT_EQ(test, why.offset, offsetof(struct tally_ureq_edge, roles));
	/* The member that the process has set. */
	why = why_of(second + offsetof(struct tally_group_edge, part_count), true);
	KUNIT_EXPECT_EQ(test, why.offset, offsetof(struct tally_ureq_edge, part_count));
	group_req.modes = 0;
	why = why_of(second + offsetof(struct tally_group_edge, part_count), true);
	KUNIT_EXPECT_EQ(test, why.offset, offsetof(struct tally_ureq_edge, rank_count));
	why = why_of(second + offsetof(struct tally_group_edge, part_first), true);
	KUNIT_EXPECT_EQ(test, why.offset, offsetof(struct tally_ureq_edge, rank_first));
	group_req.modes = TALLY_MODES_TREE;
	/* A device that blames an edge that is not there. */
	why = why_of(second + 2 * sizeof(struct tally_group_edge), true);
	KUNIT_EXPECT_EQ(test, why.where, TALLY_WHY_UNKNOWN);
	why = why_of(U16_MAX, true);
	KUNIT_EXPECT_EQ(test, why.where, TALLY_WHY_UNKNOWN);
}

static void uabi_why_qp(struct kunit *test)
{
	const struct tally_ureq_create_qp req = { .port = 7, .ranks = 0x18 };
	struct tally_blame blame = {
		.status = TALLY_ADMIN_STATUS_ID_BUSY,
		.offset = offsetof(struct tally_admin_cmd, body) +
			  offsetof(struct tally_cmd_create_qp, port),
	};
	struct tally_uresp_why why = {};

	tally_blame_to_user_qp(&why, &blame, &req);
	KUNIT_EXPECT_EQ(test, why.status, TALLY_ADMIN_STATUS_ID_BUSY);
	KUNIT_EXPECT_EQ(test, why.where, TALLY_WHY_REQUEST);
	KUNIT_EXPECT_EQ(test, why.offset, offsetof(struct tally_ureq_create_qp, port));
	KUNIT_EXPECT_EQ(test, why.value, 7);
	blame.offset = offsetof(struct tally_admin_cmd, body) - 1;
	why = (struct tally_uresp_why){};
	tally_blame_to_user_qp(&why, &blame, &req);
	KUNIT_EXPECT_EQ(test, why.where, TALLY_WHY_UNKNOWN);
}

static struct kunit_case uabi_cases[] = {
	KUNIT_CASE(uabi_edge_from_user),
	KUNIT_CASE(uabi_edge_from_first_version),
	KUNIT_CASE(uabi_group_info),
	KUNIT_CASE(uabi_lists),
	KUNIT_CASE(uabi_gaps),
	KUNIT_CASE(uabi_why_group),
	KUNIT_CASE(uabi_why_no_group),
	KUNIT_CASE(uabi_why_edge),
	KUNIT_CASE(uabi_why_qp),
	{}
};

static struct kunit_suite uabi_suite = {
	.name = "tally_ib_uabi",
	.test_cases = uabi_cases,
};

kunit_test_suite(uabi_suite);
