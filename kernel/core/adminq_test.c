// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The admin queue, with a device that answers late, wrongly or not at all, or has failed. */
#include <linux/delay.h>

#include "test/fake.h"

#include "adminq.c"

/* For tests of timeouts: long enough for a waiting command to poll a few times. */
#define SHORT_TIMEOUT_MS 200
/* Time for a thread to do what it must not do. */
#define SETTLE_MS 20

/* A command that is executed in another thread, because it may wait. */
struct call {
	struct work_struct work;
	struct tally_fake *fake;
	struct tally_admin_cmd cmd;
	struct tally_admin_cqe answer;
	struct completion done;
	int err;
};

static void call_work(struct work_struct *work)
{
	struct call *call = container_of(work, struct call, work);

	call->err = tally_adminq_exec(&call->fake->pf, &call->cmd, &call->answer);
	complete(&call->done);
}

static struct call *call_begin(struct kunit *test, u16 opcode)
{
	struct call *call = kunit_kzalloc(test, sizeof(*call), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, call);
	call->fake = test->priv;
	call->cmd.opcode = cpu_to_le16(opcode);
	init_completion(&call->done);
	INIT_WORK(&call->work, call_work);
	queue_work(call->fake->calls, &call->work);
	return call;
}

static int call_end(struct call *call)
{
	wait_for_completion(&call->done);
	return call->err;
}

/* Fetches the next command on behalf of the device. */
static void fetch(struct kunit *test, struct tally_admin_cmd *cmd)
{
	unsigned long deadline = jiffies + tally_cmd_timeout();

	while (!tally_fake_fetch(test->priv, cmd)) {
		KUNIT_ASSERT_TRUE(test, time_before(jiffies, deadline));
		schedule_timeout_uninterruptible(1);
	}
}

static struct tally_aq_slot *post(struct kunit *test)
{
	struct tally_fake *fake = test->priv;
	struct tally_admin_cmd cmd = { .opcode = cpu_to_le16(TALLY_ADMIN_NOP) };

	return adminq_try_post(&fake->pf, &cmd);
}

/* Fills the ring with commands that no caller waits for. */
static void fill(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < TALLY_AQ_DEPTH; i++)
		KUNIT_ASSERT_NOT_NULL(test, post(test));
}

/* Takes the answer of the slot with this index. Returns whether the slot is free now. */
static bool take(struct tally_fake *fake, unsigned int index)
{
	struct tally_admin_cqe answer;

	return adminq_finish(&fake->pf, &fake->pf.aq.slots[index], &answer);
}

static u16 id_of(struct tally_fake *fake, unsigned int index)
{
	return le16_to_cpu(fake->pf.aq.sq[index].id);
}

static bool reply_echo(struct tally_fake *fake, const struct tally_admin_cmd *cmd,
		       struct tally_admin_cqe *answer)
{
	memcpy(answer->value, cmd->body, sizeof(answer->value));
	return true;
}

/* ---- A device that answers ---- */

/* Three laps of the ring, in which phases and generations change. */
static void adminq_answers(struct kunit *test)
{
	struct tally_fake *fake = test->priv;
	struct tally_admin_cqe answer;
	struct tally_admin_cmd cmd = { .opcode = cpu_to_le16(TALLY_ADMIN_NOP) };
	u64 i;

	fake->reply = reply_echo;
	tally_fake_serve(fake);
	for (i = 0; i < 3 * TALLY_AQ_DEPTH + 1; i++) {
		__le64 value = cpu_to_le64(i << 32 | ~(u32)i);

		memcpy(cmd.body, &value, sizeof(value));
		KUNIT_ASSERT_EQ(test, tally_adminq_exec(&fake->pf, &cmd, &answer), 0);
		KUNIT_ASSERT_EQ(test, le64_to_cpu(answer.value[0]), i << 32 | ~(u32)i);
	}
	KUNIT_EXPECT_EQ(test, fake->fetched, i);
	KUNIT_EXPECT_EQ(test, le64_to_cpu(fake_control(fake)->aq_ci), i);
	KUNIT_EXPECT_EQ(test, atomic_read(&fake->failures), 0);
}

static void adminq_lost_interrupt(struct kunit *test)
{
	struct tally_fake *fake = test->priv;
	struct call *call;

	fake->no_interrupts = true;
	tally_fake_serve(fake);
	call = call_begin(test, TALLY_ADMIN_NOP);
	KUNIT_EXPECT_EQ(test, call_end(call), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&fake->failures), 0);
}

/* A refused command is an answer like any other. cmd.c interprets the status. */
static void adminq_status_is_passed_on(struct kunit *test)
{
	struct tally_fake *fake = test->priv;
	struct call *call;

	fake->status = 0xbeef;
	tally_fake_serve(fake);
	call = call_begin(test, TALLY_ADMIN_NOP);
	KUNIT_EXPECT_EQ(test, call_end(call), 0);
	KUNIT_EXPECT_EQ(test, le16_to_cpu(call->answer.status), 0xbeef);
	KUNIT_EXPECT_EQ(test, atomic_read(&fake->failures), 0);
}

/* ---- A device that does not answer ---- */

static void adminq_time_out(struct kunit *test)
{
	struct tally_fake *fake = test->priv;
	struct tally_adminq *aq = &fake->pf.aq;

	tally_fake_timeout_ms = SHORT_TIMEOUT_MS;
	fake->reply = tally_fake_reply_never;
	tally_fake_serve(fake);
	KUNIT_EXPECT_EQ(test, call_end(call_begin(test, TALLY_ADMIN_NOP)), -ETIMEDOUT);
	KUNIT_EXPECT_EQ(test, fake->fetched, 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&fake->failures), 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&fake->waits), 1);
	KUNIT_EXPECT_TRUE(test, aq->slots[0].busy);
	/* The device has failed: the next command fails at once and never reaches it. */
	KUNIT_EXPECT_EQ(test, call_end(call_begin(test, TALLY_ADMIN_NOP)), -EIO);
	KUNIT_EXPECT_EQ(test, fake->fetched, 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&fake->failures), 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&fake->waits), 2);
}

/* One command times out; the others fail because the device has failed. */
static void adminq_time_out_ends_others(struct kunit *test)
{
	struct tally_fake *fake = test->priv;
	unsigned int late = 0, i;
	struct call *calls[4];

	tally_fake_timeout_ms = SHORT_TIMEOUT_MS;
	for (i = 0; i < ARRAY_SIZE(calls); i++)
		calls[i] = call_begin(test, TALLY_ADMIN_NOP);
	for (i = 0; i < ARRAY_SIZE(calls); i++) {
		int err = call_end(calls[i]);

		KUNIT_EXPECT_TRUE(test, err == -ETIMEDOUT || err == -EIO);
		late += err == -ETIMEDOUT;
	}
	KUNIT_EXPECT_GE(test, late, 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&fake->failures), late);
}

static void adminq_late_answer(struct kunit *test)
{
	struct tally_fake *fake = test->priv;
	struct tally_aq_slot *slot = &fake->pf.aq.slots[0];

	tally_fake_timeout_ms = SHORT_TIMEOUT_MS;
	KUNIT_EXPECT_EQ(test, call_end(call_begin(test, TALLY_ADMIN_NOP)), -ETIMEDOUT);
	tally_fake_answer(fake, id_of(fake, 0), TALLY_ADMIN_STATUS_OK);
	/* The late answer is consumed and dropped, and no other command gets the slot. */
	KUNIT_EXPECT_EQ(test, fake->pf.aq.consumed, 1);
	KUNIT_EXPECT_TRUE(test, slot->busy);
	KUNIT_EXPECT_EQ(test, call_end(call_begin(test, TALLY_ADMIN_NOP)), -EIO);
}

/* An answer that the last poll finds is in time. */
static void adminq_last_moment(struct kunit *test)
{
	struct tally_fake *fake = test->priv;
	struct tally_admin_cqe answer = {};
	struct tally_aq_slot *slot;

	slot = post(test);
	KUNIT_ASSERT_NOT_NULL(test, slot);
	answer.id = cpu_to_le16(id_of(fake, 0));
	tally_fake_write(fake, &answer);
	tally_fake_timeout_ms = 0;
	KUNIT_EXPECT_TRUE(test, adminq_await(&fake->pf, slot));
}

/* ---- A device that answers wrongly ---- */

static void adminq_wrong_answers(struct kunit *test)
{
	struct tally_fake *fake = test->priv;
	struct tally_adminq *aq = &fake->pf.aq;
	u16 id;

	KUNIT_ASSERT_NOT_NULL(test, post(test));
	id = id_of(fake, 0);
	/* Answers to a free slot, to a slot that does not exist, and to another generation. */
	tally_fake_answer(fake, id + 1, TALLY_ADMIN_STATUS_OK);
	tally_fake_answer(fake, (id & 0xff00) | TALLY_AQ_DEPTH, TALLY_ADMIN_STATUS_OK);
	tally_fake_answer(fake, id | 0xff, TALLY_ADMIN_STATUS_OK);
	tally_fake_answer(fake, id + 0x100, TALLY_ADMIN_STATUS_OK);
	tally_fake_answer(fake, id - 0x100, TALLY_ADMIN_STATUS_OK);
	KUNIT_EXPECT_FALSE(test, aq->slots[0].answered);
	KUNIT_EXPECT_FALSE(test, completion_done(&aq->slots[0].done));
	KUNIT_EXPECT_EQ(test, aq->consumed, 5);
	tally_fake_answer(fake, id, TALLY_ADMIN_STATUS_EXISTS);
	KUNIT_EXPECT_TRUE(test, aq->slots[0].answered);
	KUNIT_EXPECT_TRUE(test, completion_done(&aq->slots[0].done));
}

/* The first of two answers counts. */
static void adminq_answered_twice(struct kunit *test)
{
	struct tally_fake *fake = test->priv;
	struct tally_aq_slot *slot;
	struct tally_admin_cqe answer;

	slot = post(test);
	KUNIT_ASSERT_NOT_NULL(test, slot);
	tally_fake_answer(fake, id_of(fake, 0), TALLY_ADMIN_STATUS_EXISTS);
	tally_fake_answer(fake, id_of(fake, 0), TALLY_ADMIN_STATUS_OK);
	KUNIT_ASSERT_TRUE(test, adminq_finish(&fake->pf, slot, &answer));
	KUNIT_EXPECT_EQ(test, le16_to_cpu(answer.status), TALLY_ADMIN_STATUS_EXISTS);
	KUNIT_EXPECT_FALSE(test, slot->busy);
	/* A further answer is dropped. */
	tally_fake_answer(fake, id_of(fake, 0), TALLY_ADMIN_STATUS_OK);
	KUNIT_EXPECT_EQ(test, fake->pf.aq.consumed, 3);
}

/* An answer to an earlier command of the slot is not taken for the current one's. */
static void adminq_stale_answer(struct kunit *test)
{
	struct tally_fake *fake = test->priv;
	unsigned int i;
	u16 old;

	fill(test);
	old = id_of(fake, 0);
	for (i = 0; i < TALLY_AQ_DEPTH; i++) {
		tally_fake_answer(fake, id_of(fake, i), TALLY_ADMIN_STATUS_OK);
		KUNIT_ASSERT_TRUE(test, take(fake, i));
	}
	KUNIT_ASSERT_NOT_NULL(test, post(test));
	KUNIT_EXPECT_NE(test, id_of(fake, 0), old);
	tally_fake_answer(fake, old, TALLY_ADMIN_STATUS_OK);
	KUNIT_EXPECT_FALSE(test, take(fake, 0));
	tally_fake_answer(fake, id_of(fake, 0), TALLY_ADMIN_STATUS_OK);
	KUNIT_EXPECT_TRUE(test, take(fake, 0));
}

static void adminq_any_order(struct kunit *test)
{
	struct tally_fake *fake = test->priv;
	unsigned int i;

	fill(test);
	for (i = 0; i < TALLY_AQ_DEPTH; i++)
		tally_fake_answer(fake, id_of(fake, TALLY_AQ_DEPTH - 1 - i), i % 10);
	for (i = 0; i < TALLY_AQ_DEPTH; i++) {
		struct tally_admin_cqe answer;

		KUNIT_ASSERT_TRUE(test, adminq_finish(&fake->pf, &fake->pf.aq.slots[i], &answer));
		KUNIT_EXPECT_EQ(test, le16_to_cpu(answer.status), (TALLY_AQ_DEPTH - 1 - i) % 10);
	}
}

/* Entries without the phase of the current lap are ignored. */
static void adminq_phases(struct kunit *test)
{
	struct tally_fake *fake = test->priv;
	struct tally_adminq *aq = &fake->pf.aq;
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, post(test));
	aq->cq[0].id = aq->sq[0].id;
	tally_adminq_poll(&fake->pf);
	KUNIT_EXPECT_EQ(test, aq->consumed, 0);
	KUNIT_EXPECT_FALSE(test, aq->slots[0].answered);
	/* If a device fills the ring at once, the driver consumes at most one lap. */
	for (i = 0; i < TALLY_AQ_DEPTH; i++)
		aq->cq[i].owner = TALLY_OWNER_PHASE;
	tally_adminq_poll(&fake->pf);
	KUNIT_EXPECT_EQ(test, aq->consumed, TALLY_AQ_DEPTH);
	KUNIT_EXPECT_EQ(test, le64_to_cpu(fake_control(fake)->aq_ci), TALLY_AQ_DEPTH);
	tally_adminq_poll(&fake->pf);
	KUNIT_EXPECT_EQ(test, aq->consumed, TALLY_AQ_DEPTH);
}

/* ---- A ring that is full ---- */

/* Slots become free in any order, but the ring uses them in its own order. */
static void adminq_full_ring(struct kunit *test)
{
	struct tally_fake *fake = test->priv;

	fill(test);
	KUNIT_EXPECT_NULL(test, post(test));
	KUNIT_EXPECT_EQ(test, le64_to_cpu(fake_control(fake)->aq_db), TALLY_AQ_DEPTH);
	tally_fake_answer(fake, id_of(fake, 1), TALLY_ADMIN_STATUS_OK);
	KUNIT_ASSERT_TRUE(test, take(fake, 1));
	KUNIT_EXPECT_NULL(test, post(test));
	tally_fake_answer(fake, id_of(fake, 0), TALLY_ADMIN_STATUS_OK);
	KUNIT_EXPECT_NULL(test, post(test));	/* answered, but not taken yet */
	KUNIT_ASSERT_TRUE(test, take(fake, 0));
	KUNIT_EXPECT_NOT_NULL(test, post(test));
	KUNIT_EXPECT_NOT_NULL(test, post(test));
	KUNIT_EXPECT_NULL(test, post(test));
}

static void adminq_waits_for_room(struct kunit *test)
{
	struct tally_fake *fake = test->priv;
	struct tally_admin_cmd cmd;
	struct call *call;
	unsigned int i;

	fill(test);
	call = call_begin(test, TALLY_ADMIN_QUERY_QP);
	for (i = 0; i < TALLY_AQ_DEPTH; i++)
		fetch(test, &cmd);
	msleep(SETTLE_MS);
	KUNIT_EXPECT_FALSE(test, tally_fake_fetch(fake, &cmd));
	tally_fake_answer(fake, id_of(fake, 0), TALLY_ADMIN_STATUS_OK);
	KUNIT_ASSERT_TRUE(test, take(fake, 0));
	fetch(test, &cmd);
	KUNIT_EXPECT_EQ(test, le16_to_cpu(cmd.opcode), TALLY_ADMIN_QUERY_QP);
	tally_fake_answer(fake, le16_to_cpu(cmd.id), TALLY_ADMIN_STATUS_OK);
	KUNIT_EXPECT_EQ(test, call_end(call), 0);
}

/* More callers than slots; all of them are served. */
static void adminq_many_callers(struct kunit *test)
{
	struct call *calls[2 * TALLY_AQ_DEPTH];
	struct tally_fake *fake = test->priv;
	unsigned int i;

	tally_fake_serve(fake);
	for (i = 0; i < ARRAY_SIZE(calls); i++)
		calls[i] = call_begin(test, TALLY_ADMIN_NOP);
	for (i = 0; i < ARRAY_SIZE(calls); i++)
		KUNIT_EXPECT_EQ(test, call_end(calls[i]), 0);
	KUNIT_EXPECT_EQ(test, fake->fetched, ARRAY_SIZE(calls));
}

/* ---- A closed queue ---- */

static void adminq_close_while_waiting(struct kunit *test)
{
	struct tally_fake *fake = test->priv;
	struct tally_admin_cmd cmd;
	struct call *call;

	call = call_begin(test, TALLY_ADMIN_NOP);
	fetch(test, &cmd);
	tally_adminq_close(&fake->pf);
	KUNIT_EXPECT_EQ(test, call_end(call), -EIO);
	KUNIT_EXPECT_EQ(test, atomic_read(&fake->failures), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&fake->waits), 1);
}

static void adminq_close_while_full(struct kunit *test)
{
	struct tally_fake *fake = test->priv;
	struct call *call;

	fill(test);
	call = call_begin(test, TALLY_ADMIN_NOP);
	msleep(SETTLE_MS);
	KUNIT_EXPECT_FALSE(test, completion_done(&call->done));
	tally_adminq_close(&fake->pf);
	KUNIT_EXPECT_EQ(test, call_end(call), -EIO);
	KUNIT_EXPECT_EQ(test, le64_to_cpu(fake_control(fake)->aq_db), TALLY_AQ_DEPTH);
}

/* A command that was answered before the queue was closed succeeds. */
static void adminq_close_after_answer(struct kunit *test)
{
	struct tally_fake *fake = test->priv;
	struct tally_aq_slot *slot;
	struct tally_admin_cqe answer;

	slot = post(test);
	KUNIT_ASSERT_NOT_NULL(test, slot);
	tally_fake_answer(fake, id_of(fake, 0), TALLY_ADMIN_STATUS_OK);
	tally_adminq_close(&fake->pf);
	KUNIT_EXPECT_TRUE(test, adminq_await(&fake->pf, slot));
	KUNIT_EXPECT_TRUE(test, adminq_finish(&fake->pf, slot, &answer));
	KUNIT_EXPECT_NULL(test, post(test));
}

static struct kunit_case adminq_cases[] = {
	KUNIT_CASE(adminq_answers),
	KUNIT_CASE(adminq_lost_interrupt),
	KUNIT_CASE(adminq_status_is_passed_on),
	KUNIT_CASE(adminq_time_out),
	KUNIT_CASE(adminq_time_out_ends_others),
	KUNIT_CASE(adminq_late_answer),
	KUNIT_CASE(adminq_last_moment),
	KUNIT_CASE(adminq_wrong_answers),
	KUNIT_CASE(adminq_answered_twice),
	KUNIT_CASE(adminq_stale_answer),
	KUNIT_CASE(adminq_any_order),
	KUNIT_CASE(adminq_phases),
	KUNIT_CASE(adminq_full_ring),
	KUNIT_CASE(adminq_waits_for_room),
	KUNIT_CASE(adminq_many_callers),
	KUNIT_CASE(adminq_close_while_waiting),
	KUNIT_CASE(adminq_close_while_full),
	KUNIT_CASE(adminq_close_after_answer),
	{}
};

static struct kunit_suite adminq_suite = {
	.name = "tally_adminq",
	.init = tally_fake_init,
	.exit = tally_fake_exit,
	.test_cases = adminq_cases,
};

kunit_test_suite(adminq_suite);
