// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The reset handshake, and the conditions under which a failed device counts as quiet. */
#include "reset.h"
#include "test/fake.h"

/* Number of devices that lost bus mastering. */
static unsigned int masters_cleared;
#define pci_clear_master(pdev) (masters_cleared++)

/* The other tests get these functions from test/fake.c. */
#define tally_fail reset_fail
#define tally_wait_quiet reset_wait_quiet
#define tally_is_dead reset_is_dead
#include "test/reset_names.h"
#include "reset.c"

/* Time is virtual: a device that never answers costs nothing. */
#define SHORT_MS 100

/* A device in service, as tally_start() leaves it; nothing answers yet. */
static int reset_init(struct kunit *test)
{
	struct tally_fake *fake;

	tally_fake_init(test);
	fake = test->priv;
	INIT_WORK(&fake->pf.fail_work, tally_fail_work);
	masters_cleared = 0;
	return 0;
}

static void reset_exit(struct kunit *test)
{
	struct tally_fake *fake = test->priv;

	if (fake)
		flush_work(&fake->pf.fail_work);
	tally_fake_exit(test);
}

static void reset_control_page(struct kunit *test)
{
	struct tally_fake *fake = test->priv;
	const struct tally_control *control = fake_control(fake);
	unsigned int i;

	memset(fake_control(fake), 0xff, sizeof(*control));
	fake_ident(fake)->reset_ack = cpu_to_le32(5);
	fake_ident(fake)->epoch = cpu_to_le32(8);
	/* The requested count differs from the last acknowledged and the last requested one. */
	fake_control(fake)->reset_req = cpu_to_le32(4);
	tally_fake_serve(fake);
	KUNIT_ASSERT_EQ(test, tally_reset(&fake->pf), 0);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(control->reset_req), 6);
	KUNIT_EXPECT_EQ(test, fake->pf.pub.epoch, le32_to_cpu(fake_ident(fake)->epoch));
	KUNIT_EXPECT_EQ(test, le32_to_cpu(control->driver_abi), TALLY_ABI_VERSION);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(control->aq_depth), TALLY_AQ_DEPTH);
	KUNIT_EXPECT_EQ(test, le64_to_cpu(control->aq_sq_addr), fake->pf.aq.sq_dma);
	KUNIT_EXPECT_EQ(test, le64_to_cpu(control->aq_cq_addr), fake->pf.aq.cq_dma);
	KUNIT_EXPECT_EQ(test, le64_to_cpu(control->aq_db), 0);
	KUNIT_EXPECT_EQ(test, le64_to_cpu(control->aq_ci), 0);
	for (i = 0; i < TALLY_MAX_EQ; i++)
		KUNIT_EXPECT_EQ(test, le64_to_cpu(control->eq_db[i].ci), 0);
}

static void reset_errors(struct kunit *test)
{
	struct tally_fake *fake = test->priv;

	tally_fake_timeout_ms = SHORT_MS;
	KUNIT_EXPECT_EQ(test, tally_reset(&fake->pf), -ETIMEDOUT);
	tally_fake_serve(fake);
	fake->state_after_reset = TALLY_DEVICE_FATAL;
	KUNIT_EXPECT_EQ(test, tally_reset(&fake->pf), -EIO);
	fake->state_after_reset = TALLY_DEVICE_NEEDS_RESET;
	KUNIT_EXPECT_EQ(test, tally_reset(&fake->pf), -EIO);
	fake->state_after_reset = TALLY_DEVICE_READY;
	KUNIT_EXPECT_EQ(test, tally_reset(&fake->pf), 0);
}

/* ---- Failures ---- */

static void fail_and_wait(struct kunit *test)
{
	struct tally_fake *fake = test->priv;

	reset_fail(&fake->pf, "test");
	reset_wait_quiet(&fake->pf);
	flush_work(&fake->pf.fail_work);
	KUNIT_EXPECT_EQ(test, fake->pf.state, TALLY_PF_QUIET);
}

/* A device that was reset is quiet. */
static void reset_quiet_by_reset(struct kunit *test)
{
	struct tally_fake *fake = test->priv;

	tally_fake_serve(fake);
	fail_and_wait(test);
	KUNIT_EXPECT_EQ(test, fake->resets, 1);
	KUNIT_EXPECT_EQ(test, masters_cleared, 0);
	KUNIT_EXPECT_TRUE(test, reset_is_dead(&fake->pf.pub));
	KUNIT_EXPECT_FALSE(test, fake->pf.aq.open);
}

/* A device that acknowledges a reset but is not READY may not have been reset: it loses the bus. */
static void reset_quiet_by_force(struct kunit *test)
{
	struct tally_fake *fake = test->priv;

	tally_fake_serve(fake);
	fake->state_after_reset = TALLY_DEVICE_FATAL;
	fail_and_wait(test);
	KUNIT_EXPECT_EQ(test, masters_cleared, 1);
}

static void reset_quiet_silent(struct kunit *test)
{
	tally_fake_timeout_ms = SHORT_MS;
	fail_and_wait(test);
	KUNIT_EXPECT_EQ(test, masters_cleared, 1);
}

/* If many callers notice a failure, one handles it, and its reason is kept. */
static void reset_fails_once(struct kunit *test)
{
	struct tally_fake *fake = test->priv;
	const struct tally_recovery *r = &fake->pf.recovery;

	fake_ident(fake)->state = cpu_to_le32(TALLY_DEVICE_FATAL);
	fake_ident(fake)->fatal_code = cpu_to_le32(TALLY_FATAL_EQ_OVERRUN);
	fake_ident(fake)->epoch = cpu_to_le32(3);
	tally_fake_serve(fake);
	reset_fail(&fake->pf, "first");
	reset_fail(&fake->pf, "second");
	reset_wait_quiet(&fake->pf);
	flush_work(&fake->pf.fail_work);
	reset_fail(&fake->pf, "third");
	flush_work(&fake->pf.fail_work);
	KUNIT_EXPECT_EQ(test, fake->resets, 1);
	KUNIT_EXPECT_EQ(test, r->failures, 1);
	KUNIT_EXPECT_STREQ(test, r->last.why, "first");
	KUNIT_EXPECT_EQ(test, r->last.state, TALLY_DEVICE_FATAL);
	KUNIT_EXPECT_EQ(test, r->last.fatal_code, TALLY_FATAL_EQ_OVERRUN);
	KUNIT_EXPECT_EQ(test, r->last.epoch, 3);
}

static void reset_quiet_for_good(struct kunit *test)
{
	struct tally_fake *fake = test->priv;

	tally_fake_serve(fake);
	tally_quiet(&fake->pf);
	KUNIT_EXPECT_EQ(test, fake->pf.state, TALLY_PF_QUIET);
	KUNIT_EXPECT_EQ(test, fake->resets, 1);
	/* This is no failure, and the device is quiet already. */
	KUNIT_EXPECT_EQ(test, fake->pf.recovery.failures, 0);
	tally_quiet(&fake->pf);
	KUNIT_EXPECT_EQ(test, fake->resets, 1);
}

static struct kunit_case reset_cases[] = {
	KUNIT_CASE(reset_control_page),
	KUNIT_CASE(reset_errors),
	KUNIT_CASE(reset_quiet_by_reset),
	KUNIT_CASE(reset_quiet_by_force),
	KUNIT_CASE(reset_quiet_silent),
	KUNIT_CASE(reset_fails_once),
	KUNIT_CASE(reset_quiet_for_good),
	{}
};

static struct kunit_suite reset_suite = {
	.name = "tally_reset",
	.init = reset_init,
	.exit = reset_exit,
	.test_cases = reset_cases,
};

kunit_test_suite(reset_suite);
