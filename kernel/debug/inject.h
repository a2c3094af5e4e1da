/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Faults to test with, set up in debugfs (docs/faults.md), in kernels with CONFIG_FAULT_INJECTION.
 * The driver injects some itself, where it asks tally_inject(): each is a fault_attr of the kernel,
 * with a filter of our own. The device injects the others, as the command INJECT says.
 */
#ifndef TALLY_INJECT_H
#define TALLY_INJECT_H

#include <linux/atomic.h>
#include <linux/fault-inject.h>
#include <linux/mutex.h>
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

#define TALLY_NUM_NIC_FAULTS (TALLY_NUM_FAULTS - TALLY_FIRST_NIC_FAULT)

#ifdef CONFIG_INFINIBAND_TALLY_FAULT_INJECTION

/**
 * struct tally_fault - A fault that the driver injects.
 * @attr: which of the calls fail, of those that pass the filter
 * @filter: the object whose calls count, or TALLY_INJECT_ANY
 * @status: of ADMIN_STATUS: what the device would say
 * @count: how often the fault was injected
 */
struct tally_fault {
	struct fault_attr attr;
	u32 filter;
	u32 status;
	atomic_t count;
};

/* Attributes of a fault of the device: u32 each, TALLY_INJECT_ANY and TALLY_INJECT_ALWAYS as in INJECT. */
enum tally_knob {
	TALLY_KNOB_PROBABILITY,	/* percent of the candidates */
	TALLY_KNOB_INTERVAL,	/* every so many calls one is a candidate; 0 and 1: each */
	TALLY_KNOB_TIMES,	/* how often still */
	TALLY_KNOB_FILTER,	/* object */
	TALLY_KNOB_VALUE,	/* CORRUPT_CQE: offset of the byte */
	TALLY_NUM_KNOBS,
};

/**
 * struct tally_nic_fault - A fault that the device injects.
 * @pf: device
 * @id: which fault
 * @changing: held while an attribute changes or the device is asked, so while sleeping
 * @lock: guards everything below
 * @knobs: attributes, by enum tally_knob
 * @count: how often the fault was injected, as of when the device was last asked
 * @nic_count: the same since the device's reset
 * @resets: how often the device was reset
 */
struct tally_nic_fault {
	struct tally_pf *pf;
	enum tally_fault_id id;
	struct mutex changing;
	spinlock_t lock;
	u32 knobs[TALLY_NUM_KNOBS];
	u64 count;
	u64 nic_count;
	u32 resets;
};

/**
 * struct tally_faults - The faults of a device.
 * @fault: those of the driver
 * @nic: those of the device
 */
struct tally_faults {
	struct tally_fault fault[TALLY_FIRST_NIC_FAULT];
	struct tally_nic_fault nic[TALLY_NUM_NIC_FAULTS];
};

/* inject.c */
extern const char * const tally_fault_names[TALLY_NUM_FAULTS];
bool tally_inject(struct tally_pf *pf, enum tally_fault_id id, u32 object);
void tally_inject_init(struct tally_pf *pf);
int tally_inject_status(struct tally_pf *pf, struct tally_admin_cqe *answer);
void tally_inject_reset(struct tally_pf *pf);

/* inject_nic.c: what the device injects */
void tally_nic_faults_init(struct tally_pf *pf);
int tally_nic_fault_set(struct tally_nic_fault *fault, enum tally_knob knob, u32 value);
int tally_nic_fault_look(struct tally_nic_fault *fault);
void tally_inject_device_reset(struct tally_pf *pf);

/* inject_debugfs.c */
void tally_inject_add(struct tally_pf *pf, struct dentry *parent);
void tally_inject_remove(struct tally_pf *pf);

#else

struct tally_faults {
};

static inline bool tally_inject(struct tally_pf *pf, enum tally_fault_id id, u32 object)
{
	return false;
}

static inline void tally_inject_init(struct tally_pf *pf)
{
}

static inline int tally_inject_status(struct tally_pf *pf, struct tally_admin_cqe *answer)
{
	return 0;
}

static inline void tally_inject_reset(struct tally_pf *pf)
{
}

static inline void tally_inject_device_reset(struct tally_pf *pf)
{
}

static inline void tally_inject_add(struct tally_pf *pf, struct dentry *parent)
{
}

static inline void tally_inject_remove(struct tally_pf *pf)
{
}

#endif

#endif
