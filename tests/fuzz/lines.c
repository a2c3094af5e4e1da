// SPDX-License-Identifier: BSD-2-Clause
/* Lines of the driver's debugfs, as tallyctl reads and prints them. */
#include <stdio.h>

#include "input.h"
#include "tallyctl.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct column columns[] = {
		{ "group", NULL }, { "state", NULL }, { "a", "header" }, { NULL, NULL },
	};
	struct input in = { data, size };
	struct json_object *rows = json_object_new_array();
	char *text = input_text(&in), err[100] = "", *table = NULL;
	size_t len = 0;
	FILE *mem;

	FUZZ_MUST(rows);
	FUZZ_MUST(!lines_read(text, "group", rows, err, sizeof(err)) == !err[0]);
	mem = open_memstream(&table, &len);
	FUZZ_MUST(mem);
	table_print(mem, rows, columns);
	json_print(mem, rows);
	FUZZ_MUST(!fclose(mem));
	free(table);
	json_object_put(rows);
	free(text);
	return 0;
}
