// SPDX-License-Identifier: BSD-2-Clause
/* The receiving side of one edge: the window of numbers, acknowledgements, what a packet tells. */
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

#define EDGE 1
#define TOP 20u /* the newest number that was received */

static int setup(void **state)
{
	(void)state;
	alone_setup(&a);
	alone_children(&a, 3);
	ed = &a.g->edges[EDGE];
	ed->rx_top = TOP;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	alone_teardown(&a);
	return 0;
}

static bool accept(int ahead)
{
	struct tch t = { .kind = TALLY_KIND_REDUCE, .edge_seq = TOP + ahead };

	return edge_accept(a.e, a.g, EDGE, &t);
}

static void verdict(int ahead, enum rx_verdict v)
{
	struct tch t = { .kind = TALLY_KIND_REDUCE, .edge_seq = TOP + ahead };

	edge_verdict(a.e, a.g, EDGE, &t, v);
}

static void new_numbers_are_accepted(void **state)
{
	(void)state;
	ed->rx_seen = ~(1ULL | 1ULL << 5 | 1ULL << 63);
	assert_true(accept(1));
	assert_true(accept(64));
	assert_true(accept(0)); /* before any packet nothing need be seen */
	assert_true(accept(-5));
	assert_true(accept(-63)); /* also beyond the wrap of numbers */
	ed->rx_seen = ~0ULL;
	assert_true(accept(1));
	assert_true(accept(63));
	assert_int_equal(ed->duplicates, 0);
	assert_int_equal(ed->ack_at, NEVER);
	assert_int_equal(a.counters[TALLY_CTR_drop_window], 0);
	assert_false(alone_touched(&a, &ed->timer));
}

/* A duplicate is acknowledged, since the first acknowledgement may be lost. */
static void duplicates_are_acknowledged(void **state)
{
	(void)state;
	ed->rx_seen = 1ULL | 1ULL << 5 | 1ULL << 63;
	assert_false(accept(0));
	assert_int_equal(ed->ack_at, a.e->now + 300 * NS);
	assert_true(alone_touched(&a, &ed->timer));
	a.e->now++;
	assert_false(accept(-5));
	assert_int_equal(ed->ack_at, a.e->now - 1 + 300 * NS);
	assert_false(alone_touched(&a, &ed->timer));
	assert_false(accept(-63));
	assert_int_equal(ed->duplicates, 3);
	assert_int_equal(a.counters[TALLY_CTR_duplicates], 3);
	assert_int_equal(a.counters[TALLY_CTR_drop_window], 0);
	assert_int_equal(a.sent, 0);
}

static void numbers_out_of_the_window(void **state)
{
	(void)state;
	ed->rx_seen = 0;
	assert_false(accept(65));
	assert_false(accept(-64));
	assert_false(accept(INT32_MIN));
	assert_false(accept(INT32_MAX));
	assert_int_equal(a.counters[TALLY_CTR_drop_window], 4);
	assert_int_equal(ed->duplicates, 0);
	assert_int_equal(ed->ack_at, NEVER);
}

/* ---- Verdicts ---- */

static void stored_numbers_are_seen(void **state)
{
	static const struct {
		int ahead;
		uint64_t seen;
		uint32_t top;
	} rows[] = {
		{ 1, 0xb, TOP + 1 },
		{ 2, 0x15, TOP + 2 },
		{ 62, 1 | 5ULL << 62, TOP + 62 },
		{ 63, 1 | 5ULL << 63, TOP + 63 },
		{ 64, 1, TOP + 64 },
		{ 0, 5, TOP },
		{ -1, 7, TOP },
		{ -62, 5 | 1ULL << 62, TOP },
		{ -63, 5 | 1ULL << 63, TOP },
	};
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		ed->rx_top = TOP;
		ed->rx_seen = 5;
		verdict(rows[i].ahead, RX_STORED);
		assert_int_equal(ed->rx_seen, rows[i].seen);
		assert_int_equal(ed->rx_top, rows[i].top);
		assert_int_equal(ed->received, i + 1);
	}
	assert_int_equal(ed->ack_at, a.e->now + 300 * NS);
	assert_true(alone_touched(&a, &ed->timer));
	assert_int_equal(a.sent, 0);
}

static void busy_is_told(void **state)
{
	(void)state;
	ed->rx_seen = 5;
	ed->remote_index = 9;
	verdict(3, RX_BUSY);
	assert_int_equal(a.sent, 1);
	assert_int_equal(a.last.kind, TALLY_KIND_BUSY);
	assert_int_equal(a.last.contributor, 9);
	assert_int_equal(be32toh(a.last.edge_seq), TOP + 3);
	assert_int_equal(a.len, 0);
	assert_int_equal(a.counters[TALLY_CTR_busy_sent], 1);
	verdict(3, RX_DROP);
	assert_int_equal(a.sent, 1);
	assert_int_equal(ed->rx_seen, 5);
	assert_int_equal(ed->rx_top, TOP);
	assert_int_equal(ed->received, 0);
	assert_int_equal(ed->ack_at, NEVER);
}

/* A TRIGGER may be stored once its predecessor is, or is out of the window. */
static void triggers_wait_for_their_predecessors(void **state)
{
	static const struct {
		uint32_t num;
		bool in_turn;
	} rows[] = {
		{ TOP, false },	     { TOP - 1, true },	 { TOP - 2, false },  { TOP - 63, true },
		{ TOP - 62, false }, { TOP - 64, true }, { TOP - 65, true },  { TOP + 1, false },
		{ TOP + 5, true },   { TOP + 6, false }, { TOP + 64, false },
	};
	struct tch t = { .kind = TALLY_KIND_TRIGGER, .edge_seq = TOP + 5 };
	unsigned int i;

	(void)state;
	ed->rx_seen = 2 | 1ULL << 63;
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		t.num = rows[i].num;
		assert_int_equal(edge_in_turn(ed, &t), rows[i].in_turn);
	}
	ed->rx_seen = 1;
	t.num = TOP; /* the newest */
	assert_true(edge_in_turn(ed, &t));
}

/* ---- Acknowledgements ---- */

static void run(uint64_t at)
{
	a.e->now = at;
	edge_timers(a.e, a.g, EDGE);
}

static void acknowledgement_waits_for_others(void **state)
{
	struct tally_tch_ack ack;
	uint64_t at = a.e->now + 300 * NS;

	(void)state;
	ed->rx_seen = 5;
	verdict(1, RX_STORED);
	run(at - 1);
	assert_int_equal(a.sent, 0);
	verdict(2, RX_STORED);
	ed->state = TALLY_EDGE_OPENING;
	run(at);
	assert_int_equal(a.sent, 0);
	ed->state = TALLY_EDGE_OPEN;
	ed->remote_index = 9;
	ed->peer_key = 77;
	run(at);
	assert_int_equal(a.sent, 1);
	assert_int_equal(a.last.kind, TALLY_KIND_ACK);
	assert_int_equal(a.last.contributor, 9);
	assert_int_equal(be32toh(a.last.key), 77);
	assert_int_equal(be32toh(a.last.edge_seq), TOP + 2);
	assert_int_equal(a.len, sizeof(ack));
	memcpy(&ack, a.payload, sizeof(ack));
	assert_int_equal(be64toh(ack.seen), 5 << 2 | 3);
	assert_int_equal(ed->ack_at, NEVER);
	run(at + 1);
	assert_int_equal(a.sent, 1);
}

static bool acknowledges;

static bool host_acknowledges(void *ctx)
{
	(void)ctx;
	return acknowledges;
}

/* A host that finds by itself when to acknowledge leaves nothing to be timed here. */
static void the_host_times_acknowledgements(void **state)
{
	struct engine_host host = *a.e->host;

	(void)state;
	host.acknowledges = host_acknowledges;
	a.e->host = &host;
	ed->rx_seen = 1;
	acknowledges = true;
	verdict(1, RX_STORED);
	assert_false(accept(1)); /* a duplicate */
	assert_int_equal(ed->ack_at, NEVER);
	acknowledges = false;
	assert_false(accept(1));
	assert_int_equal(ed->ack_at, a.e->now + ACK_DELAY);
}

/* What the host gives is sent, whatever the window here says. */
static void the_host_says_what_is_acknowledged(void **state)
{
	const struct engine_ack given = { .group = a.g - a.e->groups, .edge = EDGE, .top = 7,
					  .seen = 1ULL << 63 | 5 };
	struct tally_tch_ack ack;

	(void)state;
	ed->remote_index = 9;
	engine_acknowledge(a.e, &given);
	assert_int_equal(a.sent, 1);
	assert_int_equal(a.last.kind, TALLY_KIND_ACK);
	assert_int_equal(a.last.contributor, 9);
	assert_int_equal(be32toh(a.last.edge_seq), 7);
	assert_int_equal(a.len, sizeof(ack));
	memcpy(&ack, a.payload, sizeof(ack));
	assert_int_equal(be64toh(ack.seen), 1ULL << 63 | 5);
	ed->state = TALLY_EDGE_OPENING;
	engine_acknowledge(a.e, &given);
	ed->state = TALLY_EDGE_OPEN;
	a.g->state = TALLY_GROUP_DEAD;
	engine_acknowledge(a.e, &given);
	assert_int_equal(a.sent, 1);
}

/* ---- What every packet tells ---- */

static void hear(uint32_t done, uint16_t limit)
{
	struct tch t = { .done = done, .limit = limit };

	edge_heard(a.e, a.g, EDGE, &t);
}

/* A window only moves forward, also where its numbers wrap. */
static void windows_of_neighbours(void **state)
{
	static const struct {
		uint32_t done;
		uint16_t limit;
		uint32_t peer_done, peer_limit;
	} rows[] = {
		{ -3, 4, -3, 1 }, { -4, 4, -3, 1 }, { -2, 2, -2, 1 }, { 1, 1, 1, 2 },
		{ 0, 8, 1, 8 },	  { -1, 5, 1, 8 },  { 2, 7, 2, 9 },
	};
	unsigned int i;

	(void)state;
	ed->peer_done = -5;
	ed->peer_limit = -1;
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		hear(rows[i].done, rows[i].limit);
		assert_int_equal(ed->peer_done, rows[i].peer_done);
		assert_int_equal(ed->peer_limit, rows[i].peer_limit);
	}
	assert_int_equal(a.g->edges[0].peer_limit, a.g->num_segs);
	assert_int_equal(a.g->edges[2].peer_done, 0);
}

static void probes_begin_anew_after_a_packet(void **state)
{
	(void)state;
	ed->probes = 3;
	hear(0, 0);
	assert_int_equal(ed->probes, 0);
	assert_int_equal(ed->probe_at, NEVER);
	assert_false(alone_touched(&a, &ed->timer));
	ed->probes = 2;
	ed->probe_at = a.e->now + 100 * MS;
	hear(0, 0);
	assert_int_equal(ed->probes, 0);
	assert_int_equal(ed->probe_at, a.e->now + 4 * a.g->rto);
	assert_true(alone_touched(&a, &ed->timer));
}

/* ---- The next time ---- */

static void earliest_time_counts(void **state)
{
	uint64_t *const times[] = { &ed->fw_at, &ed->ack_at, &ed->announce_at, &ed->rto_at,
				    &ed->probe_at };
	unsigned int i;

	(void)state;
	for (i = 0; i < 5; i++) {
		*times[i] = 50;
		ed->state = TALLY_EDGE_OPEN;
		assert_int_equal(edge_next(ed), 50);
		ed->state = TALLY_EDGE_OPENING;
		assert_int_equal(edge_next(ed), i ? NEVER : 50);
		ed->state = TALLY_EDGE_NONE;
		assert_int_equal(edge_next(ed), NEVER);
		*times[i] = NEVER;
	}
	ed->state = TALLY_EDGE_OPEN;
	for (i = 0; i < 5; i++)
		*times[i] = 90 - 10 * i;
	assert_int_equal(edge_next(ed), 50);
	for (i = 0; i < 5; i++)
		*times[i] = 10 * i;
	assert_int_equal(edge_next(ed), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(new_numbers_are_accepted),
		TEST(duplicates_are_acknowledged),
		TEST(numbers_out_of_the_window),
		TEST(stored_numbers_are_seen),
		TEST(busy_is_told),
		TEST(triggers_wait_for_their_predecessors),
		TEST(acknowledgement_waits_for_others),
		TEST(the_host_times_acknowledgements),
		TEST(the_host_says_what_is_acknowledged),
		TEST(windows_of_neighbours),
		TEST(probes_begin_anew_after_a_packet),
		TEST(earliest_time_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
