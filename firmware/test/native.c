// SPDX-License-Identifier: BSD-2-Clause
/* Runs the tests of the firmware by cmocka. */
#include "firmware/test/test.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#define MAX_TESTS 64

void test_fail(const char *what, uint64_t value, uint64_t wanted)
{
	fail_msg("%s: %#" PRIx64 ", not %#" PRIx64, what, value, wanted);
	abort();
}

static void run(void **state)
{
	const struct firmware_test *test = *state;

	test->run();
}

int main(void)
{
	struct CMUnitTest tests[MAX_TESTS] = { 0 };
	unsigned int i;

	if (firmware_num_tests > MAX_TESTS)
		return 1;
	for (i = 0; i < firmware_num_tests; i++)
		tests[i] = (struct CMUnitTest){ .name = firmware_tests[i].name, .test_func = run,
						.initial_state = (void *)&firmware_tests[i] };
	/* cmocka counts the tests of an array by its size */
	return _cmocka_run_group_tests("firmware", tests, firmware_num_tests, NULL, NULL);
}
