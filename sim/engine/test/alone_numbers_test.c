// SPDX-License-Identifier: BSD-2-Clause
/* An edge whose numbers, acknowledgements and time-outs are the host's. */
#include "engine/common.h"
#include "engine/numbers.h"
#include "engine/test/alone.h"

#include <endian.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#define EDGE 1
#define BIT (1ULL << EDGE)

static struct alone a;
static struct edge *ed;
static struct engine_host host;
static struct engine_name names[8]; /* of the packets that were sent */
static struct tally_tch headers[8];
static unsigned int named;

static bool numbers(void *ctx)
{
	(void)ctx;
	return true;
}

static void send_numbered(void *ctx, const struct engine_name *name, const struct engine_addr *to,
			  const struct tally_tch *tch, const void *payload, size_t len,
			  uint64_t delay)
{
	(void)ctx;
	(void)to;
	(void)payload;
	(void)len;
	(void)delay;
	names[named] = *name;
	headers[named++] = *tch;
}

static int setup(void **state)
{
	(void)state;
	alone_setup(&a);
	alone_children(&a, 3);
	ed = &a.g->edges[EDGE];
	host = *a.e->host;
	host.numbers = numbers;
	host.send_numbered = send_numbered;
	a.e->host = &host;
	named = 0;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	alone_teardown(&a);
	return 0;
}

/* Messages, whose acknowledgements concern no chunk. Queue pair and descriptor do not exist. */
static void send(unsigned int num)
{
	while (num--) {
		struct tch t = alone_chunk(TALLY_KIND_TRIGGER, 1);

		t.num = 7;
		edge_send(a.e, a.g, EDGE, &t, NULL, 0);
	}
}

static struct engine_sent sent(unsigned int i)
{
	return (struct engine_sent){ .group = names[i].group, .edge = EDGE, .ref = names[i].ref,
				     .seq = be32toh(headers[i].edge_seq) };
}

/* The engine starts no timer, and leaves the number before a TRIGGER to the host. */
static void packets_are_named(void **state)
{
	(void)state;
	send(2);
	assert_int_equal(named, 2);
	assert_int_equal(a.sent, 0);
	assert_int_equal(names[1].group, a.g - a.e->groups);
	assert_int_equal(names[1].edge, EDGE);
	assert_int_not_equal(names[0].ref, names[1].ref);
	assert_false(names[0].again || names[1].again);
	assert_int_equal(be32toh(headers[1].num), 7);
	assert_int_equal(ed->rto_at, NEVER);
	assert_int_equal(a.g->unacked, BIT);
	assert_int_equal(__builtin_popcountll(ed->tx_held), 2);
}

/* The host has read the packet; the engine learns of each number by itself. */
static void acknowledgements_come_one_by_one(void **state)
{
	struct acked acked;
	struct engine_sent wrong;

	(void)state;
	send(3);
	ed->retries = 2;
	wrong = sent(1);
	assert_false(edge_take_acked(a.g, EDGE, wrong.seq, wrong.ref + 1, &acked));
	assert_true(edge_take_acked(a.g, EDGE, wrong.seq, wrong.ref, &acked));
	assert_int_equal(acked.kind, TALLY_KIND_TRIGGER);
	assert_int_equal(ed->retries, 0);
	assert_int_equal(ed->tx_next - ed->tx_una, 3);
	assert_false(edge_take_acked(a.g, EDGE, wrong.seq, wrong.ref, &acked));
	assert_true(edge_take_acked(a.g, EDGE, sent(0).seq, sent(0).ref, &acked));
	assert_int_equal(ed->tx_next - ed->tx_una, 1);
	assert_int_equal(a.g->unacked, BIT);
	assert_true(edge_take_acked(a.g, EDGE, sent(2).seq, sent(2).ref, &acked));
	assert_int_equal(a.g->unacked, 0);
	wrong = sent(2);
	assert_false(engine_acked(a.e, &wrong));
	ed->state = TALLY_EDGE_OPENING; /* of an earlier life */
	assert_true(engine_acked(a.e, &wrong));
	assert_true(engine_again(a.e, &wrong));
}

static void what_is_due_goes_again(void **state)
{
	struct engine_sent s;

	(void)state;
	send(2);
	s = sent(1);
	assert_true(engine_again(a.e, &s));
	assert_int_equal(named, 3);
	assert_true(names[2].again);
	assert_int_equal(names[2].ref, names[1].ref);
	assert_int_equal(headers[2].edge_seq, headers[1].edge_seq);
	assert_int_equal(ed->retransmits, 1);
	assert_int_equal(a.counters[TALLY_CTR_retransmits], 1);
	s.seq += 2;
	assert_false(engine_again(a.e, &s));
	s.seq -= 4;
	assert_false(engine_again(a.e, &s));
	assert_int_equal(named, 3);
}

static void the_last_time_out_is_silence(void **state)
{
	struct engine_expiry x = { .group = a.g - a.e->groups, .edge = EDGE, .tries = 1 };

	(void)state;
	send(1);
	engine_expired(a.e, &x);
	assert_int_equal(ed->retries, 1);
	assert_true(group_alive(a.g));
	x.over = true;
	engine_expired(a.e, &x);
	assert_false(group_alive(a.g));
	x.tries = 9;
	engine_expired(a.e, &x); /* the group is frozen */
	assert_int_equal(ed->retries, 1);
}

/* A result that a child has acknowledged is no longer waited for. */
static void a_chunk_is_acknowledged(void **state)
{
	struct slot *s = slot_of(a.e, a.g, a.g->done);
	const struct acked acked = { .kind = TALLY_KIND_RESULT, .num = a.g->done };

	(void)state;
	s->down_waiting = BIT | 1;
	numbers_acked(a.e, a.g, EDGE, &acked);
	assert_int_equal(s->down_waiting, 1);
}

static void busy_counts_only(void **state)
{
	struct tch t = { .kind = TALLY_KIND_BUSY };

	(void)state;
	send(1);
	t.edge_seq = be32toh(headers[0].edge_seq);
	edge_busy(a.e, a.g, EDGE, &t);
	assert_int_equal(ed->busy, 1);
	assert_int_equal(ed->rto_at, NEVER);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(packets_are_named),
		TEST(acknowledgements_come_one_by_one),
		TEST(what_is_due_goes_again),
		TEST(the_last_time_out_is_silence),
		TEST(a_chunk_is_acknowledged),
		TEST(busy_counts_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
