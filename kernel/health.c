// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* A device that was restarted, or has stopped, knows none of our objects: this notices it. */
#include "core.h"

#define HEALTH_PERIOD (1 * HZ)

static bool is_healthy(struct tally_pf *pf)
{
	u32 epoch = readl(&pf_ident(pf)->epoch);
	u32 state = readl(&pf_ident(pf)->state);

	if (epoch == pf->epoch && state == TALLY_DEVICE_READY)
		return true;
	dev_err(pf_dev(pf), "device is in state %u, epoch %u (was %u), fatal code %u\n", state,
		epoch, pf->epoch, readl(&pf_ident(pf)->fatal_code));
	return false;
}

static void health_work(struct work_struct *work)
{
	struct tally_pf *pf = container_of(work, struct tally_pf, health.work);

	if (test_bit(0, &pf->dead))
		return;
	if (is_healthy(pf))
		schedule_delayed_work(&pf->health, HEALTH_PERIOD);
	else
		tally_fail(pf);
}

/**
 * tally_health_start() - Look at the device from time to time; give it up if it was restarted.
 * @pf: device, in service
 */
void tally_health_start(struct tally_pf *pf)
{
	INIT_DELAYED_WORK(&pf->health, health_work);
	schedule_delayed_work(&pf->health, HEALTH_PERIOD);
}

/**
 * tally_health_stop() - Undo tally_health_start().
 * @pf: device
 */
void tally_health_stop(struct tally_pf *pf)
{
	cancel_delayed_work_sync(&pf->health);
}
