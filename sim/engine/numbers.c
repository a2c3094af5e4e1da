// SPDX-License-Identifier: BSD-2-Clause
/*
 * Numbered packets that are acknowledged. A host that has the transmit windows of edges tells what is
 * acknowledged, what is to be sent again and which time-outs have passed; otherwise edge.c finds this.
 */
#include "engine/numbers.h"
#include "engine/common.h"
#include "engine/events.h"
#include "engine/exception.h"
#include "engine/firmware_run.h"
#include "engine/group.h"
#include "engine/segment.h"
#include "engine/trigger.h"

void numbers_acked(struct engine *e, struct group *g, unsigned int idx, const struct acked *a)
{
	if (a->kind == TALLY_KIND_TRIGGER)
		trigger_tx_acked(e, idx, a);
	else
		slot_tx_acked(e, g, idx, a);
}

/* Return the group of an edge, or NULL if the edge does not send any more. */
static struct group *sending(struct engine *e, uint32_t group, uint32_t edge)
{
	struct group *g = events_group(e, group);

	return group_alive(g) && g->edges[edge].state == TALLY_EDGE_OPEN ? g : NULL;
}

static void finish(struct engine *e, struct group *g)
{
	if (group_alive(g))
		group_pump(e, g);
	firmware_run(e);
}

bool engine_acked(struct engine *e, const struct engine_sent *s)
{
	struct group *g = sending(e, s->group, s->edge);
	struct acked a;

	if (!g)
		return true;
	begin_work(e, 0);
	if (!edge_take_acked(g, s->edge, s->seq, s->ref, &a))
		return false;
	numbers_acked(e, g, s->edge, &a);
	finish(e, g);
	return true;
}

bool engine_again(struct engine *e, const struct engine_sent *s)
{
	struct group *g = sending(e, s->group, s->edge);

	if (!g)
		return true;
	begin_work(e, 0);
	return edge_send_again(e, g, s->edge, s->seq, s->ref);
}

void engine_expired(struct engine *e, const struct engine_expiry *x)
{
	struct group *g = sending(e, x->group, x->edge);

	if (!g)
		return;
	begin_work(e, 0);
	g->edges[x->edge].retries = x->tries;
	if (x->over)
		exception_silence(e, g, contributor_bit(x->edge));
	firmware_run(e);
}
