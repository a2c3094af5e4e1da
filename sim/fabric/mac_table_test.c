// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "core/rng.h"
#include "fabric/mac_table.h"

static void table_of_many_addresses(void **state)
{
	struct mac_table t = { 0 };
	uint8_t mac[6] = { 2 };

	(void)state;
	assert_int_equal(mac_table_find(&t, mac), -1);
	/* 263 is coprime to 1000: every number occurs once, in no particular order. */
	for (unsigned int i = 0; i < 1000; i++) {
		unsigned int n = i * 263 % 1000;

		mac[1] = n;
		mac[5] = n >> 8;
		assert_int_equal(mac_table_set(&t, mac, n), 0);
	}
	assert_int_equal(t.count, 1000);
	for (unsigned int n = 0; n < 1000; n++) {
		mac[1] = n;
		mac[5] = n >> 8;
		assert_int_equal(mac_table_find(&t, mac), n);
	}
	assert_int_equal(mac_table_set(&t, mac, 3), 0);
	assert_int_equal(mac_table_find(&t, mac), 3);
	assert_int_equal(t.count, 1000);
	mac[3] = 1;
	assert_int_equal(mac_table_find(&t, mac), -1);
	mac_table_clear(&t);
	assert_int_equal(mac_table_find(&t, mac), -1);
}

/* A model of 512 addresses: remaining entries are found after any number of removals. */
static void table_forgets_addresses(void **state)
{
	int model[512];
	struct mac_table t = { 0 };
	uint8_t mac[6] = { 2 };
	struct rng rng;
	size_t count = 0;

	(void)state;
	memset(model, -1, sizeof(model));
	rng_seed(&rng, 8);
	mac_table_remove(&t, mac);
	for (int i = 0; i < 20000; i++) {
		unsigned int n = rng_below(&rng, 512), value = rng_below(&rng, 1000);

		mac[4] = n >> 8;
		mac[5] = n;
		assert_int_equal(mac_table_find(&t, mac), model[n]);
		count -= model[n] >= 0;
		if (rng_chance(&rng, 0.5)) {
			mac_table_remove(&t, mac);
			model[n] = -1;
		} else {
			assert_int_equal(mac_table_set(&t, mac, value), 0);
			model[n] = value;
			count++;
		}
		assert_int_equal(t.count, count);
	}
	mac_table_clear(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table_of_many_addresses),
		cmocka_unit_test(table_forgets_addresses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
