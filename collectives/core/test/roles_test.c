// SPDX-License-Identifier: BSD-2-Clause
/* The example of document 000, figure 8: N = 2 sockets, S = 9 nodes, P = 4 processes of a socket. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/roles.h"

#define SOCKETS 2
#define NODES 9
#define PROCESSES 4
#define RANKS (SOCKETS * NODES * PROCESSES)

static void fill(struct tc_location at[RANKS])
{
	for (uint32_t r = 0; r < RANKS; r++)
		at[r] = (struct tc_location){ .node = r / (SOCKETS * PROCESSES),
					      .socket = r / PROCESSES % SOCKETS };
}

static void figure_8(void **state)
{
	struct tc_location at[RANKS];
	struct tc_roles roles;
	uint32_t nmrrs = 0;

	(void)state;
	fill(at);
	assert_true(tc_roles_init(&roles, at, RANKS, true));
	assert_int_equal(roles.num_mrrs, SOCKETS);
	assert_int_equal(roles.num_srrs, SOCKETS * NODES);
	for (uint32_t r = 0; r < RANKS; r++) {
		enum tc_role role = tc_role_of(&roles, r);

		if (r % PROCESSES) {
			assert_int_equal(role, TC_ROLE_SR);
			continue;
		}
		assert_int_equal(role, r < 8 ? TC_ROLE_MRR : TC_ROLE_NMRR);
		nmrrs += role == TC_ROLE_NMRR;
		/* {8, 16, ..., 64} speak with 0, and {12, 20, ..., 68} with 4 */
		assert_int_equal(tc_role_master(&roles, r), r % 8);
		assert_int_equal(tc_role_group(&roles, r), r % 8 / PROCESSES);
	}
	assert_int_equal(nmrrs, SOCKETS * NODES - SOCKETS);
	tc_roles_free(&roles);
}

/* Below the first switch the data go round in {0, 8, 16} and {4, 12, 20}. */
static void rings_of_figure_8(void **state)
{
	static const uint32_t next[][2] = { { 0, 8 },  { 8, 16 },  { 16, 0 },  { 4, 12 },
					    { 12, 20 }, { 20, 4 }, { 24, 32 }, { 40, 24 } };
	struct tc_location at[RANKS];
	struct tc_roles roles;

	(void)state;
	fill(at);
	assert_true(tc_roles_init(&roles, at, RANKS, true));
	for (unsigned int i = 0; i < sizeof(next) / sizeof(next[0]); i++)
		assert_int_equal(tc_role_next(&roles, next[i][0], next[i][0] < 24 ? 0 : 6, 6),
				 next[i][1]);
	tc_roles_free(&roles);
}

/* In Node mode there is one MRR, and each node has one SRR. Nodes may differ in their ranks. */
static void node_mode(void **state)
{
	static const struct tc_location at[] = { { 5, 0 }, { 5, 1 }, { 2, 0 }, { 5, 0 }, { 7, 1 },
						 { 2, 1 } };
	static const enum tc_role want[] = { TC_ROLE_MRR, TC_ROLE_SR, TC_ROLE_NMRR, TC_ROLE_SR,
					     TC_ROLE_NMRR, TC_ROLE_SR };
	struct tc_roles roles;

	(void)state;
	assert_true(tc_roles_init(&roles, at, 6, false));
	for (uint32_t r = 0; r < 6; r++) {
		assert_int_equal(tc_role_of(&roles, r), want[r]);
		assert_int_equal(tc_role_master(&roles, r), 0);
	}
	assert_int_equal(tc_role_next(&roles, 4, 0, 3), 0);
	tc_roles_free(&roles);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(figure_8),
		cmocka_unit_test(rings_of_figure_8),
		cmocka_unit_test(node_mode),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
