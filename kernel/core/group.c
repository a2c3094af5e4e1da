// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Groups. One process creates a group and others attach to it. Each of them holds a handle, which
 * names the local ranks it may post for. Handles are dropped in any order, and none waits for
 * another. When the last handle is dropped, the group is destroyed: it drains, and its number and
 * segments are free again once the device reports that it has drained.
 */
#include "cmd.h"
#include "debug/inject.h"
#include "group.h"
#include "owner.h"
#include "pf.h"
#include "quota.h"
#include "seg.h"

/* Frees a group that the device no longer knows. May be called in interrupts. */
static void group_free(struct tally_group *group)
{
	tally_segs_release(group->segs);
	tally_quota_uncharge_group(group->quota, le16_to_cpu(group->cfg.num_edges),
				   le32_to_cpu(group->cfg.msg_cells));
	tally_quota_put(group->quota);
	kfree(group);
}

/* Frees a drained group, and wakes those of its process that wait for it. */
static void group_free_drained(struct tally_group *group)
{
	struct tally_quota *quota = group->quota;

	tally_quota_get(quota);
	group_free(group);
	tally_quota_group_drained(quota);
	tally_quota_put(quota);
}

/* Removes a draining group from the table. Returns NULL if there is none with this number. */
static struct tally_group *group_take_draining(struct tally_pf *pf, u32 num)
{
	struct tally_group *group = NULL;
	unsigned long flags;

	if (num >= TALLY_MAX_GROUP)
		return NULL;
	spin_lock_irqsave(&pf->group_lock, flags);
	if (pf->groups[num] && pf->groups[num]->life == TALLY_GROUP_LIFE_DRAINING) {
		group = pf->groups[num];
		pf->groups[num] = NULL;
	}
	spin_unlock_irqrestore(&pf->group_lock, flags);
	return group;
}

/**
 * tally_group_drained() - Handle the event that a destroyed group has drained.
 * @pf: device
 * @num: number of the group
 */
void tally_group_drained(struct tally_pf *pf, u32 num)
{
	struct tally_group *group = group_take_draining(pf, num);

	if (group)
		group_free_drained(group);
	else
		dev_err_ratelimited(pf_dev(pf), "group %u drained, but was not destroyed\n", num);
}

/**
 * tally_groups_free_draining() - Free all draining groups, because the device was reset.
 * @pf: device
 */
void tally_groups_free_draining(struct tally_pf *pf)
{
	struct tally_group *group;
	u32 num;

	for (num = tally_group_next(pf, 0); num < TALLY_MAX_GROUP;
	     num = tally_group_next(pf, num + 1)) {
		group = group_take_draining(pf, num);
		if (group)
			group_free_drained(group);
	}
}

/* Returns the group with this job id, unless it is draining. Called with group_lock held. */
static struct tally_group *group_find_jid(struct tally_pf *pf, u32 jid)
{
	struct tally_group *group;

	hash_for_each_possible(pf->groups_by_jid, group, by_jid, jid)
		if (group->cfg.jid == cpu_to_le32(jid))
			return group;
	return NULL;
}

/* Gives the group a number, unless there is a living group with its job id. */
static int group_take_number(struct tally_pf *pf, struct tally_group *group)
{
	u32 max = pf->pub.caps.max_group, jid = le32_to_cpu(group->cfg.jid);
	int err = -ENOSPC;
	u32 num;

	spin_lock_irq(&pf->group_lock);
	if (group_find_jid(pf, jid)) {
		err = -EEXIST;
		goto out;
	}
	for (num = 0; num < max && pf->groups[num]; num++)
		;
	if (num < max) {
		group->num = num;
		pf->groups[num] = group;
		hash_add(pf->groups_by_jid, &group->by_jid, jid);
		err = 0;
	}
out:
	spin_unlock_irq(&pf->group_lock);
	return err;
}

static void group_set_life(struct tally_group *group, enum tally_group_life life)
{
	spin_lock_irq(&group->pf->group_lock);
	group->life = life;
	if (life == TALLY_GROUP_LIFE_DRAINING)
		hash_del(&group->by_jid);
	spin_unlock_irq(&group->pf->group_lock);
}

static void group_drop_number(struct tally_group *group)
{
	spin_lock_irq(&group->pf->group_lock);
	group->pf->groups[group->num] = NULL;
	hash_del(&group->by_jid);
	spin_unlock_irq(&group->pf->group_lock);
}

/* Drops the last handle. The group drains, and exists until it has drained. */
static void group_destroy(struct kref *ref)
{
	struct tally_group *group = container_of(ref, struct tally_group, ref);
	struct tally_pf *pf = group->pf;
	u32 num = group->num;

	/* Wait for readers of debugfs, which may query a live group. */
	mutex_lock(&pf->inspecting);
	tally_quota_group_drains(group->quota);
	group_set_life(group, TALLY_GROUP_LIFE_DRAINING);
	mutex_unlock(&pf->inspecting);
	/* From now on the event may free the group at any time. */
	tally_exec_destroy(pf, TALLY_ADMIN_DESTROY_GROUP, num);
	if (tally_is_dead(&pf->pub)) {
		/* There will be no event: the device was reset. */
		group = group_take_draining(pf, num);
		if (group)
			group_free_drained(group);
	}
}

static struct tally_group *group_new(struct tally_pf *pf, struct tally_quota *quota,
				     struct tally_segs *segs, const struct tally_group_spec *spec,
				     struct tally_blame *blame)
{
	u32 cells = le32_to_cpu(spec->cfg.msg_cells), num_edges = le16_to_cpu(spec->cfg.num_edges);
	struct tally_group *group = kzalloc(struct_size(group, edges, num_edges), GFP_KERNEL);
	int err;

	if (!group)
		return ERR_PTR(-ENOMEM);
	err = -EDQUOT;
	if (!tally_quota_charge_group(quota, num_edges, cells, blame))
		goto err_free;
	err = -EBUSY;
	if (!tally_segs_claim(segs))
		goto err_uncharge;
	kref_init(&group->ref);
	mutex_init(&group->resetting);
	tally_owner_is_current(&group->owner);
	tally_quota_get(quota);
	group->pf = pf;
	group->quota = quota;
	group->segs = segs;
	group->join_key = spec->join_key;
	group->cfg = spec->cfg;
	memcpy(group->edges, spec->edges, flex_array_size(group, edges, num_edges));
	group->held = le64_to_cpu(spec->cfg.owner_ranks);
	return group;

err_uncharge:
	tally_quota_uncharge_group(quota, num_edges, cells);
err_free:
	kfree(group);
	return ERR_PTR(err);
}

/* Creates a group with a number. */
static struct tally_group *group_try(struct tally_pf *pf, struct tally_quota *quota,
				     struct tally_segs *segs, const struct tally_group_spec *spec,
				     struct tally_blame *blame)
{
	struct tally_group *group = group_new(pf, quota, segs, spec, blame);
	int err;

	if (IS_ERR(group))
		return group;
	err = group_take_number(pf, group);
	if (err) {
		blame->no_group = err == -ENOSPC;
		group_free(group);
		return ERR_PTR(err);
	}
	return group;
}

/* Reserves a group. Waits for draining groups of the same process if they hold what it lacks. */
static struct tally_group *group_reserve(struct tally_pf *pf, struct tally_quota *quota,
					 struct tally_segs *segs,
					 const struct tally_group_spec *spec)
{
	struct tally_drain_wait wait;
	struct tally_group *group;
	struct tally_blame blame;
	int err;

	tally_drain_wait_init(&wait, quota);
	do {
		blame = (struct tally_blame){};
		group = group_try(pf, quota, segs, spec, &blame);
		err = PTR_ERR_OR_ZERO(group);
	} while (err && tally_drain_wait(&wait, &err));
	if (spec->blame)
		*spec->blame = blame;
	return err ? ERR_PTR(err) : group;
}

/**
 * tally_group_create() - Create a group.
 * @tdev: device
 * @quota: charged for the group, which takes a reference
 * @segs: segments of the group, which takes a reference
 * @spec: attributes of the group
 *
 * Waits while draining groups of the same process hold what the new group lacks, for as
 * long as the device may take to drain them and to answer.
 *
 * Return: the creator's handle, with one reference; -EEXIST if there is a group with this job id,
 * -EBUSY if another group has the segments, -EDQUOT, -ENOSPC, -ENOMEM, -ERESTARTSYS if a signal
 * ends the wait, or another negative errno.
 */
struct tally_group_handle *tally_group_create(struct tally_dev *tdev, struct tally_quota *quota,
					      struct tally_segs *segs,
					      const struct tally_group_spec *spec)
{
	struct tally_pf *pf = to_pf(tdev);
	struct tally_group_handle *handle;
	struct tally_group *group;
	int err;

	handle = kzalloc(sizeof(*handle), GFP_KERNEL);
	if (!handle)
		return ERR_PTR(-ENOMEM);
	group = group_reserve(pf, quota, segs, spec);
	if (IS_ERR(group)) {
		err = PTR_ERR(group);
		goto err_free_handle;
	}
	err = -ENOSPC;
	if (!tally_inject(pf, TALLY_FAULT_GROUP_CREATE, le32_to_cpu(spec->cfg.jid)))
		err = tally_cmd_create_group(pf, group->num, &group->cfg, group->edges,
					     spec->blame);
	if (err)
		goto err_drop_number;
	kref_init(&handle->ref);
	handle->group = group;
	handle->ranks = group->held;
	group_set_life(group, TALLY_GROUP_LIFE_LIVE);
	return handle;

err_drop_number:
	group_drop_number(group);
	group_free(group);
err_free_handle:
	kfree(handle);
	return ERR_PTR(err);
}
EXPORT_SYMBOL_GPL(tally_group_create);

/* Checks whether a process may take the ranks of the group. Called with group_lock held. */
static int group_check_join(const struct tally_group *group, u64 join_key, u64 ranks)
{
	/* A single 64-bit comparison, so that its time tells nothing about the key. */
	if (group->join_key != join_key)
		return -EACCES;
	if (!ranks || ranks & ~le64_to_cpu(group->cfg.rank_mask))
		return -EINVAL;
	return ranks & group->held ? -EBUSY : 0;
}

/* Finds the group, and takes a reference and the ranks. */
static struct tally_group *group_join(struct tally_pf *pf, u32 jid, u64 join_key, u64 ranks)
{
	struct tally_group *group;
	int err = -ENOENT;

	spin_lock_irq(&pf->group_lock);
	group = group_find_jid(pf, jid);
	if (!group || group->life != TALLY_GROUP_LIFE_LIVE)
		goto out;
	err = group_check_join(group, join_key, ranks);
	if (err)
		goto out;
	if (kref_get_unless_zero(&group->ref))
		group->held |= ranks;
	else
		err = -ENOENT;
out:
	spin_unlock_irq(&pf->group_lock);
	return err ? ERR_PTR(err) : group;
}

static void group_leave(struct tally_group *group, u64 ranks)
{
	spin_lock_irq(&group->pf->group_lock);
	group->held &= ~ranks;
	spin_unlock_irq(&group->pf->group_lock);
	kref_put(&group->ref, group_destroy);
}

/**
 * tally_group_attach() - Join a group that another process created.
 * @tdev: device
 * @jid: job id of the group
 * @join_key: key set by the creator
 * @ranks: local ranks to post for
 *
 * Return: a handle, with one reference; -ENOENT if there is no such group, -EACCES if the key is
 * wrong, -EINVAL if the group does not have the ranks, -EBUSY if one of them is taken, -ENOMEM, or
 * another negative errno.
 */
struct tally_group_handle *tally_group_attach(struct tally_dev *tdev, u32 jid, u64 join_key,
					      u64 ranks)
{
	struct tally_pf *pf = to_pf(tdev);
	struct tally_group_handle *handle = kzalloc(sizeof(*handle), GFP_KERNEL);
	int err;

	if (!handle)
		return ERR_PTR(-ENOMEM);
	handle->group = group_join(pf, jid, join_key, ranks);
	if (IS_ERR(handle->group)) {
		err = PTR_ERR(handle->group);
		goto err_free;
	}
	err = tally_cmd_group_ranks(pf, TALLY_ADMIN_ATTACH_RANK, handle->group->num, ranks);
	if (err)
		goto err_leave;
	kref_init(&handle->ref);
	handle->ranks = ranks;
	return handle;

err_leave:
	group_leave(handle->group, ranks);
err_free:
	kfree(handle);
	return ERR_PTR(err);
}
EXPORT_SYMBOL_GPL(tally_group_attach);

static void group_handle_free(struct kref *ref)
{
	struct tally_group_handle *handle = container_of(ref, struct tally_group_handle, ref);
	struct tally_group *group = handle->group;

	/* An error is logged and ignored, because waits for these ranks time out. */
	if (handle->ranks)
		tally_cmd_group_ranks(group->pf, TALLY_ADMIN_DETACH_RANK, group->num,
				      handle->ranks);
	group_leave(group, handle->ranks);
	kfree(handle);
}

/**
 * tally_group_handle_get() - Take a reference.
 * @handle: handle
 */
void tally_group_handle_get(struct tally_group_handle *handle)
{
	kref_get(&handle->ref);
}
EXPORT_SYMBOL_GPL(tally_group_handle_get);

/**
 * tally_group_handle_put() - Drop a reference; the last one gives up the ranks.
 * @handle: handle
 *
 * Waits for the device, never for another process, and cannot fail.
 */
void tally_group_handle_put(struct tally_group_handle *handle)
{
	kref_put(&handle->ref, group_handle_free);
}
EXPORT_SYMBOL_GPL(tally_group_handle_put);
