// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tallyctl.h"

static struct json_object *read_good(const char *text, const char *type)
{
	struct json_object *rows = json_object_new_array();
	char err[256] = "";

	if (lines_read(text, type, rows, err, sizeof(err)))
		fail_msg("%s", err);
	return rows;
}

static struct json_object *field(struct json_object *rows, size_t row, const char *key)
{
	struct json_object *value;

	assert_true(json_object_object_get_ex(json_object_array_get_idx(rows, row), key, &value));
	return value;
}

static void lines_of_other_types_are_skipped(void **state)
{
	struct json_object *rows = read_good("range base=0 count=4\nseg seg=1\nnew what ever\n"
					     "rangefinder x=1\nrange base=4 count=8\n", "range");

	(void)state;
	assert_int_equal(json_object_array_length(rows), 2);
	assert_int_equal(json_object_get_int(field(rows, 1, "base")), 4);
	json_object_put(rows);
	rows = read_good("", "range");
	assert_int_equal(json_object_array_length(rows), 0);
	json_object_put(rows);
	rows = read_good("range", "range");
	assert_int_equal(json_object_array_length(rows), 1);
	json_object_put(rows);
}

static void decimal_numbers_are_numbers(void **state)
{
	struct json_object *rows = read_good("e a=18446744073709551615 b=-5 c=0x10 d= e=12a f=-\n"
					     "e a=18446744073709551616\n", "e");

	(void)state;
	assert_true(json_object_get_uint64(field(rows, 0, "a")) == UINT64_MAX);
	assert_int_equal(json_object_get_int64(field(rows, 0, "b")), -5);
	assert_string_equal(json_object_get_string(field(rows, 0, "c")), "0x10");
	assert_true(json_object_is_type(field(rows, 0, "c"), json_type_string));
	assert_string_equal(json_object_get_string(field(rows, 0, "d")), "");
	assert_string_equal(json_object_get_string(field(rows, 0, "e")), "12a");
	assert_string_equal(json_object_get_string(field(rows, 0, "f")), "-");
	assert_string_equal(json_object_get_string(field(rows, 1, "a")), "18446744073709551616");
	json_object_put(rows);
}

static void octal_escapes_are_undone(void **state)
{
	struct json_object *rows = read_good("g comm=a\\040b\\075\\134c pid=1\ng comm=\\04 x=\\\n", "g");

	(void)state;
	assert_string_equal(json_object_get_string(field(rows, 0, "comm")), "a b=\\c");
	assert_int_equal(json_object_get_int(field(rows, 0, "pid")), 1);
	assert_string_equal(json_object_get_string(field(rows, 1, "comm")), "\\04");
	assert_string_equal(json_object_get_string(field(rows, 1, "x")), "\\");
	json_object_put(rows);
}

static void a_broken_line_is_named(void **state)
{
	static const struct {
		const char *text, *named;
	} cases[] = {
		{ "g a=1\ng b\n", "line 2: \"b\"" },
		{ "g =1\n", "line 1: \"=1\"" },
		{ "g a=1 junk b=2\n", "\"junk\"" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct json_object *rows = json_object_new_array();
		char err[256] = "";

		assert_int_equal(lines_read(cases[i].text, "g", rows, err, sizeof(err)), -1);
		if (!strstr(err, cases[i].named))
			fail_msg("'%s' is not in: %s", cases[i].named, err);
		json_object_put(rows);
	}
}

static void a_table_is_aligned_and_shows_what_is_missing(void **state)
{
	static const struct column columns[] = {
		{ "name", NULL }, { "n", "number" }, { "up", NULL }, { "last", NULL }, { NULL, NULL },
	};
	struct json_object *rows = json_tokener_parse(
		"[{\"name\":\"long one\",\"n\":5,\"up\":true,\"last\":\"x\"},"
		"{\"name\":\"b\",\"n\":123456789,\"up\":false}]");
	char *text;
	size_t len;
	FILE *to = open_memstream(&text, &len);

	(void)state;
	table_print(to, rows, columns);
	fclose(to);
	assert_string_equal(text, "name         number  up   last\n"
				  "long one          5  yes  x\n"
				  "b         123456789  no   -\n");
	free(text);
	json_object_put(rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_of_other_types_are_skipped),
		cmocka_unit_test(decimal_numbers_are_numbers),
		cmocka_unit_test(octal_escapes_are_undone),
		cmocka_unit_test(a_broken_line_is_named),
		cmocka_unit_test(a_table_is_aligned_and_shows_what_is_missing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
