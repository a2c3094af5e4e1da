// SPDX-License-Identifier: BSD-2-Clause
#include "edge_model.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "engine/test/units.h"

static struct engine *engine;
static struct tally_tch last;	   /* header of the last packet */
static struct tally_tch_ack contents; /* its payload, if it is an ACK */
static uint64_t sent;		   /* numbers of packets sent, as bits modulo the window */

static void host_send(void *ctx, const struct engine_addr *to, const struct tally_tch *tch,
		      const void *payload, size_t len, uint64_t delay)
{
	(void)ctx;
	(void)to;
	(void)delay;
	last = *tch;
	if (tch->kind == TALLY_KIND_ACK)
		memcpy(&contents, payload, len);
	else
		sent |= 1ULL << be32toh(tch->edge_seq) % TALLY_EDGE_WINDOW;
}

static void host_event(void *ctx, enum tally_eqe_type type, uint32_t id, uint64_t data)
{
	(void)ctx;
	(void)type;
	(void)id;
	(void)data;
}

static void host_count(void *ctx, enum tally_counter counter, uint64_t n)
{
	(void)ctx;
	(void)counter;
	(void)n;
}

static const struct engine_host host = {
	.send = host_send,
	.event = host_event,
	.count = host_count,
};

static struct group *group_of(unsigned int edge)
{
	return &engine->groups[edge];
}

static struct edge *edge_of(unsigned int edge)
{
	return &group_of(edge)->edges[0];
}

void edge_model_init(void)
{
	unsigned int i;

	engine = engine_new(&host, NULL, 1);
	if (!engine)
		abort();
	for (i = 0; i < EDGE_MODEL_MAX; i++) {
		struct group *g = group_of(i);

		g->state = TALLY_GROUP_OPEN;
		g->mode = TALLY_MODE_TREE;
		g->modes = TALLY_MODES_TREE;
		g->parent = NO_EDGE;
		g->flags = TALLY_GROUP_F_ROOT;
		g->num_contributors = 1;
		g->contributors = g->children = 1;
		g->num_segs = 1;
		g->qps = NONE;
		edge_release_all(g);
		edge_of(i)->ack_at = NEVER;
		edge_of(i)->rto_at = NEVER;
		edge_of(i)->announce_at = NEVER;
		edge_of(i)->probe_at = NEVER;
	}
}

void edge_model_open(unsigned int edge, uint32_t first)
{
	struct edge *ed = edge_of(edge);

	edge_flush(group_of(edge), ed);
	ed->state = TALLY_EDGE_OPEN;
	ed->tx_una = ed->tx_next = first;
	ed->rx_top = first - 1;
	ed->rx_seen = ~0ULL;
}

/* ---- Receive ---- */

enum edge_model_answer edge_model_query(unsigned int edge, uint32_t seq, uint32_t before)
{
	struct edge *ed = edge_of(edge);
	struct tch t = { .edge_seq = seq, .num = before };
	uint64_t duplicates = ed->duplicates;

	if (edge_accept(engine, group_of(edge), 0, &t))
		return edge_in_turn(ed, &t) ? EDGE_ACCEPT : EDGE_NOT_IN_TURN;
	return ed->duplicates != duplicates ? EDGE_DUPLICATE : EDGE_OUTSIDE;
}

bool edge_model_mark(unsigned int edge, uint32_t seq)
{
	struct tch t = { .edge_seq = seq };

	if (!edge_accept(engine, group_of(edge), 0, &t))
		return false;
	edge_verdict(engine, group_of(edge), 0, &t, RX_STORED);
	return true;
}

void edge_model_ack_contents(unsigned int edge, uint32_t *top, uint64_t *seen)
{
	edge_send_ack(engine, group_of(edge), 0);
	*top = be32toh(last.edge_seq);
	*seen = be64toh(contents.seen);
}

/* ---- Transmit ---- */

struct edge_model_tx edge_model_look(unsigned int edge)
{
	const struct edge *ed = edge_of(edge);

	return (struct edge_model_tx){ ed->tx_una, ed->tx_next, ed->tx_held };
}

void edge_model_close(unsigned int edge)
{
	edge_flush(group_of(edge), edge_of(edge));
	edge_of(edge)->state = TALLY_EDGE_NONE;
}

bool edge_model_send(unsigned int edge, uint32_t *seq)
{
	struct tch t = { .kind = TALLY_KIND_REDUCE };

	if (!edge_can_send(edge_of(edge)))
		return false;
	*seq = edge_send(engine, group_of(edge), 0, &t, NULL, 0)->tch.edge_seq;
	return true;
}

bool edge_model_trigger(unsigned int edge, uint16_t port, uint8_t counter, uint32_t *seq,
			uint32_t *before)
{
	struct tch t = { .kind = TALLY_KIND_TRIGGER, .port = port, .counter = counter };

	if (!edge_can_send(edge_of(edge)))
		return false;
	t = edge_send(engine, group_of(edge), 0, &t, NULL, 0)->tch;
	*seq = t.edge_seq;
	*before = t.num;
	return true;
}

void edge_model_ack(unsigned int edge, uint32_t top, uint64_t seen, uint64_t *acked,
		    uint64_t *hurried)
{
	struct tch t = { .edge_seq = top };
	uint64_t before = edge_of(edge)->tx_held;
	struct acked news[TALLY_EDGE_WINDOW];

	sent = 0;
	edge_ack(engine, group_of(edge), 0, &t, seen, news);
	*acked = before & ~edge_of(edge)->tx_held;
	*hurried = sent;
}

bool edge_model_busy(unsigned int edge, uint32_t seq)
{
	struct tch t = { .edge_seq = seq };
	struct edge *ed = edge_of(edge);
	uint64_t busy_at = ed->rto_at;
	bool matters;

	ed->rto_at = 0;
	group_of(edge)->rto = 1;
	edge_busy(engine, group_of(edge), 0, &t);
	matters = ed->rto_at != 0;
	ed->rto_at = busy_at;
	return matters;
}

/* ---- Retransmission ---- */

void edge_model_config(unsigned int edge, uint64_t rto, uint64_t cap, unsigned int limit)
{
	group_of(edge)->rto = rto;
	group_of(edge)->max_backoff = cap;
	group_of(edge)->retry_limit = limit;
}

void edge_model_start(unsigned int edge, uint64_t now)
{
	struct edge *ed = edge_of(edge);
	struct tch t = { .edge_seq = ed->tx_una };
	uint32_t seq;

	if (ed->tx_una == ed->tx_next && !edge_model_send(edge, &seq))
		abort();
	engine->now = now;
	edge_busy(engine, group_of(edge), 0, &t);
}

void edge_model_stop(unsigned int edge)
{
	edge_flush(group_of(edge), edge_of(edge));
}

uint64_t edge_model_due(unsigned int edge)
{
	return edge_of(edge)->rto_at;
}

bool edge_model_expire(unsigned int edge, uint64_t now, unsigned int *retries)
{
	struct group *g = group_of(edge);

	engine->now = now;
	edge_timers(engine, g, 0);
	*retries = edge_of(edge)->retries;
	if (g->state == TALLY_GROUP_OPEN)
		return true;
	events_drop(engine, g); /* the exception that the neighbour is silent */
	g->state = TALLY_GROUP_OPEN;
	edge_model_stop(edge);
	return false;
}
