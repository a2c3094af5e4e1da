// SPDX-License-Identifier: BSD-2-Clause
#include <string.h>

#include "tallyctl.h"

#define MAX_COLUMNS	32

static const char *cell(struct json_object *row, const struct column *column)
{
	struct json_object *value;

	if (!json_object_object_get_ex(row, column->key, &value))
		return "-";
	if (json_object_is_type(value, json_type_boolean))
		return json_object_get_boolean(value) ? "yes" : "no";
	return json_object_get_string(value);
}

static const char *header(const struct column *column)
{
	return column->header ? column->header : column->key;
}

/* Numbers are aligned to the right, all other values to the left. */
static bool is_number(struct json_object *rows, const struct column *column)
{
	struct json_object *value;

	for (size_t i = 0; i < json_object_array_length(rows); i++) {
		struct json_object *row = json_object_array_get_idx(rows, i);

		if (json_object_object_get_ex(row, column->key, &value))
			return json_object_is_type(value, json_type_int);
	}
	return false;
}

static int width_of(struct json_object *rows, const struct column *column)
{
	size_t width = strlen(header(column));

	for (size_t i = 0; i < json_object_array_length(rows); i++) {
		size_t len = strlen(cell(json_object_array_get_idx(rows, i), column));

		if (len > width)
			width = len;
	}
	return width;
}

/* Prints a cell; the last column has no padding. */
static void print_cell(FILE *to, const char *text, int width, bool right, bool last)
{
	if (right)
		fprintf(to, "%*s", width, text);
	else if (last)
		fputs(text, to);
	else
		fprintf(to, "%-*s", width, text);
	fputs(last ? "\n" : "  ", to);
}

void table_print(FILE *to, struct json_object *rows, const struct column *columns)
{
	int width[MAX_COLUMNS], n = 0;
	bool right[MAX_COLUMNS];

	for (; n < MAX_COLUMNS && columns[n].key; n++) {
		width[n] = width_of(rows, &columns[n]);
		right[n] = is_number(rows, &columns[n]);
	}
	for (int c = 0; c < n; c++)
		print_cell(to, header(&columns[c]), width[c], right[c], c == n - 1);
	for (size_t i = 0; i < json_object_array_length(rows); i++)
		for (int c = 0; c < n; c++)
			print_cell(to, cell(json_object_array_get_idx(rows, i), &columns[c]),
				   width[c], right[c], c == n - 1);
}

void json_print(FILE *to, struct json_object *object)
{
	fprintf(to, "%s\n", json_object_to_json_string_ext(object, JSON_C_TO_STRING_PRETTY |
								   JSON_C_TO_STRING_SPACED |
								   JSON_C_TO_STRING_NOSLASHESCAPE));
}
