// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Ranges of segments. Each range is a power of two, naturally aligned, and the first free one of
 * the device. Ranges never move: if no aligned block is large enough, the allocation fails
 * regardless of the number of smaller free blocks. (On a device that is 90% full, 2.1% of random
 * requests fail for this reason. Taking each range from the smallest sufficient block would reduce
 * this to 1.8%, which does not justify an allocator of our own.)
 */
#include <linux/bitmap.h>
#include <linux/log2.h>

#include "debug/inject.h"
#include "group.h"
#include "owner.h"
#include "pf.h"
#include "quota.h"
#include "seg.h"

/**
 * struct tally_segs - A range of segments. It outlives its owner while a group uses it.
 * @ref: references
 * @pf: device
 * @quota: charged for the range
 * @base: first segment
 * @count: segments, a power of two
 * @claimed: a group uses the range
 * @owner: process that allocated the range
 */
struct tally_segs {
	struct kref ref;
	struct tally_pf *pf;
	struct tally_quota *quota;
	u32 base;
	u32 count;
	atomic_t claimed;
	struct tally_owner owner;
};

static int segs_take_range(struct tally_pf *pf, struct tally_segs *segs)
{
	unsigned long flags;
	int base;

	spin_lock_irqsave(&pf->group_lock, flags);
	base = bitmap_find_free_region(pf->seg_map, pf->pub.caps.max_seg, ilog2(segs->count));
	if (base >= 0) {
		segs->base = base;
		pf->segs[base] = segs;
	}
	spin_unlock_irqrestore(&pf->group_lock, flags);
	return base < 0 ? -ENOSPC : 0;
}

/* Charges the quota for a range, and takes one. */
static int segs_try(struct tally_pf *pf, struct tally_segs *segs)
{
	int err;

	if (!tally_quota_charge_segs(segs->quota, segs->count))
		return -EDQUOT;
	err = segs_take_range(pf, segs);
	if (err)
		tally_quota_uncharge_segs(segs->quota, segs->count);
	return err;
}

/* Reserves a range. Waits for draining groups of the same process if they hold what it lacks. */
static int segs_reserve(struct tally_pf *pf, struct tally_segs *segs)
{
	struct tally_drain_wait wait;
	int err;

	if (tally_inject(pf, TALLY_FAULT_SEG_EXHAUSTED, segs->count))
		return -ENOSPC;
	tally_drain_wait_init(&wait, segs->quota);
	do {
		err = segs_try(pf, segs);
	} while (err && tally_drain_wait(&wait, &err));
	return err;
}

/**
 * tally_segs_alloc() - Allocate a naturally aligned range of segments.
 * @tdev: device
 * @quota: charged for the range, which takes a reference
 * @count: number of segments, a power of two
 *
 * Waits while draining groups of the same process hold what the range lacks, for as
 * long as the device may take to drain them and to answer.
 *
 * Return: the range, with one reference; -EINVAL for a bad count, -EDQUOT, -ENOSPC, -ENOMEM, or
 * -ERESTARTSYS if a signal ends the wait.
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
	kref_init(&segs->ref);
	segs->pf = to_pf(tdev);
	segs->count = count;
	segs->quota = quota;
	tally_owner_is_current(&segs->owner);
	err = segs_reserve(segs->pf, segs);
	if (err) {
		kfree(segs);
		return ERR_PTR(err);
	}
	tally_quota_get(quota);
	return segs;
}
EXPORT_SYMBOL_GPL(tally_segs_alloc);

static void segs_free(struct kref *ref)
{
	struct tally_segs *segs = container_of(ref, struct tally_segs, ref);
	struct tally_pf *pf = segs->pf;
	unsigned long flags;

	spin_lock_irqsave(&pf->group_lock, flags);
	bitmap_release_region(pf->seg_map, segs->base, ilog2(segs->count));
	pf->segs[segs->base] = NULL;
	spin_unlock_irqrestore(&pf->group_lock, flags);
	tally_quota_uncharge_segs(segs->quota, segs->count);
	tally_quota_put(segs->quota);
	kfree(segs);
}

/**
 * tally_segs_put() - Drop a reference. The last one frees the segments.
 * @segs: range
 */
void tally_segs_put(struct tally_segs *segs)
{
	kref_put(&segs->ref, segs_free);
}
EXPORT_SYMBOL_GPL(tally_segs_put);

/**
 * tally_segs_base() - Return the first segment of a range.
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
 * tally_segs_count() - Return the number of segments of a range.
 * @segs: range
 *
 * Return: the number of segments.
 */
u32 tally_segs_count(const struct tally_segs *segs)
{
	return segs->count;
}
EXPORT_SYMBOL_GPL(tally_segs_count);

/**
 * tally_segs_claim() - Take the range for a group, with a reference.
 * @segs: range
 *
 * Return: false if another group uses it.
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

/* Returns whether the device has these segments and all are free. Called with group_lock held. */
static bool segs_are_free(const struct tally_pf *pf, u32 base, u32 count)
{
	u32 end = base + count;

	return end <= pf->pub.caps.max_seg && find_next_bit(pf->seg_map, end, base) >= end;
}

/*
 * Returns the size of the free block that contains these free segments. Called with group_lock
 * held.
 */
static u32 segs_block_size(const struct tally_pf *pf, u32 base, u32 count)
{
	while (count < TALLY_MAX_GROUP_SEGS && segs_are_free(pf, round_down(base, 2 * count), 2 * count))
		count *= 2;
	return count;
}

/* Describes the range or the free block that begins at @base. Called with group_lock held. */
static void segs_view_fill(struct tally_pf *pf, u32 base, struct tally_segs_view *view)
{
	const struct tally_segs *segs = pf->segs[base];

	*view = (struct tally_segs_view){ .base = base };
	if (!segs) {
		view->count = segs_block_size(pf, base, 1);
		return;
	}
	view->taken = true;
	view->count = segs->count;
	view->owner = segs->owner;
	view->grouped = tally_group_of_segs(pf, segs, &view->group, &view->jid);
}

/**
 * tally_segs_snapshot() - Describe all ranges and free blocks, as they are at one moment.
 * @pf: device
 * @views: receives up to caps.max_seg descriptions
 *
 * Return: the number of descriptions.
 */
unsigned int tally_segs_snapshot(struct tally_pf *pf, struct tally_segs_view *views)
{
	unsigned int n = 0;
	u32 base;

	spin_lock_irq(&pf->group_lock);
	for (base = 0; base < pf->pub.caps.max_seg; base += views[n++].count)
		segs_view_fill(pf, base, &views[n]);
	spin_unlock_irq(&pf->group_lock);
	return n;
}
