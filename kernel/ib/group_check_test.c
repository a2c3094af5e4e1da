// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Checks of a group's description. The driver refuses what it relies on, and names the field. It
 * passes everything else to the device unchanged.
 */
#include "test/fake_group.h"

#include "group_check.c"

/**
 * struct group_field - A value of a field in a description.
 * @name: description of the value
 * @offset: offset of the field in bytes
 * @size: size of the field in bytes
 * @value: value to write to the field
 */
struct group_field {
	const char *name;
	size_t offset;
	size_t size;
	u64 value;
};

#define FIELD(name_, field, value_) { \
	.name = name_, \
	.offset = offsetof(struct tally_ureq_group, field), \
	.size = sizeof_field(struct tally_ureq_group, field), \
	.value = value_, \
}

static struct fake_group group;
static struct tally_uresp_why why;

static int group_check_init(struct kunit *test)
{
	tally_fake_group(&group);
	return tally_fake_ib_init(test);
}

static int check_edges(struct kunit *test, unsigned int num_edges)
{
	why = (struct tally_uresp_why){};
	return tally_check_group(tally_fake_ib(test), &group.req, FAKE_ROOM, num_edges, &why);
}

static int check(struct kunit *test)
{
	return check_edges(test, FAKE_NUM_EDGES);
}

static int check_field(struct kunit *test)
{
	const struct group_field *field = test->param_value;
	void *at = (void *)&group.req + field->offset;

	switch (field->size) {
	case 1:
		*(u8 *)at = field->value;
		break;
	case 2:
		*(u16 *)at = field->value;
		break;
	case 4:
		*(u32 *)at = field->value;
		break;
	case 8:
		*(u64 *)at = field->value;
		break;
	default:	/* an address */
		memset(at, field->value, field->size);
	}
	return check(test);
}

static void field_name(const struct group_field *field, char *text)
{
	strscpy(text, field->name, KUNIT_PARAM_DESC_SIZE);
}

static const struct group_field good[] = {
	FIELD("as it is", jid, 1),
	FIELD("largest jid", jid, U32_MAX),
	FIELD("all flags", flags, KNOWN_FLAGS),
	FIELD("no rank of the owner's", owner_ranks, 0),
	FIELD("all ranks the owner's", owner_ranks, 0x3),
	FIELD("all ranks that there can be", rank_mask, U64_MAX),
	FIELD("most cells", msg_cells, TALLY_MAX_GROUP_CELLS),
	FIELD("shortest timeout", timeout_ms, TALLY_MIN_TIMEOUT_MS),
	FIELD("longest timeout", timeout_ms, TALLY_MAX_TIMEOUT_MS),
	FIELD("no timeout", timeout_ms, 0),
	FIELD("largest retry_limit", retry_limit, TALLY_MAX_RETRIES),
	FIELD("largest rto_us", rto_us, TALLY_MAX_RTO_US),
	FIELD("segments by number", num_segs, FAKE_ROOM),
	FIELD("segments no power of two", num_segs, 3),
	FIELD("lent segments", max_segs, TALLY_MAX_GROUP_SEGS),
};

/* The device refuses all these values. The driver does not depend on that. */
static const struct group_field left_to_the_device[] = {
	FIELD("another epoch", epoch, 0),
	FIELD("largest mode", mode, 0xff),
	FIELD("all modes", modes, 0xff),
	FIELD("a plan", plan, U32_MAX),
	FIELD("largest chunk", chunk, U32_MAX),
	FIELD("choices", choice_small, 0xff),
	FIELD("largest level", level, 0xff),
	FIELD("no node", num_nodes, 0),
	FIELD("largest node", node, U16_MAX),
	FIELD("no rank at all", total_ranks, 0),
	FIELD("largest rank_first", rank_first, U32_MAX),
	FIELD("largest rounds", rounds, 0xff),
	FIELD("mtu", mtu, U32_MAX),
	FIELD("mcast_gid", mcast_gid, 0xff),
	FIELD("source_gid", source_gid, 0xff),
};

static const struct group_field bad[] = {
	FIELD("jid 0", jid, 0),
	FIELD("a reserved word", reserved, 1),
	FIELD("an unknown flag", flags, BIT(31)),
	FIELD("the lowest unknown flag", flags, KNOWN_FLAGS + 1),
	FIELD("the owner of another's ranks", owner_ranks, 0x4),
	FIELD("the owner of the last rank", owner_ranks, BIT_ULL(63)),
	FIELD("more segments than the range", num_segs, 2 * FAKE_ROOM),
	FIELD("a segment too many", num_segs, FAKE_ROOM + 1),
	FIELD("segments that the device's field cuts off", num_segs, U16_MAX + 2),
	FIELD("most segments", num_segs, U32_MAX),
	FIELD("fewer segments than the group owns", max_segs, FAKE_ROOM - 1),
	FIELD("too many lent segments", max_segs, TALLY_MAX_GROUP_SEGS + 1),
	FIELD("a short timeout", timeout_ms, TALLY_MIN_TIMEOUT_MS - 1),
	FIELD("a long timeout", timeout_ms, TALLY_MAX_TIMEOUT_MS + 1),
	FIELD("the shortest time", timeout_ms, 1),
	FIELD("retry_limit", retry_limit, TALLY_MAX_RETRIES + 1),
	FIELD("rto_us", rto_us, TALLY_MAX_RTO_US + 1),
	FIELD("too many cells", msg_cells, TALLY_MAX_GROUP_CELLS + 1),
	FIELD("most cells", msg_cells, U32_MAX),
};

KUNIT_ARRAY_PARAM(good, good, field_name);
KUNIT_ARRAY_PARAM(left_to_the_device, left_to_the_device, field_name);
KUNIT_ARRAY_PARAM(bad, bad, field_name);

static void group_check_takes(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, check_field(test), 0);
}

static void group_check_leaves(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, check_field(test), 0);
}

/* The refusal names the field and its value. */
static void group_check_refuses(struct kunit *test)
{
	const struct group_field *field = test->param_value;

	KUNIT_EXPECT_EQ(test, check_field(test), -EINVAL);
	KUNIT_EXPECT_EQ(test, why.where, TALLY_WHY_REQUEST);
	KUNIT_EXPECT_EQ(test, why.offset, field->offset);
	KUNIT_EXPECT_EQ(test, why.value, field->value);
	KUNIT_EXPECT_EQ(test, why.status, 0);
}

/* Each of the two has a limit, and so has their product. */
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
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		group.req.retry_limit = cases[i].retry_limit;
		group.req.rto_us = cases[i].rto_us;
		KUNIT_EXPECT_EQ_MSG(test, check(test), cases[i].err, "case %u", i);
	}
}

/* Number of segments: as requested, or the largest power of two that fits, in any number of rounds. */
static void group_check_num_segs(struct kunit *test)
{
	static const struct { u8 rounds; u32 num_segs, room, want; } cases[] = {
		{ 0, 0, 16, 16 }, { 3, 0, 16, 16 }, { 0, 0, 17, 16 }, { 0, 0, 0, 0 },
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

static void group_check_edges(struct kunit *test)
{
	static const unsigned int too_many[] = { TALLY_MAX_CONTRIBUTORS + 2, U16_MAX + 1, UINT_MAX };
	unsigned int i;

	KUNIT_EXPECT_EQ(test, check_edges(test, 0), 0);
	KUNIT_EXPECT_EQ(test, check_edges(test, TALLY_MAX_CONTRIBUTORS + 1), 0);
	for (i = 0; i < ARRAY_SIZE(too_many); i++) {
		KUNIT_EXPECT_EQ(test, check_edges(test, too_many[i]), -EINVAL);
		KUNIT_EXPECT_EQ(test, why.where, TALLY_WHY_EDGES);
		KUNIT_EXPECT_EQ(test, why.value, too_many[i]);
	}
}

static struct kunit_case group_check_cases[] = {
	KUNIT_CASE_PARAM(group_check_takes, good_gen_params),
	KUNIT_CASE_PARAM(group_check_leaves, left_to_the_device_gen_params),
	KUNIT_CASE_PARAM(group_check_refuses, bad_gen_params),
	KUNIT_CASE(group_check_retry_span),
	KUNIT_CASE(group_check_num_segs),
	KUNIT_CASE(group_check_edges),
	{}
};

static struct kunit_suite group_check_suite = {
	.name = "tally_ib_group_check",
	.init = group_check_init,
	.exit = tally_fake_ib_exit,
	.test_cases = group_check_cases,
};

kunit_test_suite(group_check_suite);
