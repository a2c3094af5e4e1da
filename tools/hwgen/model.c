// SPDX-License-Identifier: BSD-2-Clause
/* Memory and error reports of the model. */
#include <stdarg.h>
#include <stdlib.h>

#include "model.h"

struct chunk {
	struct chunk *next;
	_Alignas(max_align_t) unsigned char data[];
};

void *model_alloc(struct model *m, size_t n, size_t size)
{
	struct chunk *c = NULL;
	size_t bytes;

	if (!__builtin_mul_overflow(n, size, &bytes) &&
	    !__builtin_add_overflow(bytes, sizeof(*c), &bytes))
		c = calloc(1, bytes);
	if (!c) {
		fprintf(stderr, "hwgen: out of memory\n");
		exit(1);
	}
	c->next = m->chunks;
	m->chunks = c;
	return c->data;
}

char *model_printf(struct model *m, const char *fmt, ...)
{
	va_list ap;
	char *s;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	s = model_alloc(m, (size_t)n + 1, 1);
	va_start(ap, fmt);
	vsnprintf(s, (size_t)n + 1, fmt, ap);
	va_end(ap);
	return s;
}

void model_free(struct model *m)
{
	while (m->chunks) {
		struct chunk *c = m->chunks;

		m->chunks = c->next;
		free(c);
	}
}

void model_error(struct model *m, int line, const char *object, const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "%s:%d: %s: ", m->file, line, object);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	m->errors++;
}
