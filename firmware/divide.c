// SPDX-License-Identifier: BSD-2-Clause
/* Division of 64 bits, which the processor of the firmware does not have. */
#include "firmware/divide.h"

uint64_t divide(uint64_t a, uint32_t b)
{
	uint64_t quotient = 0, rest = 0;
	int i;

	for (i = 63; i >= 0; i--) {
		rest = rest << 1 | (a >> i & 1);
		quotient <<= 1;
		if (rest >= b) {
			rest -= b;
			quotient |= 1;
		}
	}
	return quotient;
}

struct divisor divisor_of(uint32_t n)
{
	uint8_t shift = n > 1 ? 32 - __builtin_clz(n - 1) : 0;
	uint64_t above = (1ULL << shift) - n;

	return (struct divisor){ n, (uint32_t)(divide(above << 32, n) + 1), shift };
}
