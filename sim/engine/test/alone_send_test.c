// SPDX-License-Identifier: BSD-2-Clause
/* The sending side of one edge: numbers, acknowledgement and retransmission. */
#include "engine/common.h"
#include "engine/edge.h"
#include "engine/test/alone.h"

#include <endian.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct alone a;
static struct edge *ed; /* edge 1 of three */
static struct acked acked[TALLY_EDGE_WINDOW];

#define EDGE 1
#define BIT (1ULL << EDGE)

static int setup(void **state)
{
	(void)state;
	alone_setup(&a);
	alone_children(&a, 3);
	ed = &a.g->edges[EDGE];
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	alone_teardown(&a);
	return 0;
}

/* Let the numbers of the edge wrap after two packets. */
static void begin_before_wrap(void)
{
	ed->tx_una = ed->tx_next = -2;
}

static struct tx_entry *send(uint8_t kind, uint32_t num)
{
	struct tch t = alone_chunk(kind, 1);

	t.num = num;
	return edge_send(a.e, a.g, EDGE, &t, NULL, 0);
}

static void send_many(unsigned int num)
{
	while (num--)
		send(TALLY_KIND_REDUCE, 0);
}

static unsigned int acknowledge(uint32_t top, uint64_t seen)
{
	struct tch t = { .kind = TALLY_KIND_ACK, .edge_seq = top };

	return edge_ack(a.e, a.g, EDGE, &t, seen, acked);
}

static void busy(uint32_t seq)
{
	struct tch t = { .kind = TALLY_KIND_BUSY, .edge_seq = seq };

	edge_busy(a.e, a.g, EDGE, &t);
}

/* Check that the packets from the `from`-th on have these numbers. */
static void check_sent(unsigned int from, unsigned int num, const uint32_t *seq)
{
	unsigned int i;

	assert_int_equal(a.sent, from + num);
	for (i = 0; i < num; i++)
		assert_int_equal(be32toh(a.packet[(from + i) % ALONE_KEPT].edge_seq), seq[i]);
}

/* ---- Numbers ---- */

static void waits_double(void **state)
{
	unsigned int i;

	(void)state;
	a.g->rto = 100;
	a.g->max_backoff = 1000000;
	for (i = 0; i < 13; i++)
		assert_int_equal(edge_backoff(a.g, i), 100u << (i < 10 ? i : 10));
	a.g->max_backoff = 801;
	assert_int_equal(edge_backoff(a.g, 3), 800);
	assert_int_equal(edge_backoff(a.g, 4), 801);
}

static void open_edge_has_a_window(void **state)
{
	(void)state;
	ed->tx_una = -3;
	ed->tx_next = 60;
	assert_true(edge_can_send(ed));
	ed->tx_next = 61;
	assert_false(edge_can_send(ed));
	ed->tx_una++;
	assert_true(edge_can_send(ed));
	ed->unconfirmed = true;
	assert_false(edge_can_send(ed));
	ed->unconfirmed = false;
	ed->state = TALLY_EDGE_OPENING;
	assert_false(edge_can_send(ed));
}

/* Numbers are kept only where contributions may find no cell. */
static void who_keeps_numbers(void **state)
{
	(void)state;
	ed->tx_next = 60;
	assert_true(edge_can_send_chunk(a.g, ed, 40));
	a.g->modes = TALLY_MODES_RING;
	assert_true(edge_can_send_chunk(a.g, ed, 40));
	a.g->modes = TALLY_MODES_TREE | TALLY_MODES_EXCHANGE;
	assert_false(edge_can_send_chunk(a.g, ed, 40));
	a.g->chunk = 64;
	assert_true(edge_can_send_chunk(a.g, ed, 40));
	a.g->modes = TALLY_MODES_TREE;
	a.g->flags = TALLY_GROUP_F_ORDERED;
	assert_true(edge_can_send_chunk(a.g, ed, 40));
	a.g->chunk = 0;
	assert_false(edge_can_send_chunk(a.g, ed, 40));
	ed->tx_next = 64;
	assert_false(edge_can_send_chunk(a.g, ed, 0));
}

/* The numbers of chunks up to the newest sent one are counted, also where num wraps. */
static void counted_chunks_need_one_number(void **state)
{
	(void)state;
	a.g->flags = TALLY_GROUP_F_ORDERED;
	ed->tx_next = 63;
	a.g->done = ed->chunk_top = -2;
	assert_true(edge_can_send_message(a.g, ed));
	ed->chunk_top = 2; /* of -2, -1, 0, 1 none is sent */
	assert_true(edge_can_send_chunk(a.g, ed, -1));
	assert_true(edge_can_send_chunk(a.g, ed, 1));
	ed->chunk_sent = 1; /* only the last is sent */
	assert_true(edge_can_send_chunk(a.g, ed, -2));
	assert_true(edge_can_send_chunk(a.g, ed, 1));
	assert_false(edge_can_send_chunk(a.g, ed, 2));
	assert_false(edge_can_send_message(a.g, ed));
	ed->tx_next = 60;
	assert_true(edge_can_send_chunk(a.g, ed, 2));
	assert_true(edge_can_send_message(a.g, ed));
	ed->tx_next = 61;
	assert_false(edge_can_send_chunk(a.g, ed, 2));
	assert_false(edge_can_send_message(a.g, ed));
	a.g->flags = 0;
	assert_true(edge_can_send_message(a.g, ed));
}

/* An edge on which no chunk was sent for long keeps nothing. */
static void message_after_chunks_of_other_edges(void **state)
{
	(void)state;
	a.g->flags = TALLY_GROUP_F_ORDERED;
	a.g->done = 5;
	assert_true(edge_can_send_message(a.g, ed));
	ed->tx_una = ed->tx_next = 6;
	assert_true(edge_can_send_message(a.g, ed));
	ed->tx_una = 0;
	ed->chunk_top = 7; /* two chunks, one of which is sent */
	ed->chunk_sent = 1;
	ed->tx_next = 62;
	assert_true(edge_can_send_message(a.g, ed));
	ed->tx_next = 63;
	assert_false(edge_can_send_message(a.g, ed));
	ed->chunk_top = 5;
	ed->chunk_sent = 0;
	assert_true(edge_can_send_message(a.g, ed));
	ed->tx_next = 64;
	assert_false(edge_can_send_message(a.g, ed));
}

static void chunks_are_accounted_for(void **state)
{
	static struct slot s = { .num = UINT32_MAX };

	(void)state;
	ed->chunk_top = -3;
	edge_chunk_sent(ed, &s, EDGE);
	assert_int_equal(ed->chunk_top, 0);
	assert_int_equal(ed->chunk_sent, 1);
	s.num = -2; /* an older one does not lower the top */
	edge_chunk_sent(ed, &s, EDGE);
	assert_int_equal(ed->chunk_top, 0);
	s.num = 0;
	edge_chunk_sent(ed, &s, EDGE);
	assert_int_equal(ed->chunk_top, 1);
	assert_int_equal(s.sent[EDGE], 3);
	assert_int_equal(s.sent[0], 0);
	s.sent[2] = 1;
	a.g->edges[2].chunk_sent = 5;
	edge_chunk_done(a.g, &s);
	assert_int_equal(ed->chunk_sent, 0);
	assert_int_equal(a.g->edges[2].chunk_sent, 4);
	assert_int_equal(a.g->edges[0].chunk_sent, 0);
}

/* ---- Sending ---- */

static void first_packet_starts_the_timer(void **state)
{
	static const uint8_t payload[3] = { 1, 2, 3 };
	struct tch t = alone_chunk(TALLY_KIND_RESULT, 1);
	const struct tx_entry *tx;
	uint64_t at = a.e->now + a.g->rto;

	(void)state;
	ed->tx_una = ed->tx_next = 64 + 5;
	ed->retries = 2;
	ed->addr.gid[3] = 77;
	t.edge_seq = 2;
	tx = edge_send(a.e, a.g, EDGE, &t, payload, 3);
	assert_int_equal(t.edge_seq, 69);
	assert_int_equal(tx->tch.edge_seq, 69);
	assert_int_equal(tx->tch.num, 0);
	assert_ptr_equal(tx->payload, payload);
	assert_int_equal(tx->len, 3);
	assert_int_equal(be32toh(a.last.edge_seq), 69);
	assert_int_equal(a.last.kind, TALLY_KIND_RESULT);
	assert_int_equal(a.to.gid[3], 77);
	assert_int_equal(a.len, 3);
	assert_memory_equal(a.payload, payload, 3);
	assert_int_equal(ed->sent, 1);
	assert_int_equal(ed->tx_held, 1 << 5);
	assert_int_equal(ed->retries, 0);
	assert_int_equal(ed->rto_at, at);
	assert_int_equal(a.g->unacked, BIT);
	assert_true(alone_touched(&a, &ed->timer));
	a.e->now += 5;
	ed->retries = 1;
	send_many(1);
	assert_int_equal(ed->rto_at, at);
	assert_int_equal(ed->retries, 1);
	assert_int_equal(ed->tx_next, 71);
	assert_false(alone_touched(&a, &ed->timer));
	assert_int_equal(a.g->edges[0].rto_at, NEVER);
}

/* The parent, which has no bit, is sent to as well. */
static void packets_to_the_parent(void **state)
{
	struct tch t = alone_chunk(TALLY_KIND_REDUCE, 1);
	struct edge *parent = &a.g->edges[EDGE_PARENT];

	(void)state;
	alone_parent(&a, EDGE_PARENT);
	edge_send(a.e, a.g, EDGE_PARENT, &t, NULL, 0);
	assert_int_equal(a.g->unacked, 0);
	assert_int_equal(parent->tx_next, 1);
	assert_int_equal(parent->rto_at, a.e->now + a.g->rto);
	edge_flush(a.g, parent);
	assert_int_equal(parent->tx_una, 1);
}

static uint32_t trigger(uint16_t port, uint8_t counter)
{
	struct tch t = {
		.kind = TALLY_KIND_TRIGGER,
		.port = port,
		.counter = counter,
		.num = 0x1000,
	};

	edge_send(a.e, a.g, EDGE, &t, NULL, 0);
	assert_int_equal(be32toh(a.last.num), t.num);
	return t.num;
}

/* A TRIGGER names the one before it to the same counter of the port that is not acknowledged. */
static void triggers_name_their_predecessors(void **state)
{
	(void)state;
	begin_before_wrap();
	assert_int_equal(trigger(1, 0), UINT32_MAX - 1);
	assert_int_equal(trigger(2, 0), UINT32_MAX);
	assert_int_equal(trigger(1, 1), 0);
	assert_int_equal(trigger(1, 0), UINT32_MAX - 1);
	assert_int_equal(trigger(1, 0), 1);
	assert_int_equal(trigger(2, 0), UINT32_MAX);
	assert_int_equal(acknowledge(2, 3), 2); /* 1 and 2 */
	assert_int_equal(trigger(1, 0), UINT32_MAX - 1);
	assert_int_equal(acknowledge(-2, 1), 1);
	assert_int_equal(trigger(1, 0), 4);
	assert_int_equal(acknowledge(5, 0xff), 5);
	assert_int_equal(trigger(1, 0), 6);
	send(TALLY_KIND_REDUCE, 9);
	assert_int_equal(be32toh(a.last.num), 9);
	assert_int_equal(trigger(0, 0), 8);
}

/* ---- Acknowledgement ---- */

static void check_acked(unsigned int i, uint8_t kind, uint32_t num, uint16_t qp, uint32_t wqe)
{
	assert_int_equal(acked[i].kind, kind);
	assert_int_equal(acked[i].num, num);
	assert_int_equal(acked[i].qp, qp);
	assert_int_equal(acked[i].wqe, wqe);
}

static void acknowledged_packets_are_returned(void **state)
{
	struct tx_entry *tx;

	(void)state;
	begin_before_wrap();
	send(TALLY_KIND_REDUCE, 11);
	send(TALLY_KIND_REDUCE, 12);
	tx = send(TALLY_KIND_RESULT, 13);
	tx->qp = 5;
	tx->wqe = 6;
	assert_int_equal(acknowledge(1, 10), 2); /* 1 itself is not sent; 0 and -2 */
	check_acked(0, TALLY_KIND_REDUCE, 11, 0, 0);
	check_acked(1, TALLY_KIND_RESULT, 13, 5, 6);
	assert_int_equal(ed->tx_una, UINT32_MAX);
	assert_int_equal(ed->tx_held, 1ULL << 63);
	assert_int_equal(acknowledge(-1, 1), 1);
	assert_int_equal(ed->tx_una, 1);
	assert_int_equal(ed->tx_held, 0);
}

/* Acknowledgements of packets before the oldest, or far behind the newest, change nothing. */
static void acknowledgements_out_of_the_window(void **state)
{
	(void)state;
	send_many(2);
	assert_int_equal(acknowledge(64, ~0ULL), 1); /* 1; packet 0 is 64 older */
	assert_int_equal(ed->tx_una, 0);
	assert_int_equal(acknowledge(-1, ~0ULL), 0);
	assert_int_equal(acknowledge(63, 1ULL << 62), 0);
	assert_int_equal(acknowledge(63, 1ULL << 63), 1);
	assert_int_equal(ed->tx_una, 2);
	assert_int_equal(acknowledge(1, 3), 0); /* once more */
}

static void progress_restarts_the_timer(void **state)
{
	uint64_t at = a.e->now + a.g->rto;

	(void)state;
	send_many(3);
	alone_touched(&a, &ed->timer);
	a.e->now += 7 * US;
	ed->retries = 2;
	assert_int_equal(acknowledge(0, 0), 0);
	assert_int_equal(ed->rto_at, at);
	assert_int_equal(ed->retries, 2);
	assert_false(alone_touched(&a, &ed->timer));
	assert_int_equal(acknowledge(1, 1), 1); /* also behind a gap */
	assert_int_equal(ed->rto_at, at + 7 * US);
	assert_int_equal(ed->retries, 0);
	assert_int_equal(a.g->unacked, BIT);
	assert_true(alone_touched(&a, &ed->timer));
	assert_int_equal(acknowledge(2, 5), 2);
	assert_int_equal(ed->rto_at, NEVER);
	assert_int_equal(a.g->unacked, 0);
}

/* Acknowledged packets leave their entries to others, so few entries are ever used. */
static void entries_are_used_again(void **state)
{
	uint32_t i;

	(void)state;
	for (i = 0; i < 200; i++) {
		send_many(1);
		assert_int_equal(acknowledge(i, 1), 1);
	}
	assert_int_equal(a.g->tx_fresh, 1);
	send_many(3);
	assert_int_equal(a.g->tx_fresh, 3);
	assert_int_equal(acknowledge(202, 2), 1);
	edge_flush(a.g, ed);
	send_many(3);
	assert_int_equal(a.g->tx_fresh, 3);
	send_many(1);
	assert_int_equal(a.g->tx_fresh, 4);
}

/* Entries come back in another order; each number has that of its own packet. */
static void entries_belong_to_numbers(void **state)
{
	static const uint8_t payload[64];
	struct tch t = alone_chunk(TALLY_KIND_REDUCE, 1);
	unsigned int i, k;

	(void)state;
	a.g->retry_limit = 1000;
	for (i = 0; i < 100; i++) {
		for (k = 0; k < 3; k++) {
			t.num = 3 * i + k;
			edge_send(a.e, a.g, EDGE, &t, payload, 1 + t.num % 50);
		}
		a.e->now = ed->rto_at;
		edge_timers(a.e, a.g, EDGE);
		assert_int_equal(be32toh(a.packet[(a.sent - 3) % ALONE_KEPT].num), 3 * i);
		assert_int_equal(be32toh(a.packet[(a.sent - 2) % ALONE_KEPT].num), 3 * i + 1);
		assert_int_equal(be32toh(a.last.num), 3 * i + 2);
		assert_int_equal(a.len, 1 + t.num % 50);
		assert_int_equal(acknowledge(3 * i + 2, 7), 3);
	}
	assert_int_equal(a.g->tx_fresh, 3);
}

static void flushed_edge_forgets_packets(void **state)
{
	(void)state;
	a.g->unacked = 4;
	send_many(3);
	edge_flush(a.g, ed);
	assert_int_equal(ed->tx_una, ed->tx_next);
	assert_int_equal(ed->tx_next, 3);
	assert_int_equal(ed->tx_held, 0);
	assert_int_equal(ed->rto_at, NEVER);
	assert_int_equal(a.g->unacked, 4);
	send_many(1);
	ed->state = TALLY_EDGE_NONE; /* it never had packets */
	edge_flush(a.g, ed);
	assert_int_equal(ed->tx_una, 3);
	ed->state = TALLY_EDGE_OPENING;
	edge_flush(a.g, ed);
	assert_int_equal(ed->tx_una, 4);
	a.g->watched = 7;
	edge_release_all(a.g);
	assert_int_equal(a.g->watched | a.g->unacked | a.g->tx_fresh, 0);
	assert_int_equal(a.g->tx_free, NONE);
}

/* ---- Retransmission ---- */

/* Only packets that at least three later ones have overtaken are sent again before their time. */
static void overtaken_packets_are_hurried(void **state)
{
	static const uint32_t again[] = { -2, -1, 0, 2 };

	(void)state;
	begin_before_wrap();
	send_many(8);
	assert_int_equal(acknowledge(0, 1), 1);
	assert_int_equal(a.sent, 8); /* -2 and -1 are overtaken by one */
	assert_int_equal(acknowledge(1, 1), 1);
	check_sent(8, 1, again);
	assert_int_equal(acknowledge(5, 1), 1);
	check_sent(8, 3, (const uint32_t[]){ -2, -1, 2 }); /* 3 and 4 are too young */
	assert_int_equal(a.counters[TALLY_CTR_retransmits], 3);
	assert_int_equal(ed->retransmits, 3);
	assert_int_equal(acknowledge(5, 1), 0);
	assert_int_equal(a.sent, 11); /* once only */
}

/* What is older than the bitmap of an acknowledgement is no reason to hurry. */
static void acknowledgement_too_far_ahead(void **state)
{
	(void)state;
	send_many(1);
	assert_int_equal(acknowledge(64, 1), 0);
	assert_int_equal(a.sent, 1);
	assert_int_equal(acknowledge(63, 1), 0);
	assert_int_equal(a.sent, 2);
}

static void busy_restarts_the_timer(void **state)
{
	uint64_t at = a.e->now + a.g->rto;

	(void)state;
	begin_before_wrap();
	send_many(3);
	alone_touched(&a, &ed->timer);
	ed->retries = 2;
	a.e->now += 9;
	busy(-3);
	busy(1);
	assert_int_equal(ed->rto_at, at);
	assert_int_equal(ed->retries, 2);
	assert_false(alone_touched(&a, &ed->timer));
	busy(-2);
	assert_int_equal(ed->rto_at, at + 9);
	assert_int_equal(ed->retries, 0);
	assert_true(alone_touched(&a, &ed->timer));
	a.e->now += 9;
	busy(0);
	assert_int_equal(ed->rto_at, at + 18);
	assert_int_equal(ed->busy, 4);
	assert_int_equal(a.counters[TALLY_CTR_busy_received], 4);
}

static void time_out(void)
{
	a.e->now = ed->rto_at;
	edge_timers(a.e, a.g, EDGE);
}

/* At a time-out all packets that are not acknowledged go again, in their order. */
static void time_out_sends_all_again(void **state)
{
	static const uint32_t again[] = { -2, -1, 1 };

	(void)state;
	begin_before_wrap();
	send_many(4);
	assert_int_equal(acknowledge(0, 1), 1);
	a.e->now = ed->rto_at - 1;
	edge_timers(a.e, a.g, EDGE);
	assert_int_equal(a.sent, 4);
	time_out();
	check_sent(4, 3, again);
	assert_int_equal(ed->rto_at, a.e->now + 2 * a.g->rto);
	assert_int_equal(ed->retransmits, 3);
	assert_int_equal(a.counters[TALLY_CTR_retransmits], 3);
	time_out();
	check_sent(7, 3, again);
	assert_int_equal(ed->rto_at, a.e->now + 4 * a.g->rto);
}

static void silent_neighbour_is_reported(void **state)
{
	unsigned int i;

	(void)state;
	send_many(1);
	for (i = 0; i < a.g->retry_limit; i++)
		time_out();
	assert_int_equal(alone_exception(&a)->type, TALLY_FW_EV_NONE);
	assert_int_equal(a.sent, 1 + a.g->retry_limit);
	time_out();
	assert_int_equal(a.sent, 1 + a.g->retry_limit);
	assert_int_equal(alone_exception(&a)->type, TALLY_FW_EV_EXCEPTION);
	assert_int_equal(alone_exception(&a)->cause, TALLY_FW_CAUSE_SILENCE);
	assert_int_equal(alone_exception(&a)->contributors, BIT);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(waits_double),
		TEST(open_edge_has_a_window),
		TEST(who_keeps_numbers),
		TEST(counted_chunks_need_one_number),
		TEST(message_after_chunks_of_other_edges),
		TEST(chunks_are_accounted_for),
		TEST(first_packet_starts_the_timer),
		TEST(packets_to_the_parent),
		TEST(triggers_name_their_predecessors),
		TEST(acknowledged_packets_are_returned),
		TEST(acknowledgements_out_of_the_window),
		TEST(progress_restarts_the_timer),
		TEST(entries_are_used_again),
		TEST(entries_belong_to_numbers),
		TEST(flushed_edge_forgets_packets),
		TEST(overtaken_packets_are_hurried),
		TEST(acknowledgement_too_far_ahead),
		TEST(busy_restarts_the_timer),
		TEST(time_out_sends_all_again),
		TEST(silent_neighbour_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
