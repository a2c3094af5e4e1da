// SPDX-License-Identifier: BSD-2-Clause
/* Admin commands on groups: creation, ranks, a new epoch, destruction. */
#include "firmware/group_admin.h"
#include "firmware/bytes.h"
#include "firmware/group.h"
#include "firmware/group_check.h"
#include "firmware/group_fill.h"
#include "firmware/report.h"

static bool job_exists(uint32_t jid)
{
	CONTROL_SET(job, jid);
	return CONTROL_GET(job_exists);
}

/* Whether the number names a group that the driver has not destroyed. */
static bool exists(uint32_t group)
{
	return GROUP_GET(group, state) != TALLY_GROUP_NONE && !GROUP_GET(group, destroyed);
}

struct engine_result fw_create_group(uint32_t group, const struct tally_group_cfg *cfg,
					const struct tally_group_edge *edges, uint32_t num_edges)
{
	const struct group_room room = { CONTROL_GET(segs_left), CONTROL_GET(cells_left),
					 CONTROL_GET(edges_left) };
	struct engine_result r = group_check(cfg, edges, num_edges, &room);

	if (r.status != TALLY_ADMIN_STATUS_OK)
		return r;
	if (GROUP_GET(group, state) != TALLY_GROUP_NONE)
		return (struct engine_result){ TALLY_ADMIN_STATUS_ID_BUSY, 0xffff };
	if (job_exists(le32(cfg->jid)))
		return ENGINE_REFUSE(EXISTS, tally_group_cfg, jid);
	group_fill(group, cfg, edges, num_edges);
	GROUP_SET(group, state, num_edges ? TALLY_GROUP_OPENING : TALLY_GROUP_OPEN);
	fw_command(TALLY_FW_CMD_CREATE, group, TALLY_FW_NO_EDGE);
	return ENGINE_OK;
}

struct engine_result fw_attach_ranks(uint32_t group, uint64_t ranks)
{
	uint64_t attached = GROUP_GET(group, attached);

	if (!exists(group))
		return ENGINE_REFUSE(NOT_FOUND, tally_cmd_group_ranks, group);
	if (!ranks || (ranks & ~GROUP_GET(group, rank_mask)))
		return ENGINE_REFUSE(BAD_FIELD, tally_cmd_group_ranks, ranks);
	if (ranks & (attached | GROUP_GET(group, gone)))
		return ENGINE_REFUSE(IN_USE, tally_cmd_group_ranks, ranks);
	GROUP_SET(group, attached, attached | ranks);
	return ENGINE_OK;
}

static void ranks_leave(uint32_t group, uint64_t ranks)
{
	GROUP_SET(group, attached, GROUP_GET(group, attached) & ~ranks);
	GROUP_SET(group, gone, GROUP_GET(group, gone) | ranks);
	fw_command(TALLY_FW_CMD_RANKS, group, TALLY_FW_NO_EDGE);
}

struct engine_result fw_detach_ranks(uint32_t group, uint64_t ranks)
{
	if (!exists(group))
		return ENGINE_REFUSE(NOT_FOUND, tally_cmd_group_ranks, group);
	if (!ranks || (ranks & ~GROUP_GET(group, attached)))
		return ENGINE_REFUSE(BAD_FIELD, tally_cmd_group_ranks, ranks);
	ranks_leave(group, ranks);
	return ENGINE_OK;
}

/* Whether an epoch may follow another one; numbers that are 2^31 apart have no order. */
static bool may_follow(uint32_t before, uint32_t epoch)
{
	return serial_lt(before, epoch) && !serial_lt(epoch, before);
}

struct engine_result fw_reset_group(uint32_t group, uint32_t epoch)
{
	const struct fw_edges all = fw_edges_of(group);
	const struct report none = { 0 };
	uint32_t before = GROUP_GET(group, epoch);

	if (!exists(group))
		return ENGINE_REFUSE(NOT_FOUND, tally_cmd_reset_group, group);
	if (GROUP_GET(group, state) != TALLY_GROUP_DEAD || GROUP_GET(group, gone))
		return ENGINE_REFUSE(BAD_STATE, tally_cmd_reset_group, group);
	if (!epoch || (before && !may_follow(before, epoch)))
		return ENGINE_REFUSE(BAD_FIELD, tally_cmd_reset_group, epoch);
	GROUP_SET(group, epoch, epoch);
	report_set(group, &none);
	GROUP_SET(group, state, all.num || all.parent != TALLY_FW_NO_EDGE ? TALLY_GROUP_OPENING :
									    TALLY_GROUP_OPEN);
	fw_command(TALLY_FW_CMD_BEGIN, group, TALLY_FW_NO_EDGE);
	return ENGINE_OK;
}

/*
 * If a chunk that has begun lacks a rank, the group is frozen and is released at the end of the
 * epoch. Otherwise it may finish what has begun.
 */
struct engine_result fw_destroy_group(uint32_t group)
{
	if (!exists(group))
		return ENGINE_REFUSE(NOT_FOUND, tally_cmd_object, id);
	if (GROUP_GET(group, first_qp) != TALLY_FW_NO_QP)
		return ENGINE_REFUSE(IN_USE, tally_cmd_object, id);
	GROUP_SET(group, destroyed, 1);
	ranks_leave(group, GROUP_GET(group, rank_mask) & ~GROUP_GET(group, gone));
	if (GROUP_GET(group, state) == TALLY_GROUP_DEAD ||
	    (fw_group_alive(group) && !GROUP_GET(group, busy))) {
		fw_command(TALLY_FW_CMD_RELEASE, group, TALLY_FW_NO_EDGE);
	} else if (fw_group_alive(group)) {
		GROUP_SET(group, state, TALLY_GROUP_DRAINING);
		GROUP_SET(group, timer, CONTROL_GET(now) + TALLY_DRAIN_MS * MS);
	}
	return ENGINE_OK;
}
