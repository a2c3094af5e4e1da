// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Faults that the driver injects: selection of the failing calls, and the effects of some faults.
 */
#include <linux/ratelimit.h>

#include "core/attach.h"
#include "core/pf.h"
#include "inject.h"

const char * const tally_fault_names[TALLY_NUM_FAULTS] = {
	[TALLY_FAULT_ADMIN_TIMEOUT] = "admin_timeout",
	[TALLY_FAULT_ADMIN_STATUS] = "admin_status",
	[TALLY_FAULT_LOST_INTERRUPT] = "lost_interrupt",
	[TALLY_FAULT_SEG_EXHAUSTED] = "seg_exhausted",
	[TALLY_FAULT_GROUP_CREATE] = "group_create",
	[TALLY_FAULT_MR_REGISTER] = "mr_register",
	[TALLY_FAULT_DEVICE_RESET] = "device_reset",
	[TALLY_FAULT_LOST_DOORBELL] = "lost_doorbell",
	[TALLY_FAULT_CORRUPT_CQE] = "corrupt_cqe",
	[TALLY_FAULT_DMA_ERROR] = "dma_error",
	[TALLY_FAULT_CQ_OVERRUN] = "cq_overrun",
};

/* Log one line for each fault, without a stack trace, which would fill the log of a test. */
#define VERBOSE 1

/**
 * tally_inject_init() - Switch all faults off.
 * @pf: new device
 */
void tally_inject_init(struct tally_pf *pf)
{
	static DECLARE_FAULT_ATTR(off);
	struct tally_fault *fault;

	for (fault = pf->faults.fault; fault < pf->faults.fault + TALLY_FIRST_NIC_FAULT; fault++) {
		fault->attr = off;
		fault->attr.verbose = VERBOSE;
		ratelimit_state_init(&fault->attr.ratelimit_state, DEFAULT_RATELIMIT_INTERVAL,
				     DEFAULT_RATELIMIT_BURST);
		fault->filter = TALLY_INJECT_ANY;
		fault->status = TALLY_ADMIN_STATUS_NO_RESOURCE;
	}
	tally_nic_faults_init(pf);
}

/**
 * tally_inject() - Decide whether to inject a fault of the driver. May be called in any context.
 * @pf: device
 * @id: fault
 * @object: object concerned, see enum tally_fault_id
 *
 * These calls do not count for fail-nth of a thread, which is meant for calls that may fail: most
 * of these faults make the device fail.
 *
 * Return: true if the caller must fail; the fault has been counted and logged.
 */
bool tally_inject(struct tally_pf *pf, enum tally_fault_id id, u32 object)
{
	struct tally_fault *fault = &pf->faults.fault[id];
	u32 filter = READ_ONCE(fault->filter);

	if (!READ_ONCE(fault->attr.probability))
		return false;
	if (filter != TALLY_INJECT_ANY && filter != object)
		return false;
	if (!should_fail(&fault->attr, 1))
		return false;
	atomic_inc(&fault->count);
	return true;
}

/**
 * tally_inject_status() - Write the answer of a device that refuses a command.
 * @pf: device
 * @answer: the answer
 *
 * Return: 0, as if the device had answered.
 */
int tally_inject_status(struct tally_pf *pf, struct tally_admin_cqe *answer)
{
	u16 status = READ_ONCE(pf->faults.fault[TALLY_FAULT_ADMIN_STATUS].status);

	*answer = (struct tally_admin_cqe){ .status = cpu_to_le16(status) };
	return 0;
}

/**
 * tally_inject_reset() - Reset the device without the driver's knowledge, if that fault is due.
 * @pf: device, in service
 *
 * Called in each period of health work. The control page of this reset names no ABI: the device
 * stops with BAD_CONTROL and reads no ring, so that it does not execute old commands. This function
 * returns before the device has been reset.
 */
void tally_inject_reset(struct tally_pf *pf)
{
	struct tally_control __iomem *control = pf_control(pf);

	if (!tally_inject(pf, TALLY_FAULT_DEVICE_RESET, 0))
		return;
	mutex_lock(&pf->resetting);
	writel(~TALLY_ABI_VERSION, &control->driver_abi);
	writel(readl(&control->reset_req) + 1, &control->reset_req);
	tally_wake(pf);
	mutex_unlock(&pf->resetting);
}
