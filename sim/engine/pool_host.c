// SPDX-License-Identifier: BSD-2-Clause
/*
 * What the pool of segments in the host (docs/rtl-sender.md, tally_pool) is told, by registers and by
 * commands to the store.
 */
#include "engine/pool_host.h"
#include "engine/common.h"
#include "engine/mirror.h"
#include "engine/store.h"

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
