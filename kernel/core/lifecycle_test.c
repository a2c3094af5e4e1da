// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Start and stop: the state of a device when it begins to count as up. */
#include "adminq.h"
#include "reset.h"
#include "test/fake.h"

static bool fail_while_opening;
static int reset_err;

/* Opens the queue. The device may fail before that. */
static void open_queue(struct tally_pf *pf)
{
	if (fail_while_opening)
		tally_fail(pf, "test");
	tally_adminq_open(pf);
}

static int fake_reset(struct tally_pf *pf)
{
	return reset_err;
}

static void fake_quiet(struct tally_pf *pf)
{
	WRITE_ONCE(pf->state, TALLY_PF_QUIET);
}

#define tally_adminq_open(pf) open_queue(pf)
#define tally_reset(pf) fake_reset(pf)
#define tally_quiet(pf) fake_quiet(pf)
#define pci_clear_master(pdev) ((void)(pdev))
#define auxiliary_device_init(adev) 0
#undef auxiliary_device_add
#define auxiliary_device_add(adev) (-ENODEV)
#define auxiliary_device_uninit(adev) put_device(&(adev)->dev)
#define auxiliary_device_delete(adev) ((void)(adev))
#include "lifecycle.c"

/* The state in which tally_enable() calls tally_start(). */
static int lifecycle_init(struct kunit *test)
{
	struct tally_fake *fake;

	tally_fake_init(test);
	fake = test->priv;
	fail_while_opening = false;
	reset_err = 0;
	tally_adminq_close(&fake->pf);
	fake->pf.state = TALLY_PF_QUIET;
	tally_fake_serve(fake);
	return 0;
}

static void lifecycle_start(struct kunit *test)
{
	struct tally_fake *fake = test->priv;

	fake->pf.pub.link_up = false;
	fake_ident(fake)->port_state = 1;
	KUNIT_ASSERT_EQ(test, tally_start(&fake->pf), 0);
	KUNIT_EXPECT_FALSE(test, tally_is_dead(&fake->pf.pub));
	KUNIT_EXPECT_EQ(test, fake->seen[TALLY_ADMIN_CREATE_EQ], 1);
	/* The link came up between the first read and the first event. */
	KUNIT_EXPECT_TRUE(test, fake->pf.pub.link_up);
}

static void lifecycle_no_reset(struct kunit *test)
{
	struct tally_fake *fake = test->priv;

	reset_err = -EIO;
	KUNIT_EXPECT_EQ(test, tally_start(&fake->pf), -EIO);
	KUNIT_EXPECT_TRUE(test, tally_is_dead(&fake->pf.pub));
	KUNIT_EXPECT_FALSE(test, fake->pf.aq.open);
}

/*
 * tally_fail() closes the queue of a device that is up. Therefore a device must not be up before
 * its queue is open: otherwise the queue of a failed device would be opened again.
 */
static void lifecycle_fails_meanwhile(struct kunit *test)
{
	struct tally_fake *fake = test->priv;

	fail_while_opening = true;
	tally_start(&fake->pf);
	KUNIT_EXPECT_EQ(test, fake->pf.aq.open, !tally_is_dead(&fake->pf.pub));
}

static struct kunit_case lifecycle_cases[] = {
	KUNIT_CASE(lifecycle_start),
	KUNIT_CASE(lifecycle_no_reset),
	KUNIT_CASE(lifecycle_fails_meanwhile),
	{}
};

static struct kunit_suite lifecycle_suite = {
	.name = "tally_lifecycle",
	.init = lifecycle_init,
	.exit = tally_fake_exit,
	.test_cases = lifecycle_cases,
};

kunit_test_suite(lifecycle_suite);
