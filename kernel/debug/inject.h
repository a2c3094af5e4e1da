/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Faults to test with, set up in debugfs (docs/faults.md). The driver injects some itself, where it
 * asks tally_inject(); the device injects the others, as the command INJECT says. While no fault of
 * the driver is set up for any device, tally_inject() is a patched no-op.
 */
#ifndef TALLY_INJECT_H
#define TALLY_INJECT_H

#include <linux/jump_label.h>
#include <linux/mutex.h>
#include <linux/prandom.h>
#include <linux/spinlock.h>
#include <linux/types.h>

struct dentry;
struct tally_admin_cqe;
struct tally_pf;

/**
 * enum tally_fault_id - The faults.
 * @TALLY_FAULT_ADMIN_TIMEOUT: a command's answer is lost; object: opcode
 * @TALLY_FAULT_ADMIN_STATUS: a command is refused, the device never sees it; object: opcode
 * @TALLY_FAULT_LOST_INTERRUPT: an interrupt is not looked at; object: vector
 * @TALLY_FAULT_SEG_EXHAUSTED: no room for a range of segments; object: how many are asked for
 * @TALLY_FAULT_GROUP_CREATE: a group cannot be created; object: job id
 * @TALLY_FAULT_MR_REGISTER: a memory region cannot be registered; object: index of its key
 * @TALLY_FAULT_DEVICE_RESET: the device is reset, and the driver does not know; no object
 * @TALLY_FAULT_LOST_DOORBELL: see enum tally_inject_fault, as for the following
 * @TALLY_FAULT_CORRUPT_CQE: a completion is written with one byte inverted
 * @TALLY_FAULT_DMA_ERROR: data in host memory cannot be accessed
 * @TALLY_FAULT_CQ_OVERRUN: a completion finds its queue full
 * @TALLY_NUM_FAULTS: how many there are
 */
enum tally_fault_id {
	TALLY_FAULT_ADMIN_TIMEOUT,
	TALLY_FAULT_ADMIN_STATUS,
	TALLY_FAULT_LOST_INTERRUPT,
	TALLY_FAULT_SEG_EXHAUSTED,
	TALLY_FAULT_GROUP_CREATE,
	TALLY_FAULT_MR_REGISTER,
	TALLY_FAULT_DEVICE_RESET,
	TALLY_FAULT_LOST_DOORBELL,
	TALLY_FAULT_CORRUPT_CQE,
	TALLY_FAULT_DMA_ERROR,
	TALLY_FAULT_CQ_OVERRUN,
	TALLY_NUM_FAULTS,
};

/* From here on, the device injects. */
#define TALLY_FIRST_NIC_FAULT TALLY_FAULT_LOST_DOORBELL

/* Attributes of a fault: u32 each, TALLY_INJECT_ANY and TALLY_INJECT_ALWAYS as in INJECT. */
enum tally_knob {
	TALLY_KNOB_PROBABILITY,	/* percent of the candidates */
	TALLY_KNOB_INTERVAL,	/* each so manieth call is a candidate; 0 and 1: each */
	TALLY_KNOB_TIMES,	/* how often still */
	TALLY_KNOB_FILTER,	/* object */
	TALLY_KNOB_PID,		/* process (tgid) whose calls count; 0: all */
	TALLY_KNOB_VALUE,	/* ADMIN_STATUS: status; CORRUPT_CQE: offset of the byte */
	TALLY_NUM_KNOBS,
};

/**
 * struct tally_fault - A fault of a device.
 * @pf: device
 * @id: which fault
 * @changing: held while an attribute changes or the device is asked, so while sleeping
 * @lock: guards everything below, also from interrupts
 * @knobs: attributes, by enum tally_knob
 * @calls: calls that passed the filter since they were counted anew
 * @count: how often the fault was injected; of the device's, as of when it was last asked
 * @nic_count: of the device's: how often since its reset
 * @resets: of the device's: how often it was reset
 * @dice: of the driver's: what decides with probability
 */
struct tally_fault {
	struct tally_pf *pf;
	enum tally_fault_id id;
	struct mutex changing;
	spinlock_t lock;
	u32 knobs[TALLY_NUM_KNOBS];
	u32 calls;
	u64 count;
	u64 nic_count;
	u32 resets;
	struct rnd_state dice;
};

/**
 * struct tally_faults - The faults of a device.
 * @fault: each of them
 * @seed: of their dice
 */
struct tally_faults {
	struct tally_fault fault[TALLY_NUM_FAULTS];
	u64 seed;
};

/* On while the probability of one of the driver's faults of any device is not 0. */
DECLARE_STATIC_KEY_FALSE(tally_inject_armed);

bool tally_inject_decide(struct tally_pf *pf, enum tally_fault_id id, u32 object);

/**
 * tally_inject() - Whether to inject one of the driver's faults now. May be called in any context.
 * @pf: device
 * @id: fault
 * @object: object concerned, as enum tally_fault_id says
 *
 * Return: true if the caller must fail; it has been counted and told to the log.
 */
static inline bool tally_inject(struct tally_pf *pf, enum tally_fault_id id, u32 object)
{
	return static_branch_unlikely(&tally_inject_armed) && tally_inject_decide(pf, id, object);
}

/* inject.c */
extern const char * const tally_fault_names[TALLY_NUM_FAULTS];
void tally_inject_init(struct tally_pf *pf);
void tally_inject_seed(struct tally_pf *pf, u64 seed);
int tally_fault_set(struct tally_fault *fault, enum tally_knob knob, u32 value);
void tally_inject_disarm(struct tally_pf *pf);
int tally_inject_status(struct tally_pf *pf, struct tally_admin_cqe *answer);
void tally_inject_reset(struct tally_pf *pf);

/* inject_nic.c: what the device injects */
int tally_fault_set_nic(struct tally_fault *fault, enum tally_knob knob, u32 value);
int tally_fault_look_nic(struct tally_fault *fault);
void tally_inject_device_reset(struct tally_pf *pf);

/* inject_debugfs.c */
void tally_inject_add(struct tally_pf *pf, struct dentry *parent);

#endif
