// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/cost.h"

static void cost_of(uint32_t opcode, uint32_t nodes, uint32_t ranks, uint64_t bytes,
		    uint64_t ns[TC_COST_NUM])
{
	struct tc_cost_row row;

	tc_cost_row(&row, opcode, nodes, ranks);
	tc_cost_at(&row, bytes, ns);
}

/* At the values of the table the estimates are its times, but for shapes that lie between measured ones. */
static void table_is_exact(void **state)
{
	uint64_t ns[TC_COST_NUM];
	uint32_t shapes = 0;

	(void)state;
	for (uint32_t i = 0; i < TC_COST_OPCODES * TC_COST_NODES * TC_COST_RANKS; i++) {
		const uint32_t op = i % TC_COST_OPCODES, n = i / TC_COST_OPCODES % TC_COST_NODES;
		const uint32_t r = i / TC_COST_OPCODES / TC_COST_NODES;

		if (!(tc_cost_usable[n] & 1u << r))
			continue;
		shapes++;
		for (uint32_t s = 0; s < TC_COST_SIZES; s++) {
			cost_of(op + 1, tc_cost_nodes[n], tc_cost_ranks[r], tc_cost_sizes[s], ns);
			for (uint32_t k = 0; k < TC_COST_NUM; k++)
				assert_int_equal(ns[k], tc_cost_table[op][n][r].ns[s][k]);
		}
	}
	assert_true(shapes > TC_COST_OPCODES * TC_COST_NODES * TC_COST_RANKS / 2);
}

/* Estimates for other shapes err more, so there the host wins more often. */
static void margin_is_larger_between(void **state)
{
	struct tc_cost_row row;
	uint32_t margin;

	(void)state;
	tc_cost_row(&row, TALLY_OPCODE_ALLREDUCE, 4, 4);
	margin = row.margin;
	tc_cost_row(&row, TALLY_OPCODE_ALLREDUCE, 5, 4);
	assert_true(row.margin < margin);
	tc_cost_row(&row, TALLY_OPCODE_ALLREDUCE, 12, 3);
	assert_true(row.margin < margin);
	tc_cost_row(&row, TALLY_OPCODE_ALLREDUCE, 4, 200);
	assert_true(row.margin < margin);
}

/* No time is missing; only a single rank has none. */
static void table_is_complete(void **state)
{
	(void)state;
	for (uint32_t op = 0; op < TC_COST_OPCODES; op++)
		for (uint32_t n = 0; n < TC_COST_NODES; n++)
			for (uint32_t r = 0; r < TC_COST_RANKS; r++)
				for (uint32_t s = 0; (n || r) && s < TC_COST_SIZES; s++)
					for (uint32_t k = 0; k < TC_COST_NUM; k++)
						assert_true(tc_cost_table[op][n][r].ns[s][k] > 100);
}

/* Times of a row whose ways and host take @base ns and a ns for each @bytes_per_ns bytes. */
static struct tc_cost_row straight(uint64_t base, uint64_t bytes_per_ns)
{
	struct tc_cost_row row = { .margin = 64 };

	for (uint32_t s = 0; s < TC_COST_SIZES; s++)
		for (uint32_t k = 0; k < TC_COST_NUM; k++)
			row.times.ns[s][k] = base + tc_cost_sizes[s] / bytes_per_ns;
	return row;
}

static uint32_t middle(uint32_t s)
{
	return (tc_cost_sizes[s] + tc_cost_sizes[s + 1]) / 2;
}

/* Where times are on one line, so are the estimates, also beyond the table. */
static void lines_between_and_beyond(void **state)
{
	const struct tc_cost_row row = straight(2000, 8);
	uint64_t at[TC_COST_NUM], low[TC_COST_NUM], high[TC_COST_NUM];

	(void)state;
	for (uint32_t s = 0; s + 1 < TC_COST_SIZES; s++) {
		tc_cost_at(&row, middle(s), at);
		for (uint32_t k = 0; k < TC_COST_NUM; k++)
			assert_in_range(at[k], 2000 + middle(s) / 8 - 1, 2000 + middle(s) / 8 + 1);
	}
	tc_cost_at(&row, 4ULL * tc_cost_sizes[TC_COST_SIZES - 1], at);
	for (uint32_t k = 0; k < TC_COST_NUM; k++)
		assert_in_range(at[k], 2000 + (1 << 19) - 1, 2000 + (1 << 19) + 1);
	tc_cost_at(&row, 1, at);
	assert_int_equal(at[TC_COST_HOST], 2000 + tc_cost_sizes[0] / 8);
	cost_of(TALLY_OPCODE_ALLREDUCE, 40, 10, 8, at);
	cost_of(TALLY_OPCODE_ALLREDUCE, 16, 4, 8, low);
	cost_of(TALLY_OPCODE_ALLREDUCE, 64, 16, 8, high);
	for (uint32_t k = 0; k < TC_COST_NUM; k++)
		assert_in_range(at[k], low[k], high[k]);
}

/*
 * A jump between two sizes may lie at either end: a way is taken for as slow as if it lay where that is
 * slower, the host for as fast as if it lay where that is faster.
 */
static void jumps_are_bad_for_offload(void **state)
{
	const uint32_t s = 10, up = 500, at = middle(s);
	struct tc_cost_row row = straight(2000, 8);
	uint64_t ns[TC_COST_NUM];

	(void)state;
	for (uint32_t i = s + 1; i < TC_COST_SIZES; i++)
		for (uint32_t k = 0; k < TC_COST_NUM; k++)
			row.times.ns[i][k] += up;
	tc_cost_at(&row, at, ns);
	assert_in_range(ns[TC_COST_HOST], 2000 + at / 8 - 1, 2000 + at / 8 + 1);
	assert_in_range(ns[TC_COST_DIRECT], 2000 + up + at / 8 - 1, 2000 + up + at / 8 + 1);
	for (uint32_t i = 0; i <= s; i++)
		for (uint32_t k = 0; k < TC_COST_NUM; k++)
			row.times.ns[i][k] += 2 * up;
	tc_cost_at(&row, at, ns);
	assert_in_range(ns[TC_COST_HOST], 2000 + up + at / 8 - 1, 2000 + up + at / 8 + 1);
	assert_in_range(ns[TC_COST_NODE], 2000 + 2 * up + at / 8 - 1, 2000 + 2 * up + at / 8 + 1);
}

/* The largest teams and messages do not overflow. */
static void no_overflow(void **state)
{
	uint64_t ns[TC_COST_NUM];

	(void)state;
	for (uint32_t op = 1; op <= TC_COST_OPCODES; op++) {
		cost_of(op, 4096, 4096, UINT64_MAX, ns);
		for (uint32_t k = 0; k < TC_COST_NUM; k++)
			assert_in_range(ns[k], 1, UINT64_MAX / 2);
	}
}

static void ties_go_to_the_host(void **state)
{
	const uint64_t equal[] = { 1000, 1000, 1000 }, clear[] = { 1000, 900, 1020 };
	const uint64_t slow[] = { 1100, 1000, 1020 };

	(void)state;
	assert_int_equal(tc_cost_verdict(equal, 64), TC_COST_HOST_WINS | TC_COST_HOST_BEATS_DIRECT);
	assert_int_equal(tc_cost_verdict(clear, 64), TC_COST_NODE_WINS);
	assert_int_equal(tc_cost_verdict(slow, 64), TC_COST_NODE_WINS | TC_COST_HOST_BEATS_DIRECT);
}

/* Whether the verdict is that of about as many bytes: where lines cross, whole numbers waver. */
static bool has_verdict(const struct tc_cost_row *row, uint64_t bytes, uint32_t verdict)
{
	uint64_t ns[TC_COST_NUM];

	for (uint64_t by = 0; by <= 16; by++) {
		tc_cost_at(row, bytes - bytes / 16 + by * bytes / 128, ns);
		if (tc_cost_verdict(ns, row->margin) == verdict)
			return true;
	}
	return false;
}

/* The steps have the verdict of every number of bytes, for any shape, and are not too many. */
static void steps_have_all_verdicts(void **state)
{
	struct tc_cost_steps steps;
	struct tc_cost_row row;

	(void)state;
	for (uint32_t op = 1; op <= TC_COST_OPCODES; op++)
		for (uint32_t nodes = 1; nodes <= 600; nodes += 1 + nodes / 5)
			for (uint32_t ranks = 1; ranks <= 64; ranks += 1 + ranks / 3) {
				tc_cost_steps(&steps, op, nodes, ranks);
				tc_cost_row(&row, op, nodes, ranks);
				assert_in_range(steps.num, 1, TC_COST_STEPS - 1);
				for (uint64_t bytes = 0; bytes < 4 << 20; bytes += 1 + bytes / 40) {
					if (!has_verdict(&row, bytes, tc_cost_find(&steps, bytes)))
						fail_msg(
							"operation %u, %u nodes, %u ranks, %lu bytes",
							op, nodes, ranks, (unsigned long)bytes);
				}
			}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table_is_exact),
		cmocka_unit_test(table_is_complete),
		cmocka_unit_test(lines_between_and_beyond),
		cmocka_unit_test(margin_is_larger_between),
		cmocka_unit_test(jumps_are_bad_for_offload),
		cmocka_unit_test(no_overflow),
		cmocka_unit_test(ties_go_to_the_host),
		cmocka_unit_test(steps_have_all_verdicts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
