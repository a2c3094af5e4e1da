// SPDX-License-Identifier: BSD-2-Clause
/* Quotients by the inverse of a group's number equal those of a division. */
#include "engine/divide.h"
#include "engine/test/testbed.h"

static void compare(const struct divisor *d, uint32_t value)
{
	if (quotient(d, value) != value / d->n || modulo(d, value) != value % d->n)
		fail_msg("%u by %u: %u rest %u", value, d->n, quotient(d, value), modulo(d, value));
}

/* Rounding shows at multiples of the divisor, and most of all at the largest ones. */
static void at_multiples(uint32_t n)
{
	const struct divisor d = divisor_of(n);
	uint32_t most = UINT32_MAX / n, k;

	for (k = 0; k < 64; k++) {
		uint32_t low = (k <= most ? k : most) * n, high = (k <= most ? most - k : 0) * n;

		compare(&d, low);
		compare(&d, low - 1);
		compare(&d, high);
		compare(&d, high - 1);
		compare(&d, high + n - 1);
		compare(&d, UINT32_MAX - k);
	}
}

static void every_divisor_of_a_group(void **state)
{
	uint32_t n;

	(void)state;
	for (n = 1; n <= TALLY_MAX_NODES * TALLY_MAX_RANKS; n++)
		at_multiples(n);
}

static void large_divisors(void **state)
{
	uint32_t n;

	(void)state;
	for (n = 0; n < 1000; n++) {
		at_multiples(UINT32_MAX - n);
		at_multiples((1u << 31) - 500 + n);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_divisor_of_a_group),
		cmocka_unit_test(large_divisors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
