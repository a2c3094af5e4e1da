// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Bringing a device that failed back into service. Its users are taken away from it first, by
 * removing the device on the auxiliary bus: none of them lives to see it come back.
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

/* When this returns, nobody knows the device as it was. Called with recovery.lock held. */
static void recover_take_down(struct tally_pf *pf)
{
	/* Users wait for commands, and those for the device. */
	tally_wait_quiet(pf);
	flush_work(&pf->fail_work);
	tally_aux_remove(pf);
	tally_groups_forget(pf);
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

/* Says when to try again. */
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
 * tally_recover() - Bring a device back into service now, unless it is.
 * @pf: device
 * @automatic: nobody asked for it; if it fails, health work tries again
 *
 * Return: 0; -ESHUTDOWN if the driver lets go of the device; another negative errno, reported, if
 * the device did not come back.
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

/* Takes a device down whose failure is news; true if it is. */
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
 * tally_repair() - Do what is due for a device that is out of service; for health work.
 * @pf: device
 *
 * A failure is reported once; whether the device may then come back by itself, devlink decides by
 * calling tally_recover(). From then on this tries again, with pauses that double.
 */
void tally_repair(struct tally_pf *pf)
{
	if (recover_is_news(pf))
		tally_devlink_report(pf);
	else if (recover_is_due(&pf->recovery) && !tally_recover(pf, true))
		tally_devlink_recovered(pf);
}

/**
 * tally_leave() - The driver lets go of the device: it is not brought back any more.
 * @pf: device; health work has ended
 */
void tally_leave(struct tally_pf *pf)
{
	mutex_lock(&pf->recovery.lock);
	pf->recovery.leaving = true;
	mutex_unlock(&pf->recovery.lock);
}
