// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "core/event.h"
#include "core/pool.h"
#include "core/rng.h"

/* Structures of all sizes keep their contents while others come and go. */
static void structures_do_not_overlap(void **state)
{
	enum { N = 3000 };
	static struct { uint8_t *p; size_t size; uint8_t fill; } s[N];
	struct rng rng;

	(void)state;
	rng_seed(&rng, 1);
	for (unsigned int round = 0; round < 20 * N; round++) {
		unsigned int i = rng_below(&rng, N);

		for (size_t k = 0; k < s[i].size; k++)
			assert_int_equal(s[i].p[k], s[i].fill);
		pool_free(s[i].p, s[i].size);
		s[i].size = rng_below(&rng, round % 8 ? 300 : 5000);
		s[i].fill = round;
		s[i].p = pool_alloc(s[i].size);
		assert_non_null(s[i].p);
		memset(s[i].p, s[i].fill, s[i].size);
	}
	assert_int_equal(pool_used(), N);
	for (unsigned int i = 0; i < N; i++)
		pool_free(s[i].p, s[i].size);
	assert_int_equal(pool_used(), 0);
	pool_trim();
}

/* The end of a simulation keeps what another one has. */
static void a_simulation_ends(void **state)
{
	struct sim *a = sim_new(1), *b = sim_new(2);
	uint8_t *p = pool_alloc(100);

	(void)state;
	assert_non_null(p);
	memset(p, 7, 100);
	sim_free(a);
	assert_int_equal(p[99], 7);
	assert_int_equal(pool_used(), 1);
	pool_free(p, 100);
	sim_free(b);
	pool_free(NULL, 100);
	assert_int_equal(pool_used(), 0);
}

#ifndef __SANITIZE_ADDRESS__
static void the_newest_is_reused(void **state)
{
	void *p = pool_alloc(65), *q = pool_alloc(128);

	(void)state;
	pool_free(q, 128);
	pool_free(p, 65);
	assert_ptr_equal(pool_alloc(100), p);
	assert_ptr_equal(pool_alloc(100), q);
	assert_int_equal((uintptr_t)p % 64, 0);
	pool_free(p, 100);
	pool_free(q, 100);
	pool_trim();
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(structures_do_not_overlap),
		cmocka_unit_test(a_simulation_ends),
#ifndef __SANITIZE_ADDRESS__
		cmocka_unit_test(the_newest_is_reused),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
