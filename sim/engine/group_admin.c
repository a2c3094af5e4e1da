// SPDX-License-Identifier: BSD-2-Clause
/* Admin commands on groups: creation, ranks, a new epoch, destruction. */
#include "engine/common.h"
#include "engine/edge.h"
#include "engine/events.h"
#include "engine/exception.h"
#include "engine/firmware_run.h"
#include "engine/group.h"
#include "engine/group_cfg.h"
#include "engine/jid.h"
#include "engine/multicast.h"
#include "engine/pool.h"
#include "engine/segment.h"
#include "engine/timer.h"
#include "firmware/group_check.h"

#include <endian.h>
#include <string.h>

#define OK ((struct engine_result){ TALLY_ADMIN_STATUS_OK, 0xffff })
#define REFUSE(what, type, field)                                                                  \
	((struct engine_result){ TALLY_ADMIN_STATUS_##what, offsetof(struct type, field) })

static bool job_exists(struct engine *e, uint32_t jid)
{
	const struct group *g = group_of_job(e, jid);

	return g && !g->destroyed;
}

/* The firmware opens the edges. */
static void begin(struct engine *e, const struct group *g)
{
	events_of_group(e, g, TALLY_FW_EV_BEGIN);
	firmware_run(e);
}

struct engine_result engine_create_group(struct engine *e, uint32_t group,
					 const struct tally_group_cfg *cfg,
					 const struct tally_group_edge *edges, uint32_t num_edges)
{
	struct group *g = &e->groups[group];
	const struct group_room room = {
		.segs = pool_left(e),
		.cells = TALLY_RMQ_CELLS - e->cells_reserved - e->shared_used,
		.edges = TALLY_MAX_EDGES - e->edges_used,
	};
	struct engine_result r = group_check(cfg, edges, num_edges, &room);

	if (r.status != TALLY_ADMIN_STATUS_OK)
		return r;
	if (g->state != TALLY_GROUP_NONE)
		return (struct engine_result){ TALLY_ADMIN_STATUS_ID_BUSY, 0xffff };
	if (job_exists(e, le32toh(cfg->jid)))
		return REFUSE(EXISTS, tally_group_cfg, jid);
	group_fill(e, g, cfg, edges, num_edges);
	jid_add(e, g);
	begin(e, g);
	return OK;
}

/* ---- Ranks ---- */

struct engine_result engine_attach_ranks(struct engine *e, uint32_t group, uint64_t ranks)
{
	struct group *g = &e->groups[group];

	if (g->state == TALLY_GROUP_NONE || g->destroyed)
		return REFUSE(NOT_FOUND, tally_cmd_group_ranks, group);
	if (!ranks || (ranks & ~g->rank_mask))
		return REFUSE(BAD_FIELD, tally_cmd_group_ranks, ranks);
	if (ranks & (g->attached | g->gone))
		return REFUSE(IN_USE, tally_cmd_group_ranks, ranks);
	g->attached |= ranks;
	return OK;
}

static void ranks_leave(struct engine *e, struct group *g, uint64_t ranks)
{
	uint32_t num;

	g->attached &= ~ranks;
	g->gone |= ranks;
	for (num = g->done; num != g->limit && group_alive(g); num++) {
		struct slot *s = slot_of(e, g, num);

		if (s->state == TALLY_SEG_BUSY)
			exception_if_gone(e, g, s->num, s->mid);
	}
}

struct engine_result engine_detach_ranks(struct engine *e, uint32_t group, uint64_t ranks)
{
	struct group *g = &e->groups[group];

	if (g->state == TALLY_GROUP_NONE || g->destroyed)
		return REFUSE(NOT_FOUND, tally_cmd_group_ranks, group);
	if (!ranks || (ranks & ~g->attached))
		return REFUSE(BAD_FIELD, tally_cmd_group_ranks, ranks);
	ranks_leave(e, g, ranks);
	firmware_run(e);
	return OK;
}

struct engine_result engine_reset_group(struct engine *e, uint32_t group, uint32_t epoch)
{
	struct group *g = &e->groups[group];

	if (g->state == TALLY_GROUP_NONE || g->destroyed)
		return REFUSE(NOT_FOUND, tally_cmd_reset_group, group);
	if (g->state != TALLY_GROUP_DEAD || g->gone)
		return REFUSE(BAD_STATE, tally_cmd_reset_group, group);
	if (!epoch || (g->epoch && !serial_lt(g->epoch, epoch)))
		return REFUSE(BAD_FIELD, tally_cmd_reset_group, epoch);
	g->epoch = epoch;
	g->report = (struct report){ 0 };
	g->mid_done = 0;
	pool_begin(e, g);
	memset(g->ranks, 0, sizeof(g->ranks));
	memset(g->arrivals, 0, sizeof(g->arrivals));
	multicast_begin(e, g);
	edge_release_all(g);
	g->state = g->num_contributors || has_parent(g) ? TALLY_GROUP_OPENING : TALLY_GROUP_OPEN;
	timer_touch(e, &g->timer);
	begin(e, g);
	return OK;
}

/* ---- Destruction ---- */

struct engine_result engine_destroy_group(struct engine *e, uint32_t group)
{
	struct group *g = &e->groups[group];

	if (g->state == TALLY_GROUP_NONE || g->destroyed)
		return REFUSE(NOT_FOUND, tally_cmd_object, id);
	if (g->qps != NONE)
		return REFUSE(IN_USE, tally_cmd_object, id);
	g->destroyed = true;
	ranks_leave(e, g, g->rank_mask & ~g->gone);
	firmware_run(e);
	if (g->state == TALLY_GROUP_DEAD || (group_alive(g) && slots_idle(e, g))) {
		group_bury(e, g);
	} else if (group_alive(g)) {
		g->state = TALLY_GROUP_DRAINING;
		g->fw_at = e->now + TALLY_DRAIN_MS * MS;
		timer_touch(e, &g->timer);
	}
	return OK; /* a group that is being killed is buried when the kill has finished */
}
