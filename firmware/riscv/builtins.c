// SPDX-License-Identifier: BSD-2-Clause
/* Functions that the compiler may call to copy and to clear memory. */
#include <stddef.h>
#include <stdint.h>

void *memcpy(void *restrict to, const void *restrict from, size_t n);
void *memset(void *to, int value, size_t n);

void *memcpy(void *restrict to, const void *restrict from, size_t n)
{
	uint8_t *t = to;
	const uint8_t *f = from;

	for (; n; n--)
		*t++ = *f++;
	return to;
}

void *memset(void *to, int value, size_t n)
{
	uint8_t *t = to;

	for (; n; n--)
		*t++ = value;
	return to;
}
