// SPDX-License-Identifier: BSD-2-Clause
/* The nodes and sockets of a team's ranks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/core.h"
#include "core/shape.h"

#define RANKS 4

/* All ranks are on one node. */
static bool has_sockets(const uint32_t socket[RANKS])
{
	struct tc_process process[RANKS] = { 0 };
	struct tc_shape s;
	bool several;

	for (uint32_t r = 0; r < RANKS; r++)
		process[r].socket = socket[r];
	assert_true(tc_shape_init(&s, process, NULL, RANKS, 0));
	assert_int_equal(s.num_nodes, 1);
	several = s.has_sockets;
	tc_shape_free(&s);
	return several;
}

static void any_rank_may_be_on_another_socket(void **state)
{
	static const uint32_t one[RANKS] = { 1, 1, 1, 1 };

	(void)state;
	assert_false(has_sockets(one));
	for (uint32_t other = 0; other < RANKS; other++) {
		uint32_t socket[RANKS] = { 0 };

		socket[other] = 1;
		assert_true(has_sockets(socket));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_rank_may_be_on_another_socket),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
