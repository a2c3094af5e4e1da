/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Limits on the objects of a process. */
#ifndef TALLY_QUOTA_H
#define TALLY_QUOTA_H

#include "tally.h"

struct tally_quota *tally_quota_create(struct tally_dev *tdev);
void tally_quota_get(struct tally_quota *quota);
bool tally_quota_charge_segs(struct tally_quota *quota, u32 count);
void tally_quota_uncharge_segs(struct tally_quota *quota, u32 count);
bool tally_quota_charge_group(struct tally_quota *quota, u32 edges, u32 cells,
			      struct tally_blame *blame);
void tally_quota_uncharge_group(struct tally_quota *quota, u32 edges, u32 cells);
void tally_quota_group_drains(struct tally_quota *quota);
void tally_quota_group_drained(struct tally_quota *quota);

/**
 * struct tally_drain_wait - Wait for draining groups of the same process.
 * @quota: quota of the process
 * @seen: number of groups that had drained when the last attempt began
 * @remaining: time to wait, in jiffies
 */
struct tally_drain_wait {
	struct tally_quota *quota;
	u32 seen;
	unsigned long remaining;
};

void tally_drain_wait_init(struct tally_drain_wait *wait, struct tally_quota *quota);
bool tally_drain_wait(struct tally_drain_wait *wait, int *err);

#endif
