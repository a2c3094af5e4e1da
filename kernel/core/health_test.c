// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Findings of the periodic check, and the reaction to them. */
#include "recover.h"
#include "test/fake.h"

static unsigned int repairs;
#define tally_recovery_run(pf) (repairs++)
#include "health.c"

/* A device in service that answers commands. */
static int health_init(struct kunit *test)
{
	struct tally_fake *fake;

	tally_fake_init(test);
	fake = test->priv;
	repairs = 0;
	fake->pf.pub.epoch = 4;
	fake_ident(fake)->epoch = cpu_to_le32(4);
	fake_ident(fake)->state = cpu_to_le32(TALLY_DEVICE_READY);
	fake_ident(fake)->health = cpu_to_le64(1);
	tally_fake_serve(fake);
	return 0;
}

static void health_good(struct kunit *test)
{
	struct tally_fake *fake = test->priv;
	unsigned int i;

	for (i = 0; i < 3 * SILENT_PERIODS; i++) {
		le64_add_cpu(&fake_ident(fake)->health, 1);
		health_check(&fake->pf);
	}
	KUNIT_EXPECT_EQ(test, atomic_read(&fake->failures), 0);
	/* The counter of the device changes, so no command is needed. */
	KUNIT_EXPECT_EQ(test, fake->seen[TALLY_ADMIN_NOP], 0);
}

static void health_silent(struct kunit *test)
{
	struct tally_fake *fake = test->priv;
	unsigned int i;

	for (i = 0; i < SILENT_PERIODS; i++)
		health_check(&fake->pf);
	KUNIT_EXPECT_EQ(test, fake->seen[TALLY_ADMIN_NOP], 0);
	health_check(&fake->pf);
	/* The device slept, and answers. */
	KUNIT_EXPECT_EQ(test, fake->seen[TALLY_ADMIN_NOP], 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&fake->failures), 0);
	/* The device hangs. */
	tally_fake_timeout_ms = 100;
	fake->reply = tally_fake_reply_never;
	health_check(&fake->pf);
	KUNIT_EXPECT_EQ(test, atomic_read(&fake->failures), 1);
}

static void health_restarted(struct kunit *test)
{
	struct tally_fake *fake = test->priv;

	le32_add_cpu(&fake_ident(fake)->epoch, 1);
	health_check(&fake->pf);
	KUNIT_EXPECT_EQ(test, atomic_read(&fake->failures), 1);
}

static void health_stopped(struct kunit *test)
{
	struct tally_fake *fake = test->priv;

	fake_ident(fake)->state = cpu_to_le32(TALLY_DEVICE_FATAL);
	health_check(&fake->pf);
	KUNIT_EXPECT_EQ(test, atomic_read(&fake->failures), 1);
}

/* The check makes up for a lost interrupt: events, and the state of the link. */
static void health_lost_interrupt(struct kunit *test)
{
	struct tally_fake *fake = test->priv;

	fake->pf.pub.link_up = true;
	fake_ident(fake)->port_state = 0;
	tally_fake_event(fake, TALLY_EQE_CQ, 1, 0);
	health_check(&fake->pf);
	KUNIT_EXPECT_EQ(test, fake->pf.eqs[0].consumed, 1);
	KUNIT_EXPECT_FALSE(test, fake->pf.pub.link_up);
}

/* A failed device is repaired, a device in service is not. */
static void health_repairs(struct kunit *test)
{
	struct tally_fake *fake = test->priv;

	tally_health_start(&fake->pf);
	health_work(&fake->pf.health.work);
	KUNIT_EXPECT_EQ(test, repairs, 0);
	le32_add_cpu(&fake_ident(fake)->epoch, 1);
	health_work(&fake->pf.health.work);
	KUNIT_EXPECT_EQ(test, repairs, 1);
	health_work(&fake->pf.health.work);
	KUNIT_EXPECT_EQ(test, repairs, 2);
	KUNIT_EXPECT_EQ(test, atomic_read(&fake->failures), 1);
	tally_health_stop(&fake->pf);
}

static struct kunit_case health_cases[] = {
	KUNIT_CASE(health_good),
	KUNIT_CASE(health_silent),
	KUNIT_CASE(health_restarted),
	KUNIT_CASE(health_stopped),
	KUNIT_CASE(health_lost_interrupt),
	KUNIT_CASE(health_repairs),
	{}
};

static struct kunit_suite health_suite = {
	.name = "tally_health",
	.init = health_init,
	.exit = tally_fake_exit,
	.test_cases = health_cases,
};

kunit_test_suite(health_suite);
