// SPDX-License-Identifier: BSD-2-Clause
/* The encapsulator alone: every field of the header, and OPEN. */
#include "engine/test/alone_arrive.h"
#include "engine/chunk_send.h"
#include "engine/common.h"
#include "engine/encap.h"
#include "engine/open.h"

#include <endian.h>

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
	assert_int_equal(arrive_drops(), 0);
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

#define TEST(name) cmocka_unit_test_setup_teardown(name, arrive_setup, arrive_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
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
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
