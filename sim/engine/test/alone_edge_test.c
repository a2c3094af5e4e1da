// SPDX-License-Identifier: BSD-2-Clause
/* Numbers, retransmission, announcements and probes of one edge. */
#include "engine/common.h"
#include "engine/edge.h"
#include "engine/probe.h"
#include "engine/segment.h"
#include "engine/test/alone.h"

#include <endian.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

/* ---- Numbers that are kept for chunks ---- */

/* An ORDERED group whose child 0 may be answered BUSY, with `used` numbers outstanding. */
static struct edge *ordered_edge(struct alone *a, uint32_t used)
{
	alone_setup(a);
	a->g->flags = TALLY_GROUP_F_ORDERED;
	alone_children(a, 1);
	a->g->edges[0].tx_next = used;
	return &a->g->edges[0];
}

/* The chunks from done up to, and including, the one that is sent need a number each. */
static void chunk_leaves_numbers_of_older_ones(void **state)
{
	struct alone a;
	struct edge *ed = ordered_edge(&a, 60);

	(void)state;
	assert_true(edge_can_send_chunk(a.g, ed, a.g->done + 3));
	assert_false(edge_can_send_chunk(a.g, ed, a.g->done + 4));
	alone_teardown(&a);
}

/* To the right neighbour of a ring each chunk may send two packets, to the left one none. */
static void ring_keeps_numbers_to_the_right(void **state)
{
	struct alone a;
	struct edge *ed = ordered_edge(&a, 60);

	(void)state;
	ed->roles = TALLY_ROLE_RING_OUT;
	assert_true(edge_can_send_chunk(a.g, ed, a.g->done + 1));
	assert_false(edge_can_send_chunk(a.g, ed, a.g->done + 2));
	ed->roles = TALLY_ROLE_RING_IN;
	assert_true(edge_can_send_chunk(a.g, ed, a.g->done + 3));
	alone_teardown(&a);
}

static void message_leaves_numbers_of_chunks(void **state)
{
	struct alone a;
	struct edge *ed = ordered_edge(&a, 60);
	struct slot *s = slot_of(a.e, a.g, 2);

	(void)state;
	assert_true(edge_can_send_message(a.g, ed));
	s->num = 2; /* sent; 0 and 1 are not */
	edge_chunk_sent(ed, s, 0);
	ed->tx_next = 61;
	assert_true(edge_can_send_message(a.g, ed));
	ed->tx_next = 62;
	assert_false(edge_can_send_message(a.g, ed));
	alone_teardown(&a);
}

/* ---- Retransmission ---- */

static void send_one(struct alone *a)
{
	struct tch t = alone_chunk(TALLY_KIND_REDUCE, 1);

	edge_send(a->e, a->g, 0, &t, NULL, 0);
}

static unsigned int acknowledge(struct alone *a, uint32_t top, uint64_t seen)
{
	struct acked acked[TALLY_EDGE_WINDOW];
	struct tch t = { .kind = TALLY_KIND_ACK, .edge_seq = top };

	return edge_ack(a->e, a->g, 0, &t, seen, acked);
}

/* Send four packets, of which the first is lost: the acknowledgement has it sent again, once. */
static void lose_first_of_four(struct alone *a)
{
	uint32_t first = a->g->edges[0].tx_next;
	unsigned int i;

	for (i = 0; i < 4; i++)
		send_one(a);
	a->sent = 0;
	assert_int_equal(acknowledge(a, first + 3, 7), 3);
	assert_int_equal(a->sent, 1);
	assert_int_equal(be32toh(a->last.edge_seq), first);
	assert_int_equal(acknowledge(a, first + 3, 7), 0);
	assert_int_equal(a->sent, 1);
	assert_int_equal(acknowledge(a, first + 3, 15), 1);
	assert_int_equal(a->sent, 1);
}

/* A packet is sent again early although its entry was used by one that was sent again, too. */
static void each_packet_is_hurried(void **state)
{
	struct alone a;
	unsigned int i;

	(void)state;
	alone_setup(&a);
	alone_children(&a, 1);
	for (i = 0; i < 8; i++)
		lose_first_of_four(&a);
	alone_teardown(&a);
}

static void time_out(struct alone *a)
{
	a->e->now = a->g->edges[0].rto_at;
	edge_timers(a->e, a->g, 0);
}

/* Only tries without any acknowledgement in between count. */
static void acknowledgement_resets_retries(void **state)
{
	struct alone a;
	unsigned int i;

	(void)state;
	alone_setup(&a);
	alone_children(&a, 1);
	send_one(&a);
	for (i = 0; i < 8; i++) {
		send_one(&a);
		time_out(&a);
		time_out(&a);
		assert_int_equal(acknowledge(&a, i, 1), 1);
		assert_true(group_alive(a.g));
	}
	for (i = 0; i < a.g->retry_limit; i++)
		time_out(&a);
	assert_true(group_alive(a.g));
	time_out(&a);
	assert_false(group_alive(a.g));
	alone_teardown(&a);
}

/* ---- Announcements ---- */

/* A parent that gives no data to this node sends it results, so it must learn the limit, too. */
static void peer_that_is_parent_learns_limit(void **state)
{
	struct alone a;

	(void)state;
	alone_setup(&a);
	alone_children(&a, 2);
	a.g->children = a.g->contributors = 0;
	a.g->peers = 3;
	a.g->parent = 0;
	a.g->max_segs = 8;
	a.g->done = a.g->limit = 4;
	a.g->limit = 8; /* both know a limit of 4 */
	edge_hurry_limit(a.e, a.g, TALLY_MODE_TREE);
	assert_int_equal(a.g->edges[0].announce_at, a.e->now);
	assert_int_equal(a.g->edges[1].announce_at, NEVER);
	alone_teardown(&a);
}

static void limit_is_announced_without_done(void **state)
{
	struct alone a;

	(void)state;
	alone_setup(&a);
	alone_children(&a, 1);
	a.g->edges[0].announce_at = a.e->now;
	edge_timers(a.e, a.g, 0);
	assert_int_equal(a.sent, 0);
	a.g->limit = 6;
	a.g->edges[0].announce_at = a.e->now;
	edge_timers(a.e, a.g, 0);
	assert_int_equal(a.sent, 1);
	assert_int_equal(a.last.kind, TALLY_KIND_NOTIFY);
	assert_int_equal(be16toh(a.last.limit), 6);
	alone_teardown(&a);
}

/* The limit counts from the done that the packet tells. */
static void limit_of_subtree_counts_from_its_done(void **state)
{
	struct alone a;

	(void)state;
	alone_setup(&a);
	a.g->flags = TALLY_GROUP_F_MULTICAST;
	alone_children(&a, 1);
	alone_parent(&a, EDGE_PARENT);
	a.g->done = 3;
	a.g->limit = 7;
	a.g->edges[0].peer_done = 1;
	a.g->edges[0].peer_limit = 5;
	edge_notify(a.e, a.g, EDGE_PARENT);
	assert_int_equal(be32toh(a.last.done), 1);
	assert_int_equal(be16toh(a.last.limit), 4);
	edge_notify(a.e, a.g, 0);
	assert_int_equal(be32toh(a.last.done), 3);
	assert_int_equal(be16toh(a.last.limit), 4);
	alone_teardown(&a);
}

/* ---- Probes ---- */

static void probe_when_due(struct alone *a, unsigned int idx)
{
	a->e->now = a->g->edges[idx].probe_at;
	probe_timer(a->e, a->g, idx);
}

/* Without a chunk, a query names a message that both ends have finished. */
static void query_without_chunk(void **state)
{
	struct alone a;

	(void)state;
	alone_setup(&a);
	a.g->flags = TALLY_GROUP_F_MULTICAST;
	alone_children(&a, 1);
	a.g->done = a.g->mid_done = 2;
	a.g->limit = 6;
	probe_watch(a.e, a.g);
	probe_when_due(&a, 0);
	assert_int_equal(a.last.kind, TALLY_KIND_QUERY);
	assert_int_equal(be32toh(a.last.num), 1);
	assert_int_equal(be32toh(a.last.mid), 1);
	alone_teardown(&a);
}

static void probe_begins_again(void **state)
{
	struct alone a;
	struct edge *ed;
	struct slot *s;

	(void)state;
	alone_setup(&a);
	alone_children(&a, 1);
	ed = &a.g->edges[0];
	s = slot_of(a.e, a.g, a.g->done);
	s->mode = TALLY_MODE_TREE;
	s->up_contributors = 1;
	s->state = TALLY_SEG_BUSY;
	probe_watch(a.e, a.g);
	assert_int_not_equal(ed->probe_at, NEVER);
	s->state = TALLY_SEG_FREE;
	probe_when_due(&a, 0); /* the chunk waits no more */
	assert_int_equal(ed->probe_at, NEVER);
	assert_int_equal(a.sent, 0);
	s->state = TALLY_SEG_BUSY;
	probe_watch(a.e, a.g);
	assert_int_not_equal(ed->probe_at, NEVER);
	probe_when_due(&a, 0);
	assert_int_equal(a.sent, 1);
	alone_teardown(&a);
}

/* A sum that finds the parent's window closed has the parent probed. */
static void sum_waits_on_parent(void **state)
{
	struct slot s = { .mode = TALLY_MODE_TREE,
			  .up_edge = EDGE_PARENT, .down_edge = EDGE_PARENT };
	struct alone a;

	(void)state;
	alone_setup(&a);
	alone_parent(&a, EDGE_PARENT);
	assert_false(slot_waits_on(a.g, &s, EDGE_PARENT));
	s.up_send = true;
	assert_true(slot_waits_on(a.g, &s, EDGE_PARENT));
	alone_teardown(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chunk_leaves_numbers_of_older_ones),
		cmocka_unit_test(ring_keeps_numbers_to_the_right),
		cmocka_unit_test(message_leaves_numbers_of_chunks),
		cmocka_unit_test(each_packet_is_hurried),
		cmocka_unit_test(acknowledgement_resets_retries),
		cmocka_unit_test(peer_that_is_parent_learns_limit),
		cmocka_unit_test(limit_is_announced_without_done),
		cmocka_unit_test(limit_of_subtree_counts_from_its_done),
		cmocka_unit_test(query_without_chunk),
		cmocka_unit_test(probe_begins_again),
		cmocka_unit_test(sum_waits_on_parent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
