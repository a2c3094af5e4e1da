// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A device that was restarted or has stopped knows none of our objects, and one that hangs is
 * noticed by nobody who only waits for completions: this looks at it from time to time.
 */
#include "core.h"

#define HEALTH_PERIOD (1 * HZ)
/* A device that did not look at its doorbells for so many periods sleeps, or hangs: ask it. */
#define SILENT_PERIODS 10

static bool is_in_service(struct tally_pf *pf)
{
	u32 epoch = readl(&pf_ident(pf)->epoch);
	u32 state = readl(&pf_ident(pf)->state);

	if (epoch == pf->epoch && state == TALLY_DEVICE_READY)
		return true;
	dev_err(pf_dev(pf), "device is in state %u, epoch %u (was %u), fatal code %u\n", state,
		epoch, pf->epoch, readl(&pf_ident(pf)->fatal_code));
	return false;
}

static bool is_silent(struct tally_pf *pf)
{
	u64 health = readq(&pf_ident(pf)->health);

	if (health != pf->last_health) {
		pf->last_health = health;
		pf->silent_periods = 0;
	}
	return pf->silent_periods++ >= SILENT_PERIODS;
}

static void health_work(struct work_struct *work)
{
	struct tally_pf *pf = container_of(work, struct tally_pf, health.work);
	static const struct tally_cmd_object nothing;

	if (test_bit(0, &pf->dead))
		return;
	if (!is_in_service(pf)) {
		tally_fail(pf);
		return;
	}
	/* A device that does not answer is given up by the command. */
	if (is_silent(pf))
		tally_exec(pf, TALLY_ADMIN_NOP, 0, &nothing, sizeof(nothing));
	queue_delayed_work(system_long_wq, &pf->health, HEALTH_PERIOD);
}

/**
 * tally_health_start() - Look at the device from time to time; give it up if it fails.
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
