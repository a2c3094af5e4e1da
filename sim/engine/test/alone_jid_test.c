// SPDX-License-Identifier: BSD-2-Clause
/* The table of groups by job id alone. */
#include "engine/test/alone_arrive.h"
#include "engine/common.h"
#include "engine/jid.h"

#include <endian.h>

/* ---- Job ids ---- */

/* Any number of groups, of which some have the same job id, and others the same bucket. */
static void lookup_by_job(void **state)
{
	struct group *g = a.e->groups;
	uint32_t i;

	(void)state;
	for (i = 1; i < TALLY_MAX_GROUP; i++) {
		g[i].jid = 1000 + i / 2;
		jid_add(a.e, &g[i]);
	}
	assert_ptr_equal(jid_first(a.e, ALONE_JID), a.g);
	assert_null(jid_next(a.g));
	assert_null(jid_first(a.e, 999));
	for (i = 2; i < TALLY_MAX_GROUP; i += 2) {
		assert_ptr_equal(jid_first(a.e, g[i].jid), &g[i + 1]);
		assert_ptr_equal(jid_next(&g[i + 1]), &g[i]);
		assert_null(jid_next(&g[i]));
	}
	for (i = 2; i < TALLY_MAX_GROUP; i += 2) {
		jid_remove(a.e, &g[i + i / 2 % 2]);
		assert_ptr_equal(jid_first(a.e, g[i].jid), &g[i + !(i / 2 % 2)]);
		assert_null(jid_next(&g[i + !(i / 2 % 2)]));
		jid_remove(a.e, &g[i + !(i / 2 % 2)]);
		assert_null(jid_first(a.e, g[i].jid));
	}
	assert_ptr_equal(jid_first(a.e, ALONE_JID), a.g);
}

/* The newest group of a job is the first, though an older one was looked for just before. */
static void lookup_after_a_change(void **state)
{
	struct group *g = a.e->groups;

	(void)state;
	assert_ptr_equal(jid_first(a.e, ALONE_JID), a.g);
	g[1].jid = ALONE_JID;
	jid_add(a.e, &g[1]);
	assert_ptr_equal(jid_first(a.e, ALONE_JID), &g[1]);
	jid_remove(a.e, &g[1]);
	assert_ptr_equal(jid_first(a.e, ALONE_JID), a.g);
	jid_remove(a.e, a.g);
	assert_null(jid_first(a.e, ALONE_JID));
	jid_add(a.e, a.g);
	assert_ptr_equal(jid_first(a.e, ALONE_JID), a.g);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, arrive_setup, arrive_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(lookup_by_job),
		TEST(lookup_after_a_change),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
