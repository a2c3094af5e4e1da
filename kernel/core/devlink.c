// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * devlink instance of the device, with a health reporter. The reporter shows the cause of the last
 * failure, and its settings control automatic recovery.
 *
 * devlink calls devlink_recover() with its lock held, so that lock is taken before recovery.lock.
 */
#include <net/devlink.h>

#include "compat.h"
#include "devlink.h"
#include "pf.h"
#include "recover.h"
#include "reset.h"

static struct tally_pf *devlink_pf(struct devlink_health_reporter *reporter)
{
	return devlink_health_reporter_priv(reporter);
}

/*
 * @failure is the device if devlink calls this for a reported failure, or NULL if a user asked for
 * it.
 */
static int devlink_recover(struct devlink_health_reporter *reporter, void *failure,
			   struct netlink_ext_ack *extack)
{
	int err = tally_recover(devlink_pf(reporter), failure);

	if (err)
		NL_SET_ERR_MSG_MOD(extack, "device does not come back, see the kernel's log");
	return err;
}

static int devlink_fail_device(struct devlink_health_reporter *reporter, struct netlink_ext_ack *extack)
{
	tally_fail(devlink_pf(reporter), "devlink asked for a test");
	return 0;
}

static const char *devlink_state_text(struct tally_pf *pf)
{
	switch (READ_ONCE(pf->state)) {
	case TALLY_PF_UP:
		return "in service";
	case TALLY_PF_FAILED:
		return "failed";
	case TALLY_PF_QUIET:
		break;
	}
	return "down";
}

static int devlink_put_text(struct devlink_fmsg *fmsg, const char *name, const char *value)
{
	return tally_fmsg_put(devlink_fmsg_string_pair_put(fmsg, name, value));
}

static int devlink_put_number(struct devlink_fmsg *fmsg, const char *name, u32 value)
{
	return tally_fmsg_put(devlink_fmsg_u32_pair_put(fmsg, name, value));
}

static int devlink_put_last(struct devlink_fmsg *fmsg, const struct tally_failure *last)
{
	int err = devlink_put_text(fmsg, "last_failure", last->why ?: "none");

	if (!err)
		err = devlink_put_number(fmsg, "last_state", last->state);
	if (!err)
		err = devlink_put_number(fmsg, "last_fatal_code", last->fatal_code);
	if (!err)
		err = devlink_put_number(fmsg, "last_epoch", last->epoch);
	return err;
}

static int devlink_put_state(struct devlink_fmsg *fmsg, struct tally_pf *pf)
{
	int err = devlink_put_text(fmsg, "state", devlink_state_text(pf));

	if (!err)
		err = devlink_put_number(fmsg, "epoch", pf->pub.epoch);
	if (!err)
		err = devlink_put_number(fmsg, "device_state", readl(&pf_ident(pf)->state));
	if (!err)
		err = devlink_put_number(fmsg, "fatal_code", readl(&pf_ident(pf)->fatal_code));
	if (!err)
		err = devlink_put_number(fmsg, "failures", pf->recovery.failures);
	if (!err)
		err = devlink_put_number(fmsg, "recoveries", pf->recovery.recoveries);
	return err;
}

static int devlink_diagnose(struct devlink_health_reporter *reporter, struct devlink_fmsg *fmsg,
			    struct netlink_ext_ack *extack)
{
	struct tally_pf *pf = devlink_pf(reporter);
	int err = devlink_put_state(fmsg, pf);

	return err ? err : devlink_put_last(fmsg, &pf->recovery.last);
}

static const struct devlink_health_reporter_ops reporter_ops = {
	.name = "device",
	.recover = devlink_recover,
	.diagnose = devlink_diagnose,
	.test = devlink_fail_device,
};

static const struct devlink_ops ops = {};

/**
 * tally_devlink_add() - Create the devlink objects, which users cannot see yet.
 * @pf: device
 *
 * Return: 0 or a negative errno, which is logged.
 */
int tally_devlink_add(struct tally_pf *pf)
{
	struct devlink *devlink = devlink_alloc(&ops, 0, pf_dev(pf));
	struct devlink_health_reporter *reporter;

	if (!devlink)
		return -ENOMEM;
	reporter = devlink_health_reporter_create(devlink, &reporter_ops, 0, pf);
	if (IS_ERR(reporter)) {
		dev_err(pf_dev(pf), "cannot make a health reporter: error %pe\n", reporter);
		devlink_free(devlink);
		return PTR_ERR(reporter);
	}
	pf->devlink = devlink;
	pf->reporter = reporter;
	return 0;
}

/**
 * tally_devlink_register() - Make the device and its health reporter visible to users.
 * @pf: device, on the auxiliary bus; from now on a user may make it fail and recover, which removes
 *	it from that bus and adds it again
 */
void tally_devlink_register(struct tally_pf *pf)
{
	devlink_register(pf->devlink);
}

/**
 * tally_devlink_unregister() - Undo tally_devlink_register().
 * @pf: device; its health work has ended, and recovery.lock is not held
 */
void tally_devlink_unregister(struct tally_pf *pf)
{
	devlink_unregister(pf->devlink);
}

/**
 * tally_devlink_remove() - Undo tally_devlink_add().
 * @pf: device, not visible to users
 */
void tally_devlink_remove(struct tally_pf *pf)
{
	devlink_health_reporter_destroy(pf->reporter);
	devlink_free(pf->devlink);
}

/**
 * tally_devlink_report() - Report a failure of the device, and recover it unless that is switched
 * off.
 * @pf: device, taken down; recovery.lock is not held
 */
void tally_devlink_report(struct tally_pf *pf)
{
	devlink_health_report(pf->reporter, pf->recovery.last.why, pf);
}

/**
 * tally_devlink_recovered() - Report that a later attempt recovered the device.
 * @pf: device
 */
void tally_devlink_recovered(struct tally_pf *pf)
{
	devlink_health_reporter_recovery_done(pf->reporter);
	devlink_health_reporter_state_update(pf->reporter, DEVLINK_HEALTH_REPORTER_STATE_HEALTHY);
}
