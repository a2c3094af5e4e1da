// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* States of a queue pair: the possible transitions, and their commands to the device. */
#include "core/group.h"
#include "test/fake_ib.h"

#include "qp_modify.c"

#define QPN 9

/* State of the queue pair that the device reports. */
static u64 device_says;

static bool reply_state(struct tally_fake *fake, const struct tally_admin_cmd *cmd,
			struct tally_admin_cqe *answer)
{
	if (le16_to_cpu(cmd->opcode) == TALLY_ADMIN_QUERY_QP)
		answer->value[0] = cpu_to_le64(device_says);
	else
		answer->status = cpu_to_le16(fake->status);
	return true;
}

static void set_group_state(struct kunit *test, u8 state)
{
	struct tally_fake *fake = test->priv;

	((struct tally_group_info *)fake->info)->state = state;
}

static int qp_init(struct kunit *test)
{
	struct tally_fake *fake;

	tally_fake_ib_init(test);
	fake = test->priv;
	fake->reply = reply_state;
	device_says = TALLY_QPS_RTS;
	set_group_state(test, TALLY_GROUP_OPEN);
	tally_fake_serve(fake);
	return 0;
}

static struct tally_uar_slot *slot_of(struct kunit *test)
{
	return fake_slot(test->priv, 1, 2);
}

/* A queue pair in this state, of a group that only the device knows; 77 requests were posted. */
static struct tally_qp *qp_new(struct kunit *test, enum ib_qp_state state)
{
	struct tally_group *group = kunit_kzalloc(test, sizeof(*group), GFP_KERNEL);
	struct tally_qp *qp = kunit_kzalloc(test, sizeof(*qp), GFP_KERNEL);
	struct tally_fake *fake = test->priv;

	KUNIT_ASSERT_NOT_NULL(test, group);
	KUNIT_ASSERT_NOT_NULL(test, qp);
	qp->handle = kunit_kzalloc(test, sizeof(*qp->handle), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, qp->handle);
	group->pf = &fake->pf;
	qp->handle->group = group;
	mutex_init(&qp->modifying);
	qp->ibqp.device = &tally_fake_ib(test)->ibdev;
	qp->ibqp.qp_num = QPN;
	qp->state = state;
	qp->db.slot = (struct tally_doorbell_id){ .uar = 1, .slot = 2 };
	slot_of(test)->counter = cpu_to_le64(77);
	return qp;
}

static int modify(struct tally_qp *qp, struct ib_qp_attr attr, int mask)
{
	struct ib_udata udata = {};

	return tally_ib_modify_qp(&qp->ibqp, &attr, mask, &udata);
}

static int step(struct tally_qp *qp, enum ib_qp_state to)
{
	return modify(qp, (struct ib_qp_attr){ .qp_state = to }, IB_QP_STATE);
}

/* The usual sequence of a program for any provider. The device sees two of its transitions. */
static void qp_modify_walk(struct kunit *test)
{
	struct tally_qp *qp = qp_new(test, IB_QPS_RTS);
	struct tally_fake *fake = test->priv;
	const struct tally_cmd_modify_qp *body = (const void *)
		fake->last[TALLY_ADMIN_MODIFY_QP].body;

	KUNIT_EXPECT_EQ(test, step(qp, IB_QPS_RESET), 0);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(body->qpn), QPN);
	KUNIT_EXPECT_EQ(test, body->state, TALLY_QPS_RESET);
	/* The count of requests restarts. */
	KUNIT_EXPECT_EQ(test, slot_of(test)->counter, 0);
	KUNIT_EXPECT_EQ(test, step(qp, IB_QPS_INIT), 0);
	KUNIT_EXPECT_EQ(test, step(qp, IB_QPS_RTR), 0);
	KUNIT_EXPECT_EQ(test, fake->seen[TALLY_ADMIN_MODIFY_QP], 1);
	KUNIT_EXPECT_EQ(test, step(qp, IB_QPS_RTS), 0);
	KUNIT_EXPECT_EQ(test, body->state, TALLY_QPS_RTS);
	KUNIT_EXPECT_EQ(test, step(qp, IB_QPS_ERR), 0);
	KUNIT_EXPECT_EQ(test, body->state, TALLY_QPS_ERROR);
	KUNIT_EXPECT_EQ(test, fake->seen[TALLY_ADMIN_MODIFY_QP], 3);
	KUNIT_EXPECT_EQ(test, qp->state, IB_QPS_ERR);
}

/* Transitions from each state to each state, including those that do not exist here. */
static void qp_modify_steps(struct kunit *test)
{
	static const char * const ways[] = {	/* RESET INIT RTR RTS SQD SQE ERR */
		[IB_QPS_RESET] = "yynynny",
		[IB_QPS_INIT] =  "yyynnny",
		[IB_QPS_RTR] =   "ynnynny",
		[IB_QPS_RTS] =   "ynnynny",
		[IB_QPS_ERR] =   "ynnnnny",
	};
	unsigned int from, to;

	for (from = 0; from < ARRAY_SIZE(ways); from++) {
		for (to = 0; ways[from] && to <= IB_QPS_ERR + 1; to++) {
			bool way = to <= IB_QPS_ERR && ways[from][to] == 'y';
			struct tally_qp *qp = qp_new(test, from);

			KUNIT_EXPECT_EQ_MSG(test, step(qp, to), way ? 0 : -EINVAL,
					    "from %u to %u", from, to);
			KUNIT_EXPECT_EQ(test, qp->state, way ? to : from);
		}
	}
}

static void qp_modify_attributes(struct kunit *test)
{
	struct ib_qp_attr other = { .qp_state = IB_QPS_RTS, .cur_qp_state = IB_QPS_INIT };
	struct tally_qp *qp = qp_new(test, IB_QPS_RESET);
	struct tally_fake *fake = test->priv;

	KUNIT_EXPECT_EQ(test, modify(qp, (struct ib_qp_attr){ .port_num = 1 }, IB_QP_PORT), 0);
	KUNIT_EXPECT_EQ(test, modify(qp, (struct ib_qp_attr){ .port_num = 2 }, IB_QP_PORT),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, modify(qp, (struct ib_qp_attr){ .pkey_index = 1 },
				     IB_QP_PKEY_INDEX), -EINVAL);
	KUNIT_EXPECT_EQ(test, modify(qp, (struct ib_qp_attr){}, IB_QP_AV), -EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, modify(qp, other, IB_QP_STATE | IB_QP_CUR_STATE), -EINVAL);
	KUNIT_EXPECT_EQ(test, qp->state, IB_QPS_RESET);
	KUNIT_EXPECT_EQ(test, fake->seen[TALLY_ADMIN_MODIFY_QP], 0);
}

/* A failed request put the queue pair into error without an event. */
static void qp_modify_silent_error(struct kunit *test)
{
	struct tally_qp *qp = qp_new(test, IB_QPS_RTS);
	struct ib_qp_init_attr init;
	struct ib_qp_attr attr;

	device_says = TALLY_QPS_ERROR;
	KUNIT_EXPECT_EQ(test, step(qp, IB_QPS_RTS), -EINVAL);
	KUNIT_EXPECT_EQ(test, qp->state, IB_QPS_ERR);
	qp->state = IB_QPS_RTS;
	KUNIT_EXPECT_EQ(test, tally_ib_query_qp(&qp->ibqp, &attr, IB_QP_STATE, &init), 0);
	KUNIT_EXPECT_EQ(test, attr.qp_state, IB_QPS_ERR);
}

/* The signaling type that the queue pair was created with. */
static void qp_query_signalling(struct kunit *test)
{
	static const enum ib_sig_type types[] = { IB_SIGNAL_ALL_WR, IB_SIGNAL_REQ_WR };
	struct tally_qp *qp = qp_new(test, IB_QPS_RTS);
	struct ib_qp_init_attr init;
	struct ib_qp_attr attr;
	unsigned int i;

	device_says = TALLY_QPS_RTS;
	for (i = 0; i < ARRAY_SIZE(types); i++) {
		qp->sig_type = types[i];
		KUNIT_EXPECT_EQ(test, tally_ib_query_qp(&qp->ibqp, &attr, IB_QP_STATE, &init), 0);
		KUNIT_EXPECT_EQ(test, init.sq_sig_type, types[i]);
	}
}

/* If the device refuses, the queue pair keeps its state and its count. */
static void qp_modify_refused(struct kunit *test)
{
	struct tally_qp *qp = qp_new(test, IB_QPS_RTS);
	struct tally_fake *fake = test->priv;

	fake->status = TALLY_ADMIN_STATUS_BAD_STATE;
	KUNIT_EXPECT_EQ(test, step(qp, IB_QPS_RESET), -EINVAL);
	KUNIT_EXPECT_EQ(test, qp->state, IB_QPS_RTS);
	KUNIT_EXPECT_EQ(test, le64_to_cpu(slot_of(test)->counter), 77);
}

/* The driver's handler of QP_FATAL, as in qp.c. */
static void on_qp_fatal(void *ctx, u32 qpn)
{
	WRITE_ONCE(((struct tally_qp *)ctx)->state, IB_QPS_ERR);
}

static const struct tally_events qp_events = { .qp_fatal = on_qp_fatal };

/* The event of an error before the reset is still in the queue, and is ignored. */
static void qp_modify_stale_event(struct kunit *test)
{
	struct tally_qp *qp = qp_new(test, IB_QPS_ERR);
	struct tally_fake *fake = test->priv;

	KUNIT_ASSERT_EQ(test, tally_events_register(&fake->pf.pub, &qp_events, qp), 0);
	tally_fake_event(fake, TALLY_EQE_QP_FATAL, QPN, 0);
	KUNIT_EXPECT_EQ(test, step(qp, IB_QPS_RESET), 0);
	tally_events_flush(&fake->pf.pub);
	KUNIT_EXPECT_EQ(test, qp->state, IB_QPS_RESET);
	KUNIT_EXPECT_EQ(test, step(qp, IB_QPS_RTS), 0);
	/* A later event counts. */
	tally_fake_event(fake, TALLY_EQE_QP_FATAL, QPN, 0);
	tally_events_flush(&fake->pf.pub);
	KUNIT_EXPECT_EQ(test, qp->state, IB_QPS_ERR);
	tally_events_unregister(&fake->pf.pub);
}

/* If the query of the state fails, the lock is released. */
static void qp_modify_unlocks(struct kunit *test)
{
	struct tally_qp *qp = qp_new(test, IB_QPS_RTS);
	struct ib_qp_init_attr init;
	struct ib_qp_attr attr;

	device_says = U64_MAX;
	KUNIT_EXPECT_EQ(test, step(qp, IB_QPS_RESET), -EIO);
	KUNIT_EXPECT_FALSE(test, mutex_is_locked(&qp->modifying));
	KUNIT_EXPECT_EQ(test, tally_ib_query_qp(&qp->ibqp, &attr, IB_QP_STATE, &init), -EIO);
	KUNIT_EXPECT_FALSE(test, mutex_is_locked(&qp->modifying));
	/* It is also released if a transition is refused. */
	device_says = TALLY_QPS_RTS;
	KUNIT_EXPECT_EQ(test, step(qp, IB_QPS_SQD), -EINVAL);
	KUNIT_EXPECT_FALSE(test, mutex_is_locked(&qp->modifying));
}

/* A group whose epoch has ended accepts no requests. */
static void qp_modify_dead_group(struct kunit *test)
{
	static const u8 ended[] = { TALLY_GROUP_COLLECT, TALLY_GROUP_DEAD };
	struct tally_qp *qp = qp_new(test, IB_QPS_RESET);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ended); i++) {
		set_group_state(test, ended[i]);
		KUNIT_EXPECT_EQ(test, step(qp, IB_QPS_RTS), -EBUSY);
		KUNIT_EXPECT_EQ(test, qp->state, IB_QPS_RESET);
	}
	KUNIT_EXPECT_EQ(test, step(qp, IB_QPS_INIT), 0);
	KUNIT_EXPECT_EQ(test, step(qp, IB_QPS_ERR), 0);
}

static struct kunit_case qp_modify_cases[] = {
	KUNIT_CASE(qp_modify_walk),
	KUNIT_CASE(qp_modify_steps),
	KUNIT_CASE(qp_modify_attributes),
	KUNIT_CASE(qp_modify_silent_error),
	KUNIT_CASE(qp_modify_refused),
	KUNIT_CASE(qp_query_signalling),
	KUNIT_CASE(qp_modify_dead_group),
	KUNIT_CASE(qp_modify_stale_event),
	KUNIT_CASE(qp_modify_unlocks),
	{}
};

static struct kunit_suite qp_modify_suite = {
	.name = "tally_ib_qp_modify",
	.init = qp_init,
	.exit = tally_fake_ib_exit,
	.test_cases = qp_modify_cases,
};

kunit_test_suite(qp_modify_suite);
