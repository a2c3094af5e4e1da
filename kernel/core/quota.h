/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* What a process may have of a device. */
#ifndef TALLY_QUOTA_H
#define TALLY_QUOTA_H

#include "tally.h"

struct tally_quota *tally_quota_create(struct tally_dev *tdev);
void tally_quota_get(struct tally_quota *quota);
bool tally_quota_charge_segs(struct tally_quota *quota, u32 count);
void tally_quota_uncharge_segs(struct tally_quota *quota, u32 count);
bool tally_quota_charge_group(struct tally_quota *quota, u32 cells);
void tally_quota_uncharge_group(struct tally_quota *quota, u32 cells);
void tally_quota_group_drains(struct tally_quota *quota);
void tally_quota_group_drained(struct tally_quota *quota);

/**
 * struct tally_drain_wait - Patience with groups of the own process that drain.
 * @quota: of the process
 * @seen: how many had drained when the last attempt began
 * @left: how long to wait at most, in jiffies
 */
struct tally_drain_wait {
	struct tally_quota *quota;
	u32 seen;
	unsigned long left;
};

void tally_drain_wait_init(struct tally_drain_wait *wait, struct tally_quota *quota);
bool tally_drain_wait(struct tally_drain_wait *wait, int *err);

#endif
