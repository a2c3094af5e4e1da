// SPDX-License-Identifier: BSD-2-Clause
/* Group contexts: which one a packet means, progress, timers, burial. */
#include "engine/group.h"
#include "engine/common.h"
#include "engine/descriptor.h"
#include "engine/edge.h"
#include "engine/events.h"
#include "engine/jid.h"
#include "engine/local.h"
#include "engine/memory.h"
#include "engine/mirror.h"
#include "engine/multicast.h"
#include "engine/multicast_rx.h"
#include "engine/pool.h"
#include "engine/probe.h"
#include "engine/segment.h"
#include "engine/sender.h"
#include "engine/store.h"
#include "engine/timer.h"
#include "engine/tombstone.h"
#include "engine/wr_timeout.h"

#include <endian.h>
#include <string.h>

static bool knows_nonce(const struct edge *ed, const struct tally_tch_open *o, bool echo)
{
	if (ed->state == TALLY_EDGE_NONE)
		return false;
	return echo ? be64toh(o->echo) == ed->nonce : o->nonce && be64toh(o->nonce) == ed->peer_nonce;
}

/*
 * Whether a packet proves to know this life of the group: it carries the key, or OPEN the nonce that
 * it answers.
 */
static bool is_meant(const struct group *g, const struct tch *t, const struct tally_tch_open *o)
{
	const struct edge *ed = &g->edges[t->contributor];

	if (t->kind == TALLY_KIND_OPEN)
		return knows_nonce(ed, o, true);
	return (is_multicast(t) || ed->state != TALLY_EDGE_NONE) && packet_has_key(g, ed, t);
}

/* Whether an OPEN of a life that has not heard of this one yet comes from one that this one knows. */
static bool is_heard(const struct group *g, const struct tch *t, const struct tally_tch_open *o)
{
	return t->kind == TALLY_KIND_OPEN && knows_nonce(&g->edges[t->contributor], o, false);
}

/* How well a life of a job fits: what is in the higher bits decides first. */
#define FITS_MEANT (3u << 2)
#define FITS_HEARD (2u << 2)
#define FITS_JOB   (1u << 2)
#define FITS_GROUP (1u << 1) /* it is no tombstone */
#define FITS_LIVES 1u	     /* to the job only: it is not destroyed */

static unsigned int fits_job(const struct engine *e, const struct group *g)
{
	if (is_tombstone(e, g))
		return FITS_JOB;
	return FITS_JOB | FITS_GROUP | (g->destroyed ? 0 : FITS_LIVES);
}

static unsigned int fits(const struct engine *e, const struct group *g, const struct tch *t,
			 const struct tally_tch_open *o)
{
	unsigned int group = is_tombstone(e, g) ? 0 : FITS_GROUP;

	if (is_meant(g, t, o))
		return FITS_MEANT | group;
	return is_heard(g, t, o) ? FITS_HEARD | group : fits_job(e, g);
}

/* The newest is the first of its list, so it is found among those that fit equally well. */
struct group *group_of_job(struct engine *e, uint32_t jid)
{
	struct group *g, *found = NULL;
	unsigned int best = 0;

	for (g = jid_first(e, jid); g; g = jid_next(g))
		if (fits_job(e, g) > best) {
			found = g;
			best = fits_job(e, g);
		}
	return found;
}

/* Several lives of one job may have the same epoch, so the epoch does not distinguish them. */
struct group *group_of_packet(struct engine *e, const struct tch *t, const void *payload)
{
	struct tally_tch_open o = { 0 };
	struct group *g, *found = NULL;
	unsigned int best = 0;

	if (t->kind == TALLY_KIND_OPEN)
		memcpy(&o, payload, sizeof(o));
	for (g = jid_first(e, t->jid); g && best != (FITS_MEANT | FITS_GROUP); g = jid_next(g)) {
		unsigned int n = fits(e, g, t, &o);

		if (n > best) {
			found = g;
			best = n;
		}
	}
	return found;
}

/* ---- Destruction ---- */

/* Send delayed acknowledgements now; a neighbour that gets one need not ask the tombstone. */
static void acknowledge_now(struct engine *e, struct group *g)
{
	unsigned int i;

	for_each_edge(g, i)
		if (g->edges[i].state == TALLY_EDGE_OPEN && g->edges[i].ack_at != NEVER)
			edge_send_ack(e, g, i);
}

/*
 * The group has no queue pair any more, so no memory access is in flight for it. With its slots, it
 * returns everything it has.
 */
void group_bury(struct engine *e, struct group *g)
{
	unsigned int i;

	events_drop(e, g);
	if (group_alive(g))
		acknowledge_now(e, g);
	for_each_edge(g, i)
		edge_flush(g, &g->edges[i]);
	slots_clear(e, g);
	jid_remove(e, g);
	mirror_remove(e, g);
	timers_drop(e, g);
	tombstone_erect(e, g);
	pool_leave(e, g);
	descriptor_group_ends(e, g);
	e->cells_reserved -= g->msg_cells;
	e->edges_used -= g->num_edges;
	memory_forget(g, sizeof(*g));
	e->host->event(e->ctx, TALLY_EQE_GROUP_DRAINED, g - e->groups, 0);
}

/* Whether the host fences the results of a chunk. */
static bool fenced_by_host(struct engine *e, const struct group *g, const struct slot *s)
{
	return host_raises(e) && store_has_ranks(e, g, s->opcode);
}

/*
 * Whether no result is being written to memory. Until then the segments stay the group's: the write
 * may still read from them.
 */
static bool is_fenced(struct engine *e, const struct group *g)
{
	uint32_t num;

	for (num = g->done; num != g->limit; num++) {
		const struct slot *s = slot_of(e, g, num);

		if (s->state == TALLY_SEG_BUSY && !fenced_by_host(e, g, s) && local_writing(e, s))
			return false;
	}
	return true;
}

void group_fence(struct engine *e, struct group *g)
{
	bool fenced = is_fenced(e, g);

	g->fence_at = fenced ? NEVER : e->now + FENCE_POLL;
	timer_touch(e, &g->timer);
	if (!fenced)
		return;
	mirror_fence(e, g);
	events_of_group(e, g, TALLY_FW_EV_FENCED);
}

/* ---- Progress and time ---- */

static void pump_slots(struct engine *e, struct group *g)
{
	uint32_t num, end = g->limit;

	for (num = g->done; num != end && serial_lt(num, g->top) && group_alive(g); num++) {
		struct slot *s = slot_of(e, g, num);

		if (has_slot(g, num) && s->state == TALLY_SEG_BUSY)
			slot_pump(e, g, s);
	}
}

static bool has_work(const struct qp *qp)
{
	return qp->head != qp->posted || qp->abort_pending;
}

void group_pump(struct engine *e, struct group *g)
{
	uint32_t qp, next, done, errors;

	do {
		done = g->done;
		errors = g->qp_errors;
		pump_slots(e, g);
		for (qp = g->qps; qp != NONE; qp = next) {
			next = e->qps[qp].next_in_group;
			if (has_work(&e->qps[qp]))
				sender_pump(e, &e->qps[qp]);
		}
	} while ((g->done != done || g->qp_errors != errors) && group_alive(g));
	if (group_alive(g))
		probe_watch(e, g);
	if (g->state == TALLY_GROUP_DRAINING && !g->drained && slots_idle(e, g)) {
		g->drained = true;
		events_of_group(e, g, TALLY_FW_EV_DRAINED);
	}
}

uint64_t group_next(struct engine *e, const struct group *g)
{
	uint64_t next = g->fw_at < g->fence_at ? g->fw_at : g->fence_at, t;

	if (!group_alive(g))
		return next;
	if (g->paid)
		return e->now;
	next = g->slots_next < next ? g->slots_next : next;
	next = g->mcast_ack_at < next ? g->mcast_ack_at : next;
	t = wr_timeout_next(e, g);
	return t < next ? t : next;
}

/* Run the timers of chunks that are due, from the oldest on, and note when the next one is due. */
static void slot_timers(struct engine *e, struct group *g)
{
	uint32_t num, end = g->limit;

	g->slots_next = NEVER;
	for (num = g->done; num != end && group_alive(g); num++) {
		struct slot *s = slot_of(e, g, num);
		uint64_t next;

		if (!has_slot(g, num)) /* it is done meanwhile */
			continue;
		slot_timer(e, g, s);
		if (!has_slot(g, num))
			continue;
		next = slot_next(g, s);
		g->slots_next = next < g->slots_next ? next : g->slots_next;
	}
}

static void edge_due(struct engine *e, struct group *g, unsigned int idx)
{
	struct edge *ed = &g->edges[idx];

	if (ed->fw_at <= e->now)
		events_timer(e, g, idx, &ed->fw_at);
	if (group_alive(g))
		edge_timers(e, g, idx);
	if (group_alive(g))
		probe_timer(e, g, idx);
}

/* Run what is due on edges: those of contributors and peers in order, then the parent's. */
static void edges_due(struct engine *e, struct group *g)
{
	bool alive = group_alive(g);

	for (; g->due && group_alive(g) == alive; g->due &= g->due - 1)
		edge_due(e, g, __builtin_ctzll(g->due));
	if (g->due_parent && group_alive(g) == alive)
		edge_due(e, g, EDGE_PARENT);
	g->due = 0;
	g->due_parent = false;
}

/* Segments that were owed have come: neighbours may send more, and so may local ranks. */
static void use_payment(struct engine *e, struct group *g)
{
	g->paid = false;
	edge_announce(e, g);
	group_pump(e, g);
}

void group_timers(struct engine *e, struct group *g)
{
	bool self = g->due_self;

	g->due_self = false;
	edges_due(e, g);
	if (!self)
		return;
	if (g->fw_at <= e->now)
		events_timer(e, g, NO_EDGE, &g->fw_at);
	if (g->fence_at <= e->now)
		group_fence(e, g);
	if (group_alive(g) && g->paid)
		use_payment(e, g);
	if (group_alive(g) && g->slots_next <= e->now)
		slot_timers(e, g);
	if (group_alive(g))
		multicast_timer(e, g);
	if (group_alive(g) && wr_timeout_expire(e, g))
		group_pump(e, g);
}
