// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Event queues: each event reaches its handler exactly once, and an invalid event reaches none. */
#include "test/fake.h"

#include "eq.c"

/* Recorded calls of handlers, in their order. */
struct call {
	const char *handler;
	u64 id;
	u64 data;
};

struct client {
	struct call calls[8];
	unsigned int count;
};

static void note(struct client *client, const char *handler, u64 id, u64 data)
{
	if (client->count < ARRAY_SIZE(client->calls))
		client->calls[client->count] = (struct call){ handler, id, data };
	client->count++;
}

static void on_cq(void *ctx, u32 cqn)
{
	note(ctx, "cq", cqn, 0);
}

static void on_cq_error(void *ctx, u32 cqn)
{
	note(ctx, "cq_error", cqn, 0);
}

static void on_qp_fatal(void *ctx, u32 qpn)
{
	note(ctx, "qp_fatal", qpn, 0);
}

static void on_group_dead(void *ctx, u32 group, u64 status)
{
	note(ctx, "group_dead", group, status);
}

static void on_port(void *ctx, bool up)
{
	note(ctx, "port", up, 0);
}

static void on_fatal(void *ctx)
{
	note(ctx, "fatal", 0, 0);
}

static const struct tally_events events = {
	.cq = on_cq,
	.cq_error = on_cq_error,
	.qp_fatal = on_qp_fatal,
	.group_dead = on_group_dead,
	.port = on_port,
	.fatal = on_fatal,
};

static struct tally_eq *eq_of(struct kunit *test)
{
	struct tally_fake *fake = test->priv;

	return &fake->pf.eqs[fake->pf.num_eqs - 1];
}

/* Two queues, as a device with two vectors has them. Tests use the second one. */
static int eq_init(struct kunit *test)
{
	struct tally_fake *fake;
	unsigned int i;

	tally_fake_init(test);
	fake = test->priv;
	fake->pf.num_eqs = 2;
	for (i = 0; i < 2; i++) {
		struct tally_eq *eq = &fake->pf.eqs[i];

		eq->pf = &fake->pf;
		eq->num = i;
		spin_lock_init(&eq->lock);
		eq->ring = kunit_kzalloc(test, EQ_BYTES, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, eq->ring);
	}
	return 0;
}

static struct client *add_client(struct kunit *test)
{
	struct client *client = kunit_kzalloc(test, sizeof(*client), GFP_KERNEL);
	struct tally_fake *fake = test->priv;

	KUNIT_ASSERT_NOT_NULL(test, client);
	KUNIT_ASSERT_EQ(test, tally_events_register(&fake->pf.pub, &events, client), 0);
	return client;
}

static void eq_exit(struct kunit *test)
{
	struct tally_fake *fake = test->priv;

	if (!fake)
		return;
	tally_events_unregister(&fake->pf.pub);
	tally_fake_exit(test);
}

/* Writes event number @n since the reset, as the device does. */
static void write_event(struct tally_eq *eq, u64 n, u8 type, u32 id, u64 data)
{
	struct tally_eqe *entry = &eq->ring[n % TALLY_EQ_DEPTH];

	*entry = (struct tally_eqe){
		.etype = type,
		.id = cpu_to_le32(id),
		.data = cpu_to_le64(data),
		.owner = n & TALLY_EQ_DEPTH ? 0 : TALLY_OWNER_PHASE,
	};
}

static u64 consumer_index(struct kunit *test)
{
	return le64_to_cpu(fake_control(test->priv)->eq_db[eq_of(test)->num].ci);
}

static void expect_call(struct kunit *test, struct client *client, unsigned int n,
			const char *handler, u64 id, u64 data)
{
	KUNIT_ASSERT_GT(test, client->count, n);
	KUNIT_EXPECT_STREQ(test, client->calls[n].handler, handler);
	KUNIT_EXPECT_EQ(test, client->calls[n].id, id);
	KUNIT_EXPECT_EQ(test, client->calls[n].data, data);
}

/* ---- Dispatch ---- */

static void eq_dispatch(struct kunit *test)
{
	struct client *client = add_client(test);
	struct tally_fake *fake = test->priv;
	struct tally_eq *eq = eq_of(test);

	write_event(eq, 0, TALLY_EQE_CQ, 17, 0);
	write_event(eq, 1, TALLY_EQE_CQ_ERROR, 18, 0);
	write_event(eq, 2, TALLY_EQE_QP_FATAL, 19, 0);
	write_event(eq, 3, TALLY_EQE_PORT, 0, 1);
	write_event(eq, 4, TALLY_EQE_GROUP_DEAD, 20, TALLY_COLL_TIMEOUT);
	eq_poll(eq);
	KUNIT_EXPECT_EQ(test, client->count, 5);
	expect_call(test, client, 0, "cq", 17, 0);
	expect_call(test, client, 1, "cq_error", 18, 0);
	expect_call(test, client, 2, "qp_fatal", 19, 0);
	expect_call(test, client, 3, "port", 1, 0);
	expect_call(test, client, 4, "group_dead", 20, TALLY_COLL_TIMEOUT);
	KUNIT_EXPECT_TRUE(test, fake->pf.pub.link_up);
	KUNIT_EXPECT_EQ(test, consumer_index(test), 5);
	write_event(eq, 5, TALLY_EQE_PORT, 0, 0);
	eq_poll(eq);
	KUNIT_EXPECT_FALSE(test, fake->pf.pub.link_up);
	KUNIT_EXPECT_EQ(test, consumer_index(test), 6);
	KUNIT_EXPECT_EQ(test, atomic_read(&fake->failures), 0);
}

static void eq_unknown_events(struct kunit *test)
{
	static const u8 known[] = { TALLY_EQE_CQ, TALLY_EQE_CQ_ERROR, TALLY_EQE_QP_FATAL,
				    TALLY_EQE_GROUP_DRAINED, TALLY_EQE_GROUP_DEAD, TALLY_EQE_PORT,
				    TALLY_EQE_DEVICE_FATAL };
	struct client *client = add_client(test);
	struct tally_eq *eq = eq_of(test);
	unsigned int type, n = 0;

	for (type = 0; type <= U8_MAX; type++) {
		if (memchr(known, type, sizeof(known)))
			continue;
		write_event(eq, n++, type, U32_MAX, U64_MAX);
		eq_poll(eq);
	}
	KUNIT_EXPECT_EQ(test, client->count, 0);
	KUNIT_EXPECT_EQ(test, consumer_index(test), n);
	/* Groups that do not exist, or no longer exist. */
	write_event(eq, n++, TALLY_EQE_GROUP_DRAINED, 3, 0);
	write_event(eq, n++, TALLY_EQE_GROUP_DRAINED, TALLY_MAX_GROUP, 0);
	write_event(eq, n++, TALLY_EQE_GROUP_DRAINED, U32_MAX, 0);
	eq_poll(eq);
	KUNIT_EXPECT_EQ(test, client->count, 0);
	KUNIT_EXPECT_EQ(test, consumer_index(test), n);
}

static void eq_device_fatal(struct kunit *test)
{
	struct tally_fake *fake = test->priv;
	struct tally_eq *eq = eq_of(test);

	write_event(eq, 0, TALLY_EQE_DEVICE_FATAL, 0, 3);
	eq_poll(eq);
	KUNIT_EXPECT_EQ(test, atomic_read(&fake->failures), 1);
	KUNIT_EXPECT_TRUE(test, tally_is_dead(&fake->pf.pub));
}

/* ---- The ring ---- */

/* Entries are taken in order, once each, over more than one lap of the ring. */
static void eq_laps(struct kunit *test)
{
	struct client *client = add_client(test);
	struct tally_eq *eq = eq_of(test);
	u64 n;

	for (n = 0; n < 2 * TALLY_EQ_DEPTH + 3; n++) {
		client->count = 0;
		write_event(eq, n, TALLY_EQE_CQ, n, 0);
		eq_poll(eq);
		eq_poll(eq);
		KUNIT_ASSERT_EQ(test, client->count, 1);
		KUNIT_ASSERT_EQ(test, client->calls[0].id, n);
	}
	KUNIT_EXPECT_EQ(test, consumer_index(test), n);
}

static void eq_empty_ring(struct kunit *test)
{
	struct client *client = add_client(test);
	struct tally_eq *eq = eq_of(test);

	fake_control(test->priv)->eq_db[eq->num].ci = cpu_to_le64(99);
	/* An entry without the phase of this lap is not written yet, whatever it contains. */
	write_event(eq, TALLY_EQ_DEPTH, TALLY_EQE_CQ, 1, 0);
	eq_poll(eq);
	KUNIT_EXPECT_EQ(test, client->count, 0);
	KUNIT_EXPECT_EQ(test, eq->consumed, 0);
	KUNIT_EXPECT_EQ(test, consumer_index(test), 99);
}

/* A device that fills the ring again and again does not occupy a processor forever. */
static void eq_bounded(struct kunit *test)
{
	struct client *client = add_client(test);
	struct tally_eq *eq = eq_of(test);
	u64 n;

	for (n = 0; n < TALLY_EQ_DEPTH; n++)
		write_event(eq, n, TALLY_EQE_CQ, 1, 0);
	eq_poll(eq);
	KUNIT_EXPECT_EQ(test, client->count, TALLY_EQ_DEPTH);
	KUNIT_EXPECT_EQ(test, consumer_index(test), TALLY_EQ_DEPTH);
	eq_poll(eq);
	KUNIT_EXPECT_EQ(test, client->count, TALLY_EQ_DEPTH);
}

/* ---- Clients ---- */

static void eq_clients(struct kunit *test)
{
	struct tally_fake *fake = test->priv;
	struct tally_eq *eq = eq_of(test);
	struct client *client, other = {};

	/* No client is registered. */
	write_event(eq, 0, TALLY_EQE_CQ, 1, 0);
	eq_poll(eq);
	tally_event_fatal(&fake->pf);
	KUNIT_EXPECT_EQ(test, eq->consumed, 1);
	client = add_client(test);
	KUNIT_EXPECT_EQ(test, tally_events_register(&fake->pf.pub, &events, &other), -EBUSY);
	write_event(eq, 1, TALLY_EQE_CQ, 2, 0);
	tally_events_flush(&fake->pf.pub);
	expect_call(test, client, 0, "cq", 2, 0);
	tally_event_fatal(&fake->pf);
	expect_call(test, client, 1, "fatal", 0, 0);
	tally_events_unregister(&fake->pf.pub);
	write_event(eq, 2, TALLY_EQE_CQ, 3, 0);
	eq_poll(eq);
	KUNIT_EXPECT_EQ(test, client->count, 2);
	KUNIT_EXPECT_EQ(test, tally_events_register(&fake->pf.pub, &events, &other), 0);
	KUNIT_EXPECT_EQ(test, other.count, 0);
}

/* ---- Interrupts and the device's view ---- */

static void eq_interrupts(struct kunit *test)
{
	struct client *client = add_client(test);
	struct tally_fake *fake = test->priv;
	struct tally_admin_cqe answer = {};

	tally_fake_write(fake, &answer);
	write_event(&fake->pf.eqs[1], 0, TALLY_EQE_CQ, 5, 0);
	KUNIT_EXPECT_EQ(test, eq_interrupt(0, &fake->pf.eqs[1]), IRQ_HANDLED);
	expect_call(test, client, 0, "cq", 5, 0);
	/* Only vector 0 serves the admin queue. */
	KUNIT_EXPECT_EQ(test, fake->pf.aq.consumed, 0);
	write_event(&fake->pf.eqs[0], 0, TALLY_EQE_CQ, 6, 0);
	KUNIT_EXPECT_EQ(test, eq_interrupt(0, &fake->pf.eqs[0]), IRQ_HANDLED);
	expect_call(test, client, 1, "cq", 6, 0);
	KUNIT_EXPECT_EQ(test, fake->pf.aq.consumed, 1);
}

/* A flush handles the pending events of an object in all queues, before the object is freed. */
static void eq_flush(struct kunit *test)
{
	struct client *client = add_client(test);
	struct tally_fake *fake = test->priv;

	write_event(&fake->pf.eqs[0], 0, TALLY_EQE_QP_FATAL, 5, 0);
	write_event(&fake->pf.eqs[1], 0, TALLY_EQE_CQ, 6, 0);
	tally_events_flush(&fake->pf.pub);
	KUNIT_EXPECT_EQ(test, client->count, 2);
	expect_call(test, client, 0, "qp_fatal", 5, 0);
	expect_call(test, client, 1, "cq", 6, 0);
}

static void eq_create(struct kunit *test)
{
	struct tally_fake *fake = test->priv;
	const struct tally_cmd_create_eq *body = (const void *)
		fake->last[TALLY_ADMIN_CREATE_EQ].body;

	fake->pf.eqs[1].ring_dma = 0x1234000;
	tally_fake_serve(fake);
	KUNIT_EXPECT_EQ(test, tally_eqs_create(&fake->pf), 0);
	KUNIT_EXPECT_EQ(test, fake->seen[TALLY_ADMIN_CREATE_EQ], 2);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(body->eqn), 1);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(body->vector), 1);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(body->depth), TALLY_EQ_DEPTH);
	KUNIT_EXPECT_EQ(test, le64_to_cpu(body->ring.addr), 0x1234000);
	KUNIT_EXPECT_EQ(test, le64_to_cpu(body->ring.length), EQ_BYTES);
	/* The first refusal ends the creation. */
	fake->status = TALLY_ADMIN_STATUS_NO_RESOURCE;
	KUNIT_EXPECT_EQ(test, tally_eqs_create(&fake->pf), -ENOSPC);
	KUNIT_EXPECT_EQ(test, fake->seen[TALLY_ADMIN_CREATE_EQ], 3);
}

static struct kunit_case eq_cases[] = {
	KUNIT_CASE(eq_dispatch),
	KUNIT_CASE(eq_unknown_events),
	KUNIT_CASE(eq_device_fatal),
	KUNIT_CASE(eq_laps),
	KUNIT_CASE(eq_empty_ring),
	KUNIT_CASE(eq_bounded),
	KUNIT_CASE(eq_clients),
	KUNIT_CASE(eq_interrupts),
	KUNIT_CASE(eq_flush),
	KUNIT_CASE(eq_create),
	{}
};

static struct kunit_suite eq_suite = {
	.name = "tally_eq",
	.init = eq_init,
	.exit = eq_exit,
	.test_cases = eq_cases,
};

kunit_test_suite(eq_suite);
