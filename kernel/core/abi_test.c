// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Layouts. Each structure is filled in by member names, and must consist of the bytes that the
 * layout generator lists. RTL and simulator are tested with the same bytes.
 */
#include "ring.h"
#include "test/fake.h"

#include "tally_golden.h"

#define MEMBER(name) \
	struct tally_##name name;

/* A union as large as the largest structure. */
union any {
	TALLY_GOLDEN_LIST(MEMBER)
};

struct golden {
	const char *name;
	void (*fill)(union any *any);
	const u8 *bytes;
	size_t size;
	size_t bytes_size;
};

#define FILL(name) \
	static void fill_##name(union any *any) \
	{ \
		tally_golden_fill_##name(&any->name); \
	}
TALLY_GOLDEN_LIST(FILL)

#define GOLDEN(name_) { \
	.name = #name_, \
	.fill = fill_##name_, \
	.bytes = tally_golden_##name_, \
	.size = sizeof(struct tally_##name_), \
	.bytes_size = sizeof(tally_golden_##name_), \
},
static const struct golden goldens[] = { TALLY_GOLDEN_LIST(GOLDEN) };

static void golden_name(const struct golden *golden, char *text)
{
	strscpy(text, golden->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(golden, goldens, golden_name);

static void abi_golden(struct kunit *test)
{
	const struct golden *golden = test->param_value;
	union any *any = kunit_kzalloc(test, sizeof(*any), GFP_KERNEL);
	const u8 *bytes = (const u8 *)any;
	size_t i;

	KUNIT_ASSERT_NOT_NULL(test, any);
	KUNIT_ASSERT_EQ(test, golden->size, golden->bytes_size);
	golden->fill(any);
	for (i = 0; i < golden->size && bytes[i] == golden->bytes[i]; i++)
		;
	KUNIT_EXPECT_EQ_MSG(test, i, golden->size, "byte %zu is %#x, not %#x", i, bytes[i],
			    i < golden->size ? golden->bytes[i] : 0);
}

/* The body of each command fits into a command, and ring entries fit into their pages. */
static void abi_sizes(struct kunit *test)
{
	size_t body = sizeof_field(struct tally_admin_cmd, body);

	KUNIT_EXPECT_EQ(test, sizeof(struct tally_cmd_create_eq), body);
	KUNIT_EXPECT_EQ(test, sizeof(struct tally_cmd_create_cq), body);
	KUNIT_EXPECT_EQ(test, sizeof(struct tally_cmd_reg_mr), body);
	KUNIT_EXPECT_EQ(test, sizeof(struct tally_cmd_create_qp), body);
	KUNIT_EXPECT_EQ(test, sizeof(struct tally_cmd_modify_qp), body);
	KUNIT_EXPECT_EQ(test, sizeof(struct tally_cmd_object), body);
	KUNIT_EXPECT_EQ(test, sizeof(struct tally_cmd_group), body);
	KUNIT_EXPECT_EQ(test, sizeof(struct tally_cmd_group_ranks), body);
	KUNIT_EXPECT_EQ(test, sizeof(struct tally_cmd_reset_group), body);
	KUNIT_EXPECT_EQ(test, sizeof(struct tally_cmd_query), body);
	KUNIT_EXPECT_EQ(test, sizeof(struct tally_cmd_inject), body);
	KUNIT_EXPECT_EQ(test, TALLY_PAGE_SIZE % sizeof(struct tally_admin_cmd), 0);
	KUNIT_EXPECT_EQ(test, TALLY_PAGE_SIZE % sizeof(struct tally_admin_cqe), 0);
	KUNIT_EXPECT_EQ(test, TALLY_PAGE_SIZE % sizeof(struct tally_eqe), 0);
	KUNIT_EXPECT_EQ(test, TALLY_PAGE_SIZE % sizeof(struct tally_cqe), 0);
	KUNIT_EXPECT_EQ(test, TALLY_PAGE_SIZE % sizeof(struct tally_wqe), 0);
	KUNIT_EXPECT_EQ(test, TALLY_UAR_SLOTS * sizeof(struct tally_uar_slot), TALLY_PAGE_SIZE);
}

/* The pages of BAR2 that processes must not map do not overlap those that they may map. */
static void abi_bar(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, sizeof(struct tally_ident), TALLY_PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, sizeof(struct tally_control), TALLY_PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, sizeof(struct tally_status_page), TALLY_PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, TALLY_BAR_CONTROL_OFFSET, TALLY_BAR_IDENT_OFFSET + TALLY_PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, TALLY_BAR_STATUS_OFFSET, TALLY_BAR_CONTROL_OFFSET + TALLY_PAGE_SIZE);
	KUNIT_EXPECT_GE(test, TALLY_BAR_UAR_OFFSET, TALLY_BAR_STATUS_OFFSET + TALLY_PAGE_SIZE);
	KUNIT_EXPECT_GE(test, TALLY_BAR_PUSH_OFFSET,
			TALLY_BAR_UAR_OFFSET + TALLY_NUM_UARS * TALLY_PAGE_SIZE);
	KUNIT_EXPECT_GE(test, TALLY_BAR_SIZE,
			TALLY_BAR_PUSH_OFFSET + TALLY_NUM_UARS * TALLY_PUSH_SIZE);
	KUNIT_EXPECT_GE(test, ARRAY_SIZE(((struct tally_control *)0)->eq_db), TALLY_MAX_EQ);
}

/* The phase of a ring entry alternates from lap to lap, and a zeroed ring is empty. */
static void abi_ring_phase(struct kunit *test)
{
	u32 depth;
	u64 i;

	for (depth = 1; depth <= TALLY_MAX_CQ_DEPTH; depth *= 2) {
		KUNIT_ASSERT_EQ(test, tally_ring_phase(0, depth), TALLY_OWNER_PHASE);
		KUNIT_ASSERT_EQ(test, tally_ring_phase(depth - 1, depth), TALLY_OWNER_PHASE);
		KUNIT_ASSERT_EQ(test, tally_ring_phase(depth, depth), 0);
		KUNIT_ASSERT_EQ(test, tally_ring_phase(2 * depth - 1, depth), 0);
		KUNIT_ASSERT_EQ(test, tally_ring_phase(2 * depth, depth), TALLY_OWNER_PHASE);
		for (i = 0; i < 64; i++)
			KUNIT_ASSERT_NE(test, tally_ring_phase((u64)-1 - i, depth),
					tally_ring_phase((u64)-1 - i - depth, depth));
	}
}

static struct kunit_case abi_cases[] = {
	KUNIT_CASE_PARAM(abi_golden, golden_gen_params),
	KUNIT_CASE(abi_sizes),
	KUNIT_CASE(abi_bar),
	KUNIT_CASE(abi_ring_phase),
	{}
};

static struct kunit_suite abi_suite = {
	.name = "tally_abi",
	.test_cases = abi_cases,
};

kunit_test_suite(abi_suite);
