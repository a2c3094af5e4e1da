// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Checks that the X-macro lists agree with their enumerators and masks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "gen/tally_hw.h"

static void test_enum(void **state)
{
	unsigned int n = 0;

	(void)state;
#define CHECK(name, value, doc)					\
	do {							\
		assert_int_equal(TALLY_COLL_##name, value);	\
		assert_true(strlen(doc) > 0);			\
		n++;						\
	} while (0);
	TALLY_COLL_LIST(CHECK)
#undef CHECK
	assert_true(n > 1);
}

static void test_flags(void **state)
{
	__u64 all = 0;

	(void)state;
#define CHECK(name, mask, doc)					\
	do {							\
		assert_true(TALLY_CAP_##name == (mask));	\
		assert_true(strlen(doc) > 0);			\
		assert_false(all & (mask));			\
		all |= (mask);					\
	} while (0);
	TALLY_CAP_LIST(CHECK)
#undef CHECK
	assert_true(all != 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_enum),
		cmocka_unit_test(test_flags),
	};

	return cmocka_run_group_tests_name("lists", tests, NULL, NULL);
}
