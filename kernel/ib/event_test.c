// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Events of port and device reach the core only after it knows the device, and report the current
 * state.
 */
#include "test/fake_ib.h"

/* Events that the core received, in their order. */
static enum ib_event_type told[8];
static unsigned int num_told;

static void fake_dispatch_event(const struct ib_event *event)
{
	if (num_told < ARRAY_SIZE(told))
		told[num_told] = event->event;
	num_told++;
}

#define ib_dispatch_event fake_dispatch_event
#include "event.c"

static const struct tally_events port_events = {
	.port = tally_ib_port_event,
	.fatal = tally_ib_fatal_event,
	.group_dead = tally_ib_group_dead_event,
};

/* The state of a probe that has registered for events; the port is up. */
static int event_init(struct kunit *test)
{
	struct tally_fake *fake;

	tally_fake_ib_init(test);
	fake = test->priv;
	num_told = 0;
	fake->pf.pub.link_up = true;
	fake_ident(fake)->port_state = 1;
	return tally_events_register(&fake->pf.pub, &port_events, tally_fake_ib(test));
}

static void event_exit(struct kunit *test)
{
	struct tally_fake *fake = test->priv;

	if (fake)
		tally_events_unregister(&fake->pf.pub);
	tally_fake_ib_exit(test);
}

/* Changes the port as the device does: first the page, then the event. */
static void port_changes(struct kunit *test, bool up)
{
	struct tally_fake *fake = test->priv;

	fake_ident(fake)->port_state = up;
	tally_fake_event(fake, TALLY_EQE_PORT, 0, up);
	tally_events_flush(&fake->pf.pub);
}

static void expect_told(struct kunit *test, unsigned int n, enum ib_event_type type)
{
	KUNIT_ASSERT_GT(test, num_told, n);
	KUNIT_EXPECT_EQ(test, told[n], type);
}

/* Many events between the registration for events and the success of ib_register_device(). */
static void event_before_registration(struct kunit *test)
{
	struct tally_ibdev *dev = tally_fake_ib(test);
	struct tally_fake *fake = test->priv;

	port_changes(test, false);
	port_changes(test, true);
	port_changes(test, false);
	tally_fake_event(fake, TALLY_EQE_GROUP_DEAD, 3, TALLY_COLL_TIMEOUT);
	tally_events_flush(&fake->pf.pub);
	/* A device that could not be registered can be freed now, because no event refers to it. */
	KUNIT_EXPECT_EQ(test, num_told, 0);
	tally_ib_events_release(dev);
	KUNIT_EXPECT_EQ(test, num_told, 1);
	expect_told(test, 0, IB_EVENT_PORT_ERR);
	port_changes(test, true);
	KUNIT_EXPECT_EQ(test, num_told, 2);
	expect_told(test, 1, IB_EVENT_PORT_ACTIVE);
}

/*
 * The core may have read the state in between, so it gets an event even if the state is as before.
 */
static void event_there_and_back(struct kunit *test)
{
	port_changes(test, false);
	port_changes(test, true);
	tally_ib_events_release(tally_fake_ib(test));
	KUNIT_EXPECT_EQ(test, num_told, 1);
	expect_told(test, 0, IB_EVENT_PORT_ACTIVE);
}

static void event_none(struct kunit *test)
{
	tally_ib_events_release(tally_fake_ib(test));
	KUNIT_EXPECT_EQ(test, num_told, 0);
}

/* An event was lost: the page is read. */
static void event_missed(struct kunit *test)
{
	struct tally_fake *fake = test->priv;

	fake_ident(fake)->port_state = 0;
	tally_ib_events_release(tally_fake_ib(test));
	KUNIT_EXPECT_FALSE(test, fake->pf.pub.link_up);
	KUNIT_EXPECT_EQ(test, num_told, 1);
	expect_told(test, 0, IB_EVENT_PORT_ERR);
}

/* A pending event does not permanently overwrite the state in the page. */
static void event_late(struct kunit *test)
{
	struct tally_fake *fake = test->priv;

	tally_fake_event(fake, TALLY_EQE_PORT, 0, 0);
	tally_fake_event(fake, TALLY_EQE_PORT, 0, 1);
	tally_link_refresh(&fake->pf.pub);
	KUNIT_EXPECT_TRUE(test, fake->pf.pub.link_up);
}

static void event_dead_before(struct kunit *test)
{
	struct tally_ibdev *dev = tally_fake_ib(test);
	struct tally_fake *fake = test->priv;

	tally_fail(&fake->pf, "test");
	tally_event_fatal(&fake->pf);
	KUNIT_EXPECT_EQ(test, num_told, 0);
	tally_ib_events_release(dev);
	KUNIT_EXPECT_EQ(test, num_told, 1);
	expect_told(test, 0, IB_EVENT_DEVICE_FATAL);
	/* The device failed during the release. The handler runs later, and reports nothing new. */
	tally_event_fatal(&fake->pf);
	KUNIT_EXPECT_EQ(test, num_told, 1);
}

static void event_dead_after(struct kunit *test)
{
	struct tally_fake *fake = test->priv;

	tally_ib_events_release(tally_fake_ib(test));
	tally_fail(&fake->pf, "test");
	tally_event_fatal(&fake->pf);
	KUNIT_EXPECT_EQ(test, num_told, 1);
	expect_told(test, 0, IB_EVENT_DEVICE_FATAL);
}

static struct kunit_case event_cases[] = {
	KUNIT_CASE(event_before_registration),
	KUNIT_CASE(event_there_and_back),
	KUNIT_CASE(event_none),
	KUNIT_CASE(event_missed),
	KUNIT_CASE(event_late),
	KUNIT_CASE(event_dead_before),
	KUNIT_CASE(event_dead_after),
	{}
};

static struct kunit_suite event_suite = {
	.name = "tally_ib_event",
	.init = event_init,
	.exit = event_exit,
	.test_cases = event_cases,
};

kunit_test_suite(event_suite);
