// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Recovery of a device: the order of its steps, and the conditions for another attempt. */
#include <linux/delay.h>

#include "devlink.h"
#include "ident.h"
#include "reset.h"
#include "lifecycle.h"
#include "test/fake.h"

/*
 * Steps of the recovery, a letter each: r and a: the device left and joined the auxiliary bus; c:
 * its page was compared; m and x: it gained and lost bus mastering; s: it was started; q: it was
 * made quiet; D and d: devlink was told of the failure and of the recovery.
 */
static char steps[32];
static int check_err, start_err, aux_err;

static void note(char step)
{
	size_t len = strlen(steps);

	if (len < sizeof(steps) - 1)
		steps[len] = step;
}

static int note_result(char step, int err)
{
	note(step);
	return err;
}

static int fake_start(struct tally_pf *pf)
{
	note('s');
	if (!start_err)
		WRITE_ONCE(pf->state, TALLY_PF_UP);
	return start_err;
}

static void fake_quiet(struct tally_pf *pf)
{
	note('q');
	WRITE_ONCE(pf->state, TALLY_PF_QUIET);
}

#define tally_check_ident(pf) note_result('c', check_err)
#define tally_start(pf) fake_start(pf)
#define tally_aux_add(pf) note_result('a', aux_err)
#define tally_aux_remove(pf) note('r')
#define tally_quiet(pf) fake_quiet(pf)
#define pci_set_master(pdev) note('m')
#define pci_clear_master(pdev) note('x')
#define tally_devlink_report(pf) note('D')
#define tally_devlink_recovered(pf) note('d')
#include "recover.c"

static void nothing(struct work_struct *work)
{
}

static int recover_init(struct kunit *test)
{
	struct tally_fake *fake;

	tally_fake_init(test);
	fake = test->priv;
	INIT_WORK(&fake->pf.fail_work, nothing);
	check_err = 0;
	start_err = 0;
	aux_err = 0;
	memset(steps, 0, sizeof(steps));
	return 0;
}

static struct tally_pf *failed_pf(struct kunit *test)
{
	struct tally_fake *fake = test->priv;

	tally_fail(&fake->pf, "test");
	return &fake->pf;
}

static void expect_steps(struct kunit *test, const char *want)
{
	KUNIT_EXPECT_STREQ(test, (char *)steps, want);
	memset(steps, 0, sizeof(steps));
}

static void recover_healthy(struct kunit *test)
{
	struct tally_fake *fake = test->priv;

	KUNIT_EXPECT_EQ(test, tally_recover(&fake->pf, false), 0);
	expect_steps(test, "");
	KUNIT_EXPECT_EQ(test, fake->pf.recovery.recoveries, 0);
}

/* Users are removed before the device is touched, and return when it is in service. */
static void recover_back(struct kunit *test)
{
	struct tally_pf *pf = failed_pf(test);

	KUNIT_EXPECT_EQ(test, tally_recover(pf, false), 0);
	expect_steps(test, "rcmsa");
	KUNIT_EXPECT_EQ(test, pf->recovery.recoveries, 1);
	KUNIT_EXPECT_EQ(test, pf->recovery.backoff, 0);
	KUNIT_EXPECT_FALSE(test, tally_is_dead(&pf->pub));
}

static void recover_another_device(struct kunit *test)
{
	struct tally_pf *pf = failed_pf(test);

	check_err = -ENODEV;
	KUNIT_EXPECT_EQ(test, tally_recover(pf, false), -ENODEV);
	expect_steps(test, "rc");
	KUNIT_EXPECT_EQ(test, pf->recovery.recoveries, 0);
}

/* Whichever step fails, the device is quiet afterwards and may not master the bus. */
static void recover_fails(struct kunit *test)
{
	struct tally_pf *pf = failed_pf(test);

	start_err = -EIO;
	KUNIT_EXPECT_EQ(test, tally_recover(pf, false), -EIO);
	expect_steps(test, "rcmsqx");
	start_err = 0;
	aux_err = -ENOMEM;
	KUNIT_EXPECT_EQ(test, tally_recover(pf, false), -ENOMEM);
	expect_steps(test, "rcmsaqx");
	KUNIT_EXPECT_TRUE(test, tally_is_dead(&pf->pub));
	KUNIT_EXPECT_EQ(test, pf->recovery.recoveries, 0);
}

static void recover_backoff(struct kunit *test)
{
	static const unsigned int seconds[] = { 1, 2, 4, 8, 16, 32, 60, 60 };
	struct tally_pf *pf = failed_pf(test);
	unsigned int i;

	start_err = -EIO;
	for (i = 0; i < ARRAY_SIZE(seconds); i++) {
		KUNIT_EXPECT_EQ(test, tally_recover(pf, true), -EIO);
		KUNIT_EXPECT_EQ(test, pf->recovery.backoff, seconds[i] * HZ);
		KUNIT_EXPECT_TRUE(test, time_after(pf->recovery.retry_at, jiffies));
	}
}

static void recover_leaving(struct kunit *test)
{
	struct tally_pf *pf = failed_pf(test);

	tally_recovery_stop(pf);
	KUNIT_EXPECT_EQ(test, tally_recover(pf, false), -ESHUTDOWN);
	expect_steps(test, "");
}

/* Health work reports a failure once, and recovers the device only if devlink asked for that. */
static void recover_repair(struct kunit *test)
{
	struct tally_pf *pf = failed_pf(test);

	tally_recovery_run(pf);
	expect_steps(test, "rD");
	tally_recovery_run(pf);
	expect_steps(test, "");
	start_err = -EIO;
	KUNIT_EXPECT_EQ(test, tally_recover(pf, true), -EIO);
	expect_steps(test, "rcmsqx");
	tally_recovery_run(pf);
	expect_steps(test, "");
	start_err = 0;
	msleep(1100);
	tally_recovery_run(pf);
	expect_steps(test, "rcmsad");
	/* The next failure is reported again. */
	tally_fail(pf, "test");
	tally_recovery_run(pf);
	expect_steps(test, "rD");
}

static struct kunit_case recover_cases[] = {
	KUNIT_CASE(recover_healthy),
	KUNIT_CASE(recover_back),
	KUNIT_CASE(recover_another_device),
	KUNIT_CASE(recover_fails),
	KUNIT_CASE(recover_backoff),
	KUNIT_CASE(recover_leaving),
	KUNIT_CASE(recover_repair),
	{}
};

static struct kunit_suite recover_suite = {
	.name = "tally_recover",
	.init = recover_init,
	.exit = tally_fake_exit,
	.test_cases = recover_cases,
};

kunit_test_suite(recover_suite);
