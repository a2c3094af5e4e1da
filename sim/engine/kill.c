// SPDX-License-Identifier: BSD-2-Clause
/*
 * End of an epoch. The node that detects the cause sends KILL with its node index and the bitmaps
 * of what is missing. For a short time every NIC adds what it knows better. The best report, chosen
 * by the same rule everywhere (blame.c), goes into the CQEs of the ranks.
 */
#include "engine/kill.h"
#include "engine/blame.h"
#include "engine/common.h"
#include "engine/encap.h"
#include "engine/exception.h"
#include "engine/kill_validate.h"
#include "engine/local.h"
#include "engine/segment.h"
#include "engine/sender.h"
#include "engine/timer.h"

#include <endian.h>
#include <string.h>

static uint64_t collect_time(const struct group *g)
{
	uint64_t most = TALLY_COLLECT_MS * MS;

	return g->timeout / 16 < most ? g->timeout / 16 : most;
}

/*
 * Set the time of the next KILL. While reports are collected it comes early, and does not count as
 * a try.
 */
static void plan_kill(struct engine *e, const struct group *g, struct edge *ed)
{
	uint64_t wait = edge_backoff(g, ed->kill_tries), part = collect_time(g) / 8;
	bool early = g->state == TALLY_GROUP_COLLECT && part < wait;

	ed->kill_at = e->now + (early ? part : wait);
	ed->kill_tries += !early;
	timer_touch(e, &ed->timer);
}

void kill_tell(struct engine *e, struct group *g, struct edge *ed)
{
	ed->kill = KILL_SENDING;
	ed->kill_tries = 0;
	plan_kill(e, g, ed);
	packet_send_kill(e, g, ed);
}

static void flood(struct engine *e, struct group *g, const struct edge *except)
{
	unsigned int i;

	for_each_edge(g, i) {
		struct edge *ed = &g->edges[i];

		/* A neighbour that was not heard of is told when it opens: answer_late(). */
		if (ed->peer_key && ed != except)
			kill_tell(e, g, ed);
	}
}

static void begin_collecting(struct engine *e, struct group *g)
{
	unsigned int i;

	g->state = TALLY_GROUP_COLLECT;
	g->state_until = e->now + collect_time(g);
	timer_touch(e, &g->timer);
	for_each_edge(g, i)
		edge_flush(g, &g->edges[i]);
}

/* Handle a report: keep the better one and tell the neighbours. */
static void consider(struct engine *e, struct group *g, const struct report *r,
		     const struct edge *from)
{
	if (group_alive(g))
		begin_collecting(e, g);
	else if (g->state != TALLY_GROUP_COLLECT || !blame_better(r, &g->report))
		return;
	g->report = *r;
	flood(e, g, from);
}

void kill_exceptions(struct engine *e)
{
	struct group *g;

	while ((g = exception_take(e))) {
		const struct report r = blame_cause(e, g);

		begin_collecting(e, g);
		g->report = r;
		flood(e, g, NULL);
	}
}

static struct report peer_gone(const struct group *g)
{
	return (struct report){
		.status = g->gone & g->rank_mask ? TALLY_COLL_RANK_GONE : TALLY_COLL_PEER_GONE,
		.detector = g->node,
		.level = g->level,
		.ranks = g->gone & g->rank_mask,
		.mid = g->mid_done,
	};
}

void kill_peer_gone(struct group *g)
{
	g->report = peer_gone(g);
}

void kill_undrained(struct engine *e, struct group *g)
{
	const struct report r = peer_gone(g);

	consider(e, g, &r, NULL);
}

/* Add what this NIC knows better about a message on which another NIC has timed out. */
static void add_own_view(struct engine *e, struct group *g, const struct report *told)
{
	struct report mine;

	if (!blame_view(e, g, told, &mine))
		return;
	mine.detector = g->node;
	mine.level = g->level;
	consider(e, g, &mine, NULL);
}

/*
 * Acknowledge a KILL. The acknowledgement names the report, because a later report of the same
 * detector may be better than its first.
 */
static void acknowledge(struct engine *e, struct group *g, struct edge *ed, const struct report *r)
{
	struct tch ack;

	packet_fill(g, ed, &ack, TALLY_KIND_ACK);
	ack.flags = TALLY_TCH_F_KILL_ACK;
	ack.mid = r->detector;
	ack.sid = blame_weight(r);
	packet_send(e, g, ed, &ack, NULL, 0);
}

static struct report report_of(const struct tally_tch_kill *k)
{
	return (struct report){
		.status = be16toh(k->status),
		.detector = be16toh(k->detector),
		.level = k->level,
		.contributors = be64toh(k->contributors),
		.ranks = be64toh(k->ranks),
		.mid = be32toh(k->mid),
		.sid = be32toh(k->sid),
	};
}

void kill_packet(struct engine *e, struct group *g, unsigned int idx, const struct tch *t,
		 const void *payload)
{
	struct edge *ed = &g->edges[idx];
	struct tally_tch_kill k;
	struct report r;

	if (t->kind != TALLY_KIND_KILL) { /* acknowledgement of this node's KILL */
		if (t->mid == g->report.detector && t->sid == blame_weight(&g->report) &&
		    ed->kill == KILL_SENDING)
			ed->kill = KILL_ACKED;
		return;
	}
	memcpy(&k, payload, sizeof(k));
	r = report_of(&k);
	if (!kill_report_valid(g, &r)) {
		count(e, TALLY_CTR_drop_kill, 1);
		return;
	}
	count(e, TALLY_CTR_kills_received, 1);
	acknowledge(e, g, ed, &r);
	if (g->state == TALLY_GROUP_DEAD)
		return;
	if (r.detector == g->node) /* a report of this node itself */
		return;
	consider(e, g, &r, ed);
	if (r.status == TALLY_COLL_TIMEOUT)
		add_own_view(e, g, &r);
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

		if (s->state == TALLY_SEG_BUSY && local_writing(e, s))
			return false;
	}
	return true;
}

void kill_finish(struct engine *e, struct group *g)
{
	uint32_t qp, next;

	if (!is_fenced(e, g)) {
		g->state_until = e->now + FENCE_POLL;
		timer_touch(e, &g->timer);
		return;
	}
	g->state = TALLY_GROUP_DEAD;
	if (g->destroyed) /* it is buried next */
		return;
	slots_clear(e, g);
	for (qp = g->qps; qp != NONE; qp = next) {
		next = e->qps[qp].next_in_group;
		sender_group_dead(e, &e->qps[qp]);
	}
	e->host->event(e->ctx, TALLY_EQE_GROUP_DEAD, g - e->groups, g->report.status);
}

void kill_edge_timer(struct engine *e, struct group *g, struct edge *ed)
{
	if (ed->kill != KILL_SENDING || ed->kill_at > e->now)
		return;
	if (ed->kill_tries > g->retry_limit) {
		ed->kill = KILL_ACKED; /* the neighbour is dead, or will notice by itself */
		return;
	}
	plan_kill(e, g, ed);
	packet_send_kill(e, g, ed);
}

uint64_t kill_edge_next(const struct edge *ed)
{
	return ed->kill == KILL_SENDING ? ed->kill_at : NEVER;
}
