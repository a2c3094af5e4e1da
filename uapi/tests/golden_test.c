// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Compares the compiler's layout of every structure with the bytes that hwgen computes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "gen/tally_golden.h"

static void compare(const char *name, const void *filled, const unsigned char *golden, size_t size)
{
	const unsigned char *bytes = filled;

	for (size_t i = 0; i < size; i++)
		if (bytes[i] != golden[i])
			fail_msg("struct tally_%s: byte %zu is 0x%02x, golden 0x%02x", name, i,
				 bytes[i], golden[i]);
}

#define GOLDEN_TEST(name)							\
	static void test_##name(void **state)					\
	{									\
		struct tally_##name s;						\
										\
		(void)state;							\
		assert_int_equal(sizeof(s), sizeof(tally_golden_##name));	\
		tally_golden_fill_##name(&s);					\
		compare(#name, &s, tally_golden_##name, sizeof(s));		\
	}

TALLY_GOLDEN_LIST(GOLDEN_TEST)

int main(void)
{
#define GOLDEN_ENTRY(name) cmocka_unit_test(test_##name),
	const struct CMUnitTest tests[] = { TALLY_GOLDEN_LIST(GOLDEN_ENTRY) };

	return cmocka_run_group_tests_name("golden", tests, NULL, NULL);
}
