// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Limits on what a process may hold of a device that it shares with others: segments, groups,
 * edges to neighbours, message cells that its groups reserve in the receive message queue, and
 * numbered objects. All contexts of a process together may hold half of each, so a second process always finds room. A
 * process that asks for more gets -EDQUOT; -ENOSPC says that the device has no more. If the
 * process's own draining groups hold what it asks for, it waits for them instead.
 */
#include "pf.h"
#include "quota.h"

/**
 * struct tally_quota - Limits of a process. A quota outlives the contexts as long as one of their
 * groups exists.
 * @ref: references
 * @entry: entry in the list of quotas
 * @tdev: device
 * @tgid: process that opened the device
 * @started: start time of the process, because process numbers are reused
 * @segs: segments in use
 * @groups: groups in use
 * @edges: edges of groups in use
 * @cells: message cells in use
 * @max_segs: limit
 * @max_groups: limit
 * @max_edges: limit
 * @max_cells: limit
 * @objects: objects in use, of each kind
 * @max_objects: limits
 * @draining: number of destroyed groups that still hold resources
 * @drained: counts the destroyed groups that have released them
 * @drain_wait: wait queue for drained
 */
struct tally_quota {
	struct kref ref;
	struct list_head entry;
	struct tally_dev *tdev;
	pid_t tgid;
	u64 started;
	atomic_t segs;
	atomic_t groups;
	atomic_t edges;
	atomic_t cells;
	u32 max_segs;
	u32 max_groups;
	u32 max_edges;
	u32 max_cells;
	atomic_t objects[TALLY_NUM_QUOTAS];
	u32 max_objects[TALLY_NUM_QUOTAS];
	atomic_t draining;
	atomic_t drained;
	wait_queue_head_t drain_wait;
};

/* Quotas of processes that have devices open. Interrupt handlers take the lock, too. */
static DEFINE_SPINLOCK(quotas_lock);
static LIST_HEAD(quotas);

static void quota_set_max_objects(struct tally_quota *quota, const struct tally_caps *caps)
{
	u32 *max = quota->max_objects;

	max[TALLY_QUOTA_PD] = DIV_ROUND_UP(caps->max_pd, 2);
	max[TALLY_QUOTA_MR] = DIV_ROUND_UP(caps->max_mr, 2);
	max[TALLY_QUOTA_CQ] = DIV_ROUND_UP(caps->max_cq, 2);
	max[TALLY_QUOTA_QP] = DIV_ROUND_UP(caps->max_qp, 2);
	max[TALLY_QUOTA_REQUEST] = DIV_ROUND_UP(caps->max_requests, 2);
	max[TALLY_QUOTA_UAR] = DIV_ROUND_UP(caps->num_uars, 2);
}

/**
 * tally_quota_create() - Create a quota of half of what the device has.
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
	quota->max_edges = DIV_ROUND_UP(tdev->caps.max_edges, 2);
	quota->max_cells = TALLY_RMQ_CELLS / 2;
	quota_set_max_objects(quota, &tdev->caps);
	return quota;
}

/*
 * Returns the quota of the calling process, with a reference, or NULL. Called with quotas_lock
 * held.
 */
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
 * tally_quota_of_process() - Return the quota that all contexts of the calling process share.
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
 * tally_quota_segs() - Return the limit on segments.
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
 * tally_quota_groups() - Return the limit on groups.
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
 * tally_quota_edges() - Return the limit on edges.
 * @quota: quota
 *
 * Return: edges, of all groups together.
 */
u32 tally_quota_edges(const struct tally_quota *quota)
{
	return quota->max_edges;
}
EXPORT_SYMBOL_GPL(tally_quota_edges);

/**
 * tally_quota_cells() - Return the limit on message cells.
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
 * tally_quota_charge_segs() - Charge segments to the quota.
 * @quota: quota
 * @count: number of segments, at most TALLY_MAX_GROUP_SEGS
 *
 * Return: false if that exceeds the limit.
 */
bool tally_quota_charge_segs(struct tally_quota *quota, u32 count)
{
	return quota_charge(&quota->segs, count, quota->max_segs);
}

/**
 * tally_quota_uncharge_segs() - Undo tally_quota_charge_segs().
 * @quota: quota
 * @count: number of segments
 */
void tally_quota_uncharge_segs(struct tally_quota *quota, u32 count)
{
	atomic_sub(count, &quota->segs);
}

/* Blames a field of a group's configuration. */
static struct tally_blame quota_blame(u16 offset)
{
	return (struct tally_blame){ .offset = offset, .in_config = true };
}

/**
 * tally_quota_charge_group() - Charge a group to the quota.
 * @quota: quota
 * @edges: number of its edges, at most TALLY_MAX_CONTRIBUTORS + 1
 * @cells: message cells that the group reserves, at most TALLY_MAX_GROUP_CELLS
 * @blame: set to what exceeds its limit, otherwise unchanged
 *
 * Return: false if the group, its edges or the cells exceed a limit.
 */
bool tally_quota_charge_group(struct tally_quota *quota, u32 edges, u32 cells,
			      struct tally_blame *blame)
{
	if (!quota_charge(&quota->groups, 1, quota->max_groups)) {
		*blame = (struct tally_blame){ .no_group = true };
		return false;
	}
	if (!quota_charge(&quota->edges, edges, quota->max_edges)) {
		*blame = quota_blame(offsetof(struct tally_group_cfg, num_edges));
		goto err_group;
	}
	if (quota_charge(&quota->cells, cells, quota->max_cells))
		return true;
	*blame = quota_blame(offsetof(struct tally_group_cfg, msg_cells));
	atomic_sub(edges, &quota->edges);
err_group:
	atomic_dec(&quota->groups);
	return false;
}

/**
 * tally_quota_uncharge_group() - Undo tally_quota_charge_group(). May be called in any context.
 * @quota: quota
 * @edges: number of its edges
 * @cells: message cells that the group has reserved
 */
void tally_quota_uncharge_group(struct tally_quota *quota, u32 edges, u32 cells)
{
	atomic_sub(cells, &quota->cells);
	atomic_sub(edges, &quota->edges);
	atomic_dec(&quota->groups);
}

/**
 * tally_quota_group_drains() - Note that a destroyed group drains, and keeps its resources
 * meanwhile.
 * @quota: quota
 */
void tally_quota_group_drains(struct tally_quota *quota)
{
	atomic_inc(&quota->draining);
}

/**
 * tally_quota_group_drained() - Note that such a group has drained. May be called in any context.
 * @quota: quota
 */
void tally_quota_group_drained(struct tally_quota *quota)
{
	atomic_inc(&quota->drained);
	/* quota_drain_over() that finds none draining must also see the new count. */
	smp_mb__after_atomic();
	atomic_dec(&quota->draining);
	wake_up_all(&quota->drain_wait);
}

/*
 * The device ends an epoch within this time, and it has the time limit of a command to say so: a
 * busy device may be late by as much without having failed.
 */
static unsigned long quota_drain_limit(void)
{
	return msecs_to_jiffies(TALLY_DRAIN_MS + TALLY_COLLECT_MS) + tally_cmd_timeout();
}

/**
 * tally_drain_wait_init() - Prepare for attempts that may have to wait for draining groups.
 * @wait: passed to tally_drain_wait() after each failed attempt
 * @quota: quota of the process
 */
void tally_drain_wait_init(struct tally_drain_wait *wait, struct tally_quota *quota)
{
	wait->quota = quota;
	wait->seen = atomic_read(&quota->drained);
	wait->remaining = quota_drain_limit();
}

static bool quota_drain_over(const struct tally_drain_wait *wait)
{
	bool none = !atomic_read(&wait->quota->draining);

	smp_rmb(); /* pairs with tally_quota_group_drained() */
	return none || atomic_read(&wait->quota->drained) != wait->seen;
}

/**
 * tally_drain_wait() - Wait until a group of the process has drained.
 * @wait: as left by tally_drain_wait_init() or by the last call
 * @err: error of the attempt; set to -ERESTARTSYS if a signal arrives
 *
 * Return: true if a group has drained since the attempt began, so that another attempt may succeed;
 * false if no group is draining, the error has another cause, or the time limit has passed.
 */
bool tally_drain_wait(struct tally_drain_wait *wait, int *err)
{
	u32 drained;
	long remaining;

	if (*err != -EBUSY && *err != -EDQUOT && *err != -ENOSPC)
		return false;
	remaining = wait_event_interruptible_timeout(wait->quota->drain_wait,
						     quota_drain_over(wait), wait->remaining);
	if (remaining < 0)
		*err = remaining;
	drained = atomic_read(&wait->quota->drained);
	if (remaining <= 0 || drained == wait->seen)
		return false;
	wait->seen = drained;
	wait->remaining = remaining;
	return true;
}

/**
 * tally_quota_charge_objects() - Charge objects of one kind to the quota.
 * @quota: quota
 * @kind: kind of the objects
 * @count: number of objects
 *
 * Return: false if that exceeds the limit.
 */
bool tally_quota_charge_objects(struct tally_quota *quota, enum tally_quota_kind kind, u32 count)
{
	return quota_charge(&quota->objects[kind], count, quota->max_objects[kind]);
}
EXPORT_SYMBOL_GPL(tally_quota_charge_objects);

/**
 * tally_quota_uncharge_objects() - Undo tally_quota_charge_objects().
 * @quota: quota
 * @kind: kind of the objects
 * @count: number of objects
 */
void tally_quota_uncharge_objects(struct tally_quota *quota, enum tally_quota_kind kind, u32 count)
{
	atomic_sub(count, &quota->objects[kind]);
}
EXPORT_SYMBOL_GPL(tally_quota_uncharge_objects);
