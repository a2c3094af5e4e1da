/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Groups and handles, for group.c and group_query.c. */
#ifndef TALLY_GROUP_H
#define TALLY_GROUP_H

#include "core.h"

/**
 * struct tally_group - A group of the device.
 * @ref: a reference of each handle
 * @pf: device
 * @num: number
 * @life: where it stands, guarded by group_lock
 * @held: local ranks of all handles, guarded by group_lock
 * @resetting: serializes resets
 * @owner: who created it
 * @join_key: what attaching processes must show
 * @quota: the creator's, which pays
 * @segs: its segments
 * @cfg: configuration
 * @edges: cfg.num_edges neighbours
 */
struct tally_group {
	struct kref ref;
	struct tally_pf *pf;
	u32 num;
	enum group_life life;
	u64 held;
	struct mutex resetting;
	struct tally_owner owner;
	u64 join_key;
	struct tally_quota *quota;
	struct tally_segs *segs;
	struct tally_group_cfg cfg;
	struct tally_group_edge edges[];
};

/**
 * struct tally_group_handle - A process's hold on a group.
 * @ref: references: the process's, and one of each queue pair
 * @group: the group
 * @ranks: local ranks it may post for, held by no other handle
 */
struct tally_group_handle {
	struct kref ref;
	struct tally_group *group;
	u64 ranks;
};

#endif
