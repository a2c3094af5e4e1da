// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Ranges of segments, and the quota that a context's segments and groups are counted against. */
#include <linux/bitmap.h>
#include <linux/log2.h>

#include "core.h"

/**
 * struct tally_quota - What a context may own. Outlives it as long as a group of its does.
 * @ref: references
 * @segs: segments in use
 * @groups: groups in use
 * @max_segs: limit
 * @max_groups: limit
 */
struct tally_quota {
	struct kref ref;
	atomic_t segs;
	atomic_t groups;
	u32 max_segs;
	u32 max_groups;
};

/**
 * struct tally_segs - A range of segments. Outlives its owner while a group uses it.
 * @ref: references
 * @pf: device
 * @quota: pays for it
 * @base: first segment
 * @count: segments, a power of two
 * @claimed: a group uses it
 */
struct tally_segs {
	struct kref ref;
	struct tally_pf *pf;
	struct tally_quota *quota;
	u32 base;
	u32 count;
	atomic_t claimed;
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

static bool charge(atomic_t *used, u32 count, u32 limit)
{
	if (atomic_add_return(count, used) <= limit)
		return true;
	atomic_sub(count, used);
	return false;
}

/**
 * tally_quota_charge_group() - Count one group more.
 * @quota: quota
 *
 * Return: false if that is one too many.
 */
bool tally_quota_charge_group(struct tally_quota *quota)
{
	return charge(&quota->groups, 1, quota->max_groups);
}

/**
 * tally_quota_uncharge_group() - Count one group less.
 * @quota: quota
 */
void tally_quota_uncharge_group(struct tally_quota *quota)
{
	atomic_dec(&quota->groups);
}

static int take_range(struct tally_pf *pf, u32 count, u32 *base)
{
	u32 max = pf->pub.caps.max_seg;
	unsigned long flags, first;

	spin_lock_irqsave(&pf->group_lock, flags);
	first = bitmap_find_next_zero_area(pf->seg_map, max, 0, count, count - 1);
	if (first < max)
		bitmap_set(pf->seg_map, first, count);
	spin_unlock_irqrestore(&pf->group_lock, flags);
	*base = first;
	return first < max ? 0 : -ENOSPC;
}

/**
 * tally_segs_alloc() - Allocate a naturally aligned range of segments.
 * @tdev: device
 * @quota: pays for it; the range takes a reference
 * @count: segments, a power of two
 *
 * Return: the range, with one reference; -EINVAL for a bad count, -EDQUOT, -ENOSPC or -ENOMEM.
 */
struct tally_segs *tally_segs_alloc(struct tally_dev *tdev, struct tally_quota *quota, u32 count)
{
	struct tally_segs *segs;
	int err;

	if (!is_power_of_2(count) || count > TALLY_MAX_GROUP_SEGS)
		return ERR_PTR(-EINVAL);
	segs = kzalloc(sizeof(*segs), GFP_KERNEL);
	if (!segs)
		return ERR_PTR(-ENOMEM);
	err = -EDQUOT;
	if (!charge(&quota->segs, count, quota->max_segs))
		goto err_free;
	err = take_range(to_pf(tdev), count, &segs->base);
	if (err)
		goto err_uncharge;
	kref_init(&segs->ref);
	segs->pf = to_pf(tdev);
	segs->count = count;
	segs->quota = quota;
	tally_quota_get(quota);
	return segs;

err_uncharge:
	atomic_sub(count, &quota->segs);
err_free:
	kfree(segs);
	return ERR_PTR(err);
}
EXPORT_SYMBOL_GPL(tally_segs_alloc);

static void segs_free(struct kref *ref)
{
	struct tally_segs *segs = container_of(ref, struct tally_segs, ref);
	struct tally_pf *pf = segs->pf;
	unsigned long flags;

	spin_lock_irqsave(&pf->group_lock, flags);
	bitmap_clear(pf->seg_map, segs->base, segs->count);
	spin_unlock_irqrestore(&pf->group_lock, flags);
	atomic_sub(segs->count, &segs->quota->segs);
	tally_quota_put(segs->quota);
	kfree(segs);
}

/**
 * tally_segs_put() - Drop a reference; the last one gives the segments back.
 * @segs: range
 */
void tally_segs_put(struct tally_segs *segs)
{
	kref_put(&segs->ref, segs_free);
}
EXPORT_SYMBOL_GPL(tally_segs_put);

/**
 * tally_segs_base() - First segment of a range.
 * @segs: range
 *
 * Return: its number.
 */
u32 tally_segs_base(const struct tally_segs *segs)
{
	return segs->base;
}
EXPORT_SYMBOL_GPL(tally_segs_base);

/**
 * tally_segs_count() - Segments of a range.
 * @segs: range
 *
 * Return: how many.
 */
u32 tally_segs_count(const struct tally_segs *segs)
{
	return segs->count;
}

/**
 * tally_segs_claim() - Take the range, and a reference to it, for a group.
 * @segs: range
 *
 * Return: false if another group has it.
 */
bool tally_segs_claim(struct tally_segs *segs)
{
	if (atomic_cmpxchg(&segs->claimed, 0, 1))
		return false;
	kref_get(&segs->ref);
	return true;
}

/**
 * tally_segs_release() - Undo tally_segs_claim(). May be called in any context.
 * @segs: range
 */
void tally_segs_release(struct tally_segs *segs)
{
	atomic_set_release(&segs->claimed, 0);
	tally_segs_put(segs);
}
