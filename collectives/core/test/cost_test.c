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

/* At the values of the table the estimates are the measured times. */
static void table_is_exact(void **state)
{
	uint64_t ns[TC_COST_NUM];

	(void)state;
	for (uint32_t op = 0; op < TC_COST_OPCODES; op++)
		for (uint32_t n = 0; n < TC_COST_NODES; n++)
			for (uint32_t r = 0; r < TC_COST_RANKS; r++)
				for (uint32_t s = 0; s < TC_COST_SIZES; s++) {
					cost_of(op + 1, tc_cost_nodes[n], tc_cost_ranks[r],
						tc_cost_sizes[s], ns);
					for (uint32_t k = 0; k < TC_COST_NUM; k++)
						assert_int_equal(ns[k], tc_cost_table[op][n][r].ns[s][k]);
				}
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

/* Between the values of the table times lie on straight lines, and beyond them on the same lines. */
static void lines_between_and_beyond(void **state)
{
	const uint32_t op = TALLY_OPCODE_ALLREDUCE, last = TC_COST_SIZES - 1;
	uint64_t at[TC_COST_NUM], low[TC_COST_NUM], high[TC_COST_NUM];

	(void)state;
	cost_of(op, 16, 4, tc_cost_sizes[2], low);
	cost_of(op, 16, 4, tc_cost_sizes[3], high);
	cost_of(op, 16, 4, (tc_cost_sizes[2] + tc_cost_sizes[3]) / 2, at);
	for (uint32_t k = 0; k < TC_COST_NUM; k++)
		assert_in_range(at[k], (low[k] + high[k]) / 2 - 1, (low[k] + high[k]) / 2 + 1);
	cost_of(op, 16, 4, tc_cost_sizes[last], low);
	cost_of(op, 16, 4, 4ULL * tc_cost_sizes[last], high);
	for (uint32_t k = 0; k < TC_COST_NUM; k++)
		assert_in_range(high[k], 3 * low[k], 5 * low[k]);
	cost_of(op, 16, 4, 1, at);
	cost_of(op, 16, 4, tc_cost_sizes[0], low);
	for (uint32_t k = 0; k < TC_COST_NUM; k++)
		assert_int_equal(at[k], low[k]);
	cost_of(op, 40, 10, 8, at);
	cost_of(op, 16, 4, 8, low);
	cost_of(op, 64, 16, 8, high);
	for (uint32_t k = 0; k < TC_COST_NUM; k++)
		assert_in_range(at[k], low[k], high[k]);
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

	for (uint64_t by = 0; by < 3; by++) {
		tc_cost_at(row, bytes - bytes / 16 + by * bytes / 16, ns);
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
						fail_msg("operation %u, %u nodes, %u ranks, %lu bytes",
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
		cmocka_unit_test(no_overflow),
		cmocka_unit_test(ties_go_to_the_host),
		cmocka_unit_test(steps_have_all_verdicts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
