// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Recovery of a failed device. First the driver removes the device from the auxiliary bus, so that
 * all its users are gone before it comes back.
 */
#include "devlink.h"
#include "group.h"
#include "ident.h"
#include "pf.h"
#include "recover.h"
#include "reset.h"
#include "lifecycle.h"

#define FIRST_BACKOFF (1 * HZ)
#define LAST_BACKOFF (60 * HZ)

/* Removes all users and objects of the failed device. Called with recovery.lock held. */
static void recover_take_down(struct tally_pf *pf)
{
	/* Removal waits for pending commands of the users, and these wait for the device. */
	tally_wait_quiet(pf);
	flush_work(&pf->fail_work);
	tally_aux_remove(pf);
	tally_groups_free_draining(pf);
}

static int recover_bring_up(struct tally_pf *pf)
{
	int err;

	err = tally_check_ident(pf);
	if (err)
		return err;
	pci_set_master(pf->pub.pdev);
	err = tally_start(pf);
	if (!err)
		err = tally_aux_add(pf);
	if (!err)
		return 0;
	tally_quiet(pf);
	pci_clear_master(pf->pub.pdev);
	return err;
}

/* Schedules the next attempt. */
static void recover_plan_retry(struct tally_recovery *r, struct tally_pf *pf, int err)
{
	r->backoff = clamp_t(unsigned long, 2 * r->backoff, FIRST_BACKOFF, LAST_BACKOFF);
	r->retry_at = jiffies + r->backoff;
	dev_err(pf_dev(pf), "device does not come back: error %d\n", err);
}

static int recover_device(struct tally_pf *pf)
{
	struct tally_recovery *r = &pf->recovery;
	int err;

	recover_take_down(pf);
	err = recover_bring_up(pf);
	if (err) {
		recover_plan_retry(r, pf, err);
		return err;
	}
	r->reported = false;
	r->backoff = 0;
	r->recoveries++;
	dev_info(pf_dev(pf), "%s: in service again, epoch %u\n", pf->pub.name, pf->pub.epoch);
	return 0;
}

/**
 * tally_recover() - Recover a device now, if it is out of service.
 * @pf: device
 * @automatic: no user asked for it; if it fails, health work tries again
 *
 * Return: 0; -ESHUTDOWN if the driver is releasing the device; another negative errno, which is
 * logged, if the device did not come back.
 */
int tally_recover(struct tally_pf *pf, bool automatic)
{
	struct tally_recovery *r = &pf->recovery;
	int err = 0;

	mutex_lock(&r->lock);
	if (automatic)
		r->automatic = true;
	if (r->leaving)
		err = -ESHUTDOWN;
	else if (tally_is_dead(&pf->pub))
		err = recover_device(pf);
	mutex_unlock(&r->lock);
	return err;
}

/* Takes a device down if its failure was not reported yet. Returns whether it did. */
static bool recover_is_news(struct tally_pf *pf)
{
	struct tally_recovery *r = &pf->recovery;
	bool news;

	mutex_lock(&r->lock);
	news = tally_is_dead(&pf->pub) && !r->reported;
	if (news) {
		recover_take_down(pf);
		r->reported = true;
		r->automatic = false;
	}
	mutex_unlock(&r->lock);
	return news;
}

static bool recover_is_due(struct tally_recovery *r)
{
	bool due;

	mutex_lock(&r->lock);
	due = r->automatic && time_after_eq(jiffies, r->retry_at);
	mutex_unlock(&r->lock);
	return due;
}

/**
 * tally_recovery_run() - Report or recover a device that is out of service; called by health work.
 * @pf: device
 *
 * A failure is reported once. devlink then decides about automatic recovery by calling
 * tally_recover(). If that fails, this function tries again, with delays that double.
 */
void tally_recovery_run(struct tally_pf *pf)
{
	if (recover_is_news(pf))
		tally_devlink_report(pf);
	else if (recover_is_due(&pf->recovery) && !tally_recover(pf, true))
		tally_devlink_recovered(pf);
}

/**
 * tally_recovery_stop() - Stop recovery, because the driver is releasing the device.
 * @pf: device; health work has ended
 */
void tally_recovery_stop(struct tally_pf *pf)
{
	mutex_lock(&pf->recovery.lock);
	pf->recovery.leaving = true;
	mutex_unlock(&pf->recovery.lock);
}
