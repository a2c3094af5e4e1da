// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "fabric/mac_table.h"
#include "fabric/route_table.h"

static const uint8_t *mac_of(unsigned int i)
{
	static uint8_t mac[6];

	mac[0] = 2;
	for (int k = 0; k < 4; k++)
		mac[2 + k] = i >> (8 * k);
	return mac;
}

/* Tables that share numbers have ports of their own. */
static void tables_are_separate(void **state)
{
	enum { TABLES = 3, MACS = 1000 };
	struct route_table t[TABLES];

	(void)state;
	for (unsigned int i = 0; i < TABLES; i++)
		assert_int_equal(route_table_init(&t[i]), 0);
	route_table_share(&t[1], &t[0]);
	for (unsigned int m = 0; m < MACS; m++)
		for (unsigned int i = 0; i < TABLES; i++)
			if (m % (i + 2))
				assert_int_equal(route_table_set(&t[i], mac_of(m), 7 * m + i), 0);
	/* The numbers stay as long as one table uses them. */
	route_table_free(&t[0]);
	for (unsigned int m = 0; m < MACS; m++)
		for (unsigned int i = 1; i < TABLES; i++)
			assert_int_equal(route_table_find(&t[i], mac_of(m)),
					 m % (i + 2) ? (int)(7 * m + i) : -1);
	assert_int_equal(route_table_find(&t[1], mac_of(MACS)), -1);
	assert_int_equal(route_table_set(&t[1], mac_of(3), 9), 0);
	assert_int_equal(route_table_find(&t[1], mac_of(3)), 9);
	route_table_free(&t[1]);
	route_table_free(&t[2]);
}

static void too_many_addresses(void **state)
{
	struct route_table t;

	(void)state;
	assert_int_equal(route_table_init(&t), 0);
	for (unsigned int m = 0; m <= MAC_TABLE_MAX_VALUE; m++)
		assert_int_equal(route_table_set(&t, mac_of(m), m & 1023), 0);
	assert_int_equal(route_table_set(&t, mac_of(MAC_TABLE_MAX_VALUE + 1), 0), -ENOSPC);
	assert_int_equal(route_table_set(&t, mac_of(MAC_TABLE_MAX_VALUE), 5), 0);
	assert_int_equal(route_table_find(&t, mac_of(MAC_TABLE_MAX_VALUE)), 5);
	assert_int_equal(route_table_find(&t, mac_of(MAC_TABLE_MAX_VALUE + 1)), -1);
	assert_int_equal(route_table_find(&t, mac_of(12345)), 12345 & 1023);
	route_table_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_are_separate),
		cmocka_unit_test(too_many_addresses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
