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

static int choose(const char *wanted, uint32_t local, uint32_t num_local)
{
	return tc_dv_choose(names, 4, wanted, local, num_local, why, sizeof(why));
}

static void test_processes_spread_in_blocks(void **state)
{
	static const int of_8[] = { 0, 0, 1, 1, 2, 2, 3, 3 }, of_5[] = { 0, 0, 1, 2, 3 };

	(void)state;
	for (unsigned int i = 0; i < 8; i++)
		assert_int_equal(choose(NULL, i, 8), of_8[i]);
	for (unsigned int i = 0; i < 5; i++)
		assert_int_equal(choose(NULL, i, 5), of_5[i]);
	assert_int_equal(choose(NULL, 0, 1), 0);
	assert_int_equal(choose(NULL, 1, 2), 2);
	assert_int_equal(choose(NULL, 4294967294, 4294967295), 3);
}

static void test_the_variable_restricts_the_choice(void **state)
{
	(void)state;
	assert_int_equal(choose("tally10,tally1", 0, 2), 1);
	assert_int_equal(choose("tally10,tally1", 1, 2), 3);
	assert_int_equal(choose("tally1", 3, 4), 1);
	/* A name is not a prefix of another. */
	assert_int_equal(choose("tally10", 0, 1), 3);
	assert_int_equal(choose("tally0,tally0", 1, 2), 0);
}

static void test_a_wrong_name_is_told(void **state)
{
	(void)state;
	assert_int_equal(choose("tally1,tally", 0, 1), -ENODEV);
	assert_string_equal(why, "TALLY_COLL_NICS: there is no Tally NIC \"tally\".");
	assert_int_equal(choose("tally1,,tally2", 0, 1), -ENODEV);
	assert_string_equal(why, "TALLY_COLL_NICS: there is no Tally NIC \"\".");
	assert_int_equal(choose("", 0, 1), -ENODEV);
	assert_string_equal(why, "TALLY_COLL_NICS names no NIC.");
	assert_int_equal(tc_dv_choose(names, 0, NULL, 0, 1, why, sizeof(why)), -ENODEV);
	assert_string_equal(why, "This machine has no Tally NIC.");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_processes_spread_in_blocks),
		cmocka_unit_test(test_the_variable_restricts_the_choice),
		cmocka_unit_test(test_a_wrong_name_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
