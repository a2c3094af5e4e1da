// SPDX-License-Identifier: BSD-2-Clause
/* What packets and requests say of a chunk: whether it is possible, and whether they agree. */
#include "engine/chunk_send.h"
#include "engine/common.h"
#include "engine/message.h"
#include "engine/test/alone.h"

#include <endian.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct alone a;

static int setup(void **state)
{
	(void)state;
	alone_setup(&a);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	alone_teardown(&a);
	return 0;
}

/* ---- Place of a chunk ---- */

static void fields_of_a_packet(void **state)
{
	const struct tch t = { .flags = TALLY_TCH_F_RING,
			       .opcode = 2,
			       .op = 3,
			       .dtype = 4,
			       .root_rank = 5,
			       .root_node = 600,
			       .num = 70000,
			       .mid = 80000,
			       .sid = 90000,
			       .total = 100000,
			       .count = 110000 };
	const struct message m = message_of_packet(&t);

	(void)state;
	assert_int_equal(m.mode, TALLY_MODE_RING);
	assert_int_equal(m.opcode, 2);
	assert_int_equal(m.op, 3);
	assert_int_equal(m.dtype, 4);
	assert_int_equal(m.root_rank, 5);
	assert_int_equal(m.root_node, 600);
	assert_int_equal(m.num, 70000);
	assert_int_equal(m.mid, 80000);
	assert_int_equal(m.sid, 90000);
	assert_int_equal(m.total, 100000);
	assert_int_equal(m.count, 110000);
}

static bool plausible(const struct tch *t, struct message *m)
{
	*m = message_of_packet(t);
	return message_plausible(a.g, t, m);
}

static void places_of_chunks(void **state)
{
	static const struct {
		uint32_t sid, count, total;
		bool last, possible;
		uint32_t first;
	} rows[] = {
		{ 0, 5, 5, true, true, 0 },
		{ 0, 4, 5, true, false, 0 },
		{ 0, 6, 5, true, false, 0 },
		{ 0, 0, 0, true, true, 0 },
		{ 0, 5, 5, false, false, 0 },
		{ 0, 4, 5, false, true, 0 },
		{ 0, 0, 5, false, false, 0 },
		{ 1, 2, 5, false, true, 2 },
		{ 1, 2, 4, false, false, 0 },
		{ 2, 2, 6, false, false, 0 },
		{ 2, 2, 7, false, true, 4 },
		{ 2, 1, 5, true, true, 4 },
		{ 2, 2, 6, true, true, 4 },
		{ 2, 3, 8, true, false, 0 },
		{ 2, 3, 9, true, true, 6 },
		{ 1, 0, 5, true, false, 0 },
		{ 1, 5, 5, true, false, 0 },
		{ 1, 6, 5, true, false, 0 },
		{ 1, 2, 4, true, true, 2 },
		{ 1, 1, 1000, true, true, 999 },
		{ 1u << 30, 4, UINT32_MAX, false, false, 0 }, /* beyond 32 bits */
		{ (1u << 30) - 1, 4, UINT32_MAX, false, false, 0 },
		{ (1u << 30) - 2, 4, UINT32_MAX, false, true, UINT32_MAX - 7 },
		{ UINT32_MAX, 4, UINT32_MAX, false, false, 0 },
		{ 1u << 31, 2, 10, true, false, 0 },
	};
	struct tch t = alone_chunk(TALLY_KIND_REDUCE, 0);
	struct message m;
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		t.sid = rows[i].sid;
		t.count = rows[i].count;
		t.total = rows[i].total;
		t.flags = rows[i].last ? TALLY_TCH_F_LAST : 0;
		assert_int_equal(plausible(&t, &m), rows[i].possible);
		if (rows[i].possible)
			assert_int_equal(m.first, rows[i].first);
	}
}

static void limits_of_a_chunk(void **state)
{
	struct tch t = alone_chunk(TALLY_KIND_REDUCE, 1024);
	struct message m;

	(void)state;
	assert_true(plausible(&t, &m)); /* as long as the MTU */
	t.count = t.total = 1025;
	assert_false(plausible(&t, &m));
	t.op = TALLY_OP_MINLOC; /* of pairs */
	t.count = t.total = 512;
	assert_true(plausible(&t, &m));
	t.count = t.total = 513;
	assert_false(plausible(&t, &m));
	t = alone_chunk(TALLY_KIND_REDUCE, 1);
	t.root_node = 3;
	t.root_rank = 63;
	assert_true(plausible(&t, &m));
	t.root_node = 4;
	assert_false(plausible(&t, &m));
	t.root_node = 0;
	t.root_rank = 64;
	assert_false(plausible(&t, &m));
}

/* ---- Operations ---- */

/* What an operation may be combined with, in a group of four ranks that has all modes. */
static void kinds_of_messages(void **state)
{
	static const struct {
		uint8_t opcode, op, dtype;
		uint32_t flags, total;
		bool possible;
	} rows[] = {
		{ TALLY_OPCODE_ALLREDUCE, TALLY_OP_SUM, TALLY_TYPE_FP64, 0, 4, true },
		{ TALLY_OPCODE_ALLREDUCE, TALLY_OP_NONE, TALLY_TYPE_FP64, 0, 4, false },
		{ TALLY_OPCODE_ALLREDUCE, TALLY_OP_BOR, TALLY_TYPE_FP64, 0, 4, false },
		{ TALLY_OPCODE_ALLREDUCE, TALLY_OP_SUM, TALLY_TYPE_NONE, 0, 4, false },
		{ TALLY_OPCODE_REDUCE, TALLY_OP_MAX, TALLY_TYPE_INT8, 0, 5, true },
		{ TALLY_OPCODE_REDUCE_SCATTER, TALLY_OP_SUM, TALLY_TYPE_INT8, TALLY_TCH_F_RING, 8,
		  true },
		{ TALLY_OPCODE_REDUCE_SCATTER, TALLY_OP_SUM, TALLY_TYPE_INT8, TALLY_TCH_F_RING, 7,
		  false },
		{ TALLY_OPCODE_REDUCE_SCATTER, TALLY_OP_SUM, TALLY_TYPE_INT8, TALLY_TCH_F_EXCHANGE,
		  8, true },
		{ TALLY_OPCODE_REDUCE_SCATTER, TALLY_OP_SUM, TALLY_TYPE_INT8, 0, 8, false },
		{ TALLY_OPCODE_BCAST, TALLY_OP_NONE, TALLY_TYPE_INT32, 0, 5, true },
		{ TALLY_OPCODE_BCAST, TALLY_OP_NONE, TALLY_TYPE_NONE, 0, 5, true },
		{ TALLY_OPCODE_BCAST, TALLY_OP_SUM, TALLY_TYPE_INT32, 0, 5, false },
		{ TALLY_OPCODE_BCAST, TALLY_OP_NONE, TALLY_TYPE_INT32, TALLY_TCH_F_EXCHANGE, 5,
		  false },
		{ TALLY_OPCODE_BARRIER, TALLY_OP_NONE, TALLY_TYPE_NONE, 0, 0, true },
		{ TALLY_OPCODE_BARRIER, TALLY_OP_NONE, TALLY_TYPE_NONE, 0, 1, false },
		{ TALLY_OPCODE_BARRIER, TALLY_OP_NONE, TALLY_TYPE_INT8, 0, 0, false },
		{ TALLY_OPCODE_BARRIER, TALLY_OP_SUM, TALLY_TYPE_NONE, 0, 0, false },
		{ TALLY_OPCODE_GATHER, TALLY_OP_NONE, TALLY_TYPE_INT8, 0, 12, true },
		{ TALLY_OPCODE_GATHER, TALLY_OP_NONE, TALLY_TYPE_INT8, 0, 13, false },
		{ TALLY_OPCODE_SCATTER, TALLY_OP_NONE, TALLY_TYPE_INT8, 0, 0, true },
		{ TALLY_OPCODE_SCATTER, TALLY_OP_MIN, TALLY_TYPE_INT8, 0, 4, false },
		{ TALLY_OPCODE_ALLGATHER, TALLY_OP_NONE, TALLY_TYPE_INT8, TALLY_TCH_F_RING, 4,
		  true },
		{ TALLY_OPCODE_ALLGATHER, TALLY_OP_NONE, TALLY_TYPE_INT8, 0, 4, false },
		{ TALLY_OPCODE_ALLREDUCE, TALLY_OP_SUM, TALLY_TYPE_INT8, TALLY_TCH_F_MULTICAST, 4,
		  true },
		{ TALLY_OPCODE_ALLREDUCE, TALLY_OP_SUM, TALLY_TYPE_INT8,
		  TALLY_TCH_F_MULTICAST | TALLY_TCH_F_RING, 4, false },
		{ TALLY_OPCODE_ALLREDUCE, TALLY_OP_SUM, TALLY_TYPE_INT8,
		  TALLY_TCH_F_MULTICAST | TALLY_TCH_F_EXCHANGE, 4, false },
		{ TALLY_OPCODE_ALLREDUCE, TALLY_OP_SUM, TALLY_TYPE_INT8,
		  TALLY_TCH_F_EXCHANGE | TALLY_TCH_F_RING, 4, false },
		{ 0, TALLY_OP_NONE, TALLY_TYPE_NONE, 0, 0, false },
		{ TALLY_OPCODE_QUERY, TALLY_OP_NONE, TALLY_TYPE_NONE, 0, 0, false },
		{ TALLY_OPCODE_REDUCE_MP, TALLY_OP_SUM, TALLY_TYPE_INT8, 0, 4, false },
		{ 255, TALLY_OP_NONE, TALLY_TYPE_NONE, 0, 0, false },
	};
	struct message m;
	unsigned int i;

	(void)state;
	a.g->modes = TALLY_MODES_TREE | TALLY_MODES_EXCHANGE | TALLY_MODES_RING;
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct tch t = alone_chunk(TALLY_KIND_QUERY, rows[i].total);

		t.opcode = rows[i].opcode;
		t.op = rows[i].op;
		t.dtype = rows[i].dtype;
		t.flags |= rows[i].flags;
		assert_int_equal(plausible(&t, &m), rows[i].possible);
	}
}

static void modes_of_the_group(void **state)
{
	static const uint16_t flags[] = { 0, TALLY_TCH_F_EXCHANGE, TALLY_TCH_F_RING };
	unsigned int i, k;
	struct message m;

	(void)state;
	for (i = 0; i < 3; i++) {
		struct tch t = alone_chunk(TALLY_KIND_REDUCE, 1);

		a.g->modes = 1 << i;
		for (k = 0; k < 3; k++) {
			t.flags = TALLY_TCH_F_LAST | flags[k];
			assert_int_equal(plausible(&t, &m), i == k);
		}
	}
}

/* A group with nodes without ranks has no messages of blocks. */
static void blocks_in_a_sparse_group(void **state)
{
	struct tch t = alone_chunk(TALLY_KIND_REDUCE, 4);
	struct message m;

	(void)state;
	a.g->flags = TALLY_GROUP_F_SPARSE;
	assert_true(plausible(&t, &m));
	t.opcode = TALLY_OPCODE_GATHER;
	t.op = TALLY_OP_NONE;
	assert_false(plausible(&t, &m));
	a.g->flags = 0;
	assert_true(plausible(&t, &m));
	a.g->by_ranks = divisor_of(3);
	assert_false(plausible(&t, &m));
	t.flags = 0;
	t.total = 6; /* the first chunk has two blocks and two elements */
	t.count = 5;
	assert_true(plausible(&t, &m));
	t.total = 7;
	t.count = 6;
	assert_false(plausible(&t, &m));
}

/* ---- Agreement ---- */

/* The first field in which two contributions disagree gives the status. */
static void disagreements(void **state)
{
	static const struct slot s = { .mode = 1,
				       .opcode = 2,
				       .op = 3,
				       .dtype = 4,
				       .root_rank = 5,
				       .root_node = 6,
				       .num = 7,
				       .mid = 8,
				       .sid = 9,
				       .total = 10,
				       .first = 11,
				       .count = 12 };
	static const struct message same = { .mode = 1,
					     .opcode = 2,
					     .op = 3,
					     .dtype = 4,
					     .root_rank = 5,
					     .root_node = 6,
					     .num = 7,
					     .mid = 8,
					     .sid = 9,
					     .total = 10,
					     .first = 11,
					     .count = 12 };
	struct message m = same, other = same;

	(void)state;
	assert_int_equal(message_disagrees(&s, &m), TALLY_COLL_OK);
#define DISAGREE(field, status)                                                       \
	do {                                                                          \
		m = same;                                                             \
		m.field++;                                                            \
		assert_int_equal(message_disagrees(&s, &m), TALLY_COLL_##status);     \
		other.field += 2;                                                     \
		assert_int_equal(message_disagrees(&s, &other), TALLY_COLL_##status); \
	} while (0)
	DISAGREE(count, CHUNK_MISMATCH);
	DISAGREE(first, CHUNK_MISMATCH);
	DISAGREE(sid, CHUNK_MISMATCH);
	DISAGREE(mode, MODE_MISMATCH);
	DISAGREE(root_rank, ROOT_MISMATCH);
	DISAGREE(root_node, ROOT_MISMATCH);
	DISAGREE(total, COUNT_MISMATCH);
	DISAGREE(dtype, TYPE_MISMATCH);
	DISAGREE(op, OP_MISMATCH);
	DISAGREE(opcode, OPCODE_MISMATCH);
#undef DISAGREE
	m = same;
	m.first--;
	assert_int_equal(message_disagrees(&s, &m), TALLY_COLL_CHUNK_MISMATCH);
}

/* ---- Packets of a chunk ---- */

static struct slot *chunk(void)
{
	struct slot *s = slot_of(a.e, a.g, 2);

	*s = (struct slot){ .mode = TALLY_MODE_TREE,
			    .opcode = TALLY_OPCODE_REDUCE,
			    .op = TALLY_OP_MAX,
			    .dtype = TALLY_TYPE_INT16,
			    .root_node = 3,
			    .root_rank = 5,
			    .err_vector = 0x81,
			    .num = 2,
			    .mid = 11,
			    .sid = 4,
			    .total = 50,
			    .first = 40,
			    .count = 10,
			    .elem = 2 };
	return s;
}

static void packets_describe_their_chunk(void **state)
{
	struct slot *s = chunk();
	uint8_t data[20] = { 0 };

	(void)state;
	alone_children(&a, 2);
	a.g->edges[1].round = 3;
	a.g->edges[1].peer_limit = 3;
	data[6] = 99;
	assert_true(slot_send(a.e, a.g, s, 1, TALLY_KIND_RESULT, (struct span){ 43, 48, 0 }, data));
	assert_int_equal(a.last.kind, TALLY_KIND_RESULT);
	assert_int_equal(a.last.opcode, TALLY_OPCODE_REDUCE);
	assert_int_equal(a.last.op, TALLY_OP_MAX);
	assert_int_equal(a.last.dtype, TALLY_TYPE_INT16);
	assert_int_equal(be16toh(a.last.err_vector), 0x81);
	assert_int_equal(be32toh(a.last.mid), 11);
	assert_int_equal(be32toh(a.last.sid), 4);
	assert_int_equal(be32toh(a.last.num), 2);
	assert_int_equal(be32toh(a.last.total), 50);
	assert_int_equal(be32toh(a.last.count), 10);
	assert_int_equal(be16toh(a.last.root_node), 3);
	assert_int_equal(a.last.root_rank, 5);
	assert_int_equal(a.last.round, 0);
	assert_int_equal(be16toh(a.last.flags), TALLY_TCH_F_LAST);
	assert_int_equal(a.len, 10);
	assert_int_equal(a.payload[0], 99);
	assert_int_equal(s->sent[1], 1);
	assert_int_equal(a.g->edges[1].chunk_sent, 1);
}

static uint16_t flags(const struct slot *s, uint8_t kind, uint8_t *round)
{
	struct tch t;

	slot_fill_tch(a.g, &a.g->edges[1], s, &t, kind);
	*round = t.round;
	return t.flags;
}

static void flags_of_packets(void **state)
{
	struct slot *s = chunk();
	uint8_t round;

	(void)state;
	a.g->edges[1].round = 3;
	s->total++;
	assert_int_equal(flags(s, TALLY_KIND_REDUCE, &round), 0);
	assert_int_equal(round, 0);
	s->total--;
	s->mode = TALLY_MODE_RING;
	assert_int_equal(flags(s, TALLY_KIND_REDUCE, &round), TALLY_TCH_F_RING | TALLY_TCH_F_LAST);
	assert_int_equal(round, 0);
	s->mode = TALLY_MODE_EXCHANGE;
	a.g->flags = TALLY_GROUP_F_ORDERED;
	assert_int_equal(flags(s, TALLY_KIND_REDUCE, &round),
			 TALLY_TCH_F_EXCHANGE | TALLY_TCH_F_LAST | TALLY_TCH_F_ORDERED);
	assert_int_equal(round, 3);
	flags(s, TALLY_KIND_QUERY, &round);
	assert_int_equal(round, 0);
}

static void packets_wait_for_windows(void **state)
{
	const struct span sp = { 40, 50, 0 };
	struct slot *s = chunk();
	uint8_t data[20] = { 0 };
	struct edge *ed = &a.g->edges[1];

	(void)state;
	alone_children(&a, 2);
	ed->peer_limit = 2;
	assert_false(slot_send(a.e, a.g, s, 1, TALLY_KIND_REDUCE, sp, data));
	ed->peer_limit = 3;
	ed->tx_next = 64;
	assert_false(slot_send(a.e, a.g, s, 1, TALLY_KIND_REDUCE, sp, data));
	assert_int_equal(a.sent, 0);
	assert_int_equal(s->sent[1], 0);
	ed->tx_una = 1;
	s->num = -1; /* before the limit, where numbers wrap */
	assert_true(slot_send(a.e, a.g, s, 1, TALLY_KIND_REDUCE, sp, data));
	a.g->flags =
		TALLY_GROUP_F_ORDERED; /* a number is kept for chunk 0, and chunk 1 has the last */
	ed->tx_una = 2;
	s->num = 1;
	assert_true(slot_send(a.e, a.g, s, 1, TALLY_KIND_REDUCE, sp, data));
	a.g->flags = 0;
	ed->peer_limit = -1;
	s->num = 0;
	ed->tx_una = 2;
	assert_false(slot_send(a.e, a.g, s, 1, TALLY_KIND_REDUCE, sp, data));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(fields_of_a_packet),
		TEST(places_of_chunks),
		TEST(limits_of_a_chunk),
		TEST(kinds_of_messages),
		TEST(modes_of_the_group),
		TEST(blocks_in_a_sparse_group),
		TEST(disagreements),
		TEST(packets_describe_their_chunk),
		TEST(flags_of_packets),
		TEST(packets_wait_for_windows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
