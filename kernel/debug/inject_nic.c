// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Faults that the device injects. The device decides by itself, with the attributes that were set
 * last. When it is reset, it forgets the attributes and its counts.
 */
#include "core/cmd.h"
#include "core/pf.h"
#include "inject.h"

static const enum tally_inject_fault nic_fault_codes[TALLY_NUM_NIC_FAULTS] = {
	[TALLY_FAULT_LOST_DOORBELL - TALLY_FIRST_NIC_FAULT] = TALLY_INJECT_LOST_DOORBELL,
	[TALLY_FAULT_CORRUPT_CQE - TALLY_FIRST_NIC_FAULT] = TALLY_INJECT_CORRUPT_CQE,
	[TALLY_FAULT_DMA_ERROR - TALLY_FIRST_NIC_FAULT] = TALLY_INJECT_DMA_ERROR,
	[TALLY_FAULT_CQ_OVERRUN - TALLY_FIRST_NIC_FAULT] = TALLY_INJECT_CQ_OVERRUN,
};

/**
 * tally_nic_faults_init() - Switch all faults of the device off.
 * @pf: new device
 */
void tally_nic_faults_init(struct tally_pf *pf)
{
	unsigned int n;

	for (n = 0; n < TALLY_NUM_NIC_FAULTS; n++) {
		struct tally_nic_fault *fault = &pf->faults.nic[n];

		fault->pf = pf;
		fault->id = TALLY_FIRST_NIC_FAULT + n;
		mutex_init(&fault->changing);
		spin_lock_init(&fault->lock);
		fault->attrs[TALLY_FAULT_ATTR_INTERVAL] = 1;
		fault->attrs[TALLY_FAULT_ATTR_TIMES] = 1;
		fault->attrs[TALLY_FAULT_ATTR_FILTER] = TALLY_INJECT_ANY;
	}
}

static void nic_fault_fill_in(struct tally_cmd_inject *cmd, const u32 *attrs)
{
	cmd->probability = cpu_to_le32(attrs[TALLY_FAULT_ATTR_PROBABILITY]);
	cmd->interval = cpu_to_le32(attrs[TALLY_FAULT_ATTR_INTERVAL]);
	cmd->times = cpu_to_le32(attrs[TALLY_FAULT_ATTR_TIMES]);
	cmd->object = cpu_to_le32(attrs[TALLY_FAULT_ATTR_FILTER]);
	cmd->value = cpu_to_le32(attrs[TALLY_FAULT_ATTR_VALUE]);
}

/* Adds what the device has injected since the last query. Called with the lock held. */
static void nic_fault_account(struct tally_nic_fault *fault, u64 nic_count)
{
	u64 used = nic_count - fault->nic_count;
	u32 *times = &fault->attrs[TALLY_FAULT_ATTR_TIMES];

	fault->nic_count = nic_count;
	fault->count += used;
	if (*times != TALLY_INJECT_ALWAYS)
		*times -= min_t(u64, used, *times);
}

/*
 * Sends INJECT with @attrs, and stores them once the device has accepted them. Without @attrs, only
 * queries the device. A device that was reset meanwhile has forgotten the attributes.
 */
static int nic_fault_exchange(struct tally_nic_fault *fault, const u32 *attrs)
{
	struct tally_cmd_inject cmd = {
		.fault = cpu_to_le32(nic_fault_codes[fault->id - TALLY_FIRST_NIC_FAULT]),
		.action = cpu_to_le32(TALLY_INJECT_ACTION_QUERY),
	};
	u32 resets = READ_ONCE(fault->resets);
	u64 nic_count;
	int err;

	if (attrs) {
		cmd.action = cpu_to_le32(TALLY_INJECT_ACTION_SET);
		nic_fault_fill_in(&cmd, attrs);
	}
	err = tally_cmd_inject(fault->pf, &cmd, &nic_count);
	if (err)
		return err;
	spin_lock_irq(&fault->lock);
	if (fault->resets != resets) {
		err = -EIO;
		goto out;
	}
	nic_fault_account(fault, nic_count);
	if (attrs)
		memcpy(fault->attrs, attrs, sizeof(fault->attrs));
out:
	spin_unlock_irq(&fault->lock);
	return err;
}

/**
 * tally_nic_fault_update() - Update a fault by what the device has injected.
 * @fault: fault of the device
 *
 * Return: 0 or a negative errno, which is logged.
 */
int tally_nic_fault_update(struct tally_nic_fault *fault)
{
	int err;

	mutex_lock(&fault->changing);
	err = nic_fault_exchange(fault, NULL);
	mutex_unlock(&fault->changing);
	return err;
}

/**
 * tally_nic_fault_set() - Change an attribute of a device fault.
 * @fault: fault
 * @attr: attribute
 * @value: its value
 *
 * Return: 0; -EINVAL if the device refuses the value, or another negative errno, which is logged.
 */
int tally_nic_fault_set(struct tally_nic_fault *fault, enum tally_fault_attr attr, u32 value)
{
	u32 attrs[TALLY_NUM_FAULT_ATTRS];
	int err;

	mutex_lock(&fault->changing);
	/* The remaining number of failures must be up to date. */
	err = nic_fault_exchange(fault, NULL);
	if (err)
		goto out;
	spin_lock_irq(&fault->lock);
	memcpy(attrs, fault->attrs, sizeof(attrs));
	spin_unlock_irq(&fault->lock);
	attrs[attr] = value;
	err = nic_fault_exchange(fault, attrs);
out:
	mutex_unlock(&fault->changing);
	return err;
}

/**
 * tally_inject_device_reset() - Note that the device was reset and has forgotten its faults.
 * @pf: device; it serves no commands meanwhile
 *
 * What the device injected since the last query is lost. Does not sleep.
 */
void tally_inject_device_reset(struct tally_pf *pf)
{
	struct tally_nic_fault *fault;
	unsigned long flags;

	for (fault = pf->faults.nic; fault < pf->faults.nic + TALLY_NUM_NIC_FAULTS; fault++) {
		spin_lock_irqsave(&fault->lock, flags);
		fault->attrs[TALLY_FAULT_ATTR_PROBABILITY] = 0;
		fault->nic_count = 0;
		fault->resets++;
		spin_unlock_irqrestore(&fault->lock, flags);
	}
}
