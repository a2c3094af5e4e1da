// SPDX-License-Identifier: BSD-2-Clause
/* Includes the engine's request processor, whose packets are to be seen. */
#include "engine/trigger.c"

#include "head_model.h"

#include <stdlib.h>

#include "engine/test/units.h"
#include "nic/tx_header.h"

static struct engine *engine;
static uint8_t own_mac[6], own_gid[16];
static struct head_model_packet last;

static void host_send(void *ctx, const struct engine_addr *to, const struct tally_tch *tch,
		      const void *payload, size_t len, uint64_t delay)
{
	(void)ctx;
	(void)payload;
	(void)delay;
	last.hdr = tx_header(own_mac, own_gid, to, tch);
	last.tch = *tch;
	last.len = len;
}

static void host_count(void *ctx, enum tally_counter counter, uint64_t n)
{
	(void)ctx;
	(void)counter;
	(void)n;
}

static const struct engine_host host = { .send = host_send, .count = host_count };

static struct group *the_group(void)
{
	return &engine->groups[0];
}

void head_model_init(const uint8_t mac[6], const uint8_t gid[16])
{
	struct group *g;

	engine = engine_new(&host, NULL, 1);
	if (!engine)
		abort();
	memcpy(own_mac, mac, sizeof(own_mac));
	memcpy(own_gid, gid, sizeof(own_gid));
	g = the_group();
	g->state = TALLY_GROUP_OPEN;
	g->modes = TALLY_MODES_TREE | TALLY_MODES_EXCHANGE | TALLY_MODES_RING;
	g->mode = TALLY_MODE_TREE;
	g->parent = NO_EDGE;
	g->num_contributors = 1;
	g->chunk = 1; /* no packet is answered BUSY */
	g->qps = NONE;
	edge_release_all(g);
}

void head_model_edge(unsigned int edge, const struct head_model_edge *what)
{
	struct edge *ed = &the_group()->edges[edge];

	ed->state = TALLY_EDGE_OPEN;
	ed->addr = what->addr;
	ed->peer_key = what->peer_key;
	ed->remote_index = what->remote_index;
	ed->round = what->round;
}

void head_model_group(const struct head_model_group *what)
{
	struct group *g = the_group();

	g->jid = what->jid;
	g->epoch = what->epoch;
	g->done = what->done;
	g->limit = what->limit;
	g->flags = what->ordered ? TALLY_GROUP_F_ORDERED : 0;
}

static void fill(struct slot *s, const struct head_model_chunk *c)
{
	s->state = TALLY_SEG_BUSY;
	s->mode = c->mode;
	s->opcode = c->opcode;
	s->op = c->op;
	s->dtype = c->dtype;
	s->root_rank = c->root_rank;
	s->root_node = c->root_node;
	s->err_vector = c->err_vector;
	s->num = c->num;
	s->mid = c->mid;
	s->sid = c->sid;
	s->total = c->total;
	s->first = c->first;
	s->count = c->count;
	s->elem = alu_elem_size(c->op, c->dtype);
}

bool head_model_send(unsigned int edge, uint8_t kind, const struct head_model_chunk *c, uint32_t seq,
		     bool open, struct head_model_packet *p)
{
	struct group *g = the_group();
	struct edge *ed = &g->edges[edge];
	struct slot *s = &engine->slots[0];
	const struct span all = { c->first, c->first + c->count, 0 };
	bool sent;

	fill(s, c);
	ed->tx_una = ed->tx_next = seq;
	ed->peer_limit = c->num + open;
	sent = slot_send(engine, g, s, edge, kind, all, s->data);
	edge_flush(g, ed);
	*p = last;
	return sent;
}

/* What a descriptor sends, as send_to() does: first @before, if that is another number. */
bool head_model_message(unsigned int edge, const struct head_model_message *m, uint32_t seq,
			uint32_t before, bool open, struct head_model_packet *p)
{
	struct edge *ed = &the_group()->edges[edge];
	struct qp *qp = &engine->qps[0];
	struct wr *wr = &qp->wrs[0];
	bool sent = true;

	*wr = (struct wr){ .buf = 1, .err_vector = m->err_vector };
	wr->w.opcode = m->opcode;
	wr->w.op = m->op;
	wr->w.dtype = m->dtype;
	wr->w.elem = alu_elem_size(m->op, m->dtype);
	wr->w.branch = m->branch;
	wr->w.dest_counter = m->counter;
	wr->w.dest_port = m->port;
	wr->w.mid = m->mid;
	wr->w.count = m->count;
	wr->w.flags = (m->cp ? TALLY_WQE_F_CP : 0) | (m->swp_mp ? TALLY_WQE_F_SWP_MP : 0);
	ed->tx_una = ed->tx_next = before;
	if (before != seq)
		sent = send_to(engine, qp, wr, edge);
	ed->tx_next = seq;
	ed->unconfirmed = !open;
	sent = send_to(engine, qp, wr, edge) && sent;
	ed->unconfirmed = 0;
	edge_flush(the_group(), ed);
	*p = last;
	return sent;
}

void head_model_query(unsigned int edge, const struct head_model_chunk *c,
		      struct head_model_packet *p)
{
	struct group *g = the_group();
	struct edge *ed = &g->edges[edge];
	struct tch t;

	fill(&engine->slots[0], c);
	slot_fill_tch(g, ed, &engine->slots[0], &t, TALLY_KIND_QUERY);
	packet_send(engine, g, ed, &t, NULL, 0);
	*p = last;
}

void head_model_plain(unsigned int edge, uint8_t kind, uint32_t num, uint32_t mid, uint32_t seq,
		      struct head_model_packet *p)
{
	struct group *g = the_group();
	struct edge *ed = &g->edges[edge];
	struct tch t;

	if (kind == TALLY_KIND_ACK) {
		edge_send_given_ack(engine, g, edge, seq, 1);
	} else if (kind == TALLY_KIND_NOTIFY) {
		edge_notify(engine, g, edge);
	} else if (kind == TALLY_KIND_BUSY) {
		const struct tch refused = { .edge_seq = seq };

		edge_verdict(engine, g, edge, &refused, RX_BUSY);
	} else {
		packet_fill(g, ed, &t, kind);
		t.num = num;
		t.mid = mid;
		packet_send(engine, g, ed, &t, NULL, 0);
	}
	*p = last;
}
