/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Fault injection for tests, controlled in debugfs (docs/faults.md), in kernels with
 * CONFIG_FAULT_INJECTION. The driver injects some faults itself where it calls tally_inject(): each
 * is a fault_attr of the kernel, with an additional filter. The device injects the others,
 * controlled by the command INJECT.
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
 * @TALLY_FAULT_ADMIN_TIMEOUT: the answer of a command is lost; object: opcode
 * @TALLY_FAULT_ADMIN_STATUS: a command is refused before the device sees it; object: opcode
 * @TALLY_FAULT_LOST_INTERRUPT: an interrupt is ignored; object: vector
 * @TALLY_FAULT_SEG_EXHAUSTED: no room for a range of segments; object: requested number of segments
 * @TALLY_FAULT_GROUP_CREATE: a group cannot be created; object: job id
 * @TALLY_FAULT_MR_REGISTER: a memory region cannot be registered; object: index of its key
 * @TALLY_FAULT_DEVICE_RESET: the device is reset without the driver's knowledge; no object
 * @TALLY_FAULT_LOST_DOORBELL: this and the following faults: see enum tally_inject_fault
 * @TALLY_FAULT_CORRUPT_CQE: a completion is written with one byte inverted
 * @TALLY_FAULT_DMA_ERROR: data in host memory cannot be accessed
 * @TALLY_FAULT_CQ_OVERRUN: a completion finds its queue full
 * @TALLY_NUM_FAULTS: number of faults
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

/* The device injects this fault and the following ones. */
#define TALLY_FIRST_NIC_FAULT TALLY_FAULT_LOST_DOORBELL

#define TALLY_NUM_NIC_FAULTS (TALLY_NUM_FAULTS - TALLY_FIRST_NIC_FAULT)

#ifdef CONFIG_INFINIBAND_TALLY_FAULT_INJECTION

/**
 * struct tally_fault - A fault that the driver injects.
 * @attr: selects the failing calls among those that pass the filter
 * @filter: object whose calls count, or TALLY_INJECT_ANY
 * @status: for ADMIN_STATUS: the injected status
 * @count: number of times that the fault was injected
 */
struct tally_fault {
	struct fault_attr attr;
	u32 filter;
	u32 status;
	atomic_t count;
};

/*
 * Attributes of a device fault, each a u32. TALLY_INJECT_ANY and TALLY_INJECT_ALWAYS mean the same
 * as in INJECT.
 */
enum tally_fault_attr {
	TALLY_FAULT_ATTR_PROBABILITY,	/* percent of the candidates */
	TALLY_FAULT_ATTR_INTERVAL,	/* every Nth call is a candidate; 0 and 1: every call */
	TALLY_FAULT_ATTR_TIMES,	/* remaining number of failures */
	TALLY_FAULT_ATTR_FILTER,	/* object */
	TALLY_FAULT_ATTR_VALUE,	/* CORRUPT_CQE: offset of the byte */
	TALLY_NUM_FAULT_ATTRS,
};

/**
 * struct tally_nic_fault - A fault that the device injects.
 * @pf: device
 * @id: the fault
 * @changing: held while an attribute changes or the device is queried, which sleeps
 * @lock: guards the following members
 * @attrs: attributes, by enum tally_fault_attr
 * @count: number of times that the fault was injected, as of the last query
 * @nic_count: the same since the last reset of the device
 * @resets: number of resets of the device
 */
struct tally_nic_fault {
	struct tally_pf *pf;
	enum tally_fault_id id;
	struct mutex changing;
	spinlock_t lock;
	u32 attrs[TALLY_NUM_FAULT_ATTRS];
	u64 count;
	u64 nic_count;
	u32 resets;
};

/**
 * struct tally_faults - The faults of a device.
 * @fault: faults that the driver injects
 * @nic: faults that the device injects
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

/* inject_nic.c: faults that the device injects */
void tally_nic_faults_init(struct tally_pf *pf);
int tally_nic_fault_set(struct tally_nic_fault *fault, enum tally_fault_attr attr, u32 value);
int tally_nic_fault_update(struct tally_nic_fault *fault);
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
