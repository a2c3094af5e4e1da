// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The reset handshake, and the immediate reaction to a device failure. Only a reset makes sure that
 * a device accesses no memory any more. The driver resets the device before the first command, when
 * the device fails, and before it releases the device.
 */
#include <linux/delay.h>

#include "adminq.h"
#include "attach.h"
#include "eq.h"
#include "group.h"
#include "pf.h"
#include "recover.h"
#include "reset.h"

#define RESET_POLL_US 2000

/* Writes the control page. Its rings must be empty, because the device reads them at a reset. */
static void reset_write_control(struct tally_pf *pf)
{
	struct tally_control __iomem *control = pf_control(pf);
	unsigned int i;

	writel(TALLY_ABI_VERSION, &control->driver_abi);
	writel(TALLY_AQ_DEPTH, &control->aq_depth);
	writel(0, &control->rsvd0);
	writeq(pf->aq.sq_dma, &control->aq_sq_addr);
	writeq(pf->aq.cq_dma, &control->aq_cq_addr);
	writeq(0, &control->aq_db);
	writeq(0, &control->aq_ci);
	for (i = 0; i < TALLY_MAX_EQ; i++)
		writeq(0, &control->eq_db[i].ci);
}

/*
 * Requests a reset by a count that differs from the last one acknowledged and the last one
 * requested.
 */
static u32 reset_request(struct tally_pf *pf)
{
	u32 ack = readl(&pf_ident(pf)->reset_ack);
	u32 req = readl(&pf_control(pf)->reset_req) + 1;

	if (req == ack)
		req++;
	/* writel() makes the description of the rings visible before the request. */
	writel(req, &pf_control(pf)->reset_req);
	tally_wake(pf);
	return req;
}

static bool reset_await(struct tally_pf *pf, u32 req)
{
	unsigned long deadline = jiffies + tally_cmd_timeout();

	while (readl(&pf_ident(pf)->reset_ack) != req) {
		if (time_after(jiffies, deadline))
			return readl(&pf_ident(pf)->reset_ack) == req;
		usleep_range(RESET_POLL_US / 2, RESET_POLL_US);
	}
	return true;
}

static int reset_check_ready(struct tally_pf *pf)
{
	u32 state = readl(&pf_ident(pf)->state);

	if (state == TALLY_DEVICE_READY)
		return 0;
	dev_err(pf_dev(pf), "device is in state %u after its reset, fatal code %u\n", state,
		readl(&pf_ident(pf)->fatal_code));
	return -EIO;
}

/**
 * tally_reset() - Reset the device, so that it knows nothing but the admin queue.
 * @pf: device, its admin queue allocated and closed
 *
 * Return: 0; -ETIMEDOUT or -EIO, which is logged.
 */
int tally_reset(struct tally_pf *pf)
{
	int err = 0;

	mutex_lock(&pf->resetting);
	reset_write_control(pf);
	if (!reset_await(pf, reset_request(pf))) {
		dev_err(pf_dev(pf), "device does not answer a reset within %u ms\n",
			jiffies_to_msecs(tally_cmd_timeout()));
		err = -ETIMEDOUT;
	}
	if (!err)
		err = reset_check_ready(pf);
	pf->pub.epoch = readl(&pf_ident(pf)->epoch);
	mutex_unlock(&pf->resetting);
	return err;
}

/* Accepts no more commands. Returns true to the one caller that must then make the device quiet. */
static bool reset_close_device(struct tally_pf *pf)
{
	if (cmpxchg(&pf->state, TALLY_PF_UP, TALLY_PF_FAILED) != TALLY_PF_UP)
		return false;
	tally_adminq_close(pf);
	return true;
}

/* Makes sure that the device accesses no memory, and wakes the callers that wait for this. */
static void reset_make_quiet(struct tally_pf *pf)
{
	/*
	 * This includes a device that answers but is not READY, because it may not have been reset.
	 */
	if (tally_reset(pf)) {
		dev_err(pf_dev(pf), "device may still run: its bus mastering is switched off\n");
		pci_clear_master(pf->pub.pdev);
	}
	/* Pairs with tally_wait_quiet(). */
	smp_store_release(&pf->state, TALLY_PF_QUIET);
	wake_up_all(&pf->settled);
}

/**
 * tally_fail() - Take a failed device out of service, and reset it.
 * @pf: device; if it is not in service, this does nothing
 * @why: cause of the failure, a static text
 *
 * Tells the users of the device. Health work recovers it later. May be called in any context.
 */
void tally_fail(struct tally_pf *pf, const char *why)
{
	if (!reset_close_device(pf))
		return;
	pf->recovery.last.why = why;
	queue_work(system_long_wq, &pf->fail_work);
}

static void reset_note_failure(struct tally_pf *pf)
{
	struct tally_failure *last = &pf->recovery.last;

	last->state = readl(&pf_ident(pf)->state);
	last->fatal_code = readl(&pf_ident(pf)->fatal_code);
	last->epoch = readl(&pf_ident(pf)->epoch);
	pf->recovery.failures++;
	dev_err(pf_dev(pf), "device failed: %s; state %u, epoch %u, fatal code %u; it is reset\n",
		last->why, last->state, last->epoch, last->fatal_code);
}

/**
 * tally_fail_work() - Second half of tally_fail(): make the device quiet and tell its users.
 * @work: fail_work of a device
 *
 * Waits for nothing but the device, because commands wait for this work.
 */
void tally_fail_work(struct work_struct *work)
{
	struct tally_pf *pf = container_of(work, struct tally_pf, fail_work);

	reset_note_failure(pf);
	reset_make_quiet(pf);
	tally_groups_free_draining(pf);
	tally_event_fatal(pf);
}

/**
 * tally_quiet() - Make sure that the device takes no command and accesses no memory any more.
 * @pf: device, in any state
 */
void tally_quiet(struct tally_pf *pf)
{
	if (reset_close_device(pf))
		reset_make_quiet(pf);
	tally_wait_quiet(pf);
	flush_work(&pf->fail_work);
}

/**
 * tally_wait_quiet() - Wait until a failed device accesses no memory any more.
 * @pf: device; if it has not failed, this returns at once
 *
 * Takes at most as long as a reset.
 */
void tally_wait_quiet(struct tally_pf *pf)
{
	/* Pairs with reset_make_quiet(). */
	wait_event(pf->settled, smp_load_acquire(&pf->state) != TALLY_PF_FAILED);
}

/**
 * tally_is_dead() - Whether the device is out of service.
 * @tdev: device
 *
 * Return: true if commands fail. The users of the device are removed before it comes back.
 */
bool tally_is_dead(struct tally_dev *tdev)
{
	return READ_ONCE(to_pf(tdev)->state) != TALLY_PF_UP;
}
EXPORT_SYMBOL_GPL(tally_is_dead);
