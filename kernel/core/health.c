// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Periodic check of the device. It finds a device that was restarted, stopped or hangs, which
 * callers that only wait for completions cannot notice, and it makes up for lost interrupts. It
 * also recovers a device that failed.
 */
#include "adminq.h"
#include "cmd.h"
#include "debug/inject.h"
#include "health.h"
#include "pf.h"
#include "recover.h"
#include "reset.h"

#define HEALTH_PERIOD (1 * HZ)
/* Checks without a new health count until the device, which sleeps or hangs, is sent a command. */
#define SILENT_PERIODS 10

static bool health_in_service(struct tally_pf *pf)
{
	u32 epoch = readl(&pf_ident(pf)->epoch);
	u32 state = readl(&pf_ident(pf)->state);

	if (epoch == pf->pub.epoch && state == TALLY_DEVICE_READY)
		return true;
	dev_err(pf_dev(pf), "device is in state %u, epoch %u (was %u), fatal code %u\n", state,
		epoch, pf->pub.epoch, readl(&pf_ident(pf)->fatal_code));
	return false;
}

static bool health_is_silent(struct tally_pf *pf)
{
	u64 health = readq(&pf_ident(pf)->health);

	if (health != pf->last_health) {
		pf->last_health = health;
		pf->silent_periods = 0;
	}
	return pf->silent_periods++ >= SILENT_PERIODS;
}

static void health_check(struct tally_pf *pf)
{
	static const struct tally_cmd_object nothing;

	tally_inject_reset(pf);
	if (!health_in_service(pf)) {
		tally_fail(pf, "it was restarted or stopped");
		return;
	}
	/* Handle what a lost interrupt would have announced. */
	tally_adminq_poll(pf);
	tally_link_refresh(&pf->pub);
	/* A device that does not answer the command fails in tally_exec(). */
	if (health_is_silent(pf))
		tally_exec(pf, TALLY_ADMIN_NOP, 0, &nothing, sizeof(nothing));
}

static void health_work(struct work_struct *work)
{
	struct tally_pf *pf = container_of(work, struct tally_pf, health.work);

	if (!tally_is_dead(&pf->pub))
		health_check(pf);
	if (tally_is_dead(&pf->pub))
		tally_recovery_run(pf);
	queue_delayed_work(system_long_wq, &pf->health, HEALTH_PERIOD);
}

/**
 * tally_health_start() - Start the periodic check of the device.
 * @pf: device, in service
 */
void tally_health_start(struct tally_pf *pf)
{
	INIT_DELAYED_WORK(&pf->health, health_work);
	queue_delayed_work(system_long_wq, &pf->health, HEALTH_PERIOD);
}

/**
 * tally_health_stop() - Undo tally_health_start().
 * @pf: device
 */
void tally_health_stop(struct tally_pf *pf)
{
	cancel_delayed_work_sync(&pf->health);
}
