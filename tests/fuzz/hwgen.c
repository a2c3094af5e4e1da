// SPDX-License-Identifier: BSD-2-Clause
/* Layout files: refused with file and line, or written in all output formats. */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "input.h"
#include "model.h"

static void emit_all(const struct model *m)
{
	void (*const emitters[])(const struct model *m, FILE *out) = {
		emit_c, emit_sv, emit_md, emit_lua, emit_golden, emit_bench,
	};

	for (size_t i = 0; i < sizeof(emitters) / sizeof(emitters[0]); i++) {
		char *text = NULL;
		size_t len = 0;
		FILE *mem = open_memstream(&text, &len);

		FUZZ_MUST(mem);
		emitters[i](m, mem);
		FUZZ_MUST(!fclose(mem));
		free(text);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("layout", 0);
	struct model m = { 0 };
	char path[64];
	int bad;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	FUZZ_MUST(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	m.file = path;
	bad = model_load(&m);
	if (!bad)
		bad = model_check(&m);
	FUZZ_MUST(!bad == !m.errors);
	if (!bad)
		emit_all(&m);
	model_free(&m);
	close(fd);
	return 0;
}
