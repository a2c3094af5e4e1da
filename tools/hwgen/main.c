// SPDX-License-Identifier: BSD-2-Clause
/* hwgen: generates headers, a SystemVerilog package, tables and golden vectors. */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

static const struct output {
	const char *option;
	const char *what;
	void (*emit)(const struct model *m, FILE *out);
} outputs[] = {
	{ "c", "C header; includes that of --types", emit_c },
	{ "types", "C header of the public items, for programs", emit_types },
	{ "sv", "SystemVerilog package", emit_sv },
	{ "md", "tables in Markdown", emit_md },
	{ "lua", "table for the Wireshark dissector", emit_lua },
	{ "golden", "golden vectors for C", emit_golden },
	{ "bench", "SystemVerilog module that checks the golden vectors", emit_bench },
};

#define NUM_OUTPUTS (sizeof(outputs) / sizeof(*outputs))

static void usage(FILE *to)
{
	fprintf(to, "usage: hwgen FILE.yaml [--OUTPUT FILE]...\n"
		"Checks a layout file and writes the requested outputs:\n");
	for (size_t i = 0; i < NUM_OUTPUTS; i++)
		fprintf(to, "  --%-8s %s\n", outputs[i].option, outputs[i].what);
}

/* Writes the text to path. On failure, reports the problem, removes the file and returns -1. */
static int write_file(const char *path, const char *text, size_t len)
{
	FILE *out = fopen(path, "wb");
	int err = errno;

	if (out) {
		err = fwrite(text, 1, len, out) == len ? 0 : errno;
		if (fclose(out) && !err)
			err = errno;
		if (err)
			remove(path);
	}
	if (err)
		fprintf(stderr, "hwgen: %s: %s\n", path, strerror(err));
	return err ? -1 : 0;
}

/* Writes one output, which is complete in memory before the file is touched. */
static int write_output(const struct model *m, const struct output *o, const char *path)
{
	char *text = NULL;
	size_t len = 0;
	FILE *mem = open_memstream(&text, &len);
	int ret = -1;

	if (mem) {
		o->emit(m, mem);
		ret = ferror(mem) ? -1 : 0;
		if (fclose(mem))
			ret = -1;
	}
	if (ret)
		fprintf(stderr, "hwgen: %s: out of memory\n", path);
	else
		ret = write_file(path, text, len);
	free(text);
	return ret;
}

static int run(const char *file, const char *const paths[NUM_OUTPUTS])
{
	struct model m = { .file = file };
	int ret = model_load(&m);

	if (!ret)
		ret = model_check(&m);
	for (size_t i = 0; !ret && i < NUM_OUTPUTS; i++)
		if (paths[i])
			ret = write_output(&m, &outputs[i], paths[i]);
	model_free(&m);
	return ret ? 1 : 0;
}

int main(int argc, char **argv)
{
	struct option options[NUM_OUTPUTS + 2] = { { 0 } };
	const char *paths[NUM_OUTPUTS] = { 0 };
	int c;

	for (size_t i = 0; i < NUM_OUTPUTS; i++)
		options[i] = (struct option){ outputs[i].option, required_argument, NULL, (int)i };
	options[NUM_OUTPUTS] = (struct option){ "help", no_argument, NULL, 'h' };

	while ((c = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		if (c == 'h') {
			usage(stdout);
			return 0;
		}
		if (c == '?' || paths[c]) {
			if (c != '?')
				fprintf(stderr, "hwgen: --%s is given twice\n", outputs[c].option);
			usage(stderr);
			return 2;
		}
		paths[c] = optarg;
	}
	if (optind != argc - 1) {
		fprintf(stderr, "hwgen: name exactly one layout file\n");
		usage(stderr);
		return 2;
	}
	return run(argv[optind], paths);
}
