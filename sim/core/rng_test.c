// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/rng.h"

/* Published first outputs of xoshiro256** from the state {1, 2, 3, 4}. */
static void known_sequence(void **state)
{
	static const uint64_t want[] = {
		11520, 0, 1509978240, 1215971899390074240, 1216172134540287360,
		607988272756665600, 16172922978634559625U, 8476171486693032832,
	};
	struct rng rng = { .s = { 1, 2, 3, 4 } };

	(void)state;
	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++)
		assert_int_equal(rng_next(&rng), want[i]);
}

/* Published first outputs of splitmix64 from 1234567. */
static void known_seed(void **state)
{
	static const uint64_t want[] = {
		6457827717110365317U, 3203168211198807973U, 9817491932198370423U,
		4593380528125082431U,
	};
	struct rng rng;

	(void)state;
	rng_seed(&rng, 1234567);
	for (int i = 0; i < 4; i++)
		assert_int_equal(rng.s[i], want[i]);
}

static void below_stays_in_range_and_reaches_all(void **state)
{
	unsigned int seen[7] = { 0 };
	struct rng rng;

	(void)state;
	rng_seed(&rng, 1);
	for (int i = 0; i < 7000; i++) {
		uint64_t x = rng_below(&rng, 7);

		assert_in_range(x, 0, 6);
		seen[x]++;
	}
	for (int i = 0; i < 7; i++)
		assert_in_range(seen[i], 850, 1150);
	assert_int_equal(rng_below(&rng, 0), 0);
	assert_int_equal(rng_below(&rng, 1), 0);
}

static void chance_matches_its_probability(void **state)
{
	struct rng rng, copy;
	int hits = 0;

	(void)state;
	rng_seed(&rng, 2);
	for (int i = 0; i < 10000; i++) {
		hits += rng_chance(&rng, 0.25);
		assert_true(rng_chance(&rng, 1.0));
	}
	assert_in_range(hits, 2300, 2700);

	copy = rng;
	assert_false(rng_chance(&rng, 0));
	assert_false(rng_chance(&rng, -1));
	assert_memory_equal(&copy, &rng, sizeof(rng));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_sequence),
		cmocka_unit_test(known_seed),
		cmocka_unit_test(below_stays_in_range_and_reaches_all),
		cmocka_unit_test(chance_matches_its_probability),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
