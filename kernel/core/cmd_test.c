// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Typed commands: what they send to the device, and how they interpret its answer. */
#include "test/fake.h"

#include "cmd.c"

static const struct tally_doorbell_id slot = { .uar = 7, .slot = 21 };

static const struct tally_mem mem = {
	.addr = cpu_to_le64(0x123456789000),
	.length = cpu_to_le64(0x4000),
	.levels = 1,
	.page_shift = 12,
};

static int cmd_init(struct kunit *test)
{
	tally_fake_init(test);
	tally_fake_serve(test->priv);
	return 0;
}

/* Returns the body of the last command of this kind, which must be the only one. */
static const void *body_of(struct kunit *test, enum tally_admin_opcode opcode)
{
	struct tally_fake *fake = test->priv;

	KUNIT_EXPECT_EQ(test, fake->seen[opcode], 1);
	KUNIT_EXPECT_EQ(test, fake->fetched, 1);
	return fake->last[opcode].body;
}

/* ---- Answers ---- */

#define STATUS(name, value, text) value,
static const u16 statuses[] = { TALLY_ADMIN_STATUS_LIST(STATUS) };

/* Every status maps to one errno, and only OK maps to 0. */
static void cmd_statuses(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(statuses); i++) {
		int err = cmd_status_errno(statuses[i]);

		KUNIT_EXPECT_EQ(test, !err, statuses[i] == TALLY_ADMIN_STATUS_OK);
		KUNIT_EXPECT_LE(test, err, 0);
		KUNIT_EXPECT_GE(test, err, -MAX_ERRNO);
		KUNIT_EXPECT_STRNEQ(test, cmd_status_text(statuses[i]), "Unknown status.");
	}
	KUNIT_EXPECT_EQ(test, cmd_status_errno(TALLY_ADMIN_STATUS_NO_RESOURCE), -ENOSPC);
	KUNIT_EXPECT_EQ(test, cmd_status_errno(TALLY_ADMIN_STATUS_NOT_FOUND), -ENOENT);
	KUNIT_EXPECT_EQ(test, cmd_status_errno(TALLY_ADMIN_STATUS_EXISTS), -EEXIST);
	KUNIT_EXPECT_EQ(test, cmd_status_errno(TALLY_ADMIN_STATUS_IN_USE), -EBUSY);
	KUNIT_EXPECT_EQ(test, cmd_status_errno(TALLY_ADMIN_STATUS_BAD_FIELD), -EINVAL);
	KUNIT_EXPECT_EQ(test, cmd_status_errno(ARRAY_SIZE(status_texts)), -EIO);
	KUNIT_EXPECT_EQ(test, cmd_status_errno(U16_MAX), -EIO);
	KUNIT_EXPECT_STREQ(test, cmd_status_text(ARRAY_SIZE(status_texts)), "Unknown status.");
	KUNIT_EXPECT_STREQ(test, cmd_status_text(U16_MAX), "Unknown status.");
}

static void cmd_refused(struct kunit *test)
{
	struct tally_fake *fake = test->priv;
	u8 nothing[1] = {};

	fake->status = TALLY_ADMIN_STATUS_IN_USE;
	KUNIT_EXPECT_EQ(test, tally_exec(&fake->pf, TALLY_ADMIN_NOP, 0, nothing, 1), -EBUSY);
	fake->status = 0x7fff;
	KUNIT_EXPECT_EQ(test, tally_exec(&fake->pf, TALLY_ADMIN_NOP, 0, nothing, 1), -EIO);
	fake->status = TALLY_ADMIN_STATUS_OK;
	KUNIT_EXPECT_EQ(test, tally_exec(&fake->pf, TALLY_ADMIN_NOP, 0, nothing, 1), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&fake->failures), 0);
}

/* Destroy functions return no error: a device that refuses is taken out of service. */
static void cmd_destroy_refused(struct kunit *test)
{
	struct tally_fake *fake = test->priv;

	tally_destroy_cq(&fake->pf.pub, 5);
	KUNIT_EXPECT_EQ(test, atomic_read(&fake->failures), 0);
	fake->status = TALLY_ADMIN_STATUS_NOT_FOUND;
	tally_destroy_cq(&fake->pf.pub, 5);
	KUNIT_EXPECT_EQ(test, atomic_read(&fake->failures), 1);
	KUNIT_EXPECT_GE(test, atomic_read(&fake->waits), 1);
	tally_destroy_qp(&fake->pf.pub, 5);
	KUNIT_EXPECT_EQ(test, fake->seen[TALLY_ADMIN_DESTROY_QP], 0);
}

static void cmd_body_is_bounded(struct kunit *test)
{
	struct tally_fake *fake = test->priv;
	u8 *body = kunit_kzalloc(test, TALLY_PAGE_SIZE, GFP_KERNEL);
	const u8 *seen;
	size_t size;

	KUNIT_ASSERT_NOT_NULL(test, body);
	memset(body, 0x5a, TALLY_PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, tally_exec(&fake->pf, TALLY_ADMIN_NOP, 0, body, TALLY_PAGE_SIZE), 0);
	seen = body_of(test, TALLY_ADMIN_NOP);
	size = sizeof_field(struct tally_admin_cmd, body);
	KUNIT_EXPECT_PTR_EQ(test, memchr_inv(seen, 0x5a, size), NULL);
}

/* ---- Queries ---- */

static void cmd_query(struct kunit *test)
{
	struct tally_fake *fake = test->priv;
	const struct tally_cmd_query *query;
	u8 to[64];

	memset(fake->info, 0xa5, sizeof(fake->info));
	KUNIT_EXPECT_EQ(test, tally_exec_query(&fake->pf, TALLY_ADMIN_QUERY_GROUP, 9, to, 48), 0);
	query = body_of(test, TALLY_ADMIN_QUERY_GROUP);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(query->id), 9);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(query->length), 48);
	KUNIT_EXPECT_PTR_EQ(test, memchr_inv(to, 0xa5, 48), NULL);
}

static void cmd_query_refused(struct kunit *test)
{
	struct tally_fake *fake = test->priv;
	u8 to[64];

	memset(to, 0x11, sizeof(to));
	memset(fake->info, 0xa5, sizeof(fake->info));
	fake->status = TALLY_ADMIN_STATUS_NOT_FOUND;
	KUNIT_EXPECT_EQ(test, tally_exec_query(&fake->pf, TALLY_ADMIN_QUERY_GROUP, 9, to, 64),
			-ENOENT);
	KUNIT_EXPECT_PTR_EQ(test, memchr_inv(to, 0x11, sizeof(to)), NULL);
}

static void cmd_counters(struct kunit *test)
{
	struct tally_fake *fake = test->priv;
	__le64 *counters = (__le64 *)fake->info;
	u64 values[NUM_COUNTERS + 1];
	unsigned int i;

	for (i = 0; i < NUM_COUNTERS; i++)
		counters[i] = cpu_to_le64((u64)i << 40 | i);
	memset(values, 0xff, sizeof(values));
	KUNIT_EXPECT_EQ(test, tally_query_counters(&fake->pf.pub, values, NUM_COUNTERS), 0);
	for (i = 0; i < NUM_COUNTERS; i++)
		KUNIT_EXPECT_EQ(test, values[i], (u64)i << 40 | i);
	KUNIT_EXPECT_EQ(test, values[NUM_COUNTERS], U64_MAX);
}

static u64 qp_state;

static bool reply_state(struct tally_fake *fake, const struct tally_admin_cmd *cmd,
			struct tally_admin_cqe *answer)
{
	answer->value[0] = cpu_to_le64(qp_state);
	return true;
}

static void cmd_query_qp(struct kunit *test)
{
	struct tally_fake *fake = test->priv;
	enum tally_qp_state state = TALLY_QPS_RESET;

	fake->reply = reply_state;
	qp_state = TALLY_QPS_ERROR;
	KUNIT_EXPECT_EQ(test, tally_query_qp(&fake->pf.pub, 3, &state), 0);
	KUNIT_EXPECT_EQ(test, state, TALLY_QPS_ERROR);
	qp_state = TALLY_QPS_RTS;
	KUNIT_EXPECT_EQ(test, tally_query_qp(&fake->pf.pub, 3, &state), 0);
	KUNIT_EXPECT_EQ(test, state, TALLY_QPS_RTS);
	/* An unknown state of the device is an error. */
	for (qp_state = TALLY_QPS_ERROR + 1; qp_state; qp_state <<= 7)
		KUNIT_EXPECT_EQ(test, tally_query_qp(&fake->pf.pub, 3, &state), -EIO);
	KUNIT_EXPECT_EQ(test, state, TALLY_QPS_RTS);
}

/* ---- Bodies ---- */

static void cmd_create_cq(struct kunit *test)
{
	struct tally_fake *fake = test->priv;
	struct tally_cq_params params = {
		.cqn = 77, .depth = 256, .comp_vector = 2, .slot = slot, .ring = mem,
	};
	const struct tally_cmd_create_cq *body;

	fake->pf.num_eqs = 4;
	KUNIT_EXPECT_EQ(test, tally_create_cq(&fake->pf.pub, &params), 0);
	body = body_of(test, TALLY_ADMIN_CREATE_CQ);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(body->cqn), 77);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(body->depth), 256);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(body->eqn), 3);	/* queue 0 carries other events */
	KUNIT_EXPECT_EQ(test, le16_to_cpu(body->uar), slot.uar);
	KUNIT_EXPECT_EQ(test, le16_to_cpu(body->slot), slot.slot);
	KUNIT_EXPECT_EQ(test, memcmp(&body->ring, &mem, sizeof(mem)), 0);
}

static void cmd_create_cq_one_vector(struct kunit *test)
{
	struct tally_fake *fake = test->priv;
	struct tally_cq_params params = { .cqn = 1, .depth = 1, .slot = slot, .ring = mem };
	const struct tally_cmd_create_cq *body;

	fake->pf.num_eqs = 1;
	KUNIT_EXPECT_EQ(test, tally_create_cq(&fake->pf.pub, &params), 0);
	body = body_of(test, TALLY_ADMIN_CREATE_CQ);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(body->eqn), 0);
}

static void cmd_reg_mr(struct kunit *test)
{
	struct tally_fake *fake = test->priv;
	struct tally_mr_params params = {
		.key = 0x12345, .pd = 6, .access = 3, .iova = 0xfedcba9876543210, .buf = mem,
	};
	const struct tally_cmd_reg_mr *body;

	KUNIT_EXPECT_EQ(test, tally_reg_mr(&fake->pf.pub, &params), 0);
	body = body_of(test, TALLY_ADMIN_REG_MR);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(body->lkey), 0x12345);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(body->pd), 6);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(body->access), 3);
	KUNIT_EXPECT_EQ(test, le64_to_cpu(body->iova), 0xfedcba9876543210);
	KUNIT_EXPECT_EQ(test, memcmp(&body->buf, &mem, sizeof(mem)), 0);
}

static void cmd_modify_qp(struct kunit *test)
{
	struct tally_fake *fake = test->priv;
	const struct tally_cmd_modify_qp *body;

	KUNIT_EXPECT_EQ(test, tally_modify_qp(&fake->pf.pub, 900, TALLY_QPS_ERROR), 0);
	body = body_of(test, TALLY_ADMIN_MODIFY_QP);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(body->qpn), 900);
	KUNIT_EXPECT_EQ(test, body->state, TALLY_QPS_ERROR);
}

static struct kunit_case cmd_cases[] = {
	KUNIT_CASE(cmd_statuses),
	KUNIT_CASE(cmd_refused),
	KUNIT_CASE(cmd_destroy_refused),
	KUNIT_CASE(cmd_body_is_bounded),
	KUNIT_CASE(cmd_query),
	KUNIT_CASE(cmd_query_refused),
	KUNIT_CASE(cmd_counters),
	KUNIT_CASE(cmd_query_qp),
	KUNIT_CASE(cmd_create_cq),
	KUNIT_CASE(cmd_create_cq_one_vector),
	KUNIT_CASE(cmd_reg_mr),
	KUNIT_CASE(cmd_modify_qp),
	{}
};

static struct kunit_suite cmd_suite = {
	.name = "tally_cmd",
	.init = cmd_init,
	.exit = tally_fake_exit,
	.test_cases = cmd_cases,
};

kunit_test_suite(cmd_suite);
