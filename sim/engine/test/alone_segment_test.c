// SPDX-License-Identifier: BSD-2-Clause
/* Chunks of one node: what a slot takes in, from requests of its ranks and from its neighbours. */
#include "engine/common.h"
#include "engine/local.h"
#include "engine/message.h"
#include "engine/mode.h"
#include "engine/ordered.h"
#include "engine/payload.h"
#include "engine/segment.h"
#include "engine/segment_rx.h"
#include "engine/test/alone.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- Memory of a slot ---- */

/* Whatever the length of a chunk, what is laid out inside a slot ends inside it. */
static void payloads_fit(void **state)
{
	static struct slot s = { .mode = TALLY_MODE_TREE, .opcode = TALLY_OPCODE_ALLREDUCE };
	struct alone a;
	unsigned int ranks, inside = 0;

	(void)state;
	alone_setup(&a);
	a.g->flags = TALLY_GROUP_F_ORDERED;
	for (ranks = 1; ranks <= 64; ranks++) {
		a.g->rank_mask = ~0ULL >> (64 - ranks);
		for (s.elem = 1, s.count = 1; s.count <= a.g->mtu; s.count++) {
			payload_lay_out(a.g, &s);
			if (!s.inputs_inside)
				continue;
			inside++;
			assert_true(s.stride >= s.count);
			assert_true(s.stride * (s.inputs_at + ordered_inputs(a.g)) <=
				    sizeof(s.data));
		}
	}
	assert_true(inside > 0);
	alone_teardown(&a);
}

static void short_chunks_in_fixed_order(void **state)
{
	struct alone a;

	(void)state;
	alone_setup(&a);
	a.g->chunk = 256;
	assert_int_equal(payload_most(a.g, TALLY_MODE_EXCHANGE, TALLY_OPCODE_ALLREDUCE), 256);
	assert_int_equal(payload_most(a.g, TALLY_MODE_EXCHANGE, TALLY_OPCODE_ALLGATHER), 4096);
	assert_int_equal(payload_most(a.g, TALLY_MODE_TREE, TALLY_OPCODE_ALLREDUCE), 4096);
	a.g->flags = TALLY_GROUP_F_ORDERED;
	assert_int_equal(payload_most(a.g, TALLY_MODE_TREE, TALLY_OPCODE_ALLREDUCE), 256);
	alone_teardown(&a);
}

/* ---- Packets ---- */

static enum rx_verdict arrive(struct alone *a, unsigned int idx, const struct tch *t)
{
	static const uint8_t payload[4096];

	return slot_packet(a->e, a->g, idx, t, payload, t->count * 4);
}

static void flags_that_name_two_modes(void **state)
{
	(void)state;
	assert_int_equal(mode_of_flags(0), TALLY_MODE_TREE);
	assert_int_equal(mode_of_flags(TALLY_TCH_F_RING | TALLY_TCH_F_LAST), TALLY_MODE_RING);
	assert_int_equal(mode_of_flags(TALLY_TCH_F_RING | TALLY_TCH_F_EXCHANGE), 0);
}

/* A query has no payload, so nothing but this check bounds what it claims. */
static void length_beyond_32_bits(void **state)
{
	struct tch t = alone_chunk(TALLY_KIND_QUERY, 1024);
	struct message m;
	struct alone a;

	(void)state;
	alone_setup(&a);
	m = message_of_packet(&t);
	assert_true(message_plausible(a.g, &t, &m));
	t.count = t.total = (1u << 30) + 1; /* 2^32 + 4 bytes */
	m = message_of_packet(&t);
	assert_false(message_plausible(a.g, &t, &m));
	alone_teardown(&a);
}

static void result_comes_from_the_parent(void **state)
{
	struct tch t = alone_chunk(TALLY_KIND_RESULT, 1);
	struct alone a;

	(void)state;
	alone_setup(&a);
	alone_children(&a, 1);
	alone_parent(&a, EDGE_PARENT);
	assert_int_equal(arrive(&a, 0, &t), RX_DROP);
	assert_int_equal(a.counters[TALLY_CTR_drop_slot], 1);
	assert_false(slot_of(a.e, a.g, 0)->down_have);
	assert_int_equal(arrive(&a, EDGE_PARENT, &t), RX_STORED);
	assert_true(slot_of(a.e, a.g, 0)->down_have);
	alone_teardown(&a);
}

static void chunk_too_long_for_fixed_order(void **state)
{
	struct tch t = alone_chunk(TALLY_KIND_REDUCE, 17);
	struct alone a;

	(void)state;
	alone_setup(&a);
	a.g->flags = TALLY_GROUP_F_ORDERED;
	a.g->chunk = 64;
	alone_children(&a, 1);
	assert_int_equal(arrive(&a, 0, &t), RX_DROP);
	assert_int_equal(alone_exception(&a)->status, TALLY_COLL_CHUNK_MISMATCH);
	alone_teardown(&a);
}

static void root_that_does_not_exist(void **state)
{
	struct tch t = alone_chunk(TALLY_KIND_REDUCE, 1);
	struct alone a;

	(void)state;
	alone_setup(&a);
	alone_children(&a, 1);
	t.opcode = TALLY_OPCODE_REDUCE;
	t.root_rank = 5;
	assert_int_equal(arrive(&a, 0, &t), RX_DROP);
	assert_int_equal(alone_exception(&a)->status, TALLY_COLL_BAD_ROOT);
	alone_teardown(&a);
}

/* A node without ranks learns from a query that a broadcast takes it for the root. */
static void root_without_ranks(void **state)
{
	struct tch t = alone_chunk(TALLY_KIND_QUERY, 1);
	struct alone a;

	(void)state;
	alone_setup(&a);
	a.g->rank_mask = 0;
	alone_children(&a, 1);
	t.opcode = TALLY_OPCODE_BCAST;
	t.op = TALLY_OP_NONE;
	t.root_node = 1;
	slot_compare(a.e, a.g, 0, &t);
	assert_int_equal(slot_of(a.e, a.g, 0)->state, TALLY_SEG_BUSY);
	assert_true(group_alive(a.g));
	t.root_node = 0;
	t.mid = t.num = 1;
	slot_compare(a.e, a.g, 0, &t);
	assert_int_equal(slot_of(a.e, a.g, 1)->state, TALLY_SEG_FREE);
	assert_int_equal(alone_exception(&a)->status, TALLY_COLL_BAD_ROOT);
	alone_teardown(&a);
}

/* ---- Requests ---- */

/* Let ranks post chunk 0 of message 0, an ALLREDUCE of one INT32. */
static bool post(struct alone *a, unsigned int i, uint64_t ranks, uint64_t children,
		 uint64_t timeout)
{
	struct qp *qp = &a->e->qps[0];
	struct wr *wr = &qp->wrs[i];
	const struct tch t = alone_chunk(TALLY_KIND_REDUCE, 1);

	qp->used = true;
	wr->state = WR_ACTIVE;
	wr->begun = 1;
	wr->to_go = 8;
	wr->w.mode = TALLY_MODE_TREE;
	wr->w.opcode = t.opcode;
	wr->w.op = t.op;
	wr->w.dtype = t.dtype;
	wr->w.elem = wr->w.give = 4;
	wr->w.chunk = wr->w.chunks = wr->w.total = wr->w.count = 1;
	wr->w.rank_mask = ranks;
	wr->w.node_mask = children;
	wr->w.timeout = timeout;
	memcpy(wr->w.data, &(int32_t){ 3 }, 4);
	return slot_post(a->e, a->g, qp, wr, 0);
}

/* A request leaves out a child whose data are in the sum already. */
static void mask_leaves_out_what_has_come(void **state)
{
	struct tch t = alone_chunk(TALLY_KIND_REDUCE, 1);
	struct alone a;

	(void)state;
	alone_setup(&a);
	alone_children(&a, 2);
	assert_int_equal(arrive(&a, 0, &t), RX_STORED);
	assert_false(post(&a, 0, 1, 2, 0));
	assert_int_equal(alone_exception(&a)->status, TALLY_COLL_MASK_MISMATCH);
	alone_teardown(&a);
}

/* The shortest limit of all requests of a chunk counts, in whichever order they come. */
static void shortest_time_limit_counts(void **state)
{
	struct alone a;

	(void)state;
	alone_setup(&a);
	a.g->rank_mask = 7;
	assert_true(post(&a, 0, 1, 0, 9 * MS));
	assert_int_equal(slot_of(a.e, a.g, 0)->limit, 9 * MS);
	assert_true(post(&a, 1, 2, 0, 5 * MS));
	assert_true(post(&a, 2, 4, 0, 9 * MS));
	assert_int_equal(slot_of(a.e, a.g, 0)->limit, 5 * MS);
	alone_teardown(&a);
}

/* The data of a rank that waits for a cell are still to be read when another rank posts. */
static void ranks_wait_for_cells_together(void **state)
{
	struct alone a;

	(void)state;
	alone_setup(&a);
	a.g->rank_mask = 3;
	assert_true(post(&a, 0, 1, 0, 0));
	assert_true(post(&a, 1, 2, 0, 0));
	assert_int_equal(slot_of(a.e, a.g, 0)->fetch, 3);
	alone_teardown(&a);
}

/* Of 64 neighbours one is a child, so the shape of a sum has an input of the others for none. */
static void fixed_order_among_64_neighbours(void **state)
{
	struct tch t = alone_chunk(TALLY_KIND_REDUCE, 1);
	struct alone a;
	struct slot *s;
	int32_t sum;

	(void)state;
	alone_setup(&a);
	a.g->flags = TALLY_GROUP_F_ORDERED | TALLY_GROUP_F_ROOT;
	alone_children(&a, 64);
	a.g->children = 1;
	s = slot_of(a.e, a.g, 0);
	assert_int_equal(arrive(&a, 0, &t), RX_STORED);
	assert_true(post(&a, 0, 1, 1, 0));
	slot_pump(a.e, a.g, s);
	assert_true(s->down_have);
	memcpy(&sum, slot_down(s), sizeof(sum));
	assert_int_equal(sum, 3);
	assert_int_equal(a.sent, 1);
	alone_teardown(&a);
}

/* The place of a request may hold a later one, which has nothing to do with the chunk. */
static void request_of_another_chunk(void **state)
{
	struct alone a;
	struct slot *s;
	struct wr *wr;

	(void)state;
	alone_setup(&a);
	assert_true(post(&a, 0, 1, 0, 0));
	s = slot_of(a.e, a.g, 0);
	wr = &a.e->qps[0].wrs[0];
	wr->num = 1;
	local_finished(a.e, s, 1);
	assert_int_equal(wr->to_go, 8);
	wr->num = 0;
	local_finished(a.e, s, 1);
	assert_int_equal(wr->to_go, 7);
	alone_teardown(&a);
}

/* ---- Blame ---- */

static void first_round_that_lacks_data(void **state)
{
	struct slot s = { .mode = TALLY_MODE_EXCHANGE, .up_contributors = 6 };
	struct alone a;

	(void)state;
	alone_setup(&a);
	a.g->rounds = 3;
	a.g->round[1].ins = 1;
	a.g->round[2].ins = 2;
	a.g->round[3].ins = 4;
	assert_int_equal(mode_of(s.mode)->missing(a.g, &s), 2);
	alone_teardown(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(payloads_fit),
		cmocka_unit_test(short_chunks_in_fixed_order),
		cmocka_unit_test(flags_that_name_two_modes),
		cmocka_unit_test(length_beyond_32_bits),
		cmocka_unit_test(result_comes_from_the_parent),
		cmocka_unit_test(chunk_too_long_for_fixed_order),
		cmocka_unit_test(root_that_does_not_exist),
		cmocka_unit_test(root_without_ranks),
		cmocka_unit_test(mask_leaves_out_what_has_come),
		cmocka_unit_test(shortest_time_limit_counts),
		cmocka_unit_test(ranks_wait_for_cells_together),
		cmocka_unit_test(fixed_order_among_64_neighbours),
		cmocka_unit_test(request_of_another_chunk),
		cmocka_unit_test(first_round_that_lacks_data),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
