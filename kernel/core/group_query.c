// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Queries of groups, and their reset to the next epoch. */
#include "cmd.h"
#include "group.h"
#include "pf.h"

/**
 * tally_group_query() - Ask for the state of a group.
 * @handle: a handle of the group
 * @info: the answer
 *
 * Return: 0 or a negative errno, which is logged.
 */
int tally_group_query(struct tally_group_handle *handle, struct tally_group_info *info)
{
	return tally_cmd_query_group(handle->group->pf, handle->group->num, info);
}
EXPORT_SYMBOL_GPL(tally_group_query);

/**
 * tally_group_query_edges() - Ask for the edges of a group.
 * @handle: a handle of the group
 * @edges: receives an edge for each contributor, and the parent's; entries without an edge are 0
 *
 * Return: 0 or a negative errno, which is logged.
 */
int tally_group_query_edges(struct tally_group_handle *handle, struct tally_edge_info *edges)
{
	return tally_cmd_query_edges(handle->group->pf, handle->group->num, edges);
}
EXPORT_SYMBOL_GPL(tally_group_query_edges);

/**
 * tally_group_query_segs() - Ask for the segments of a group.
 * @handle: a handle of the group
 * @segs: receives as many segments as tally_group_segs() returns for its configuration
 *
 * Return: 0 or a negative errno, which is logged.
 */
int tally_group_query_segs(struct tally_group_handle *handle, struct tally_seg_info *segs)
{
	struct tally_group *group = handle->group;

	return tally_cmd_query_segs(group->pf, group->num, segs, tally_group_segs(&group->cfg));
}
EXPORT_SYMBOL_GPL(tally_group_query_segs);

/**
 * tally_group_query_arrivals() - Ask for the arrival times of a group's last messages.
 * @handle: a handle of the group
 * @arrivals: receives TALLY_NUM_ARRIVALS messages, the newest first; unused entries have opcode 0
 *
 * Return: 0 or a negative errno, which is logged.
 */
int tally_group_query_arrivals(struct tally_group_handle *handle, struct tally_arrival *arrivals)
{
	return tally_cmd_query_arrivals(handle->group->pf, handle->group->num, arrivals);
}
EXPORT_SYMBOL_GPL(tally_group_query_arrivals);

/*
 * Epochs are compared as serial numbers. A group that died before it learned its first epoch has
 * epoch 0.
 */
static bool epoch_comes_after(u32 epoch, u32 old)
{
	return epoch && (!old || (s32)(epoch - old) > 0);
}

/*
 * Checks whether the group can begin epoch @epoch. Called with resetting held, and a dead group
 * stays dead until it is reset.
 */
static int group_check_reset(struct tally_group *group, u32 epoch)
{
	struct tally_group_info info;
	int err;

	err = tally_cmd_query_group(group->pf, group->num, &info);
	if (err)
		return err;
	if (info.state != TALLY_GROUP_DEAD)
		return -EBUSY;
	if (info.gone)
		return -EOWNERDEAD;
	return epoch_comes_after(epoch, le32_to_cpu(info.epoch)) ? 0 : -EINVAL;
}

/**
 * tally_group_reset() - Begin the next epoch of a group whose epoch has ended.
 * @handle: a handle of the group
 * @epoch: the next epoch, the same at all nodes
 *
 * Queue pairs stay in the error state until their owners reset them.
 *
 * Return: 0; -EBUSY if the epoch has not ended, or another handle has begun the next one;
 * -EOWNERDEAD if a rank is gone; -EINVAL if the epoch is 0 or does not come after the last one;
 * another negative errno, which is logged.
 */
int tally_group_reset(struct tally_group_handle *handle, u32 epoch)
{
	struct tally_group *group = handle->group;
	int err;

	mutex_lock(&group->resetting);
	err = group_check_reset(group, epoch);
	if (!err)
		err = tally_cmd_reset_group(group->pf, group->num, epoch);
	mutex_unlock(&group->resetting);
	return err;
}
EXPORT_SYMBOL_GPL(tally_group_reset);

/**
 * tally_group_handle_ranks() - Return the ranks that a process holds.
 * @handle: handle
 *
 * Return: a bit for each local rank.
 */
u64 tally_group_handle_ranks(const struct tally_group_handle *handle)
{
	return handle->ranks;
}
EXPORT_SYMBOL_GPL(tally_group_handle_ranks);

/**
 * tally_group_handle_may_post() - Return the ranks that a process may post for.
 * @handle: handle
 *
 * In a group with flag SHARED these are all ranks that some process holds.
 *
 * Return: bitmap of local ranks.
 */
u64 tally_group_handle_may_post(const struct tally_group_handle *handle)
{
	struct tally_group *group = handle->group;
	u64 ranks = handle->ranks;

	if (group->cfg.flags & cpu_to_le32(TALLY_GROUP_F_SHARED)) {
		spin_lock_irq(&group->pf->group_lock);
		ranks = group->held;
		spin_unlock_irq(&group->pf->group_lock);
	}
	return ranks;
}
EXPORT_SYMBOL_GPL(tally_group_handle_may_post);

/**
 * tally_group_handle_num() - Return the number of the group.
 * @handle: a handle of the group
 *
 * Return: the number of the group in commands.
 */
u32 tally_group_handle_num(const struct tally_group_handle *handle)
{
	return handle->group->num;
}
EXPORT_SYMBOL_GPL(tally_group_handle_num);

/**
 * tally_group_handle_cfg() - Return the configuration of the group.
 * @handle: a handle of the group
 *
 * Return: the configuration, valid as long as the handle.
 */
const struct tally_group_cfg *tally_group_handle_cfg(const struct tally_group_handle *handle)
{
	return &handle->group->cfg;
}
EXPORT_SYMBOL_GPL(tally_group_handle_cfg);

/**
 * tally_group_of_segs() - Find the group that uses a range of segments.
 * @pf: device; called with group_lock held
 * @segs: range
 * @num: set to the group's number
 * @jid: set to its job id
 *
 * Return: false if there is none.
 */
bool tally_group_of_segs(struct tally_pf *pf, const struct tally_segs *segs, u32 *num, u32 *jid)
{
	for (*num = 0; *num < TALLY_MAX_GROUP; ++*num) {
		const struct tally_group *group = pf->groups[*num];

		if (!group || group->segs != segs)
			continue;
		*jid = le32_to_cpu(group->cfg.jid);
		return true;
	}
	return false;
}

/**
 * tally_group_next() - Find the next group. There are many numbers, and few groups at most times.
 * @pf: device
 * @num: first number to look at, at most TALLY_MAX_GROUP
 *
 * Return: the lowest number from @num on that a group has, or TALLY_MAX_GROUP.
 */
u32 tally_group_next(struct tally_pf *pf, u32 num)
{
	spin_lock_irq(&pf->group_lock);
	while (num < TALLY_MAX_GROUP && !pf->groups[num])
		num++;
	spin_unlock_irq(&pf->group_lock);
	return num;
}

/**
 * tally_group_snapshot() - Describe a group. A live group stays alive while the caller holds
 * inspecting.
 * @pf: device
 * @num: number, below TALLY_MAX_GROUP
 * @view: the description
 *
 * Return: false if there is none with this number.
 */
bool tally_group_snapshot(struct tally_pf *pf, u32 num, struct tally_group_view *view)
{
	const struct tally_group *group;

	spin_lock_irq(&pf->group_lock);
	group = pf->groups[num];
	if (group)
		*view = (struct tally_group_view){
			.num = num,
			.life = group->life,
			.held = group->held,
			.owner = group->owner,
			.cfg = group->cfg,
			.edges = group->edges,
		};
	spin_unlock_irq(&pf->group_lock);
	return group;
}
