// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Faults that the driver injects. They are decided on as the kernel's fault_attr does, which Debian
 * builds its kernel without: of the calls that pass filter and pid each interval-th is a candidate,
 * dice decide about it, and after so many times it is over.
 */
#include "core/attach.h"
#include "core/pf.h"
#include "inject.h"

DEFINE_STATIC_KEY_FALSE(tally_inject_armed);

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

/**
 * tally_inject_init() - All faults are off from now on.
 * @pf: new device
 */
void tally_inject_init(struct tally_pf *pf)
{
	enum tally_fault_id id;

	for (id = 0; id < TALLY_NUM_FAULTS; id++) {
		struct tally_fault *fault = &pf->faults.fault[id];

		fault->pf = pf;
		fault->id = id;
		mutex_init(&fault->changing);
		spin_lock_init(&fault->lock);
		fault->knobs[TALLY_KNOB_INTERVAL] = 1;
		fault->knobs[TALLY_KNOB_TIMES] = 1;
		fault->knobs[TALLY_KNOB_FILTER] = TALLY_INJECT_ANY;
	}
	pf->faults.fault[TALLY_FAULT_ADMIN_STATUS].knobs[TALLY_KNOB_VALUE] =
		TALLY_ADMIN_STATUS_NO_RESOURCE;
	tally_inject_seed(pf, 0);
}

/**
 * tally_inject_seed() - Throw the dice of all of the driver's faults anew.
 * @pf: device
 * @seed: what they are thrown from: the same calls fail again with the same seed
 */
void tally_inject_seed(struct tally_pf *pf, u64 seed)
{
	enum tally_fault_id id;
	unsigned long flags;

	for (id = 0; id < TALLY_FIRST_NIC_FAULT; id++) {
		struct tally_fault *fault = &pf->faults.fault[id];

		spin_lock_irqsave(&fault->lock, flags);
		pf->faults.seed = seed;
		prandom_seed_state(&fault->dice, seed + id);
		spin_unlock_irqrestore(&fault->lock, flags);
	}
}

static bool fault_passes(const struct tally_fault *fault, u32 object)
{
	u32 filter = fault->knobs[TALLY_KNOB_FILTER], pid = fault->knobs[TALLY_KNOB_PID];

	return (filter == TALLY_INJECT_ANY || filter == object) &&
	       (!pid || pid == task_tgid_nr(current));
}

/* Called with the fault's lock held. */
static bool fault_decide(struct tally_fault *fault, u32 object)
{
	u32 *knobs = fault->knobs;

	if (!knobs[TALLY_KNOB_TIMES] || !fault_passes(fault, object))
		return false;
	if (knobs[TALLY_KNOB_INTERVAL] > 1 && ++fault->calls % knobs[TALLY_KNOB_INTERVAL])
		return false;
	if (knobs[TALLY_KNOB_PROBABILITY] < 100 &&
	    knobs[TALLY_KNOB_PROBABILITY] <= prandom_u32_state(&fault->dice) % 100)
		return false;
	if (knobs[TALLY_KNOB_TIMES] != TALLY_INJECT_ALWAYS)
		knobs[TALLY_KNOB_TIMES]--;
	fault->count++;
	return true;
}

/**
 * tally_inject_decide() - The slow half of tally_inject().
 * @pf: device
 * @id: fault, one of the driver's
 * @object: object concerned
 *
 * Return: true if the caller must fail.
 */
bool tally_inject_decide(struct tally_pf *pf, enum tally_fault_id id, u32 object)
{
	struct tally_fault *fault = &pf->faults.fault[id];
	unsigned long flags;
	bool inject;

	if (!READ_ONCE(fault->knobs[TALLY_KNOB_PROBABILITY]))
		return false;
	spin_lock_irqsave(&fault->lock, flags);
	inject = fault_decide(fault, object);
	spin_unlock_irqrestore(&fault->lock, flags);
	if (inject)
		dev_notice_ratelimited(pf_dev(pf), "injected fault %s, object %#x\n",
				       tally_fault_names[id], object);
	return inject;
}

/* Switches the hooks of all devices on, or this fault's part in it off. */
static void fault_arm(bool on, bool was_on)
{
	if (on && !was_on)
		static_branch_inc(&tally_inject_armed);
	else if (!on && was_on)
		static_branch_dec(&tally_inject_armed);
}

/**
 * tally_fault_set() - Change an attribute of one of the driver's faults.
 * @fault: fault
 * @knob: attribute
 * @value: its value, checked
 *
 * Return: 0.
 */
int tally_fault_set(struct tally_fault *fault, enum tally_knob knob, u32 value)
{
	unsigned long flags;
	bool was_on, on;

	mutex_lock(&fault->changing);
	spin_lock_irqsave(&fault->lock, flags);
	was_on = fault->knobs[TALLY_KNOB_PROBABILITY];
	fault->knobs[knob] = value;
	on = fault->knobs[TALLY_KNOB_PROBABILITY];
	if (knob == TALLY_KNOB_PROBABILITY || knob == TALLY_KNOB_INTERVAL)
		fault->calls = 0;
	spin_unlock_irqrestore(&fault->lock, flags);
	fault_arm(on, was_on);
	mutex_unlock(&fault->changing);
	return 0;
}

/**
 * tally_inject_disarm() - End all of the driver's faults.
 * @pf: device; nobody changes attributes any more
 */
void tally_inject_disarm(struct tally_pf *pf)
{
	enum tally_fault_id id;

	for (id = 0; id < TALLY_FIRST_NIC_FAULT; id++)
		tally_fault_set(&pf->faults.fault[id], TALLY_KNOB_PROBABILITY, 0);
}

/**
 * tally_inject_status() - What the device would say if it refused a command.
 * @pf: device
 * @answer: its answer
 *
 * Return: 0, as if the device had answered.
 */
int tally_inject_status(struct tally_pf *pf, struct tally_admin_cqe *answer)
{
	const struct tally_fault *fault = &pf->faults.fault[TALLY_FAULT_ADMIN_STATUS];
	u16 status = READ_ONCE(fault->knobs[TALLY_KNOB_VALUE]);

	*answer = (struct tally_admin_cqe){ .status = cpu_to_le16(status) };
	return 0;
}

/**
 * tally_inject_reset() - Reset the device behind the driver's back, if that fault is due.
 * @pf: device, in service
 *
 * Asked for once each period of health. The control page it is reset with names no ABI: the device
 * stops with BAD_CONTROL and looks at no ring, so that it does not execute old commands. Returns
 * before the device has done so.
 */
void tally_inject_reset(struct tally_pf *pf)
{
	struct tally_control __iomem *control = pf_control(pf);

	if (!tally_inject(pf, TALLY_FAULT_DEVICE_RESET, 0))
		return;
	mutex_lock(&pf->resetting);
	writel(~TALLY_ABI_VERSION, &control->driver_abi);
	writel(readl(&control->reset_req) + 1, &control->reset_req);
	tally_ring(pf);
	mutex_unlock(&pf->resetting);
}
