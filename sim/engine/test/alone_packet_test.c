// SPDX-License-Identifier: BSD-2-Clause
/*
 * The parser of packets and the encapsulator alone: every field of the header on both ways, each
 * check with values that it just permits and just refuses, and the unit that an admitted packet
 * goes to.
 */
#include "engine/chunk_send.h"
#include "engine/common.h"
#include "engine/edge.h"
#include "engine/encap.h"
#include "engine/events.h"
#include "engine/jid.h"
#include "engine/mode.h"
#include "engine/open.h"
#include "engine/test/alone.h"

#include <endian.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define KEY 0x80000001u
#define PORT 3

/* Edges 0 and 1 are children, and there is a parent. The firmware is busy with something else. */
static struct alone a;

static void name_edge(unsigned int idx)
{
	struct edge *ed = &a.g->edges[idx];

	memset(&ed->addr, idx + 1, sizeof(ed->addr));
	ed->key = KEY + idx;
	ed->peer_key = 100 + idx;
	ed->rx_top = 499;
}

static int setup(void **state)
{
	(void)state;
	alone_setup(&a);
	alone_children(&a, 2);
	alone_parent(&a, EDGE_PARENT);
	name_edge(0);
	name_edge(1);
	name_edge(EDGE_PARENT);
	memset(a.g->source_gid, 77, sizeof(a.g->source_gid));
	a.g->mcast_key = 7777;
	jid_add(a.e, a.g);
	a.e->firmware = (struct fiber *)&a;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	a.e->firmware = NULL;
	alone_teardown(&a);
	return 0;
}

/* ---- Packets that arrive ---- */

struct packet {
	struct tally_tch w;
	uint8_t payload[128];
	size_t len;
	struct engine_addr from;
};

/* A packet of child 1 that is admitted. */
static struct packet good(uint8_t kind)
{
	struct packet p = { .w = {
				    .tag = htobe32(TALLY_TCH_TAG),
				    .version = TALLY_WIRE_VERSION,
				    .kind = kind,
				    .contributor = 1,
				    .jid = htobe32(ALONE_JID),
				    .epoch = htobe32(ALONE_EPOCH),
				    .key = htobe32(KEY + 1),
			    } };

	p.from = a.g->edges[1].addr;
	return p;
}

static struct packet reduce(void)
{
	struct packet p = good(TALLY_KIND_REDUCE);

	p.w.opcode = TALLY_OPCODE_ALLREDUCE;
	p.w.op = TALLY_OP_SUM;
	p.w.dtype = TALLY_TYPE_INT32;
	p.w.flags = htobe16(TALLY_TCH_F_LAST);
	p.w.count = p.w.total = htobe32(2);
	p.w.edge_seq = htobe32(500);
	p.len = 8;
	return p;
}

static struct packet result(void)
{
	struct packet p = reduce();

	p.w.kind = TALLY_KIND_RESULT;
	p.w.contributor = EDGE_PARENT;
	p.w.key = htobe32(KEY + EDGE_PARENT);
	p.from = a.g->edges[EDGE_PARENT].addr;
	return p;
}

/* The same by multicast, from the root of the tree. */
static struct packet multicast(void)
{
	struct packet p = result();

	a.g->flags |= TALLY_GROUP_F_MULTICAST;
	p.w.flags |= htobe16(TALLY_TCH_F_MULTICAST);
	p.w.key = htobe32(7777);
	memset(p.from.gid, 77, sizeof(p.from.gid));
	return p;
}

static struct packet trigger(void)
{
	struct packet p = reduce();

	p.w.kind = TALLY_KIND_TRIGGER;
	p.w.opcode = TALLY_OPCODE_REDUCE_MP;
	p.w.flags = htobe16(TALLY_TCH_F_CP | TALLY_TCH_F_SWP_MP);
	p.w.branch = 2;
	p.w.port = htobe16(PORT);
	p.w.num = p.w.edge_seq;
	return p;
}

static struct packet ack(void)
{
	struct packet p = good(TALLY_KIND_ACK);

	p.len = sizeof(struct tally_tch_ack);
	return p;
}

static struct packet kill_ack(void)
{
	struct packet p = good(TALLY_KIND_ACK);

	p.w.flags = htobe16(TALLY_TCH_F_KILL_ACK);
	return p;
}

static struct packet kill(void)
{
	struct packet p = good(TALLY_KIND_KILL);

	p.len = sizeof(struct tally_tch_kill);
	return p;
}

static struct packet open(void)
{
	struct packet p = good(TALLY_KIND_OPEN);

	p.w.key = 0;
	p.len = sizeof(struct tally_tch_open);
	return p;
}

static struct packet busy(void)
{
	return good(TALLY_KIND_BUSY);
}

static struct packet query(void)
{
	return good(TALLY_KIND_QUERY);
}

static struct packet notify(void)
{
	return good(TALLY_KIND_NOTIFY);
}

static uint64_t drops(void)
{
	uint64_t sum = a.counters[TALLY_CTR_duplicates] + a.counters[TALLY_CTR_drop_key];
	unsigned int c;

	for (c = TALLY_CTR_drop_tch; c <= TALLY_CTR_drop_slot; c++)
		sum += a.counters[c];
	return sum;
}

static void arrive(const struct packet *p)
{
	uint8_t body[sizeof(p->w) + sizeof(p->payload)];

	memcpy(body, &p->w, sizeof(p->w));
	memcpy(body + sizeof(p->w), p->payload, p->len);
	engine_packet(a.e, &p->from, body, sizeof(p->w) + p->len);
}

/* Let a packet like that of `make`, but changed, arrive. It must be dropped for one reason, or not. */
#define ARRIVE(make, counter, num, ...)                                           \
	do {                                                                      \
		struct packet p = make();                                         \
		struct tally_tch *w = &p.w;                                       \
                                                                                  \
		(void)w;                                                          \
		__VA_ARGS__;                                                      \
		memset(a.counters, 0, sizeof(a.counters));                        \
		arrive(&p);                                                       \
		if (drops() != (num) || a.counters[TALLY_CTR_##counter] != (num)) \
			fail_msg("%s", #make ": " #__VA_ARGS__);                  \
	} while (0)
#define DROPPED(counter, make, ...) ARRIVE(make, counter, 1, __VA_ARGS__)
/* Each test begins anew, so that what was taken before does not matter. */
#define TAKEN(make, ...)                                \
	do {                                            \
		teardown(NULL);                         \
		setup(NULL);                            \
		ARRIVE(make, drop_tch, 0, __VA_ARGS__); \
	} while (0)

/* ---- The header ---- */

static void header_is_whole(void **state)
{
	const struct packet p = notify();
	uint32_t len;

	(void)state;
	for (len = 0; len < sizeof(p.w); len++)
		engine_packet(a.e, &p.from, &p.w, len);
	assert_int_equal(a.counters[TALLY_CTR_drop_tch], sizeof(p.w));
	assert_int_equal(drops(), sizeof(p.w));
	engine_packet(a.e, &p.from, &p.w, len);
	assert_int_equal(drops(), sizeof(p.w));
}

static void fixed_fields(void **state)
{
	(void)state;
	DROPPED(drop_tch, notify, w->tag ^= htobe32(1));
	DROPPED(drop_tch, notify, w->tag ^= htobe32(1u << 31));
	DROPPED(drop_tch, notify, w->version = TALLY_WIRE_VERSION + 1);
	DROPPED(drop_tch, notify, w->version = TALLY_WIRE_VERSION - 1);
	DROPPED(drop_tch, notify, w->contributor = TALLY_CONTRIB_PARENT + 1);
	DROPPED(drop_tch, notify, w->contributor = 255);
	TAKEN(notify, w->contributor = TALLY_CONTRIB_PARENT; w->key = htobe32(KEY + EDGE_PARENT);
	      p.from = a.g->edges[EDGE_PARENT].addr);
}

static void kinds(void **state)
{
	unsigned int kind;

	(void)state;
	for (kind = 0; kind < 256; kind++)
		if (kind < TALLY_KIND_REDUCE || kind == TALLY_KIND_CONFIG ||
		    kind == TALLY_KIND_GRANT || kind > TALLY_KIND_KILL)
			DROPPED(drop_tch, notify, w->kind = kind);
	TAKEN(reduce, );
	TAKEN(result, );
	TAKEN(ack, );
	TAKEN(busy, );
	TAKEN(query, );
	TAKEN(notify, );
	TAKEN(open, );
	TAKEN(kill, );
	TAKEN(kill_ack, );
}

static void lengths_of_payloads(void **state)
{
	(void)state;
	DROPPED(drop_tch, reduce, p.len = 7);
	DROPPED(drop_tch, reduce, p.len = 9);
	DROPPED(drop_tch, reduce, p.len = 0);
	DROPPED(drop_tch, result, p.len = 12);
	DROPPED(drop_tch, trigger, p.len = 4);
	DROPPED(drop_tch, ack, p.len = 7);
	DROPPED(drop_tch, ack, p.len = 9);
	DROPPED(drop_tch, ack, p.len = 0);
	DROPPED(drop_tch, kill_ack, p.len = 8);
	DROPPED(drop_tch, open, p.len--);
	DROPPED(drop_tch, open, p.len++);
	DROPPED(drop_tch, kill, p.len--);
	DROPPED(drop_tch, kill, p.len++);
	DROPPED(drop_tch, busy, p.len = 1);
	DROPPED(drop_tch, query, p.len = 1);
	DROPPED(drop_tch, notify, p.len = 1);
	DROPPED(drop_tch, notify, p.len = 128);
	DROPPED(drop_tch, reduce, w->dtype = 0x77; w->count = w->total = 0; p.len = 0);
	DROPPED(drop_tch, reduce,
		w->count = w->total = htobe32((1u << 30) + 2)); /* 2^32 + 8 bytes */
}

/* A packet of blocks may carry a part of the chunk, of whole elements. */
static void lengths_of_blocks(void **state)
{
	unsigned int len;

	(void)state;
	for (len = 1; len <= 20; len++) {
		bool fits = len <= 16 && !(len % 4);

		teardown(NULL);
		setup(NULL);
		ARRIVE(reduce, drop_tch, !fits, w->opcode = TALLY_OPCODE_GATHER;
		       w->op = TALLY_OP_NONE; w->count = w->total = htobe32(4); p.len = len;
		       a.g->rank_first = 3; a.g->edges[1].rank_first = 0;
		       a.g->edges[1].rank_count = len / 4; a.g->subtree_ranks = 4);
	}
}

/* A chunk has at most the largest MTU, whatever the group's. */
static void length_of_the_largest_mtu(void **state)
{
	static uint8_t body[sizeof(struct tally_tch) + TALLY_MAX_MTU + 4];
	struct packet p = reduce();

	(void)state;
	p.w.count = p.w.total = htobe32(TALLY_MAX_MTU / 4);
	memcpy(body, &p.w, sizeof(p.w));
	engine_packet(a.e, &p.from, body, sizeof(p.w) + TALLY_MAX_MTU);
	assert_int_equal(drops(), 0);
	p.w.edge_seq = htobe32(501);
	p.w.count = p.w.total = htobe32(TALLY_MAX_MTU / 4 + 1);
	a.g->mtu = TALLY_MAX_MTU + 4;
	memcpy(body, &p.w, sizeof(p.w));
	engine_packet(a.e, &p.from, body, sizeof(p.w) + TALLY_MAX_MTU + 4);
	assert_int_equal(a.counters[TALLY_CTR_drop_tch], 1);
}

static void modes_and_rounds(void **state)
{
	const uint16_t both = htobe16(TALLY_TCH_F_EXCHANGE | TALLY_TCH_F_RING);

	(void)state;
	DROPPED(drop_tch, reduce, w->flags |= both);
	DROPPED(drop_tch, result, w->flags |= both);
	DROPPED(drop_tch, query, w->flags |= both);
	DROPPED(drop_tch, notify, w->flags |= htobe16(TALLY_TCH_F_RING));
	DROPPED(drop_tch, notify, w->flags |= htobe16(TALLY_TCH_F_EXCHANGE));
	DROPPED(drop_tch, notify, w->flags |= both);
	DROPPED(drop_tch, ack, w->flags |= htobe16(TALLY_TCH_F_RING));
	DROPPED(drop_tch, trigger, w->flags |= htobe16(TALLY_TCH_F_RING));
	TAKEN(query, w->flags |= htobe16(TALLY_TCH_F_RING));
	DROPPED(drop_slot, reduce, w->round = TALLY_MAX_ROUNDS); /* the slot has no such round */
	DROPPED(drop_tch, reduce, w->round = TALLY_MAX_ROUNDS + 1);
	DROPPED(drop_tch, result, w->round = 1);
	DROPPED(drop_tch, query, w->round = 1);
	DROPPED(drop_tch, notify, w->round = 1);
}

/* Take a place in a ring, in which child 1 is the left neighbour. */
static void join_ring(unsigned int node)
{
	a.g->modes |= TALLY_MODES_RING;
	a.g->by_nodes = divisor_of(4);
	a.g->node = node;
	a.g->left = 1;
	a.g->right = 0;
}

static void data_of_a_ring(void **state)
{
	(void)state;
	TAKEN(reduce, w->flags |= htobe16(TALLY_TCH_F_RING); join_ring(1));
	assert_int_equal(slot_of(a.e, a.g, 0)->up_contributors, 0);
	TAKEN(reduce, w->flags |= htobe16(TALLY_TCH_F_RING); join_ring(0);
	      w->kind = TALLY_KIND_RESULT);
	assert_true(slot_of(a.e, a.g, 0)->down_have);
}

static void types_are_known(void **state)
{
	(void)state;
	alone_qp(&a, PORT, 1);
	DROPPED(drop_tch, trigger, w->op = TALLY_OP_NONE; w->dtype = 0x77; w->count = 0; p.len = 0);
	ARRIVE(trigger, drop_tch, 0, w->op = TALLY_OP_NONE; w->dtype = TALLY_TYPE_NONE;
	       w->count = 0; p.len = 0);
}

/* ---- Admission ---- */

static void jobs(void **state)
{
	(void)state;
	DROPPED(drop_jid, notify, w->jid = htobe32(ALONE_JID + 1));
	DROPPED(drop_jid, open, w->jid = 0);
}

static void sources(void **state)
{
	(void)state;
	DROPPED(drop_source, notify, p.from.gid[0] ^= 1);
	DROPPED(drop_source, notify, p.from.gid[15] ^= 1);
	DROPPED(drop_source, kill, p.from.gid[15] ^= 1);
	DROPPED(drop_source, open, p.from.gid[15] ^= 1);
	DROPPED(drop_source, notify, w->contributor = 0);
	DROPPED(drop_source, notify, w->contributor = 2); /* there is no such edge */
	DROPPED(drop_source, notify, w->contributor = 2; memset(&p.from, 0, sizeof(p.from)));
	TAKEN(notify, p.from.mac[0] ^= 1);
}

static void sources_of_multicasts(void **state)
{
	(void)state;
	TAKEN(multicast, );
	assert_true(slot_of(a.e, a.g, 0)->down_have);
	DROPPED(drop_source, multicast, p.from.gid[15] ^= 1);
	DROPPED(drop_source, multicast, p.from = a.g->edges[EDGE_PARENT].addr);
	DROPPED(drop_source, multicast, w->contributor = 1);
	DROPPED(drop_source, multicast, a.g->flags = 0);
	DROPPED(drop_source, multicast, a.g->parent = NO_EDGE);
	/* only results come by multicast */
	DROPPED(drop_source, multicast, w->kind = TALLY_KIND_REDUCE);
}

/* The parent may be a contributor. Its results by multicast are the parent's all the same. */
static void multicast_of_a_parent_with_an_index(void **state)
{
	(void)state;
	TAKEN(multicast, a.g->parent = 1; a.g->children = a.g->contributors = 1;
	      a.g->edges[EDGE_PARENT].state = TALLY_EDGE_NONE);
	assert_int_equal(a.g->edges[1].received, 0); /* it has no number */
	assert_int_equal(slot_of(a.e, a.g, 0)->down_edge, 1);
	assert_true(slot_of(a.e, a.g, 0)->down_have);
}

static void epochs(void **state)
{
	(void)state;
	DROPPED(drop_epoch, notify, w->epoch = htobe32(ALONE_EPOCH + 1));
	DROPPED(drop_epoch, notify, w->epoch = 0);
	DROPPED(drop_epoch, kill, w->epoch = 0);
	DROPPED(drop_epoch, kill, w->epoch = htobe32(ALONE_EPOCH - 1));
	DROPPED(drop_epoch, kill_ack, w->epoch = 0);
	TAKEN(open, w->epoch = htobe32(ALONE_EPOCH + 1));
	/* until both ends know the epoch, the end of one is accepted */
	TAKEN(kill, w->epoch = 0; a.g->edges[1].state = TALLY_EDGE_OPENING);
	TAKEN(kill, a.g->epoch = 0; a.g->edges[1].state = TALLY_EDGE_OPENING);
	DROPPED(drop_epoch, kill, w->epoch = htobe32(9); a.g->epoch = ALONE_EPOCH);
	DROPPED(drop_epoch, notify, w->epoch = 0);
	DROPPED(drop_epoch, ack, w->epoch = 0);
	TAKEN(kill_ack, w->epoch = 0; a.g->edges[1].state = TALLY_EDGE_OPENING;
	      a.g->state = TALLY_GROUP_COLLECT);
}

static void keys(void **state)
{
	(void)state;
	DROPPED(drop_key, notify, w->key = htobe32(KEY));
	DROPPED(drop_key, notify, w->key = htobe32(1));
	DROPPED(drop_key, notify, w->key = htobe32(101)); /* the neighbour's */
	DROPPED(drop_key, notify, w->key = 0; a.g->edges[1].key = 0);
	a.g->edges[1].key = KEY + 1;
	DROPPED(drop_key, kill, w->key = htobe32(KEY + 2));
	DROPPED(drop_key, kill_ack, w->key = 0);
	DROPPED(drop_key, multicast, w->key = htobe32(KEY + EDGE_PARENT));
	DROPPED(drop_key, multicast, w->key = 0; a.g->mcast_key = 0);
	TAKEN(open, w->key = htobe32(5)); /* its nonce counts */
}

static void states_of_edges(void **state)
{
	(void)state;
	DROPPED(drop_state, notify, a.g->edges[1].state = TALLY_EDGE_OPENING);
	DROPPED(drop_state, kill_ack, );
	DROPPED(drop_state, reduce, );
	TAKEN(kill, a.g->edges[1].state = TALLY_EDGE_OPENING);
	TAKEN(open, a.g->edges[1].state = TALLY_EDGE_OPENING);
	TAKEN(kill_ack, a.g->edges[1].state = TALLY_EDGE_OPENING; a.g->state = TALLY_GROUP_DEAD);
	TAKEN(notify, a.g->edges[1].unconfirmed = true);
}

/* The first check that fails gives the reason. */
static void order_of_reasons(void **state)
{
	(void)state;
	DROPPED(drop_tch, notify, w->tag = 0; w->jid = 0);
	DROPPED(drop_jid, notify, w->jid = 0; p.from.gid[0] = 99);
	DROPPED(drop_source, notify, p.from.gid[0] = 99; w->epoch = 0);
	DROPPED(drop_epoch, notify, w->epoch = 0; w->key = 0);
	DROPPED(drop_key, notify, w->key = 0; a.g->edges[1].state = TALLY_EDGE_OPENING);
}

/* ---- The unit that a packet goes to ---- */

static void contribution_enters_its_slot(void **state)
{
	const struct slot *s;

	(void)state;
	TAKEN(reduce, w->mid = htobe32(9); w->num = htobe32(2); p.payload[0] = 42;
	      w->err_vector = htobe16(TALLY_ERR_FP_INEXACT); w->done = htobe32(1);
	      w->limit = htobe16(11));
	s = slot_of(a.e, a.g, 2);
	assert_int_equal(s->state, TALLY_SEG_BUSY);
	assert_int_equal(s->num, 2);
	assert_int_equal(s->mid, 9);
	assert_int_equal(s->sid, 0);
	assert_int_equal(s->opcode, TALLY_OPCODE_ALLREDUCE);
	assert_int_equal(s->op, TALLY_OP_SUM);
	assert_int_equal(s->dtype, TALLY_TYPE_INT32);
	assert_int_equal(s->total, 2);
	assert_int_equal(s->count, 2);
	assert_int_equal(s->mode, TALLY_MODE_TREE);
	assert_int_equal(s->err_vector, TALLY_ERR_FP_INEXACT);
	assert_int_equal(s->up_contributors, 1);
	assert_int_equal(s->data[0], 42);
	assert_int_equal(a.g->edges[1].rx_top, 500);
	assert_int_equal(a.g->edges[1].received, 1);
	assert_int_equal(a.g->edges[1].peer_done, 1);
	assert_int_equal(a.g->edges[1].peer_limit, 12);
	assert_int_equal(a.g->edges[1].ack_at, a.e->now + ACK_DELAY);
	DROPPED(duplicates, reduce, );
	DROPPED(drop_window, reduce, w->edge_seq = htobe32(500 + TALLY_EDGE_WINDOW + 1));
	DROPPED(drop_window, reduce, w->edge_seq = htobe32(500 - TALLY_EDGE_WINDOW));
}

static void root_is_passed_on(void **state)
{
	(void)state;
	TAKEN(reduce, w->opcode = TALLY_OPCODE_REDUCE; w->root_node = htobe16(3);
	      w->root_rank = 33);
	assert_int_equal(slot_of(a.e, a.g, 0)->root_node, 3);
	assert_int_equal(slot_of(a.e, a.g, 0)->root_rank, 33);
}

static void chunk_is_passed_on(void **state)
{
	const struct slot *s;

	(void)state;
	TAKEN(reduce, w->sid = htobe32(3); w->total = htobe32(9); w->flags = 0);
	s = slot_of(a.e, a.g, 0);
	assert_int_equal(s->sid, 3);
	assert_int_equal(s->first, 6);
	assert_int_equal(s->total, 9);
}

static void result_is_passed_on(void **state)
{
	(void)state;
	TAKEN(result, p.payload[4] = 5);
	assert_true(slot_of(a.e, a.g, 0)->down_have);
	assert_int_equal(slot_down(slot_of(a.e, a.g, 0))[4], 5);
	assert_int_equal(a.g->edges[EDGE_PARENT].received, 1);
}

/* Messages to one counter keep their order; the one in num must be stored before. */
static void message_goes_to_its_port(void **state)
{
	const struct counter *c;
	struct qp *qp;

	(void)state;
	TAKEN(trigger, qp = alone_qp(&a, PORT, 1); w->counter = 2; p.payload[0] = 7;
	      w->err_vector = htobe16(TALLY_ERR_FP_INVALID));
	c = &qp->counters[2];
	assert_int_equal(c->counted[0], 2);
	assert_int_equal(a.e->cells[c->head].data[0], 7);
	assert_int_equal(a.e->cells[c->head].sum.branch, 2);
	assert_int_equal(a.e->cells[c->head].sum.op, TALLY_OP_SUM);
	assert_int_equal(a.e->cells[c->head].sum.dtype, TALLY_TYPE_INT32);
	assert_int_equal(a.e->cells[c->head].sum.count, 2);
	assert_int_equal(a.e->cells[c->head].sum.err_vector, TALLY_ERR_FP_INVALID);
	assert_int_equal(a.g->edges[1].rx_top, 500);
	DROPPED(drop_window, trigger, w->edge_seq = htobe32(502); w->num = htobe32(501));
	ARRIVE(trigger, drop_window, 0, w->edge_seq = w->num = htobe32(501); w->counter = 1);
	ARRIVE(trigger, drop_window, 0, w->edge_seq = htobe32(502); w->num = htobe32(501));
	assert_int_equal(a.counters[TALLY_CTR_busy_sent], 0);
	ARRIVE(trigger, drop_window, 0, w->edge_seq = w->num = htobe32(503); w->port = 0);
	assert_int_equal(a.counters[TALLY_CTR_busy_sent], 1);
	assert_int_equal(a.last.kind, TALLY_KIND_BUSY);
	assert_int_equal(be32toh(a.last.edge_seq), 503);
}

static void send_three(void)
{
	unsigned int i;

	for (i = 0; i < 3; i++) {
		struct tch t = alone_chunk(TALLY_KIND_REDUCE, 1);

		edge_send(a.e, a.g, 1, &t, NULL, 0);
	}
}

/* Contributions need not come in the order in which they were sent. */
static void contribution_out_of_order(void **state)
{
	(void)state;
	a.g->edges[1].rx_top = 1;
	ARRIVE(reduce, drop_window, 0, w->edge_seq = htobe32(2); w->num = htobe32(3));
	assert_int_equal(slot_of(a.e, a.g, 3)->state, TALLY_SEG_BUSY);
}

/* What arrives is no acknowledgement, whatever its payload says. */
static void data_acknowledge_nothing(void **state)
{
	struct edge *ed = &a.g->edges[1];

	(void)state;
	ed->tx_una = 500;
	ed->tx_next = 501;
	ed->tx_held = 1ULL << 500 % TALLY_EDGE_WINDOW;
	ARRIVE(reduce, drop_tch, 0, memset(p.payload, 0xff, 8));
	assert_int_equal(ed->tx_una, 500);
	assert_int_equal(a.counters[TALLY_CTR_busy_received], 0);
	assert_int_equal(a.sent, 0);
}

/* Two of three packets are acknowledged. */
static void acknowledgement_goes_to_its_edge(void **state)
{
	const uint64_t seen = htobe64(5);
	struct slot *s = slot_of(a.e, a.g, 0), *other = slot_of(a.e, a.g, 1);

	(void)state;
	send_three();
	a.g->tx[2].tch.num = 1;
	*s = *other = (struct slot){ .mode = TALLY_MODE_TREE, .up_waiting = true };
	ARRIVE(ack, drop_tch, 0, w->edge_seq = htobe32(2); memcpy(p.payload, &seen, 8));
	assert_int_equal(a.g->edges[1].tx_held, 2);
	assert_int_equal(a.g->edges[1].tx_una, 1);
	assert_int_equal(a.g->edges[0].tx_held, 0);
	assert_false(s->up_waiting || other->up_waiting);
	assert_int_equal(a.counters[TALLY_CTR_busy_received], 0);
}

static void acknowledgement_of_a_message(void **state)
{
	const uint64_t seen = htobe64(1);
	struct tch t = { .kind = TALLY_KIND_TRIGGER };
	struct tx_entry *tx;
	struct wr *wr;

	(void)state;
	wr = alone_wr(alone_qp(&a, 6, 1), WR_ACTIVE, TALLY_OPCODE_BCAST_MP, 0, 1);
	wr->send_waiting = 3;
	tx = edge_send(a.e, a.g, 1, &t, NULL, 0);
	tx->qp = 6;
	tx->wqe = 0;
	ARRIVE(ack, drop_tch, 0, memcpy(p.payload, &seen, 8));
	assert_int_equal(wr->send_waiting, 1);
}

static void acknowledgement_of_multicasts(void **state)
{
	const uint64_t seen = htobe64(1);
	struct slot *s = slot_of(a.e, a.g, 0);

	(void)state;
	a.g->flags |= TALLY_GROUP_F_MULTICAST;
	*s = (struct slot){ .state = TALLY_SEG_BUSY,
			    .mode = TALLY_MODE_TREE,
			    .down_todo = 3,
			    .opcode = TALLY_OPCODE_BARRIER,
			    .repair_at = NEVER };
	send_three();
	ARRIVE(ack, drop_tch, 0, memcpy(p.payload, &seen, 8);
	       w->flags = htobe16(TALLY_TCH_F_MULTICAST));
	assert_int_equal(s->down_todo, 1);
	assert_int_equal(a.g->edges[1].tx_held, 7);
}

static void busy_goes_to_its_edge(void **state)
{
	(void)state;
	send_three();
	a.g->edges[1].retries = 2;
	ARRIVE(busy, drop_tch, 0, w->edge_seq = htobe32(2));
	assert_int_equal(a.counters[TALLY_CTR_busy_received], 1);
	assert_int_equal(a.g->edges[1].retries, 0);
	assert_int_equal(a.g->edges[1].busy, 1);
	assert_int_equal(a.last.kind, TALLY_KIND_REDUCE); /* it is not answered */
}

static void query_is_answered(void **state)
{
	(void)state;
	a.g->edges[1].probes = 2;
	ARRIVE(query, drop_tch, 0, w->num = htobe32(UINT32_MAX));
	assert_int_equal(a.sent, 1);
	assert_int_equal(a.last.kind, TALLY_KIND_NOTIFY);
	assert_int_equal(a.g->edges[1].probes, 0);
	ARRIVE(notify, drop_tch, 0, w->done = htobe32(3));
	assert_int_equal(a.sent, 1);
	assert_int_equal(a.g->edges[1].peer_done, 3);
}

/* A packet may open a window for which others of the group wait. */
static void group_proceeds(void **state)
{
	struct qp *qp = alone_qp(&a, 6, 1);

	(void)state;
	qp->posted = 1;
	ARRIVE(notify, drop_tch, 0, );
	assert_int_equal(a.fetches, 1);
	qp->fetching = false;
	ARRIVE(multicast, drop_tch, 0, );
	assert_int_equal(a.fetches, 2);
}

/* The firmware handles what has come for it. */
static void firmware_runs(void **state)
{
	(void)state;
	a.e->firmware = NULL;
	ARRIVE(kill, drop_tch, 0, );
	assert_int_equal(a.counters[TALLY_CTR_kills_received] + a.counters[TALLY_CTR_drop_kill], 1);
	assert_false(events_wait(a.e));
}

static const struct fw_event *next_event(void)
{
	events_next(a.e);
	return &a.e->event;
}

static void some_are_for_the_firmware(void **state)
{
	const struct fw_event *ev;

	(void)state;
	ARRIVE(open, drop_tch, 0, p.payload[55] = 4; w->epoch = htobe32(5);
	       w->flags = htobe16(TALLY_TCH_F_CONFIRM); w->sid = htobe32(8); w->done = htobe32(10);
	       w->limit = htobe16(2));
	ARRIVE(kill, drop_tch, 0, w->sid = htobe32(8));
	ARRIVE(kill_ack, drop_tch, 0, w->mid = htobe32(7); w->sid = htobe32(8));
	ev = next_event();
	assert_int_equal(ev->type, TALLY_FW_EV_OPEN);
	assert_int_equal(ev->edge, 1);
	assert_int_equal(ev->group, 0);
	assert_int_equal(ev->epoch, 5);
	assert_int_equal(ev->flags, TALLY_TCH_F_CONFIRM);
	assert_int_equal(ev->sid, 12);
	assert_int_equal(ev->data[13] >> 24, 4);
	ev = next_event();
	assert_int_equal(ev->type, TALLY_FW_EV_KILL);
	assert_int_equal(ev->sid, 8);
	ev = next_event();
	assert_int_equal(ev->type, TALLY_FW_EV_KILL_ACK);
	assert_int_equal(ev->mid, 7);
	assert_int_equal(ev->sid, 8);
	assert_int_equal(next_event()->type, TALLY_FW_EV_NONE);
}

/* The hardware takes its time to receive and to form a packet. */
static void packets_take_time(void **state)
{
	(void)state;
	a.e->timing = (struct engine_timing){ .clock_mhz = 250, .parse = 5, .encap = 3 };
	ARRIVE(query, drop_tch, 0, w->num = htobe32(UINT32_MAX));
	assert_int_equal(a.delay, 8 * 4 * NS);
	ARRIVE(query, drop_tch, 0, w->num = htobe32(UINT32_MAX));
	assert_int_equal(a.delay, 8 * 4 * NS);
}

/* ---- After the end ---- */

/* In a group that was destroyed, what its neighbours repeat is answered, and what is new is told. */
static void end_that_was_good(void **state)
{
	(void)state;
	a.g->state = TALLY_GROUP_DEAD;
	a.g->ended_well = true;
	a.g->done = a.g->limit = 4;
	ARRIVE(reduce, duplicates, 1, w->edge_seq = htobe32(499));
	assert_int_equal(a.last.kind, TALLY_KIND_ACK);
	assert_int_equal(next_event()->type, TALLY_FW_EV_NONE);
	ARRIVE(query, drop_tch, 0, w->num = htobe32(3));
	assert_int_equal(a.last.kind, TALLY_KIND_NOTIFY);
	assert_int_equal(next_event()->type, TALLY_FW_EV_NONE);
	ARRIVE(query, drop_tch, 0, w->num = htobe32(4));
	assert_int_equal(next_event()->type, TALLY_FW_EV_AFTER_END);
	ARRIVE(reduce, drop_tch, 0, );
	assert_int_equal(next_event()->type, TALLY_FW_EV_AFTER_END);
	assert_int_equal(a.sent, 2);
	ARRIVE(reduce, duplicates, 0, w->edge_seq = htobe32(499);
	       a.g->edges[1].state = TALLY_EDGE_OPENING);
	assert_int_equal(next_event()->type, TALLY_FW_EV_AFTER_END);
}

static void end_by_an_error(void **state)
{
	(void)state;
	a.g->state = TALLY_GROUP_DEAD;
	a.g->done = a.g->limit = 4;
	ARRIVE(reduce, duplicates, 0, w->edge_seq = htobe32(499));
	assert_int_equal(next_event()->type, TALLY_FW_EV_AFTER_END);
	assert_int_equal(a.e->event.edge, 1);
	ARRIVE(result, drop_tch, 0, );
	assert_int_equal(next_event()->type, TALLY_FW_EV_AFTER_END);
	ARRIVE(trigger, drop_tch, 0, );
	assert_int_equal(next_event()->type, TALLY_FW_EV_AFTER_END);
	ARRIVE(query, drop_tch, 0, w->num = htobe32(3));
	assert_int_equal(next_event()->type, TALLY_FW_EV_AFTER_END);
	ARRIVE(multicast, drop_tch, 0, );
	assert_int_equal(next_event()->edge, EDGE_PARENT);
	ARRIVE(multicast, drop_tch, 0, a.g->parent = 1);
	assert_int_equal(next_event()->edge, 1);
	ARRIVE(ack, drop_tch, 0, );
	ARRIVE(busy, drop_tch, 0, );
	ARRIVE(notify, drop_tch, 0, );
	assert_int_equal(next_event()->type, TALLY_FW_EV_NONE);
	ARRIVE(kill, drop_tch, 0, );
	assert_int_equal(next_event()->type, TALLY_FW_EV_KILL);
	assert_int_equal(a.sent, 0);
	assert_int_equal(slot_of(a.e, a.g, 0)->state, TALLY_SEG_FREE);
}

/* ---- Packets that are sent ---- */

static void header_of_an_edge(void **state)
{
	struct tch t;

	(void)state;
	memset(&t, 0xff, sizeof(t));
	a.g->edges[1].remote_index = 5;
	packet_fill(a.g, &a.g->edges[1], &t, TALLY_KIND_BUSY);
	assert_int_equal(t.kind, TALLY_KIND_BUSY);
	assert_int_equal(t.contributor, 5);
	assert_int_equal(t.jid, ALONE_JID);
	assert_int_equal(t.epoch, ALONE_EPOCH);
	assert_int_equal(t.key, 101);
	assert_int_equal(t.flags | t.num | t.mid | t.sid | t.total | t.count | t.round, 0);
}

/* Each field has its place. done and limit are the newest, and noted as told. */
static void every_field_is_sent(void **state)
{
	const struct tch t = { 1,      2,      3,  4,  5,  6,  7,  8,  9,  0x0a0b, 0x0c0d, 0x0e0f,
			       0x1011, 0x1213, 14, 15, 16, 17, 18, 19, 20, 21,	   22,	   23 };
	struct edge *ed = &a.g->edges[1];

	(void)state;
	a.g->done = UINT32_MAX;
	a.g->limit = 3;
	packet_send(a.e, a.g, ed, &t, "xyz", 3);
	assert_int_equal(be32toh(a.last.tag), TALLY_TCH_TAG);
	assert_int_equal(a.last.version, TALLY_WIRE_VERSION);
	assert_int_equal(a.last.kind, t.kind);
	assert_int_equal(a.last.opcode, t.opcode);
	assert_int_equal(a.last.op, t.op);
	assert_int_equal(a.last.dtype, t.dtype);
	assert_int_equal(a.last.contributor, t.contributor);
	assert_int_equal(a.last.branch, t.branch);
	assert_int_equal(a.last.round, t.round);
	assert_int_equal(a.last.root_rank, t.root_rank);
	assert_int_equal(a.last.counter, t.counter);
	assert_int_equal(be16toh(a.last.flags), t.flags);
	assert_int_equal(be16toh(a.last.err_vector), t.err_vector);
	assert_int_equal(be16toh(a.last.root_node), t.root_node);
	assert_int_equal(be16toh(a.last.port), t.port);
	assert_int_equal(be32toh(a.last.jid), t.jid);
	assert_int_equal(be32toh(a.last.epoch), t.epoch);
	assert_int_equal(be32toh(a.last.mid), t.mid);
	assert_int_equal(be32toh(a.last.sid), t.sid);
	assert_int_equal(be32toh(a.last.num), t.num);
	assert_int_equal(be32toh(a.last.edge_seq), t.edge_seq);
	assert_int_equal(be32toh(a.last.total), t.total);
	assert_int_equal(be32toh(a.last.count), t.count);
	assert_int_equal(be32toh(a.last.key), t.key);
	assert_int_equal(be32toh(a.last.done), UINT32_MAX);
	assert_int_equal(be16toh(a.last.limit), 4);
	assert_int_equal(ed->told_done, UINT32_MAX);
	assert_int_equal(ed->told_limit, 3);
	assert_int_equal(a.len, 3);
	assert_memory_equal(a.payload, "xyz", 3);
	assert_memory_equal(&a.to, &ed->addr, sizeof(a.to));
	assert_int_equal(a.g->edges[0].told_limit, 4);
}

/* A chunk of 2 of 5 elements, from element 2 on. */
static struct slot *chunk(uint8_t mode)
{
	struct slot *s = slot_of(a.e, a.g, 2);

	*s = (struct slot){ .state = TALLY_SEG_BUSY,
			    .mode = mode,
			    .opcode = TALLY_OPCODE_REDUCE,
			    .op = TALLY_OP_MAX,
			    .dtype = TALLY_TYPE_INT16,
			    .elem = 2,
			    .root_node = 3,
			    .root_rank = 7,
			    .err_vector = TALLY_ERR_FP_OVERFLOW,
			    .num = 2,
			    .mid = 6,
			    .sid = 1,
			    .total = 5,
			    .first = 2,
			    .count = 2 };
	return s;
}

static void header_of_a_chunk(void **state)
{
	struct edge *ed = &a.g->edges[1];
	struct slot *s = chunk(TALLY_MODE_TREE);
	struct tch t;

	(void)state;
	ed->round = 4;
	slot_fill_tch(a.g, ed, s, &t, TALLY_KIND_REDUCE);
	assert_int_equal(t.kind, TALLY_KIND_REDUCE);
	assert_int_equal(t.key, 101);
	assert_int_equal(t.opcode, TALLY_OPCODE_REDUCE);
	assert_int_equal(t.op, TALLY_OP_MAX);
	assert_int_equal(t.dtype, TALLY_TYPE_INT16);
	assert_int_equal(t.err_vector, TALLY_ERR_FP_OVERFLOW);
	assert_int_equal(t.mid, 6);
	assert_int_equal(t.sid, 1);
	assert_int_equal(t.num, 2);
	assert_int_equal(t.total, 5);
	assert_int_equal(t.count, 2);
	assert_int_equal(t.root_node, 3);
	assert_int_equal(t.root_rank, 7);
	assert_int_equal(t.flags, 0);
	assert_int_equal(t.round, 0);
	s->total = 4; /* it is the last */
	a.g->flags |= TALLY_GROUP_F_ORDERED;
	slot_fill_tch(a.g, ed, s, &t, TALLY_KIND_RESULT);
	assert_int_equal(t.flags, TALLY_TCH_F_LAST | TALLY_TCH_F_ORDERED);
	s->mode = TALLY_MODE_EXCHANGE;
	slot_fill_tch(a.g, ed, s, &t, TALLY_KIND_REDUCE);
	assert_int_equal(t.round, 4);
	assert_int_equal(t.flags, TALLY_TCH_F_LAST | TALLY_TCH_F_ORDERED | TALLY_TCH_F_EXCHANGE);
	slot_fill_tch(a.g, ed, s, &t, TALLY_KIND_QUERY);
	assert_int_equal(t.round, 0);
	s->mode = TALLY_MODE_RING;
	slot_fill_tch(a.g, ed, s, &t, TALLY_KIND_REDUCE);
	assert_true(t.flags & TALLY_TCH_F_RING);
	assert_int_equal(t.round, 0);
}

static bool send_chunk(struct slot *s)
{
	static const uint8_t data[] = "abcdefgh";

	return slot_send(a.e, a.g, s, 1, TALLY_KIND_REDUCE, (struct span){ 3, 4, 0 }, data);
}

/* It goes below the neighbour's limit, while numbers of the edge are left. */
static void chunk_waits_for_the_window(void **state)
{
	struct edge *ed = &a.g->edges[1];
	struct slot *s = chunk(TALLY_MODE_TREE);

	(void)state;
	ed->peer_limit = 2;
	assert_false(send_chunk(s));
	ed->peer_limit = 3;
	ed->tx_next = TALLY_EDGE_WINDOW;
	assert_false(send_chunk(s));
	ed->tx_next = TALLY_EDGE_WINDOW - 1;
	ed->unconfirmed = true;
	assert_false(send_chunk(s));
	assert_int_equal(a.sent, 0);
	assert_int_equal(s->sent[1], 0);
	ed->unconfirmed = false;
	assert_true(send_chunk(s));
	assert_int_equal(a.sent, 1);
	assert_int_equal(be32toh(a.last.edge_seq), TALLY_EDGE_WINDOW - 1);
	assert_int_equal(a.len, 2);
	assert_memory_equal(a.payload, "cd", 2);
	assert_int_equal(s->sent[1], 1);
	assert_int_equal(ed->chunk_sent, 1);
	assert_int_equal(ed->chunk_top, 3);
}

/* Return the number of a chunk that is sent if the numbers wrap between it and the limit. */
static void chunk_across_the_wrap(void **state)
{
	struct slot *s = chunk(TALLY_MODE_TREE);

	(void)state;
	s->num = UINT32_MAX;
	a.g->edges[1].peer_limit = UINT32_MAX;
	assert_false(send_chunk(s));
	a.g->edges[1].peer_limit = 0;
	assert_true(send_chunk(s));
	assert_int_equal(a.g->edges[1].chunk_top, 0);
}

/* What one node sends for a chunk, the other takes for the same chunk. */
static void both_ways_agree(void **state)
{
	struct slot *s = chunk(TALLY_MODE_TREE), sent;
	struct packet p = { 0 };

	(void)state;
	s->total = 4;
	sent = *s;
	a.g->edges[1].peer_key = KEY + 1;
	a.g->edges[1].tx_una = a.g->edges[1].tx_next = 500;
	assert_true(slot_send(a.e, a.g, s, 1, TALLY_KIND_REDUCE, (struct span){ 2, 4, 0 },
			      (const uint8_t *)"abcd"));
	memset(s, 0, sizeof(*s));
	p.w = a.last;
	memcpy(p.payload, a.payload, a.len);
	p.len = a.len;
	p.from = a.g->edges[1].addr;
	arrive(&p);
	assert_int_equal(drops(), 0);
	assert_int_equal(s->state, TALLY_SEG_BUSY);
	assert_int_equal(s->up_contributors, 1);
	assert_memory_equal(s->data, "abcd", 4);
#define SAME(field) assert_int_equal(s->field, sent.field)
	SAME(mode);
	SAME(opcode);
	SAME(op);
	SAME(dtype);
	SAME(elem);
	SAME(root_node);
	SAME(root_rank);
	SAME(err_vector);
	SAME(num);
	SAME(mid);
	SAME(sid);
	SAME(total);
	SAME(first);
	SAME(count);
#undef SAME
}

/* ---- OPEN ---- */

/* The OPEN of child 1, which is node 2. */
static struct tally_tch_open offer(void)
{
	a.g->chunk = 64;
	a.g->rounds = 3;
	a.g->plan = 0x1234;
	return (struct tally_tch_open){
		.nonce = htobe64(11),
		.echo = htobe64(12),
		.first_seq = htobe32(13),
		.num_segs = htobe16(4),
		.node = htobe16(2),
		.mtu = htobe32(4096),
		.modes = TALLY_MODES_TREE,
		.rounds = 3,
		.num_nodes = htobe16(4),
		.total_ranks = htobe32(4),
		.plan = htobe32(0x1234),
		.chunk = htobe32(64),
	};
}

#define AGREES(yes, ...)                                                     \
	do {                                                                 \
		struct tally_tch_open o = offer();                           \
                                                                             \
		__VA_ARGS__;                                                 \
		assert_int_equal(open_agrees(a.g, &a.g->edges[1], &o), yes); \
	} while (0)

static void configurations_agree(void **state)
{
	(void)state;
	AGREES(true, );
	AGREES(false, o.chunk = 0);
	AGREES(false, o.rounds = 4);
	AGREES(false, o.mtu = htobe32(2048));
	AGREES(false, o.modes |= TALLY_MODES_RING);
	AGREES(false, o.plan = 0);
	AGREES(false, o.num_nodes = htobe16(5));
	AGREES(false, o.total_ranks = htobe32(5));
	AGREES(false, o.flags = htobe32(TALLY_GROUP_F_ORDERED));
	/* only the epoch's source has ROOT, and nobody tells it */
	AGREES(true, a.g->flags = TALLY_GROUP_F_ROOT);
	AGREES(false, o.flags = htobe32(TALLY_GROUP_F_ROOT));
	a.g->flags = 0;
	/* only results by multicast need the same number of segments */
	AGREES(true, o.num_segs = htobe16(5));
	a.g->flags = TALLY_GROUP_F_MULTICAST;
	AGREES(false, o.flags = htobe32(a.g->flags); o.num_segs = htobe16(5));
	AGREES(true, o.flags = htobe32(a.g->flags));
}

static void node_may_be_the_neighbour(void **state)
{
	(void)state;
	a.g->edges[1].first = 2;
	a.g->edges[1].count = 2;
	AGREES(false, o.node = htobe16(1));
	AGREES(true, o.node = htobe16(2));
	AGREES(true, o.node = htobe16(3));
	AGREES(false, o.node = htobe16(4));
	AGREES(false, o.node = htobe16(UINT16_MAX));
	a.g->node = 3; /* not this node */
	AGREES(false, o.node = htobe16(3));
	a.g->edges[1].count = 0; /* no child, so any other node */
	AGREES(true, o.node = htobe16(0));
	AGREES(false, o.node = htobe16(3));
}

static const struct tally_tch_open *opened(void)
{
	assert_int_equal(a.len, sizeof(struct tally_tch_open));
	assert_int_equal(a.last.kind, TALLY_KIND_OPEN);
	return (const struct tally_tch_open *)a.payload;
}

static void open_tells_everything(void **state)
{
	struct edge *ed = &a.g->edges[1];
	const struct tally_tch_open of = offer(), *o;

	(void)state;
	ed->nonce = 21;
	ed->peer_nonce = 22;
	ed->tx_una = 23;
	ed->tx_next = 24;
	a.g->node = 1;
	a.g->flags = TALLY_GROUP_F_ROOT | TALLY_GROUP_F_SPARSE;
	a.g->epoch = 9;
	open_send(a.e, a.g, ed, TALLY_FW_CMD_CONFIRM, &of);
	o = opened();
	assert_int_equal(be64toh(o->nonce), 21);
	assert_int_equal(be64toh(o->echo), 22);
	assert_int_equal(be32toh(o->first_seq), 23);
	assert_int_equal(be16toh(o->num_segs), 4);
	assert_int_equal(be16toh(o->node), 1);
	assert_int_equal(be32toh(o->mtu), 4096);
	assert_int_equal(o->modes, TALLY_MODES_TREE);
	assert_int_equal(o->rounds, 3);
	assert_int_equal(be16toh(o->num_nodes), 4);
	assert_int_equal(be32toh(o->total_ranks), 4);
	assert_int_equal(be32toh(o->flags), TALLY_GROUP_F_SPARSE);
	assert_int_equal(be32toh(o->plan), 0x1234);
	assert_int_equal(be32toh(o->chunk), 64);
	assert_int_equal(be32toh(o->key), KEY + 1);
	assert_int_equal(be32toh(o->group_key), 7777);
	assert_int_equal(be16toh(a.last.flags), TALLY_TCH_F_CONFIRM);
	assert_int_equal(be32toh(a.last.epoch), 9);
	assert_int_equal(be32toh(a.last.key), 0);
	assert_int_equal(be32toh(a.last.jid), ALONE_JID);
}

/* A challenge echoes whoever asks, and tells no key; without the epoch, there is no group's key. */
static void challenge_tells_no_key(void **state)
{
	const struct tally_tch_open of = offer();

	(void)state;
	open_send(a.e, a.g, &a.g->edges[1], TALLY_FW_CMD_CHALLENGE, &of);
	assert_int_equal(be64toh(opened()->echo), 11);
	assert_int_equal(opened()->key, 0);
	assert_int_equal(opened()->group_key, 0);
	assert_int_equal(a.last.epoch, 0);
}

/* The epoch without the key of multicast is told only by a group that has ended, for its KILL. */
static void open_tells_no_epoch_without_its_key(void **state)
{
	const struct tally_tch_open of = offer();

	(void)state;
	a.g->epoch = 9;
	a.g->mcast_key = 0;
	a.g->flags = TALLY_GROUP_F_MULTICAST;
	a.g->state = TALLY_GROUP_OPENING;
	open_send(a.e, a.g, &a.g->edges[1], TALLY_FW_CMD_SEND_OPEN, &of);
	assert_int_equal(be32toh(a.last.epoch), 0);
	a.g->mcast_key = 7777;
	open_send(a.e, a.g, &a.g->edges[1], TALLY_FW_CMD_SEND_OPEN, &of);
	assert_int_equal(be32toh(a.last.epoch), 9);
	assert_int_equal(be32toh(opened()->group_key), 7777);
	a.g->mcast_key = 0;
	a.g->state = TALLY_GROUP_DEAD;
	open_send(a.e, a.g, &a.g->edges[1], TALLY_FW_CMD_CONFIRM, &of);
	assert_int_equal(be32toh(a.last.epoch), 9);
	assert_int_equal(opened()->group_key, 0);
}

static void payload_of_an_event(void **state)
{
	const struct tally_tch_open o = offer();
	struct fw_event ev = { 0 };
	struct tally_tch_open got;

	(void)state;
	memcpy(ev.data, &o, sizeof(o));
	got = open_of(&ev);
	assert_memory_equal(&got, &o, sizeof(o));
}

/* ---- Job ids ---- */

/* Any number of groups, of which some have the same job id, and others the same bucket. */
static void lookup_by_job(void **state)
{
	struct group *g = a.e->groups;
	uint32_t i;

	(void)state;
	for (i = 1; i < TALLY_MAX_GROUP; i++) {
		g[i].jid = 1000 + i / 2;
		jid_add(a.e, &g[i]);
	}
	assert_ptr_equal(jid_first(a.e, ALONE_JID), a.g);
	assert_null(jid_next(a.g));
	assert_null(jid_first(a.e, 999));
	for (i = 2; i < TALLY_MAX_GROUP; i += 2) {
		assert_ptr_equal(jid_first(a.e, g[i].jid), &g[i + 1]);
		assert_ptr_equal(jid_next(&g[i + 1]), &g[i]);
		assert_null(jid_next(&g[i]));
	}
	for (i = 2; i < TALLY_MAX_GROUP; i += 2) {
		jid_remove(a.e, &g[i + i / 2 % 2]);
		assert_ptr_equal(jid_first(a.e, g[i].jid), &g[i + !(i / 2 % 2)]);
		assert_null(jid_next(&g[i + !(i / 2 % 2)]));
		jid_remove(a.e, &g[i + !(i / 2 % 2)]);
		assert_null(jid_first(a.e, g[i].jid));
	}
	assert_ptr_equal(jid_first(a.e, ALONE_JID), a.g);
}

/* The newest group of a job is the first, though an older one was looked for just before. */
static void lookup_after_a_change(void **state)
{
	struct group *g = a.e->groups;

	(void)state;
	assert_ptr_equal(jid_first(a.e, ALONE_JID), a.g);
	g[1].jid = ALONE_JID;
	jid_add(a.e, &g[1]);
	assert_ptr_equal(jid_first(a.e, ALONE_JID), &g[1]);
	jid_remove(a.e, &g[1]);
	assert_ptr_equal(jid_first(a.e, ALONE_JID), a.g);
	jid_remove(a.e, a.g);
	assert_null(jid_first(a.e, ALONE_JID));
	jid_add(a.e, a.g);
	assert_ptr_equal(jid_first(a.e, ALONE_JID), a.g);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(header_is_whole),
		TEST(fixed_fields),
		TEST(kinds),
		TEST(lengths_of_payloads),
		TEST(lengths_of_blocks),
		TEST(length_of_the_largest_mtu),
		TEST(modes_and_rounds),
		TEST(data_of_a_ring),
		TEST(types_are_known),
		TEST(jobs),
		TEST(sources),
		TEST(sources_of_multicasts),
		TEST(multicast_of_a_parent_with_an_index),
		TEST(epochs),
		TEST(keys),
		TEST(states_of_edges),
		TEST(order_of_reasons),
		TEST(contribution_enters_its_slot),
		TEST(root_is_passed_on),
		TEST(chunk_is_passed_on),
		TEST(result_is_passed_on),
		TEST(message_goes_to_its_port),
		TEST(contribution_out_of_order),
		TEST(data_acknowledge_nothing),
		TEST(acknowledgement_goes_to_its_edge),
		TEST(acknowledgement_of_a_message),
		TEST(acknowledgement_of_multicasts),
		TEST(busy_goes_to_its_edge),
		TEST(query_is_answered),
		TEST(group_proceeds),
		TEST(firmware_runs),
		TEST(some_are_for_the_firmware),
		TEST(packets_take_time),
		TEST(end_that_was_good),
		TEST(end_by_an_error),
		TEST(header_of_an_edge),
		TEST(every_field_is_sent),
		TEST(header_of_a_chunk),
		TEST(chunk_waits_for_the_window),
		TEST(chunk_across_the_wrap),
		TEST(both_ways_agree),
		TEST(configurations_agree),
		TEST(node_may_be_the_neighbour),
		TEST(open_tells_everything),
		TEST(challenge_tells_no_key),
		TEST(open_tells_no_epoch_without_its_key),
		TEST(payload_of_an_event),
		TEST(lookup_by_job),
		TEST(lookup_after_a_change),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
