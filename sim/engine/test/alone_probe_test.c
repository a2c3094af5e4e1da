// SPDX-License-Identifier: BSD-2-Clause
/* Probes of neighbours that are silent while the oldest chunk waits for them. */
#include "engine/common.h"
#include "engine/probe.h"
#include "engine/segment.h"
#include "engine/test/alone.h"

#include <endian.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static struct alone a;
static struct slot *s; /* of the oldest chunk */

static int setup(void **state)
{
	(void)state;
	alone_setup(&a);
	alone_children(&a, 3);
	alone_parent(&a, EDGE_PARENT);
	a.g->done = a.g->mid_done = 2;
	a.g->limit = 4;
	s = slot_of(a.e, a.g, 2);
	*s = (struct slot){ .state = TALLY_SEG_BUSY,
			    .mode = TALLY_MODE_TREE,
			    .num = 2,
			    .opcode = TALLY_OPCODE_ALLREDUCE,
			    .op = TALLY_OP_SUM,
			    .dtype = TALLY_TYPE_INT32,
			    .mid = 7,
			    .total = 5,
			    .count = 5,
			    .up_contributors = 2,
			    .up_edge = EDGE_PARENT,
			    .down_edge = EDGE_PARENT,
			    .down_expected = true };
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	alone_teardown(&a);
	return 0;
}

/* Check which neighbours are probed; bit 3 stands for the parent. */
static void check_watched(unsigned int edges)
{
	unsigned int i;

	probe_watch(a.e, a.g);
	assert_int_equal(a.g->watched, edges & 7);
	for (i = 0; i < 4; i++) {
		struct edge *ed = &a.g->edges[i < 3 ? i : EDGE_PARENT];

		assert_int_equal(ed->probe_at != NEVER, edges >> i & 1);
		if (ed->probe_at != NEVER)
			assert_int_equal(ed->probe_at, a.e->now + 4 * a.g->rto);
		assert_int_equal(alone_touched(&a, &ed->timer), edges >> i & 1);
		ed->probe_at = NEVER;
	}
	a.g->watched = 0;
}

static void when_due(unsigned int idx)
{
	a.e->now = a.g->edges[idx].probe_at;
	probe_timer(a.e, a.g, idx);
}

/* ---- Who is probed ---- */

static void chunk_waits_for_edges(void **state)
{
	(void)state;
	check_watched(2 | 8);
	s->up_contributors = 0;
	check_watched(8);
	s->down_have = true;
	check_watched(0);
	s->down_todo = 5;
	check_watched(5);
	s->down_todo = 0;
	s->up_send = true;
	check_watched(8);
	s->up_edge = 1;
	check_watched(2);
	s->up_send = false;
	check_watched(0);
	s->up_send = true;
	s->out_todo = 1;
	check_watched(3);
	s->state = TALLY_SEG_FINISHED;
	check_watched(0);
	s->state = TALLY_SEG_FREE;
	check_watched(0);
}

/* Any neighbour may owe the message for which a descriptor without a limit waits. */
static void descriptor_waits_for_all(void **state)
{
	struct qp *qp = alone_qp(&a, 0, 1);
	struct wr *wr;

	(void)state;
	s->state = TALLY_SEG_FREE;
	a.g->timeout = NEVER;
	wr = alone_wr(qp, WR_ACTIVE, TALLY_OPCODE_PUT_MP, 3, 1);
	check_watched(7 | 8);
	a.g->contributors &= ~1ULL;
	check_watched(6 | 8);
	a.g->peers |= 1;
	check_watched(7 | 8);
	wr->fired = true;
	check_watched(0);
	wr->fired = false;
	wr->state = WR_READY;
	check_watched(0);
	wr->state = WR_ACTIVE;
	wr->w.opcode = TALLY_OPCODE_ALLREDUCE;
	check_watched(0);
	wr->w.opcode = TALLY_OPCODE_PUT_MP;
	a.g->timeout = 1000;
	check_watched(0);
}

/* A neighbour whose edge opens, or that has packets to acknowledge, is not probed. */
static void neighbours_that_are_probed_otherwise(void **state)
{
	(void)state;
	a.g->edges[1].state = TALLY_EDGE_OPENING;
	check_watched(8);
	a.g->edges[1].state = TALLY_EDGE_OPEN;
	a.g->edges[1].tx_next = 1;
	check_watched(8);
	a.g->unacked = 2;
	check_watched(8);
	a.g->edges[1].tx_next = 0;
	a.g->unacked = 0;
	a.g->edges[EDGE_PARENT].tx_next = 1;
	check_watched(2);
}

static void running_probes_are_left(void **state)
{
	uint64_t at = a.e->now + 5;

	(void)state;
	a.g->edges[1].probe_at = at;
	a.g->watched = 2;
	a.g->edges[EDGE_PARENT].probe_at = at;
	probe_watch(a.e, a.g);
	assert_int_equal(a.g->edges[1].probe_at, at);
	assert_int_equal(a.g->edges[EDGE_PARENT].probe_at, at);
	a.g->watched = 0;
	probe_watch(a.e, a.g);
	assert_int_equal(a.g->edges[1].probe_at, at);
}

/* With multicast each child is probed whose subtree is behind, whether it wraps or not. */
static void subtrees_that_are_behind(void **state)
{
	(void)state;
	s->state = TALLY_SEG_FREE;
	a.g->edges[0].peer_done = 2;
	a.g->edges[1].peer_done = 1;
	a.g->edges[2].peer_done = -1;
	check_watched(0);
	a.g->flags = TALLY_GROUP_F_MULTICAST;
	check_watched(6);
	s->state = TALLY_SEG_BUSY;
	s->up_contributors = 1;
	s->down_expected = false;
	check_watched(7);
	s->state = TALLY_SEG_FREE;
	a.g->children = 3; /* a peer has no subtree */
	check_watched(2);
	a.g->edges[1].peer_done = 3;
	check_watched(0);
}

/* Without a parent of its own index no edge of that index is looked at. */
static void parent_among_contributors(void **state)
{
	(void)state;
	a.g->parent = 2;
	s->up_edge = s->down_edge = 2;
	check_watched(6);
	s->down_have = true;
	check_watched(2);
	s->down_expected = s->down_have = false;
	check_watched(2);
	a.g->parent = EDGE_PARENT; /* the result comes from another neighbour, as in a ring */
	s->down_expected = true;
	check_watched(6);
	a.g->parent = NO_EDGE;
	s->down_expected = false;
	s->up_edge = s->down_edge = NO_EDGE;
	check_watched(2);
}

/* ---- Probes ---- */

static void probe_describes_the_chunk(void **state)
{
	(void)state;
	s->root_node = 1;
	s->root_rank = 3;
	s->sid = 1;
	s->first = 3;
	s->count = 2;
	a.g->edges[1].remote_index = 9;
	probe_watch(a.e, a.g);
	when_due(1);
	assert_int_equal(a.sent, 1);
	assert_int_equal(a.last.kind, TALLY_KIND_QUERY);
	assert_int_equal(a.last.contributor, 9);
	assert_int_equal(a.last.opcode, TALLY_OPCODE_ALLREDUCE);
	assert_int_equal(be16toh(a.last.flags), TALLY_TCH_F_LAST);
	assert_int_equal(be32toh(a.last.num), 2);
	assert_int_equal(be32toh(a.last.mid), 7);
	assert_int_equal(be32toh(a.last.sid), 1);
	assert_int_equal(be32toh(a.last.count), 2);
	assert_int_equal(be16toh(a.last.root_node), 1);
	assert_int_equal(a.len, 0);
	assert_int_equal(a.counters[TALLY_CTR_probes], 1);
}

static void query_names_what_is_done(void **state)
{
	(void)state;
	s->state = TALLY_SEG_FREE;
	a.g->flags = TALLY_GROUP_F_MULTICAST;
	a.g->done = 2;
	a.g->mid_done = 1;
	probe_watch(a.e, a.g);
	when_due(0);
	assert_int_equal(be32toh(a.last.num), 1);
	assert_int_equal(be32toh(a.last.mid), 0);
	assert_int_equal(a.last.opcode, 0);
	assert_int_equal(a.len, 0);
}

static void probes_are_spaced(void **state)
{
	struct edge *ed = &a.g->edges[1];
	uint64_t at = a.e->now + 4 * a.g->rto;

	(void)state;
	probe_watch(a.e, a.g);
	a.e->now = at - 1;
	probe_timer(a.e, a.g, 1);
	assert_int_equal(a.sent, 0);
	when_due(1);
	assert_int_equal(ed->probe_at, at + 8 * a.g->rto);
	ed->state = TALLY_EDGE_OPENING;
	when_due(1);
	assert_int_equal(a.sent, 1);
	ed->state = TALLY_EDGE_OPEN;
	when_due(1);
	assert_int_equal(ed->probe_at, at + 24 * a.g->rto);
	when_due(1);
	assert_int_equal(ed->probes, 3);
	assert_int_equal(a.counters[TALLY_CTR_probes], 3);
	assert_true(group_alive(a.g));
	when_due(1);
	assert_int_equal(a.sent, 3);
	assert_int_equal(alone_exception(&a)->cause, TALLY_FW_CAUSE_SILENCE);
	assert_int_equal(alone_exception(&a)->contributors, 2);
}

static void probes_end_with_the_wait(void **state)
{
	(void)state;
	probe_watch(a.e, a.g);
	a.g->edges[1].probes = 9;
	s->up_contributors = 0;
	a.g->watched |= 4;
	when_due(1);
	assert_int_equal(a.g->edges[1].probe_at, NEVER);
	assert_int_equal(a.g->watched, 4);
	assert_int_equal(a.sent, 0);
	assert_true(group_alive(a.g));
	when_due(EDGE_PARENT);
	assert_int_equal(a.sent, 1);
}

/* ---- Answers ---- */

static struct tch query(void)
{
	struct tch t = alone_chunk(TALLY_KIND_QUERY, 5);

	t.num = 2;
	t.mid = 7;
	return t;
}

static void queries_are_answered(void **state)
{
	struct tch t = query();

	(void)state;
	probe_packet(a.e, a.g, 2, &t);
	assert_true(group_alive(a.g));
	assert_int_equal(a.sent, 1);
	assert_int_equal(a.last.kind, TALLY_KIND_NOTIFY);
	assert_int_equal(a.last.contributor, 2);
}

static void queries_are_compared(void **state)
{
	struct tch t = query();

	(void)state;
	t.op = TALLY_OP_MAX;
	probe_packet(a.e, a.g, 2, &t);
	assert_int_equal(a.sent, 0);
	assert_int_equal(alone_exception(&a)->status, TALLY_COLL_OP_MISMATCH);
	assert_int_equal(alone_exception(&a)->contributors, 4);
}

/* A neighbour that asks for a chunk which a rank here can never post learns of the end. */
static void query_for_a_rank_that_is_gone(void **state)
{
	struct tch t = query();

	(void)state;
	a.g->gone = 1;
	a.g->ranks[0].next_num = 3; /* it has posted chunk 2 */
	probe_packet(a.e, a.g, 2, &t);
	assert_int_equal(a.sent, 1);
	a.g->ranks[0].next_num = 2;
	probe_packet(a.e, a.g, 2, &t);
	assert_int_equal(a.sent, 1);
	assert_int_equal(alone_exception(&a)->status, TALLY_COLL_RANK_GONE);
	assert_int_equal(alone_exception(&a)->ranks, 1);
	assert_int_equal(alone_exception(&a)->mid, 7);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(chunk_waits_for_edges),
		TEST(descriptor_waits_for_all),
		TEST(neighbours_that_are_probed_otherwise),
		TEST(running_probes_are_left),
		TEST(subtrees_that_are_behind),
		TEST(parent_among_contributors),
		TEST(probe_describes_the_chunk),
		TEST(query_names_what_is_done),
		TEST(probes_are_spaced),
		TEST(probes_end_with_the_wait),
		TEST(queries_are_answered),
		TEST(queries_are_compared),
		TEST(query_for_a_rank_that_is_gone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
