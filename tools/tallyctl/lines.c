// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tallyctl.h"

/* Replaces \ooo by its byte, in place; other text stays. */
static void unescape(char *s)
{
	char *to = s;

	while (*s) {
		if (s[0] == '\\' && strspn(s + 1, "01234567") >= 3) {
			*to++ = (s[1] - '0') << 6 | (s[2] - '0') << 3 | (s[3] - '0');
			s += 4;
		} else {
			*to++ = *s++;
		}
	}
	*to = '\0';
}

/* Converts a decimal number of 64 bits, signed or not; masks and addresses stay strings. */
static struct json_object *value_of(char *text)
{
	const char *digits = text + (*text == '-');
	uint64_t n;

	if (*digits && !digits[strspn(digits, "0123456789")]) {
		errno = 0;
		n = strtoull(digits, NULL, 10);
		if (!errno && digits == text)
			return json_object_new_uint64(n);
		if (!errno && n <= INT64_MAX)
			return json_object_new_int64(-(int64_t)n);
	}
	unescape(text);
	return json_object_new_string(text);
}

static int read_line(char *line, unsigned int number, struct json_object *row, char *err,
		     size_t err_len)
{
	char *token;

	while ((token = strsep(&line, " "))) {
		char *value = strchr(token, '=');

		if (!*token)
			continue;
		if (!value || value == token) {
			snprintf(err, err_len, "line %u: \"%s\" is not key=value", number, token);
			return -1;
		}
		*value++ = '\0';
		json_object_object_add(row, token, value_of(value));
	}
	return 0;
}

int lines_read(const char *text, const char *type, struct json_object *rows, char *err,
	       size_t err_len)
{
	char *copy = strdup(text), *rest = copy, *line;
	unsigned int number = 0;
	int bad = 0;

	if (!copy) {
		snprintf(err, err_len, "no memory");
		return -1;
	}
	while (!bad && (line = strsep(&rest, "\n"))) {
		char *first = strsep(&line, " ");
		struct json_object *row;

		number++;
		if (strcmp(first, type))
			continue;
		row = json_object_new_object();
		bad = read_line(line, number, row, err, err_len);
		json_object_array_add(rows, row);
	}
	free(copy);
	return bad;
}
