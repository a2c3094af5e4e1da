// SPDX-License-Identifier: BSD-2-Clause
/* Reduction in a fixed shape: inputs in any order of arrival, some of which are absent. */
#include "engine/common.h"
#include "engine/mode.h"
#include "engine/ordered.h"
#include "engine/payload.h"
#include "engine/test/alone.h"
#include "engine/words.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT 5 /* elements */

static struct alone a;
static struct slot *s;
static uint32_t x; /* random */

static int setup(void **state)
{
	(void)state;
	alone_setup(&a);
	a.g->flags = TALLY_GROUP_F_ORDERED;
	s = slot_of(a.e, a.g, 0);
	x = 1;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	alone_teardown(&a);
	return 0;
}

static unsigned int draw(unsigned int below)
{
	x = x * 1664525 + 1013904223;
	return (x >> 8) % below;
}

struct input {
	bool absent;
	float data[COUNT];
};

/* Begin a sum of FP32; the inputs are in cells or in the slot. */
static void begin(uint32_t num, uint8_t mode, bool inside)
{
	memset(s, 0, offsetof(struct slot, data));
	memset(s->data, 0x33, 64);
	s->num = num;
	s->mode = mode;
	s->opcode = TALLY_OPCODE_REDUCE;
	s->op = TALLY_OP_SUM;
	s->dtype = TALLY_TYPE_FP32;
	s->elem = 4;
	s->count = s->total = inside ? COUNT : 1024;
	payload_lay_out(a.g, s);
	s->count = s->total = COUNT;
	assert_int_equal(s->inputs_inside, inside);
}

/* ---- One tree ---- */

/* Combine the inputs as the shape says: pairs, then pairs of pairs. */
static struct input expect(const struct input *in, unsigned int num, unsigned int at,
			   unsigned int size)
{
	struct input left, right;
	unsigned int i;

	if (at >= num)
		return (struct input){ .absent = true };
	if (size == 1)
		return in[at];
	left = expect(in, num, at, size / 2);
	right = expect(in, num, at + size / 2, size / 2);
	if (left.absent || right.absent)
		return left.absent ? right : left;
	for (i = 0; i < COUNT; i++)
		left.data[i] += right.data[i];
	return left;
}

/* Fill inputs with values of which the sum depends on the order, and draw an order of arrival. */
static void draw_inputs(struct input *in, unsigned int *order, unsigned int num)
{
	unsigned int i, k;

	for (i = 0; i < num; i++) {
		unsigned int j = draw(i + 1);

		in[i].absent = !draw(4);
		for (k = 0; k < COUNT; k++)
			in[i].data[k] = ldexpf(1 + draw(1 << 20), draw(24));
		order[i] = order[j];
		order[j] = i;
	}
	in[num - 1].absent = false;
}

static void give_all(const struct input *in, const unsigned int *order, unsigned int base,
		     unsigned int num)
{
	unsigned int i;

	for (i = 0; i < num; i++) {
		unsigned int at = order[i];

		if (in[at].absent) {
			ordered_absent(a.e, a.g, s, base + at);
		} else {
			assert_true(ordered_promise(a.e, a.g, s, base + at));
			ordered_give(a.e, a.g, s, base + at, in[at].data);
		}
	}
}

static void check_result(const struct input *in, unsigned int num, unsigned int round)
{
	const struct input sum = expect(in, num, 0, 64 * 4);
	const uint8_t *partial = mode_of(s->mode)->partial(a.e, a.g, s, round);

	assert_memory_equal(partial, sum.data, sizeof(sum.data));
	if (!round)
		assert_int_equal(partial[sizeof(sum.data)], 0x33); /* nothing behind it */
}

static void check_no_cells(void)
{
	assert_int_equal(s->cells, 0);
	assert_int_equal(a.e->shared_used, 0);
	assert_int_equal(a.g->own_cells, 0);
}

static void try_sum(unsigned int ranks, unsigned int edges, bool inside)
{
	unsigned int num = ranks + edges, order[128];
	struct input in[128];

	a.g->rank_mask = ranks ? ~0ULL >> (64 - ranks) : 0;
	a.g->num_contributors = edges;
	assert_int_equal(ordered_inputs(a.g), num);
	begin(0, TALLY_MODE_TREE, inside);
	draw_inputs(in, order, num);
	give_all(in, order, 0, num);
	assert_true(s->up_filled);
	check_result(in, num, 0);
	check_no_cells();
}

static void sums_of_any_number_of_inputs(void **state)
{
	unsigned int ranks, edges;

	(void)state;
	for (ranks = 0; ranks < 12; ranks++)
		for (edges = !ranks; edges < 12; edges++)
			try_sum(ranks, edges, (ranks ^ edges) & 1);
	memset(a.e->cells[0].data, 0x77, 4);
	memset(a.e->cells[5].data, 0x77, 4);
	try_sum(64, 64, true);
	assert_int_equal(a.e->cells[0].data[0], 0x77); /* it may have data of another chunk */
	assert_int_equal(a.e->cells[5].data[0], 0x77);
	try_sum(64, 64, false);
	try_sum(63, 2, false);
}

static void nothing_comes_of_absent_inputs(void **state)
{
	unsigned int i;

	(void)state;
	a.g->rank_mask = 7;
	begin(0, TALLY_MODE_TREE, true);
	for (i = 0; i < 3; i++)
		ordered_absent(a.e, a.g, s, 2 - i);
	assert_false(s->up_filled);
	check_no_cells();
}

static void events_of_the_alu_are_kept(void **state)
{
	float large[17]; /* 68 bytes are two words */
	unsigned int i;

	(void)state;
	for (i = 0; i < 17; i++)
		large[i] = 3e38f;
	a.g->rank_mask = 3;
	begin(0, TALLY_MODE_TREE, true);
	s->count = 17;
	payload_lay_out(a.g, s);
	s->err_vector = 0x8000;
	ordered_promise(a.e, a.g, s, 0);
	ordered_give(a.e, a.g, s, 0, large);
	assert_int_equal(s->err_vector, 0x8000);
	assert_int_equal(a.counters[TALLY_CTR_alu_words], 0);
	ordered_promise(a.e, a.g, s, 1);
	ordered_give(a.e, a.g, s, 1, large);
	assert_true(s->err_vector & TALLY_ERR_FP_OVERFLOW);
	assert_true(s->err_vector & 0x8000);
	assert_int_equal(a.counters[TALLY_CTR_alu_words], 2);
}

/* ---- Which chunks ---- */

static void reductions_that_have_a_shape(void **state)
{
	static const struct {
		uint32_t flags;
		uint8_t mode, opcode;
		uint32_t count;
		bool applies;
	} rows[] = {
		{ TALLY_GROUP_F_ORDERED, TALLY_MODE_TREE, TALLY_OPCODE_ALLREDUCE, 1, true },
		{ TALLY_GROUP_F_ORDERED, TALLY_MODE_RING, TALLY_OPCODE_REDUCE, 1, true },
		{ TALLY_GROUP_F_ORDERED, TALLY_MODE_TREE, TALLY_OPCODE_BCAST, 1, false },
		{ TALLY_GROUP_F_ORDERED, TALLY_MODE_TREE, TALLY_OPCODE_ALLREDUCE, 0, false },
		{ 0, TALLY_MODE_TREE, TALLY_OPCODE_ALLREDUCE, 1, false },
		{ 0, TALLY_MODE_EXCHANGE, TALLY_OPCODE_ALLREDUCE, 1, true },
		{ 0, TALLY_MODE_EXCHANGE, TALLY_OPCODE_ALLGATHER, 1, false },
		{ 0, TALLY_MODE_EXCHANGE, TALLY_OPCODE_ALLREDUCE, 0, false },
	};
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		a.g->flags = rows[i].flags;
		s->mode = rows[i].mode;
		s->opcode = rows[i].opcode;
		s->count = rows[i].count;
		s->words = NULL;
		assert_int_equal(ordered_applies(a.g, s), rows[i].applies);
		s->words = &words_of_store; /* it has the shape */
		assert_false(ordered_applies(a.g, s));
	}
}

/* ---- Rounds of EXCHANGE ---- */

/* Two ranks, a round of three parts, and two of two; edges are 0 and 1, 2, and 3. */
static void exchange(void)
{
	alone_children(&a, 4);
	a.g->flags = 0;
	a.g->modes = TALLY_MODES_TREE | TALLY_MODES_EXCHANGE | TALLY_MODES_RING;
	a.g->rank_mask = 0x12;
	a.g->rounds = 3;
	a.g->round[0].parts = 2;
	a.g->round[1] = (struct round){ .ins = 3, .own = 1, .parts = 3, .base = 2 };
	a.g->round[2] = (struct round){ .ins = 4, .own = 0, .parts = 2, .base = 5 };
	a.g->round[3] = (struct round){ .ins = 8, .own = 1, .parts = 2, .base = 7 };
	a.g->edges[0].round = a.g->edges[1].round = 1;
	a.g->edges[1].position = 2;
	a.g->edges[2].round = 2;
	a.g->edges[2].position = 1;
	a.g->edges[3].round = 3;
}

static void inputs_of_rounds(void **state)
{
	(void)state;
	exchange();
	s->mode = TALLY_MODE_EXCHANGE;
	assert_int_equal(ordered_inputs(a.g), 9);
	assert_int_equal(ordered_input_of(a.g, s, 0), 2);
	assert_int_equal(ordered_input_of(a.g, s, 1), 4);
	assert_int_equal(ordered_input_of(a.g, s, 2), 6);
	assert_int_equal(ordered_input_of(a.g, s, 3), 7);
	s->mode = TALLY_MODE_TREE;
	assert_int_equal(ordered_input_of(a.g, s, 2), 4);
	a.g->num_contributors = 8; /* the sum of a tree has more inputs */
	assert_int_equal(ordered_inputs(a.g), 10);
	a.g->modes = TALLY_MODES_EXCHANGE;
	assert_int_equal(ordered_inputs(a.g), 9);
	a.g->num_contributors = 4;
	assert_int_equal(ordered_inputs(a.g), 9);
	a.g->modes = TALLY_MODES_RING;
	assert_int_equal(ordered_inputs(a.g), 6);
}

/* The inputs of several rounds come in any order, and each round has a result of its own. */
static void try_rounds(bool inside)
{
	unsigned int order[4][3];
	struct input in[4][3];
	unsigned int r;

	begin(0, TALLY_MODE_EXCHANGE, inside);
	for (r = 4; r--;)
		draw_inputs(in[r], order[r], a.g->round[r].parts);
	for (r = 4; r--;)
		give_all(in[r], order[r], a.g->round[r].base, a.g->round[r].parts);
	for (r = 0; r < 4; r++)
		check_result(in[r], a.g->round[r].parts, r);
}

static void rounds_have_results(void **state)
{
	unsigned int i;

	(void)state;
	exchange();
	for (i = 0; i < 50; i++) {
		try_rounds(true);
		assert_false(s->spread);
		check_no_cells();
	}
}

/* The results of inner rounds stay in their cells until the chunk is finished. */
static void results_in_cells(void **state)
{
	unsigned int i;

	(void)state;
	exchange();
	for (i = 0; i < 50; i++) {
		try_rounds(false);
		assert_true(s->spread);
		assert_int_equal(s->kept, 6);
		assert_int_equal(s->cells, 2);
		assert_int_equal(a.e->shared_used, 2);
		ordered_end(a.e, a.g, s);
		assert_int_equal(s->kept, 0);
		check_no_cells();
	}
	assert_true(a.e->cell_fresh < 8);
}

/* ---- Cells ---- */

/* The group keeps as many of its cells as it has inputs for its oldest chunk. */
static void cells_of_the_oldest_chunk(void **state)
{
	unsigned int i;

	(void)state;
	a.g->rank_mask = 7;
	a.g->msg_cells = 4;
	a.e->cells_reserved = TALLY_RMQ_CELLS;
	s = slot_of(a.e, a.g, 1);
	begin(1, TALLY_MODE_TREE, false);
	assert_true(ordered_promise(a.e, a.g, s, 0));
	assert_int_equal(s->held[0].level, PROMISED);
	assert_false(ordered_promise(a.e, a.g, s, 1));
	assert_int_equal(s->cells, 1);
	assert_int_equal(s->held[1].level, 0);
	a.e->cells_reserved--; /* one is shared */
	assert_true(ordered_promise(a.e, a.g, s, 1));
	assert_int_equal(a.g->own_cells, 1);
	assert_int_equal(a.e->shared_used, 1);
	assert_false(ordered_promise(a.e, a.g, s, 2));
	s = slot_of(a.e, a.g, 0);
	begin(0, TALLY_MODE_TREE, false);
	for (i = 0; i < 3; i++)
		assert_true(ordered_promise(a.e, a.g, s, i));
	assert_int_equal(a.g->own_cells, 4);
	ordered_clear(a.e, a.g, s);
	assert_int_equal(s->cells, 0);
	assert_int_equal(a.g->own_cells, 1);
	s = slot_of(a.e, a.g, 1);
	ordered_clear(a.e, a.g, s);
	check_no_cells();
}

/* At the end of an epoch a chunk returns cells with data, with promised data, and of rounds. */
static void end_returns_cells(void **state)
{
	const struct input in[3] = { { .absent = true }, { .data = { 1 } }, { .data = { 2 } } };
	static const unsigned int order[3] = { 0, 1, 2 };

	(void)state;
	exchange();
	begin(0, TALLY_MODE_EXCHANGE, false);
	give_all(in, order, 2, 3);
	give_all(in, order, 5, 1); /* an absent one */
	assert_true(ordered_promise(a.e, a.g, s, 0));
	give_all(in, (const unsigned int[]){ 1 }, 0, 1);
	assert_int_equal(s->cells, 3);
	ordered_clear(a.e, a.g, s);
	check_no_cells();
	ordered_clear(a.e, a.g, s);
	check_no_cells();
	give_all(in, order, 0, 1);		      /* an absent one */
	assert_true(ordered_promise(a.e, a.g, s, 5)); /* 1 to 4 have nothing */
	ordered_clear(a.e, a.g, s);
	check_no_cells();
	assert_int_equal(s->held[0].level | s->held[5].level, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(sums_of_any_number_of_inputs),
		TEST(nothing_comes_of_absent_inputs),
		TEST(events_of_the_alu_are_kept),
		TEST(reductions_that_have_a_shape),
		TEST(inputs_of_rounds),
		TEST(rounds_have_results),
		TEST(results_in_cells),
		TEST(cells_of_the_oldest_chunk),
		TEST(end_returns_cells),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
