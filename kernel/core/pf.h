/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The state of a device, private to tally.ko. */
#ifndef TALLY_PF_H
#define TALLY_PF_H

#include <linux/hashtable.h>
#include <linux/interrupt.h>
#include <linux/io.h>
#include <linux/mutex.h>
#include <linux/workqueue.h>

#include "adminq.h"
#include "attach.h"
#include "debug/inject.h"
#include "eq.h"
#include "recover.h"
#include "reset.h"
#include "tally.h"

struct devlink;
struct devlink_health_reporter;
struct tally_group;

/**
 * struct tally_pf - A PCI function; pub is what its users see.
 * @pub: the public part
 * @attach: attachment of the device
 * @bar2: BAR2, mapped
 * @ring: the wake-up register, mapped; NULL if there is none
 * @aq: admin queue
 * @eqs: event queues
 * @num_eqs: number of event queues
 * @client: receiver of the events
 * @aux: device on the auxiliary bus; NULL while there is none
 * @health: periodic work that finds a restarted or silent device, and recovers a failed one
 * @last_health: health counter of the device at the last check
 * @silent_periods: number of checks since the counter last changed
 * @state: state of the device
 * @settled: woken when the state is no longer TALLY_PF_FAILED
 * @fail_work: makes a failed device quiet
 * @recovery: state of the recovery
 * @devlink: devlink instance; NULL if the kernel has no devlink
 * @reporter: devlink health reporter
 * @resetting: serializes resets
 * @group_lock: guards groups, segs and seg_map, also from interrupts
 * @groups: groups, by number
 * @segs: ranges of segments, by their first segment
 * @seg_map: segments in use
 * @inspecting: held while a group is inspected, which keeps it alive
 * @debugfs: folder of the device
 * @faults: faults to inject
 */
struct tally_pf {
	struct tally_dev pub;
	const struct tally_attach *attach;
	u8 __iomem *bar2;
	void __iomem *wake_reg;
	struct tally_adminq aq;
	struct tally_eq eqs[TALLY_MAX_EQ];
	unsigned int num_eqs;
	struct tally_client __rcu *client;
	struct tally_aux *aux;
	struct delayed_work health;
	u64 last_health;
	unsigned int silent_periods;
	enum tally_pf_state state;
	wait_queue_head_t settled;
	struct work_struct fail_work;
	struct tally_recovery recovery;
	struct devlink *devlink;
	struct devlink_health_reporter *reporter;
	struct mutex resetting;
	spinlock_t group_lock;
	struct tally_group *groups[TALLY_MAX_GROUP];
	DECLARE_HASHTABLE(groups_by_jid, 8); /* those that do not drain */
	struct tally_segs *segs[TALLY_MAX_SEG];
	DECLARE_BITMAP(seg_map, TALLY_MAX_SEG);
	struct mutex inspecting;
	struct dentry *debugfs;
	struct tally_faults faults;
};

static inline struct tally_pf *to_pf(struct tally_dev *tdev)
{
	return container_of(tdev, struct tally_pf, pub);
}

static inline struct device *pf_dev(struct tally_pf *pf)
{
	return &pf->pub.pdev->dev;
}

static inline struct tally_ident __iomem *pf_ident(struct tally_pf *pf)
{
	return (struct tally_ident __iomem *)(pf->bar2 + TALLY_BAR_IDENT_OFFSET);
}

static inline struct tally_control __iomem *pf_control(struct tally_pf *pf)
{
	return (struct tally_control __iomem *)(pf->bar2 + TALLY_BAR_CONTROL_OFFSET);
}

static inline struct tally_status_page __iomem *pf_status(struct tally_pf *pf)
{
	return (struct tally_status_page __iomem *)(pf->bar2 + TALLY_BAR_STATUS_OFFSET);
}

/* main.c */
unsigned long tally_cmd_timeout(void);

#endif
