// SPDX-License-Identifier: BSD-2-Clause
/* Which NIC a process takes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>

#include "transport/objects.h"

static const char *const names[] = { "tally0", "tally1", "tally2", "tally10" };
static char why[200];

#define NONE UINT32_MAX /* a process without a NIC */

/* The NICs of processes, each of which has its nearest ones. */
static void assign(const uint64_t *near, uint32_t num, uint32_t *nic)
{
	for (uint32_t i = 0; i < num; i++)
		nic[i] = near[i] ? tc_dv_assign(&(struct tc_neighbours){ i, num, near }) : NONE;
}

#define ASSIGN(...)                                     \
	static const uint64_t near[] = { __VA_ARGS__ }; \
	uint32_t nic[sizeof(near) / sizeof(near[0])];   \
	(void)state;                                    \
	assign(near, sizeof(near) / sizeof(near[0]), nic)
#define ASSERT_NICS(...)                                      \
	do {                                                  \
		const uint32_t want[] = { __VA_ARGS__ };      \
		assert_int_equal(sizeof(want), sizeof(nic));  \
		assert_memory_equal(nic, want, sizeof(want)); \
	} while (0)

static void test_processes_spread_in_blocks(void **state)
{
	ASSIGN(15, 15, 15, 15, 15, 15, 15, 15);
	ASSERT_NICS(0, 0, 1, 1, 2, 2, 3, 3);
}

static void test_some_nics_have_one_more(void **state)
{
	ASSIGN(15, 15, 15, 15, 15, 15);
	ASSERT_NICS(0, 0, 1, 1, 2, 3);
}

static void test_few_processes_have_a_nic_each(void **state)
{
	ASSIGN(0x8000000000000002, 0x8000000000000002);
	ASSERT_NICS(1, 63);
}

/* Two sockets with two NICs each, and processes on both in turn. */
static void test_processes_use_near_nics(void **state)
{
	ASSIGN(3, 12, 3, 12, 3, 12, 3, 12);
	ASSERT_NICS(0, 2, 0, 2, 1, 3, 1, 3);
}

/* Those that may choose among all fill up what the others leave. */
static void test_unbound_processes_fill_up(void **state)
{
	ASSIGN(3, 1, 1, 3, 3, 3);
	ASSERT_NICS(0, 0, 0, 1, 1, 1);
}

static void test_other_sets_do_not_matter(void **state)
{
	ASSIGN(3, 0, 3, 12, 0, 12);
	ASSERT_NICS(0, NONE, 1, 2, NONE, 3);
}

static int usable(const char *wanted, uint64_t *nics)
{
	return tc_dv_usable(names, 4, wanted, nics, why, sizeof(why));
}

static void test_the_variable_restricts_the_choice(void **state)
{
	uint64_t nics;

	(void)state;
	assert_int_equal(usable(NULL, &nics), 0);
	assert_int_equal(nics, 15);
	assert_int_equal(usable("tally10,tally1", &nics), 0);
	assert_int_equal(nics, 10);
	/* A name is not a prefix of another. */
	assert_int_equal(usable("tally10", &nics), 0);
	assert_int_equal(nics, 8);
	assert_int_equal(usable("tally0,tally0", &nics), 0);
	assert_int_equal(nics, 1);
}

static void test_a_wrong_name_is_told(void **state)
{
	uint64_t nics;

	(void)state;
	assert_int_equal(usable("tally1,tally", &nics), -ENODEV);
	assert_string_equal(why, "TALLY_COLL_NICS: there is no Tally NIC \"tally\".");
	assert_int_equal(usable("tally1,,tally2", &nics), -ENODEV);
	assert_string_equal(why, "TALLY_COLL_NICS: there is no Tally NIC \"\".");
	assert_int_equal(usable("", &nics), -ENODEV);
	assert_string_equal(why, "TALLY_COLL_NICS names no NIC.");
	assert_int_equal(tc_dv_usable(names, 0, NULL, &nics, why, sizeof(why)), -ENODEV);
	assert_string_equal(why, "This machine has no Tally NIC.");
}

static void test_further_nics_are_not_used(void **state)
{
	const char *many[TC_DV_NICS + 2];
	uint64_t nics;

	(void)state;
	for (uint32_t i = 0; i < TC_DV_NICS + 2; i++)
		many[i] = i < TC_DV_NICS ? "tally0" : i == TC_DV_NICS ? "tally1" : "tally2";
	assert_int_equal(tc_dv_usable(many, TC_DV_NICS + 2, NULL, &nics, why, sizeof(why)), 0);
	assert_true(nics == UINT64_MAX);
	assert_int_equal(tc_dv_usable(many, TC_DV_NICS + 2, "tally2", &nics, why, sizeof(why)), -ENODEV);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_processes_spread_in_blocks),
		cmocka_unit_test(test_some_nics_have_one_more),
		cmocka_unit_test(test_few_processes_have_a_nic_each),
		cmocka_unit_test(test_processes_use_near_nics),
		cmocka_unit_test(test_unbound_processes_fill_up),
		cmocka_unit_test(test_other_sets_do_not_matter),
		cmocka_unit_test(test_the_variable_restricts_the_choice),
		cmocka_unit_test(test_a_wrong_name_is_told),
		cmocka_unit_test(test_further_nics_are_not_used),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
