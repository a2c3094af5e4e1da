// SPDX-License-Identifier: BSD-2-Clause
/* Divisions that the processor of the firmware does not have. */
#include "firmware/divide.h"
#include "firmware/test/test.h"
#include "firmware/test/tests.h"

/* Check a quotient without a division: quotient * b + rest is a, and rest < b. */
static void expect_quotient(uint64_t a, uint32_t b)
{
	uint64_t q = divide(a, b), rest = a - q * b;

	test_equal("rest below the divisor", rest < b, 1);
	test_equal("quotient not above the dividend", q <= a, 1);
}

void quotients(void)
{
	static const uint64_t dividends[] = { 0, 1, 254, 255, 256, 8000000000000, UINT32_MAX,
					      1ULL << 32, 1ULL << 63, UINT64_MAX - 1, UINT64_MAX };
	static const uint32_t divisors[] = { 1, 2, 3, 7, 255, 4096, 65537, 1u << 31, UINT32_MAX };
	unsigned int i, k;

	for (i = 0; i < sizeof(dividends) / sizeof(dividends[0]); i++)
		for (k = 0; k < sizeof(divisors) / sizeof(divisors[0]); k++)
			expect_quotient(dividends[i], divisors[k]);
	test_equal("a known one", divide(8000000000000, 255), 31372549019);
	test_equal("the largest by the largest", divide(UINT64_MAX, UINT32_MAX), 0x100000001);
}

void inverses(void)
{
	struct divisor d = divisor_of(1);

	test_equal("shift of 1", d.shift, 0);
	test_equal("inverse of 1", d.inverse, 1);
	d = divisor_of(3); /* 2^34 / 3, rounded up, less 2^32 */
	test_equal("shift of 3", d.shift, 2);
	test_equal("inverse of 3", d.inverse, 0x55555556);
	d = divisor_of(4096);
	test_equal("shift of 4096", d.shift, 12);
	test_equal("inverse of 4096", d.inverse, 1);
	d = divisor_of(1000); /* 2^42 / 1000, rounded up, less 2^32 */
	test_equal("shift of 1000", d.shift, 10);
	test_equal("inverse of 1000", d.inverse, 103079216);
}
