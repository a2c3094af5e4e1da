// SPDX-License-Identifier: BSD-2-Clause
/* Group contexts: creation, ranks, timers, destruction. */
#include "engine/group.h"
#include "engine/common.h"
#include "engine/exception.h"
#include "engine/group_cfg.h"
#include "engine/handshake.h"
#include "engine/jid.h"
#include "engine/kill.h"
#include "engine/wr_timeout.h"
#include "engine/memory.h"
#include "engine/multicast.h"
#include "engine/multicast_rx.h"
#include "engine/pool.h"
#include "engine/probe.h"
#include "engine/segment.h"
#include "engine/sender.h"
#include "engine/timer.h"
#include "engine/tombstone.h"
#include "firmware/group_check.h"

#include <endian.h>
#include <string.h>

#define OK ((struct engine_result){ TALLY_ADMIN_STATUS_OK, 0xffff })
#define REFUSE(what, type, field)                                                                  \
	((struct engine_result){ TALLY_ADMIN_STATUS_##what, offsetof(struct type, field) })

static bool knows_nonce(const struct edge *ed, const struct tally_tch_open *o, bool echo)
{
	if (ed->state == TALLY_EDGE_NONE)
		return false;
	return echo ? be64toh(o->echo) == ed->nonce : o->nonce && be64toh(o->nonce) == ed->peer_nonce;
}

/*
 * Whether a packet proves to know this life of the group. OPEN has the nonce that it answers or, if
 * it has not heard of any, its own nonce; all other packets have the key.
 */
static bool is_meant(const struct group *g, const struct tch *t, const struct tally_tch_open *o,
		     bool echo)
{
	const struct edge *ed = &g->edges[t->contributor];

	return t->kind == TALLY_KIND_OPEN ? knows_nonce(ed, o, echo) : packet_has_key(g, ed, t);
}

/* Prefer a group to a tombstone. */
static struct group *find_meant(struct engine *e, const struct tch *t,
				const struct tally_tch_open *o, bool echo)
{
	struct group *g, *found = NULL;

	for (g = jid_first(e, t->jid); g; g = jid_next(g))
		if (is_meant(g, t, o, echo) && (!found || is_tombstone(e, found)))
			found = g;
	return found;
}

/* Whether `a` is a better answer for a job than `b`: a group, then one that drains, then the newest. */
static bool is_newer(const struct engine *e, const struct group *a, const struct group *b)
{
	if (is_tombstone(e, a) != is_tombstone(e, b))
		return is_tombstone(e, b);
	if (is_tombstone(e, a))
		return serial_lt(b->buried, a->buried);
	return a->destroyed == b->destroyed ? a > b : b->destroyed;
}

/*
 * Return the group that is not destroyed, otherwise one that drains, otherwise the newest
 * tombstone.
 */
static struct group *newest_of_job(struct engine *e, uint32_t jid)
{
	struct group *g, *found = NULL;

	for (g = jid_first(e, jid); g; g = jid_next(g))
		if (!found || is_newer(e, g, found))
			found = g;
	return found;
}

/* Several lives of one job may have the same epoch, so the epoch does not distinguish them. */
struct group *group_of_packet(struct engine *e, const struct tch *t, const void *payload)
{
	struct tally_tch_open o = { 0 };
	struct group *g;

	if (t->kind == TALLY_KIND_OPEN)
		memcpy(&o, payload, sizeof(o));
	g = find_meant(e, t, &o, true);
	if (!g && t->kind == TALLY_KIND_OPEN)
		g = find_meant(e, t, &o, false);
	return g ? g : newest_of_job(e, t->jid);
}

static bool job_exists(struct engine *e, uint32_t jid)
{
	const struct group *g = newest_of_job(e, jid);

	return g && !g->destroyed;
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
	kill_exceptions(e);
	return OK;
}

struct engine_result engine_reset_group(struct engine *e, uint32_t group, uint32_t epoch)
{
	struct group *g = &e->groups[group];
	unsigned int i;

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
	for_each_edge(g, i)
		handshake_begin(e, g, &g->edges[i]);
	g->state = g->num_contributors || has_parent(g) ? TALLY_GROUP_OPENING : TALLY_GROUP_OPEN;
	timer_touch(e, &g->timer);
	return OK;
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

	if (group_alive(g))
		acknowledge_now(e, g);
	for_each_edge(g, i)
		edge_flush(g, &g->edges[i]);
	slots_clear(e, g);
	jid_remove(e, g);
	timers_drop(e, g);
	tombstone_erect(e, g);
	pool_leave(e, g);
	e->cells_reserved -= g->msg_cells;
	e->edges_used -= g->num_edges;
	memory_forget(g, sizeof(*g));
	e->host->event(e->ctx, TALLY_EQE_GROUP_DRAINED, g - e->groups, 0);
}

struct engine_result engine_destroy_group(struct engine *e, uint32_t group)
{
	struct group *g = &e->groups[group];

	if (g->state == TALLY_GROUP_NONE || g->destroyed)
		return REFUSE(NOT_FOUND, tally_cmd_object, id);
	if (g->qps != NONE)
		return REFUSE(IN_USE, tally_cmd_object, id);
	g->destroyed = true;
	ranks_leave(e, g, g->rank_mask & ~g->gone);
	kill_exceptions(e);
	if (g->state == TALLY_GROUP_DEAD || (group_alive(g) && slots_idle(e, g))) {
		group_bury(e, g);
	} else if (group_alive(g)) {
		g->state = TALLY_GROUP_DRAINING;
		g->state_until = e->now + TALLY_DRAIN_MS * MS;
		timer_touch(e, &g->timer);
	}
	return OK; /* a group that is being killed is buried when the kill has finished */
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
	if (g->state == TALLY_GROUP_DRAINING && slots_idle(e, g))
		group_bury(e, g);
}

uint64_t group_next(struct engine *e, const struct group *g)
{
	uint64_t next = NEVER, t;

	if (g->state == TALLY_GROUP_COLLECT || g->state == TALLY_GROUP_DRAINING)
		next = g->state_until;
	if (!group_alive(g))
		return next;
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
	if (!group_alive(g)) {
		kill_edge_timer(e, g, &g->edges[idx]);
		return;
	}
	handshake_timer(e, g, idx);
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

void group_timers(struct engine *e, struct group *g)
{
	bool self = g->due_self;

	g->due_self = false;
	if (self && g->state == TALLY_GROUP_DRAINING && g->state_until <= e->now)
		kill_undrained(e, g);
	edges_due(e, g);
	if (!self)
		return;
	if (g->state == TALLY_GROUP_COLLECT && g->state_until <= e->now)
		kill_finish(e, g);
	if (g->state == TALLY_GROUP_DEAD && g->destroyed) {
		group_bury(e, g);
		return;
	}
	if (group_alive(g) && g->slots_next <= e->now)
		slot_timers(e, g);
	if (group_alive(g))
		multicast_timer(e, g);
	if (group_alive(g) && wr_timeout_expire(e, g))
		group_pump(e, g);
}
