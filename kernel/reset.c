// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The reset handshake, and giving a device up. Resetting is the only way to make sure that a device
 * accesses no memory any more: it is done before the first command, when the device fails, and
 * before the driver lets go of it.
 */
#include <linux/delay.h>

#include "core.h"

#define RESET_POLL_US 2000

/* Whoever reads these must see a ring that is empty: the device reads them at a reset. */
static void write_control(struct tally_pf *pf)
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

/* Asks for a reset; the count differs from the last one carried out and from the last asked for. */
static u32 request_reset(struct tally_pf *pf)
{
	u32 ack = readl(&pf_ident(pf)->reset_ack);
	u32 req = readl(&pf_control(pf)->reset_req) + 1;

	if (req == ack)
		req++;
	/* writel() keeps the order: the request comes after what it describes. */
	writel(req, &pf_control(pf)->reset_req);
	tally_ring(pf);
	return req;
}

static bool await_reset(struct tally_pf *pf, u32 req)
{
	unsigned long deadline = jiffies + tally_cmd_timeout();

	while (readl(&pf_ident(pf)->reset_ack) != req) {
		if (time_after(jiffies, deadline))
			return readl(&pf_ident(pf)->reset_ack) == req;
		usleep_range(RESET_POLL_US / 2, RESET_POLL_US);
	}
	return true;
}

static int check_ready(struct tally_pf *pf)
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
 * Return: 0; -ETIMEDOUT or -EIO, reported.
 */
int tally_reset(struct tally_pf *pf)
{
	int err = 0;

	mutex_lock(&pf->resetting);
	write_control(pf);
	if (!await_reset(pf, request_reset(pf))) {
		dev_err(pf_dev(pf), "device does not answer a reset within %u ms\n",
			jiffies_to_msecs(tally_cmd_timeout()));
		err = -ETIMEDOUT;
	}
	if (!err)
		err = check_ready(pf);
	pf->epoch = readl(&pf_ident(pf)->epoch);
	mutex_unlock(&pf->resetting);
	return err;
}

/**
 * tally_fail() - Give the device up: no command is taken any more, and the device is reset.
 * @pf: device
 *
 * The caller has reported why. May be called in any context, any number of times.
 */
void tally_fail(struct tally_pf *pf)
{
	if (test_and_set_bit(0, &pf->dead))
		return;
	tally_adminq_close(pf);
	queue_work(system_long_wq, &pf->fail_work);
}

/**
 * tally_fail_work() - Second half of tally_fail(): make sure that the device accesses no memory.
 * @work: fail_work of a device
 */
void tally_fail_work(struct work_struct *work)
{
	struct tally_pf *pf = container_of(work, struct tally_pf, fail_work);

	dev_err(pf_dev(pf), "device given up; it can be used again after unbind and bind\n");
	if (tally_reset(pf) == -ETIMEDOUT) {
		dev_err(pf_dev(pf), "device may still run: its bus mastering is switched off\n");
		pci_clear_master(pf->pub.pdev);
	}
	complete_all(&pf->quiet);
	tally_groups_forget(pf);
	tally_event_fatal(pf);
}

/**
 * tally_wait_quiet() - Wait until a device that was given up accesses no memory any more.
 * @pf: device; returns at once if it was not given up
 *
 * Takes as long as a reset may take at most.
 */
void tally_wait_quiet(struct tally_pf *pf)
{
	if (test_bit(0, &pf->dead))
		wait_for_completion(&pf->quiet);
}

/**
 * tally_is_dead() - Whether the device was given up.
 * @tdev: device
 *
 * Return: true if commands fail until the device is probed again.
 */
bool tally_is_dead(struct tally_dev *tdev)
{
	return test_bit(0, &to_pf(tdev)->dead);
}
EXPORT_SYMBOL_GPL(tally_is_dead);
