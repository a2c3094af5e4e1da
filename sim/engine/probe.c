// SPDX-License-Identifier: BSD-2-Clause
/*
 * Probes of neighbours that are silent while the oldest unfinished chunk waits for them. The
 * neighbour answers a QUERY with NOTIFY, which carries its done, and compares the chunk with its
 * own.
 */
#include "engine/probe.h"
#include "engine/chunk_send.h"
#include "engine/common.h"
#include "engine/encap.h"
#include "engine/exception.h"
#include "engine/late.h"
#include "engine/segment_rx.h"
#include "engine/segment.h"
#include "engine/timer.h"

/*
 * Describe the oldest unfinished chunk, so that the neighbour can compare. Without such a chunk,
 * the query only asks for the neighbour's done.
 */
static void send_query(struct engine *e, struct group *g, unsigned int idx)
{
	struct edge *ed = &g->edges[idx];
	const struct slot *s = slot_of(e, g, g->done);
	struct tch t;

	if (has_slot(g, g->done) && s->state == TALLY_SEG_BUSY) {
		slot_fill_tch(g, ed, s, &t, TALLY_KIND_QUERY);
	} else {
		packet_fill(g, ed, &t, TALLY_KIND_QUERY);
		t.num = g->done - 1;
		t.mid = g->mid_done - 1;
	}
	packet_send(e, g, ed, &t, NULL, 0);
}

/*
 * Whether a triggered descriptor waits for messages that nothing limits. Any neighbour may be their
 * sender.
 */
static bool awaits_messages(struct engine *e, const struct group *g)
{
	return g->timeout == NEVER && late_descriptor(e, g);
}

/*
 * Whether the oldest unfinished chunk waits for a neighbour, whose edge is open: for its
 * contribution, its result or its window.
 */
static bool waits_on(struct engine *e, struct group *g, unsigned int idx)
{
	struct edge *ed = &g->edges[idx];
	struct slot *s = slot_of(e, g, g->done);

	/* Retransmission probes already. */
	if (edge_unacked(ed))
		return false;
	/* the root waits for done of the whole subtree, which this node passes on */
	if (has_multicast(g) && (g->children & contributor_bit(idx)) &&
	    serial_lt(ed->peer_done, g->done))
		return true;
	return (has_slot(g, g->done) && s->state == TALLY_SEG_BUSY && slot_waits_on(g, s, idx)) ||
	       awaits_messages(e, g);
}

void probe_timer(struct engine *e, struct group *g, unsigned int idx)
{
	struct edge *ed = &g->edges[idx];

	if (ed->state != TALLY_EDGE_OPEN || ed->probe_at > e->now)
		return;
	if (!waits_on(e, g, idx)) {
		g->watched &= ~contributor_bit(idx);
		ed->probe_at = NEVER;
		return;
	}
	if (ed->probes >= g->retry_limit) {
		exception_silence(e, g, contributor_bit(idx));
		return;
	}
	ed->probes++;
	count(e, TALLY_CTR_probes, 1);
	send_query(e, g, idx);
	ed->probe_at = e->now + edge_backoff(g, ed->probes + 2);
}

/* Return contributors and peers of which waits_on() may be true. */
static uint64_t may_wait(struct engine *e, const struct group *g)
{
	const struct slot *s = slot_of(e, g, g->done);
	uint64_t edges = has_multicast(g) ? g->children : 0;

	if (has_slot(g, g->done) && s->state == TALLY_SEG_BUSY)
		edges |= slot_waits(g, s);
	if (awaits_messages(e, g))
		edges |= g->contributors | g->peers;
	return edges & ~g->unacked;
}

static void watch(struct engine *e, struct group *g, unsigned int idx)
{
	struct edge *ed = &g->edges[idx];

	if (ed->state != TALLY_EDGE_OPEN || ed->probe_at != NEVER || !waits_on(e, g, idx))
		return;
	g->watched |= contributor_bit(idx);
	ed->probe_at = e->now + edge_backoff(g, 2);
	timer_touch(e, &ed->timer);
}

void probe_watch(struct engine *e, struct group *g)
{
	uint64_t left = may_wait(e, g) & ~g->watched;

	for (; left; left &= left - 1)
		watch(e, g, __builtin_ctzll(left));
	if (g->parent == EDGE_PARENT)
		watch(e, g, EDGE_PARENT);
}

void probe_packet(struct engine *e, struct group *g, unsigned int idx, const struct tch *t)
{
	exception_if_gone(e, g, t->num, t->mid);
	if (group_alive(g))
		slot_compare(e, g, idx, t);
	if (group_alive(g))
		edge_notify(e, g, idx);
}
