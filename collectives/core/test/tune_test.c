// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/tune.h"

static bool read_text(struct tc_tune *tune, const char *text, char *why, size_t size)
{
	setenv("TALLY_COLL_TUNE", text, 1);
	return tc_tune_read(tune, NULL, why, size);
}

static void last_rule_holds(void **state)
{
	char why[200] = "";
	struct tc_tune t;

	(void)state;
	assert_true(read_text(&t, "all=host;allreduce=direct;allreduce:64k-=node;bcast:-100=socket",
			      why, sizeof(why)));
	assert_int_equal(tc_tune_find(&t, TALLY_OPCODE_ALLREDUCE, 65535), TC_TUNE_DIRECT);
	assert_int_equal(tc_tune_find(&t, TALLY_OPCODE_ALLREDUCE, 65536), TC_TUNE_NODE);
	assert_int_equal(tc_tune_find(&t, TALLY_OPCODE_BCAST, 100), TC_TUNE_SOCKET);
	assert_int_equal(tc_tune_find(&t, TALLY_OPCODE_BCAST, 101), TC_TUNE_HOST);
	assert_true(read_text(&t, "all=nic;barrier=auto", why, sizeof(why)));
	assert_int_equal(tc_tune_find(&t, TALLY_OPCODE_BCAST, 1), TC_TUNE_NIC);
	assert_int_equal(tc_tune_find(&t, TALLY_OPCODE_BARRIER, 0), TC_TUNE_AUTO);
	assert_true(read_text(&t, "bcast=cp-bt;bcast:2-=p-ringaas", why, sizeof(why)));
	assert_int_equal(tc_tune_find(&t, TALLY_OPCODE_BCAST, 1), TC_TUNE_CP_BT);
	assert_int_equal(tc_tune_find(&t, TALLY_OPCODE_BCAST, 2), TC_TUNE_P_RINGAAS);
	assert_true(read_text(&t, "bcast:8-8=node", why, sizeof(why)));
	assert_int_equal(tc_tune_find(&t, TALLY_OPCODE_BCAST, 7), TC_TUNE_NONE);
	assert_int_equal(tc_tune_find(&t, TALLY_OPCODE_BCAST, 8), TC_TUNE_NODE);
	assert_true(read_text(&t, "all:2K-=node;all:3M-=direct;all:1g-1G=host", why, sizeof(why)));
	assert_int_equal(tc_tune_find(&t, TALLY_OPCODE_BCAST, 2047), TC_TUNE_NONE);
	assert_int_equal(tc_tune_find(&t, TALLY_OPCODE_BCAST, 2048), TC_TUNE_NODE);
	assert_int_equal(tc_tune_find(&t, TALLY_OPCODE_BCAST, (3 << 20) - 1), TC_TUNE_NODE);
	assert_int_equal(tc_tune_find(&t, TALLY_OPCODE_BCAST, 3 << 20), TC_TUNE_DIRECT);
	assert_int_equal(tc_tune_find(&t, TALLY_OPCODE_BCAST, 1 << 30), TC_TUNE_HOST);
	assert_int_equal(tc_tune_find(&t, TALLY_OPCODE_BCAST, (1 << 30) + 1), TC_TUNE_DIRECT);
	assert_true(read_text(&t, "", why, sizeof(why)));
	assert_int_equal(tc_tune_find(&t, TALLY_OPCODE_BCAST, 1), TC_TUNE_NONE);
}

static void wrong_rules_are_named(void **state)
{
	static const char *const wrong[] = {
		"allreduce", "allreduce=", "=host", "alreduce=host", "allreduce=hosts",
		"allreduce:5=host", "allreduce:9-5=host", "allreduce:5k6-=host", "bcast:-5x=node",
		"bcast:1-99999999999999999999=node", "bcast:99999999999999m-=node", "bcast:17179869184g-=node", "bcast:1kk-=node", "query=host",
	};
	char text[100], why[300];
	struct tc_tune t;

	(void)state;
	for (unsigned int i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		snprintf(text, sizeof(text), "bcast=host;%s", wrong[i]);
		why[0] = '\0';
		assert_false(read_text(&t, text, why, sizeof(why)));
		assert_non_null(strstr(why, "TALLY_COLL_TUNE"));
		assert_non_null(strstr(why, wrong[i]));
	}
	unsetenv("TALLY_COLL_TUNE");
}

/* ---- Files ---- */
static char file_name[] = "/tmp/tallycoll_tune_test.XXXXXX";

static void write_file(const char *text)
{
	FILE *file = fopen(file_name, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void files_have_lines_and_comments(void **state)
{
	char why[300] = "";
	struct tc_tune t;

	(void)state;
	unsetenv("TALLY_COLL_TUNE");
	setenv("TALLY_COLL_TUNE_FILE", file_name, 1);
	write_file("# all=host\n\n  all=nic ; bcast=host # small\n\tbarrier=direct");
	if (!tc_tune_read(&t, NULL, why, sizeof(why)))
		fail_msg("%s", why);
	assert_int_equal(t.num_rules, 3);
	assert_int_equal(tc_tune_find(&t, TALLY_OPCODE_REDUCE, 1), TC_TUNE_NIC);
	assert_int_equal(tc_tune_find(&t, TALLY_OPCODE_BCAST, 1), TC_TUNE_HOST);
	assert_int_equal(tc_tune_find(&t, TALLY_OPCODE_BARRIER, 0), TC_TUNE_DIRECT);
	write_file("all=nic\n# comment\nbcast=host;bcast=hosts\n");
	assert_false(tc_tune_read(&t, NULL, why, sizeof(why)));
	assert_ptr_equal(strstr(why, file_name), why);
	assert_string_equal(why + strlen(file_name),
			    ":3: \"bcast=hosts\": there is no way \"hosts\".");
	setenv("TALLY_COLL_TUNE_FILE", "/nonexistent/rules", 1);
	assert_false(tc_tune_read(&t, NULL, why, sizeof(why)));
	assert_non_null(strstr(why, "TALLY_COLL_TUNE_FILE: /nonexistent/rules: No such file"));
	/* A folder can be opened, but not read. */
	setenv("TALLY_COLL_TUNE_FILE", "/", 1);
	assert_false(tc_tune_read(&t, NULL, why, sizeof(why)));
	assert_string_equal(why, "TALLY_COLL_TUNE_FILE: /: Is a directory.");
	setenv("TALLY_COLL_TUNE_FILE", "", 1);
	assert_true(tc_tune_read(&t, NULL, why, sizeof(why)));
	assert_int_equal(t.num_rules, 0);
}

/* The variable is stronger than the runtime's parameter, and this than the file. */
static void sources_in_order(void **state)
{
	char why[300] = "";
	struct tc_tune t;

	(void)state;
	setenv("TALLY_COLL_TUNE_FILE", file_name, 1);
	write_file("all=direct\nbcast=direct\nreduce=direct\n");
	setenv("TALLY_COLL_TUNE", "all:1m-=nic;bcast=auto", 1);
	assert_true(tc_tune_read(&t, "bcast=node;reduce=node", why, sizeof(why)));
	assert_int_equal(tc_tune_find(&t, TALLY_OPCODE_BARRIER, 0), TC_TUNE_DIRECT);
	assert_int_equal(tc_tune_find(&t, TALLY_OPCODE_REDUCE, 1), TC_TUNE_NODE);
	assert_int_equal(tc_tune_find(&t, TALLY_OPCODE_REDUCE, 1 << 20), TC_TUNE_NIC);
	assert_int_equal(tc_tune_find(&t, TALLY_OPCODE_BCAST, 1), TC_TUNE_AUTO);
	assert_false(tc_tune_read(&t, "bcasts=node", why, sizeof(why)));
	assert_string_equal(why, "The runtime's parameter (coll_tally_tune): \"bcasts=node\": there is no operation \"bcasts\".");
	unsetenv("TALLY_COLL_TUNE");
	setenv("TALLY_COLL_TUNE_FILE", "", 1);
}

static void too_many_rules(void **state)
{
	char text[(TC_TUNE_RULES + 1) * 10 + 1] = "", why[300];
	struct tc_tune t;

	(void)state;
	for (unsigned int i = 0; i < TC_TUNE_RULES; i++)
		strcat(text, "all=node;");
	assert_true(read_text(&t, text, why, sizeof(why)));
	strcat(text, "all=node;");
	assert_false(read_text(&t, text, why, sizeof(why)));
	unsetenv("TALLY_COLL_TUNE");
}

static void switches(void **state)
{
	char why[200];
	struct tc_tune t;

	(void)state;
	setenv("TALLY_COLL", "off", 1);
	setenv("TALLY_COLL_TRACE", "1", 1);
	assert_true(tc_tune_read(&t, NULL, why, sizeof(why)));
	assert_true(t.off && t.trace && !t.summary);
	setenv("TALLY_COLL", "no", 1);
	assert_false(tc_tune_read(&t, NULL, why, sizeof(why)));
	assert_string_equal(why, "TALLY_COLL is \"no\", which is neither on nor off.");
	unsetenv("TALLY_COLL");
	unsetenv("TALLY_COLL_TRACE");
	setenv("TALLY_COLL_NICS", "any", 1);
	setenv("TALLY_COL", "off", 1);
	assert_true(tc_tune_read(&t, NULL, why, sizeof(why)));
	setenv("TALLY_COLL_SUMARY", "1", 1);
	assert_false(tc_tune_read(&t, NULL, why, sizeof(why)));
	assert_string_equal(why, "TALLY_COLL_SUMARY: there is no such variable; tallycoll(7) names all.");
	unsetenv("TALLY_COLL_SUMARY");
	unsetenv("TALLY_COLL_NICS");
}

/* Texts of parts of rules in any order are read or refused with a sentence, never anything else. */
static void any_text(void **state)
{
	static const char *const part[] = {
		"all", "allreduce", "bcast", "barrier", "query", "=", "=", ":", "-", ";", ";", "0",
		"64k", "99999999999999999999", "18446744073709551615m", "host", "direct", "node",
		"nic", "auto", "", " ", "%s%n", "\xff\x80", "=host;", "all=", "1-2",
	};
	uint32_t random = 1;
	unsigned int taken = 0;

	(void)state;
	for (unsigned int i = 0; i < 20000; i++) {
		char text[400] = "", why[200] = "";
		struct tc_tune t = { 0 };

		for (unsigned int k = random >> 28; k > 0; k--) {
			random = random * 1664525 + 1013904223;
			strcat(text, part[(random >> 16) % (sizeof(part) / sizeof(part[0]))]);
		}
		random = random * 1664525 + 1013904223;
		if (read_text(&t, text, why, i % 2 ? sizeof(why) : 1 + i % 37)) {
			assert_true(t.num_rules <= TC_TUNE_RULES);
			taken++;
		} else {
			assert_true(i % 2 == 0 || strstr(why, "TALLY_COLL_TUNE"));
		}
		tc_tune_find(&t, TALLY_OPCODE_BCAST, random);
	}
	assert_true(taken > 100);
	unsetenv("TALLY_COLL_TUNE");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(last_rule_holds),
		cmocka_unit_test(wrong_rules_are_named),
		cmocka_unit_test(files_have_lines_and_comments),
		cmocka_unit_test(sources_in_order),
		cmocka_unit_test(too_many_rules),
		cmocka_unit_test(switches),
		cmocka_unit_test(any_text),
	};
	int failed;

	close(mkstemp(file_name));
	setenv("TALLY_COLL_TUNE_FILE", "", 1);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(file_name);
	return failed;
}
