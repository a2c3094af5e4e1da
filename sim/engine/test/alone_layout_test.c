// SPDX-License-Identifier: BSD-2-Clause
/* Where the payloads of a chunk are in its slot, and when the parts of its message arrived. */
#include "engine/arrival.h"
#include "engine/common.h"
#include "engine/payload.h"
#include "engine/test/alone.h"

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

/* ---- Layout ---- */

/* A chunk of 16 and one byte takes 32 bytes wherever something is laid out behind it. */
static void layout_of_a_slot(void **state)
{
	static const struct {
		uint32_t flags;
		uint8_t mode, rounds, inputs;
		uint32_t bytes;
		bool inside, spread;
		uint16_t stride;
		uint8_t at;
	} rows[] = {
		{ 0, TALLY_MODE_TREE, 0, 4, 17, false, false, 4096, 0 },
		{ TALLY_GROUP_F_ORDERED, TALLY_MODE_TREE, 0, 4, 17, true, false, 32, 2 },
		{ TALLY_GROUP_F_ORDERED, TALLY_MODE_TREE, 0, 4, 16, true, false, 16, 2 },
		{ TALLY_GROUP_F_ORDERED, TALLY_MODE_TREE, 0, 4, 1, true, false, 16, 2 },
		{ TALLY_GROUP_F_ORDERED, TALLY_MODE_TREE, 0, 6, 1024, true, false, 1024, 2 },
		{ TALLY_GROUP_F_ORDERED, TALLY_MODE_TREE, 0, 6, 1025, false, false, 4096, 2 },
		{ TALLY_GROUP_F_ORDERED, TALLY_MODE_TREE, 0, 7, 1024, false, false, 4096, 2 },
		{ 0, TALLY_MODE_EXCHANGE, 3, 12, 512, true, false, 512, 4 },
		{ 0, TALLY_MODE_EXCHANGE, 3, 13, 512, false, false, 512, 4 },
		{ 0, TALLY_MODE_EXCHANGE, 3, 13, 2048, false, false, 2048, 4 },
		{ 0, TALLY_MODE_EXCHANGE, 3, 13, 2049, false, true, 4096, 4 },
		{ 0, TALLY_MODE_EXCHANGE, 1, 13, 4096, false, false, 4096, 2 },
	};
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct slot s = { .mode = rows[i].mode,
				  .opcode = TALLY_OPCODE_ALLREDUCE,
				  .elem = 1,
				  .count = rows[i].bytes };

		a.g->flags = rows[i].flags;
		a.g->rounds = rows[i].rounds;
		a.g->modes = 1 << (rows[i].mode - 1);
		a.g->rank_mask = (1ULL << rows[i].inputs) - 1;
		memset(a.g->round, 0, sizeof(a.g->round));
		a.g->round[a.g->rounds].parts = rows[i].inputs;
		payload_lay_out(a.g, &s);
		assert_int_equal(s.inputs_inside, rows[i].inside);
		assert_int_equal(s.spread, rows[i].spread);
		assert_int_equal(s.stride, rows[i].stride);
		assert_int_equal(s.inputs_at, rows[i].at);
	}
}

static void longest_chunks(void **state)
{
	(void)state;
	a.g->mtu = 1024;
	assert_int_equal(payload_most(a.g, TALLY_MODE_EXCHANGE, TALLY_OPCODE_ALLREDUCE), 1024);
	a.g->chunk = 1025;
	assert_int_equal(payload_most(a.g, TALLY_MODE_EXCHANGE, TALLY_OPCODE_ALLREDUCE), 1024);
	a.g->chunk = 1023;
	assert_int_equal(payload_most(a.g, TALLY_MODE_EXCHANGE, TALLY_OPCODE_ALLREDUCE), 1023);
	assert_int_equal(payload_most(a.g, TALLY_MODE_RING, TALLY_OPCODE_ALLREDUCE), 1024);
	a.g->flags = TALLY_GROUP_F_ORDERED;
	assert_int_equal(payload_most(a.g, TALLY_MODE_RING, TALLY_OPCODE_REDUCE), 1023);
	assert_int_equal(payload_most(a.g, TALLY_MODE_TREE, TALLY_OPCODE_BCAST), 1024);
}

/* ---- Arrivals ---- */

static void arrivals_of_a_message(void **state)
{
	struct slot s = {
		.mid = TALLY_NUM_ARRIVALS + 1, .opcode = 1, .op = 2, .dtype = 3, .total = 70
	};
	struct arrival *r = &a.g->arrivals[1];
	uint64_t at = a.e->now;

	(void)state;
	*r = (struct arrival){ .used = true, .mid = 1, .ranks = 8, .last = 9, .done_at = 4 };
	arrival_note(a.e, a.g, &s, 1, 0); /* of another message */
	assert_int_equal(r->ranks, 8);
	arrival_begin(a.e, a.g, &s);
	assert_true(r->used);
	assert_int_equal(r->mid, s.mid);
	assert_int_equal(r->opcode, 1);
	assert_int_equal(r->op, 2);
	assert_int_equal(r->dtype, 3);
	assert_int_equal(r->count, 70);
	assert_int_equal(r->first_at, at);
	assert_int_equal(r->last_at, at);
	assert_int_equal(r->done_at | r->ranks | r->contributors | r->last, 0);
	a.e->now *= 2;
	arrival_note(a.e, a.g, &s, 0x28, 0);
	assert_int_equal(r->last, 5);
	arrival_note(a.e, a.g, &s, 0, 0x4);
	assert_int_equal(r->last, TALLY_MAX_RANKS + 2);
	assert_int_equal(r->last_at, 2 * at);
	assert_int_equal(r->first_at, at);
	arrival_note(a.e, a.g, &s, 0x2, 0x3);
	assert_int_equal(r->last, 1);
	assert_int_equal(r->ranks, 0x2a);
	assert_int_equal(r->contributors, 0x7);
	a.e->now++;
	s.sid = 1; /* only the first chunk counts for all but the end */
	arrival_begin(a.e, a.g, &s);
	arrival_note(a.e, a.g, &s, 0x80, 0x80);
	assert_int_equal(r->ranks, 0x2a);
	assert_int_equal(r->last_at, 2 * at);
	arrival_done(a.e, a.g, &s);
	assert_int_equal(r->done_at, 2 * at + 1);
	assert_int_equal(a.g->arrivals[0].used, false);
}

static void arrivals_of_other_messages(void **state)
{
	const struct slot s = { .mid = 3 };
	struct arrival *r = &a.g->arrivals[3];

	(void)state;
	*r = (struct arrival){ .mid = 3 };
	arrival_note(a.e, a.g, &s, 1, 0); /* it is not in use */
	arrival_done(a.e, a.g, &s);
	assert_int_equal(r->ranks | r->last_at | r->done_at, 0);
	r->used = true;
	r->mid = 3 + TALLY_NUM_ARRIVALS;
	arrival_done(a.e, a.g, &s);
	assert_int_equal(r->done_at, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(layout_of_a_slot),
		TEST(longest_chunks),
		TEST(arrivals_of_a_message),
		TEST(arrivals_of_other_messages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
