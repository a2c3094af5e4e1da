// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What a process may own of a device that others share: segments, groups, and message cells, which
 * its groups reserve in the receive message queue; and objects that have a number in the device. It
 * may have half of each, with all its contexts, so two processes find room whatever the first one
 * does. Who wants more is told so by -EDQUOT, and by -ENOSPC if it is the device that has no more.
 * What groups of its own hold that only drain, it waits for instead.
 */
#include "quota.h"

/* Twice as long as the device may take. */
#define DRAIN_WAIT_MS (2 * (TALLY_DRAIN_MS + TALLY_COLLECT_MS))

/**
 * struct tally_quota - What a process may own. Outlives its contexts as long as a group of theirs
 *	does.
 * @ref: references
 * @entry: in the list of processes' quotas
 * @tdev: device
 * @tgid: the process that opened the device,
 * @started: and when it began, since numbers come back
 * @segs: segments in use
 * @groups: groups in use
 * @cells: message cells in use
 * @max_segs: limit
 * @max_groups: limit
 * @max_cells: limit
 * @objects: objects in use, of each kind
 * @max_objects: limits
 * @draining: groups that have been destroyed, and still have all this
 * @drained: counts those that have given it back
 * @drain_wait: who waits for that
 */
struct tally_quota {
	struct kref ref;
	struct list_head entry;
	struct tally_dev *tdev;
	pid_t tgid;
	u64 started;
	atomic_t segs;
	atomic_t groups;
	atomic_t cells;
	u32 max_segs;
	u32 max_groups;
	u32 max_cells;
	atomic_t objects[TALLY_NUM_QUOTAS];
	u32 max_objects[TALLY_NUM_QUOTAS];
	atomic_t draining;
	atomic_t drained;
	wait_queue_head_t drain_wait;
};

/* Quotas of processes that have devices open. The lock is taken in interrupts, too. */
static DEFINE_SPINLOCK(quotas_lock);
static LIST_HEAD(quotas);

static void quota_set_max_objects(struct tally_quota *quota, const struct tally_caps *caps)
{
	u32 *max = quota->max_objects;

	max[TALLY_QUOTA_PD] = DIV_ROUND_UP(caps->max_pd, 2);
	max[TALLY_QUOTA_MR] = DIV_ROUND_UP(caps->max_mr, 2);
	max[TALLY_QUOTA_CQ] = DIV_ROUND_UP(caps->max_cq, 2);
	max[TALLY_QUOTA_QP] = DIV_ROUND_UP(caps->max_qp, 2);
	max[TALLY_QUOTA_UAR] = DIV_ROUND_UP(caps->num_uars, 2);
}

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
	INIT_LIST_HEAD(&quota->entry);
	init_waitqueue_head(&quota->drain_wait);
	quota->max_segs = DIV_ROUND_UP(tdev->caps.max_seg, 2);
	quota->max_groups = DIV_ROUND_UP(tdev->caps.max_group, 2);
	quota->max_cells = TALLY_RMQ_CELLS / 2;
	quota_set_max_objects(quota, &tdev->caps);
	return quota;
}

/* The quota of the calling process, with a reference, or NULL. Called with quotas_lock held. */
static struct tally_quota *quota_find_own(const struct tally_dev *tdev)
{
	u64 started = current->group_leader->start_boottime;
	struct tally_quota *quota;

	list_for_each_entry(quota, &quotas, entry)
		if (quota->tdev == tdev && quota->tgid == current->tgid &&
		    quota->started == started && kref_get_unless_zero(&quota->ref))
			return quota;
	return NULL;
}

/**
 * tally_quota_of_process() - The quota that all contexts of the calling process share.
 * @tdev: device
 *
 * Return: the quota, with a reference for the caller, or NULL.
 */
struct tally_quota *tally_quota_of_process(struct tally_dev *tdev)
{
	struct tally_quota *fresh = tally_quota_create(tdev), *quota;
	unsigned long flags;

	if (!fresh)
		return NULL;
	fresh->tdev = tdev;
	fresh->tgid = current->tgid;
	fresh->started = current->group_leader->start_boottime;
	spin_lock_irqsave(&quotas_lock, flags);
	quota = quota_find_own(tdev);
	if (!quota)
		list_add(&fresh->entry, &quotas);
	spin_unlock_irqrestore(&quotas_lock, flags);
	if (!quota)
		return fresh;
	kfree(fresh);
	return quota;
}
EXPORT_SYMBOL_GPL(tally_quota_of_process);

static void quota_release(struct kref *ref)
{
	struct tally_quota *quota = container_of(ref, struct tally_quota, ref);
	unsigned long flags;

	spin_lock_irqsave(&quotas_lock, flags);
	list_del(&quota->entry);
	spin_unlock_irqrestore(&quotas_lock, flags);
	kfree(quota);
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

static bool quota_charge(atomic_t *used, u32 count, u32 limit)
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
	return quota_charge(&quota->segs, count, quota->max_segs);
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
	if (!quota_charge(&quota->groups, 1, quota->max_groups))
		return false;
	if (quota_charge(&quota->cells, cells, quota->max_cells))
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

/**
 * tally_quota_group_drains() - A group of the process has been destroyed; it keeps what it has.
 * @quota: quota
 */
void tally_quota_group_drains(struct tally_quota *quota)
{
	atomic_inc(&quota->draining);
}

/**
 * tally_quota_group_drained() - Such a group has given back all it had. May be called in any context.
 * @quota: quota
 */
void tally_quota_group_drained(struct tally_quota *quota)
{
	atomic_inc(&quota->drained);
	smp_mb__after_atomic(); /* who sees none draining also sees that this one has drained */
	atomic_dec(&quota->draining);
	wake_up_all(&quota->drain_wait);
}

/**
 * tally_drain_wait_init() - Prepare for attempts at something that may have to wait.
 * @wait: to be passed to tally_drain_wait() after each failed attempt
 * @quota: of the process
 */
void tally_drain_wait_init(struct tally_drain_wait *wait, struct tally_quota *quota)
{
	wait->quota = quota;
	wait->seen = atomic_read(&quota->drained);
	wait->left = msecs_to_jiffies(DRAIN_WAIT_MS);
}

static bool quota_drain_over(const struct tally_drain_wait *wait)
{
	bool none = !atomic_read(&wait->quota->draining);

	smp_rmb(); /* see tally_quota_group_drained() */
	return none || atomic_read(&wait->quota->drained) != wait->seen;
}

/**
 * tally_drain_wait() - Wait until a group of the process has drained.
 * @wait: as tally_drain_wait_init() or the last call left it
 * @err: why the attempt failed; set to -ERESTARTSYS if a signal comes
 *
 * Return: true if one has drained since the attempt began, so that another one makes sense; false
 * if none is draining, the error has another cause, or the time is over.
 */
bool tally_drain_wait(struct tally_drain_wait *wait, int *err)
{
	u32 drained;
	long left;

	if (*err != -EBUSY && *err != -EDQUOT && *err != -ENOSPC)
		return false;
	left = wait_event_interruptible_timeout(wait->quota->drain_wait, quota_drain_over(wait),
						wait->left);
	if (left < 0)
		*err = left;
	drained = atomic_read(&wait->quota->drained);
	if (left <= 0 || drained == wait->seen)
		return false;
	wait->seen = drained;
	wait->left = left;
	return true;
}

/**
 * tally_quota_charge_object() - Count an object.
 * @quota: quota
 * @kind: what it is
 *
 * Return: false if it is one too many.
 */
bool tally_quota_charge_object(struct tally_quota *quota, enum tally_quota_kind kind)
{
	return quota_charge(&quota->objects[kind], 1, quota->max_objects[kind]);
}
EXPORT_SYMBOL_GPL(tally_quota_charge_object);

/**
 * tally_quota_uncharge_object() - Undo tally_quota_charge_object().
 * @quota: quota
 * @kind: what it is
 */
void tally_quota_uncharge_object(struct tally_quota *quota, enum tally_quota_kind kind)
{
	atomic_dec(&quota->objects[kind]);
}
EXPORT_SYMBOL_GPL(tally_quota_uncharge_object);
