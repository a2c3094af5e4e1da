// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What a context may own of a device that others share: segments, groups, and message cells, which
 * its groups reserve in the receive message queue. It may have half of each, so two contexts find
 * room whatever the first one does. Who wants more is told so by -EDQUOT, and by -ENOSPC if it is
 * the device that has no more.
 */
#include "core.h"

/**
 * struct tally_quota - What a context may own. Outlives it as long as a group of its does.
 * @ref: references
 * @segs: segments in use
 * @groups: groups in use
 * @cells: message cells in use
 * @max_segs: limit
 * @max_groups: limit
 * @max_cells: limit
 */
struct tally_quota {
	struct kref ref;
	atomic_t segs;
	atomic_t groups;
	atomic_t cells;
	u32 max_segs;
	u32 max_groups;
	u32 max_cells;
};

/**
 * tally_quota_create() - Make a quota: half of what the device has.
 * @tdev: device
 *
 * Return: the quota, with one reference, or NULL.
 */
struct tally_quota *tally_quota_create(struct tally_dev *tdev)
{
	struct tally_quota *quota = kzalloc(sizeof(*quota), GFP_KERNEL);

	if (!quota)
		return NULL;
	kref_init(&quota->ref);
	quota->max_segs = DIV_ROUND_UP(tdev->caps.max_seg, 2);
	quota->max_groups = DIV_ROUND_UP(tdev->caps.max_group, 2);
	quota->max_cells = TALLY_RMQ_CELLS / 2;
	return quota;
}
EXPORT_SYMBOL_GPL(tally_quota_create);

static void quota_release(struct kref *ref)
{
	kfree(container_of(ref, struct tally_quota, ref));
}

/**
 * tally_quota_get() - Take a reference.
 * @quota: quota
 */
void tally_quota_get(struct tally_quota *quota)
{
	kref_get(&quota->ref);
}

/**
 * tally_quota_put() - Drop a reference.
 * @quota: quota
 */
void tally_quota_put(struct tally_quota *quota)
{
	kref_put(&quota->ref, quota_release);
}
EXPORT_SYMBOL_GPL(tally_quota_put);

/**
 * tally_quota_segs() - How many segments the quota permits.
 * @quota: quota
 *
 * Return: segments.
 */
u32 tally_quota_segs(const struct tally_quota *quota)
{
	return quota->max_segs;
}
EXPORT_SYMBOL_GPL(tally_quota_segs);

/**
 * tally_quota_groups() - How many groups the quota permits.
 * @quota: quota
 *
 * Return: groups.
 */
u32 tally_quota_groups(const struct tally_quota *quota)
{
	return quota->max_groups;
}
EXPORT_SYMBOL_GPL(tally_quota_groups);

/**
 * tally_quota_cells() - How many message cells the quota permits.
 * @quota: quota
 *
 * Return: cells, of all groups together.
 */
u32 tally_quota_cells(const struct tally_quota *quota)
{
	return quota->max_cells;
}
EXPORT_SYMBOL_GPL(tally_quota_cells);

static bool charge(atomic_t *used, u32 count, u32 limit)
{
	if (atomic_add_return(count, used) <= limit)
		return true;
	atomic_sub(count, used);
	return false;
}

/**
 * tally_quota_charge_segs() - Count segments.
 * @quota: quota
 * @count: how many, at most TALLY_MAX_GROUP_SEGS
 *
 * Return: false if those are too many.
 */
bool tally_quota_charge_segs(struct tally_quota *quota, u32 count)
{
	return charge(&quota->segs, count, quota->max_segs);
}

/**
 * tally_quota_uncharge_segs() - Undo tally_quota_charge_segs().
 * @quota: quota
 * @count: how many
 */
void tally_quota_uncharge_segs(struct tally_quota *quota, u32 count)
{
	atomic_sub(count, &quota->segs);
}

/**
 * tally_quota_charge_group() - Count a group.
 * @quota: quota
 * @cells: message cells that it reserves, at most TALLY_MAX_GROUP_CELLS
 *
 * Return: false if the group is one too many, or the cells are.
 */
bool tally_quota_charge_group(struct tally_quota *quota, u32 cells)
{
	if (!charge(&quota->groups, 1, quota->max_groups))
		return false;
	if (charge(&quota->cells, cells, quota->max_cells))
		return true;
	atomic_dec(&quota->groups);
	return false;
}

/**
 * tally_quota_uncharge_group() - Undo tally_quota_charge_group(). May be called in any context.
 * @quota: quota
 * @cells: message cells that the group had reserved
 */
void tally_quota_uncharge_group(struct tally_quota *quota, u32 cells)
{
	atomic_sub(cells, &quota->cells);
	atomic_dec(&quota->groups);
}
