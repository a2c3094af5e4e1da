// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/rng.h"
#include "wire/crc32.h"

/* The definition, bit by bit. */
static uint32_t crc32_by_bits(uint32_t crc, const uint8_t *p, size_t len)
{
	while (len--) {
		crc ^= *p++;
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
	}
	return crc;
}

static void check_value(void **state)
{
	(void)state;
	assert_int_equal(~crc32_update(CRC32_INIT, "123456789", 9) & 0xffffffff, 0xcbf43926);
	assert_int_equal(crc32_update(0x12345678, NULL, 0), 0x12345678);
}

static void matches_the_definition(void **state)
{
	uint8_t data[300];
	struct rng rng;

	(void)state;
	rng_seed(&rng, 1);
	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = rng_next(&rng);
	for (int i = 0; i < 2000; i++) {
		size_t at = rng_below(&rng, 20), len = rng_below(&rng, sizeof(data) - at + 1);
		uint32_t start = rng_next(&rng);

		assert_int_equal(crc32_update(start, data + at, len),
				 crc32_by_bits(start, data + at, len));
	}
}

static void pieces_equal_the_whole(void **state)
{
	const char text[] = "the quick brown fox jumps over the lazy dog";
	uint32_t whole = crc32_update(CRC32_INIT, text, sizeof(text));

	(void)state;
	for (size_t cut = 0; cut <= sizeof(text); cut++) {
		uint32_t crc = crc32_update(CRC32_INIT, text, cut);

		assert_int_equal(crc32_update(crc, text + cut, sizeof(text) - cut), whole);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_value),
		cmocka_unit_test(matches_the_definition),
		cmocka_unit_test(pieces_equal_the_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
