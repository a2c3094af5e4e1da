/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Groups, and the handles of processes on them. */
#ifndef TALLY_GROUP_H
#define TALLY_GROUP_H

#include <linux/kref.h>
#include <linux/mutex.h>

#include "owner.h"
#include "tally.h"

struct tally_pf;
struct tally_segs;

/* State of a group as the driver sees it. */
enum tally_group_life {
	TALLY_GROUP_LIFE_CREATING,		/* CREATE_GROUP is pending; no process may attach */
	TALLY_GROUP_LIFE_LIVE,
	TALLY_GROUP_LIFE_DRAINING,		/* no handle is left */
};

/**
 * struct tally_group_view - Description of a group for debugfs.
 * @num: number
 * @life: state of the group
 * @held: local ranks of all handles
 * @owner: creator of the group
 * @cfg: configuration
 * @edges: cfg.num_edges neighbours; those of a live group are valid while inspecting is held
 */
struct tally_group_view {
	u32 num;
	enum tally_group_life life;
	u64 held;
	struct tally_owner owner;
	struct tally_group_cfg cfg;
	const struct tally_group_edge *edges;
};

/**
 * struct tally_group - A group of the device.
 * @ref: one reference for each handle
 * @pf: device
 * @num: number
 * @life: state of the group, guarded by group_lock
 * @held: local ranks of all handles, guarded by group_lock
 * @resetting: serializes resets
 * @owner: creator of the group
 * @join_key: key that a process needs to attach
 * @quota: quota of the creator, which is charged for the group
 * @segs: segments of the group
 * @cfg: configuration
 * @edges: cfg.num_edges neighbours
 */
struct tally_group {
	struct kref ref;
	struct tally_pf *pf;
	u32 num;
	struct hlist_node by_jid;
	enum tally_group_life life;
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
 * struct tally_group_handle - A process's handle on a group.
 * @ref: one reference of the process, and one of each queue pair
 * @group: the group
 * @ranks: local ranks that this process holds; unless the group is SHARED, no other may post for them
 */
struct tally_group_handle {
	struct kref ref;
	struct tally_group *group;
	u64 ranks;
};

/* group.c */
void tally_group_drained(struct tally_pf *pf, u32 num);
void tally_groups_free_draining(struct tally_pf *pf);

/* group_query.c */
bool tally_group_of_segs(struct tally_pf *pf, const struct tally_segs *segs, u32 *num, u32 *jid);
u32 tally_group_next(struct tally_pf *pf, u32 num);
bool tally_group_snapshot(struct tally_pf *pf, u32 num, struct tally_group_view *view);

#endif
