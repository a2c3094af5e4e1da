// SPDX-License-Identifier: BSD-2-Clause
/*
 * The pool of segments in the host (docs/rtl-sender.md, tally_pool): what it is told, by registers and
 * by commands to the store, and what it says. The slots of a group follow done and limit of the store
 * until the epoch is ended here, also while it is frozen, so that there is always a free one for a
 * limit that rises.
 */
#include "engine/pool_host.h"
#include "engine/common.h"
#include "engine/edge.h"
#include "engine/firmware_run.h"
#include "engine/group.h"
#include "engine/mirror.h"
#include "engine/pool.h"
#include "engine/segment.h"
#include "engine/store.h"

/* ---- What it is told ---- */

void pool_host_join(struct engine *e, struct group *g)
{
	if (e->num_groups == 1)
		mirror_pool_limits(e);
	g->granted = g->num_segs; /* unless the host says otherwise */
	mirror_pool_join(e, g);
}

void pool_host_leave(struct engine *e, const struct group *g)
{
	mirror_pool_go(e, g, TALLY_FW_POOL_LEAVE);
}

void pool_host_begin(struct engine *e, struct group *g)
{
	e->begins++;
	g->asked = 0;
	mirror_pool_go(e, g, TALLY_FW_POOL_BEGIN);
	if (store_begins(e, g))
		mirror_sender_epoch(e, g, true);
}

/* No limit rises behind the end of the epoch in the store. */
void pool_host_end(struct engine *e, const struct group *g)
{
	if (store_begins(e, g))
		mirror_sender_epoch(e, g, false);
	mirror_pool_go(e, g, TALLY_FW_POOL_END);
	store_end(e, g);
}

void pool_host_borrow(struct engine *e, struct group *g, uint32_t top)
{
	if (!serial_lt(g->limit, top) || !serial_lt(g->asked, top))
		return;
	g->asked = top;
	mirror_pool_borrow(e, g, top);
}

/* ---- What it says ---- */

/* Whether the numbers may be those of the epoch that runs. */
static bool is_window(const struct group *g, uint32_t done, uint32_t limit)
{
	return g->in_epoch && done - g->done <= g->limit - g->done && !serial_lt(limit, g->limit) &&
	       limit - done <= TALLY_MAX_GROUP_SEGS;
}

void engine_moved(struct engine *e, uint32_t group, uint32_t done, uint32_t limit)
{
	struct group *g = &e->groups[group];

	if (!is_window(g, done, limit))
		return;
	begin_work(e, 0);
	if (g->done != done) {
		slots_done(e, g, done);
		g->asked = g->limit;
	}
	pool_raise(e, g, limit);
	if (!group_alive(g))
		return;
	edge_announce(e, g);
	group_pump(e, g);
	firmware_run(e);
}

void engine_granted(struct engine *e, uint32_t group, uint32_t num)
{
	e->groups[group].granted = num;
}

void engine_begun_epoch(struct engine *e, uint32_t group)
{
	(void)group;
	e->begins--;
	begin_work(e, 0);
	firmware_run(e);
}
