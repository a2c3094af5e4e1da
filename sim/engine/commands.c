// SPDX-License-Identifier: BSD-2-Clause
/* What the firmware has the hardware do (docs/registers.md, enum command_code). */
#include "engine/commands.h"
#include "engine/common.h"
#include "engine/descriptor.h"
#include "engine/edge.h"
#include "engine/encap.h"
#include "engine/events.h"
#include "engine/exception.h"
#include "engine/group.h"
#include "engine/jid.h"
#include "engine/mirror.h"
#include "engine/multicast.h"
#include "engine/pool.h"
#include "engine/open.h"
#include "engine/qp.h"
#include "engine/random.h"
#include "engine/segment.h"
#include "engine/sender.h"
#include "engine/status.h"
#include "engine/store.h"
#include "engine/timer.h"
#include "engine/tombstone.h"

#include <endian.h>

#include <string.h>

static void send(struct engine *e, struct group *g, struct edge *ed)
{
	const struct fw_command *c = &e->command;
	struct tch t;

	packet_fill(g, ed, &t, c->kind);
	t.flags = c->flags;
	t.epoch = c->epoch;
	t.key = c->key;
	t.mid = c->mid;
	t.sid = c->sid;
	packet_send(e, g, ed, &t, c->data, c->length);
}

/* Return a random number for RENEW_EDGE. The host takes the same. */
static uint64_t draw(struct engine *e)
{
	uint64_t number = engine_random(e);

	if (host_renews(e))
		e->host->random(e->ctx, number);
	return number;
}

/* The nonce and the key are never 0, which would mean that there is none. */
static void draw_numbers(struct engine *e, struct edge *ed)
{
	do
		ed->nonce = draw(e);
	while (!ed->nonce);
	do
		ed->key = draw(e) >> 32;
	while (!ed->key);
	ed->own_first_seq = draw(e);
}

static void renew_edge(struct engine *e, const struct group *g, struct edge *ed)
{
	ed->state = TALLY_EDGE_OPENING;
	draw_numbers(e, ed);
	ed->peer_nonce = ed->peer_key = 0;
	ed->unconfirmed = false;
	ed->kill = ed->awaits_epoch = 0;
	ed->tx_una = ed->tx_next = ed->own_first_seq;
	ed->tx_held = 0;
	ed->away = 0;
	ed->chunk_top = ed->chunk_sent = 0;
	ed->peer_done = ed->told_done = 0;
	ed->first_limit = ed->peer_limit = g->num_segs;
	ed->told_limit = g->limit;
	ed->retries = ed->probes = 0;
	ed->fw_at = ed->rto_at = ed->ack_at = ed->announce_at = ed->probe_at = NEVER;
	timer_touch(e, &ed->timer);
	if (host_renews(e)) {
		mirror_renew(e, g, ed);
		return;
	}
	mirror_renewed(e, g, ed);
	mirror_edge(e, g, ed);
	mirror_compared(e, g, ed);
}

static void learn_peer(struct engine *e, const struct group *g, struct edge *ed)
{
	const struct tally_tch_open o = open_of(&e->event);

	ed->peer_nonce = be64toh(o.nonce);
	ed->peer_key = be32toh(o.key);
	mirror_edge(e, g, ed);
	mirror_compared(e, g, ed);
}

static void open_edge(struct engine *e, const struct group *g, struct edge *ed)
{
	const struct tally_tch_open o = open_of(&e->event);

	ed->state = TALLY_EDGE_OPEN;
	ed->unconfirmed = true;
	ed->awaits_epoch = 0;
	/* a group that has ended tells no limit; it answers whatever comes with KILL */
	ed->first_limit = e->event.sid ? e->event.sid : be16toh(o.num_segs);
	ed->peer_limit = ed->first_limit;
	ed->first_seq = be32toh(o.first_seq);
	ed->rx_top = ed->first_seq - 1;
	ed->rx_seen = ~0ULL; /* numbers before the first must not come */
	mirror_first(e, g, ed);
	mirror_compared(e, g, ed);
	mirror_open(e, g, ed);
	mirror_edge(e, g, ed);
}

/* The group is open once data may flow on all its edges, unless it was frozen or drains. */
static void settle_edge(struct engine *e, struct group *g, struct edge *ed)
{
	ed->unconfirmed = false;
	ed->fw_at = NEVER;
	e->proceeding = g;
	if (!--g->to_open && g->state == TALLY_GROUP_OPENING)
		g->state = TALLY_GROUP_OPEN;
	mirror_settled(e, g, ed);
	mirror_state(e, g);
}

static void freeze(struct engine *e, struct group *g)
{
	unsigned int i;

	g->state = TALLY_GROUP_COLLECT;
	mirror_state(e, g);
	mirror_freeze(e, g);
	mirror_sender_freeze(e, g);
	for_each_edge(g, i) {
		edge_flush(g, &g->edges[i]);
		g->edges[i].fw_at = NEVER;
	}
	timer_touch(e, &g->timer);
}

static void fail(struct engine *e, struct group *g)
{
	uint32_t qp, next;

	slots_clear(e, g);
	for_each_qp(e, g, qp, next) sender_group_dead(e, &e->qps[qp]);
	e->host->event(e->ctx, TALLY_EQE_GROUP_DEAD, g - e->groups, g->report.status);
}

/* ---- Configuration ---- */

/* The host's tables have the group when its epoch begins. */
static void begin(struct engine *e, struct group *g)
{
	pool_begin(e, g);
	edge_release_all(g);
	events_drop_epoch(e, g);
	events_of_group(e, g, TALLY_FW_EV_BEGIN);
}

static void create(struct engine *e, struct group *g)
{
	g->qps = NONE;
	g->slots_next = g->fw_at = g->fence_at = NEVER;
	e->cells_reserved += g->msg_cells;
	e->edges_used += g->num_edges;
	g->stored = store_does_group(e, g);
	pool_join(e, g);
	jid_add(e, g);
	multicast_begin(e, g);
	mirror_group(e, g);
	mirror_store(e, g);
	mirror_requests(e, g);
	mirror_packets(e, g);
	descriptor_group(e, g);
	mirror_add(e, g);
	mirror_headers(e, g);
	begin(e, g);
}

static void begin_again(struct engine *e, struct group *g)
{
	unsigned int i;

	for_each_edge(g, i) { /* nothing flows on it until the firmware opens it */
		g->edges[i].state = TALLY_EDGE_OPENING;
		mirror_edge(e, g, &g->edges[i]);
	}
	g->mid_done = 0;
	memset(g->ranks, 0, sizeof(g->ranks));
	memset(g->arrivals, 0, sizeof(g->arrivals));
	multicast_begin(e, g);
	mirror_group(e, g);
	mirror_begin(e, g);
	begin(e, g);
	timer_touch(e, &g->timer);
}

static void ranks_left(struct engine *e, struct group *g)
{
	uint32_t num;

	for (num = g->done; num != g->limit && group_alive(g); num++) {
		struct slot *s = slot_of(e, g, num);

		if (s->state == TALLY_SEG_BUSY)
			exception_if_gone(e, g, s->num, s->mid);
	}
}

/* Complete the QUERY of a queue pair, and let it take further requests. */
static void answer(struct engine *e, struct qp *qp)
{
	const struct fw_command *c = &e->command;
	struct group *g = &e->groups[qp->cfg.group];
	const struct report r = { .detector = g->node,
				  .contributors = c->contributors,
				  .ranks = c->ranks,
				  .sid = c->sid };

	qp->asked = false;
	if (host_completes(e)) {
		mirror_answer(e, qp, &r, c->flags);
	} else {
		if (host_fetches(e))
			e->host->notice(e->ctx, qp - e->qps, false);
		status_out_of_turn(e, qp, &qp->question, TALLY_COLL_OK, c->flags,
				   g->report.status ? &g->report : &r);
	}
	e->proceeding = g;
}

static void release(struct engine *e, struct group *g)
{
	if (is_tombstone(e, g))
		tombstone_forget(e, g);
	else
		group_bury(e, g);
}

static bool sends_packet(enum tally_fw_command_code code)
{
	return code == TALLY_FW_CMD_SEND || code == TALLY_FW_CMD_SEND_OPEN ||
	       code == TALLY_FW_CMD_CONFIRM || code == TALLY_FW_CMD_CHALLENGE;
}

void commands_go(struct engine *e, uint32_t go)
{
	enum tally_fw_command_code code = go & 0xff;
	uint32_t edge = go >> 8 & 0xff;
	struct group *g = events_group(e, go >> 16);
	struct edge *ed = &g->edges[edge < MAX_EDGES ? edge : 0];
	const struct tally_tch_open o = open_of(&e->event);

	if (sends_packet(code) && host_sends(e, g)) {
		mirror_send(e, go);
		return;
	}
	switch (code) {
	case TALLY_FW_CMD_SEND_OPEN:
	case TALLY_FW_CMD_CONFIRM:
	case TALLY_FW_CMD_CHALLENGE:
		open_send(e, g, ed, code, &o);
		break;
	case TALLY_FW_CMD_LEARN_PEER:
		learn_peer(e, g, ed);
		break;
	case TALLY_FW_CMD_SEND:
		send(e, g, ed);
		break;
	case TALLY_FW_CMD_RENEW_EDGE:
		renew_edge(e, g, ed);
		break;
	case TALLY_FW_CMD_OPEN_EDGE:
		open_edge(e, g, ed);
		break;
	case TALLY_FW_CMD_SETTLE_EDGE:
		settle_edge(e, g, ed);
		break;
	case TALLY_FW_CMD_FREEZE:
		freeze(e, g);
		break;
	case TALLY_FW_CMD_FENCE:
		group_fence(e, g);
		break;
	case TALLY_FW_CMD_FAIL:
		fail(e, g);
		break;
	case TALLY_FW_CMD_CREATE:
		create(e, g);
		break;
	case TALLY_FW_CMD_BEGIN:
		begin_again(e, g);
		break;
	case TALLY_FW_CMD_RANKS:
		ranks_left(e, g);
		break;
	case TALLY_FW_CMD_CREATE_QP:
		qp_create(e, e->command.qp);
		break;
	case TALLY_FW_CMD_ABANDON_QP:
		qp_abandon(e, e->command.qp);
		break;
	case TALLY_FW_CMD_DISCARD_QP:
		qp_discard(e, e->command.qp);
		break;
	case TALLY_FW_CMD_RETIRE_QP:
		status_retire(e, &e->qps[e->command.qp]);
		break;
	case TALLY_FW_CMD_FORGET_QP:
		qp_forget(e, e->command.qp);
		break;
	case TALLY_FW_CMD_ANSWER:
		answer(e, &e->qps[e->command.qp]);
		break;
	case TALLY_FW_CMD_RELEASE:
		release(e, g);
		break;
	}
}
