// SPDX-License-Identifier: BSD-2-Clause
/* Text helpers of the emitters. */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "model.h"

#define MAX_COLUMN 100

const char *text_camel(const char *name, char *buf)
{
	bool start = true;
	char *p = buf;

	for (; *name && p < buf + HWGEN_MAX_NAME; name++) {
		unsigned char c = (unsigned char)*name;

		if (c != '_')
			*p++ = (char)(start ? toupper(c) : tolower(c));
		start = c == '_';
	}
	*p = '\0';
	return buf;
}

void text_quote(FILE *out, const char *s)
{
	fputc('"', out);
	for (; *s; s++) {
		if (*s == '"' || *s == '\\')
			fputc('\\', out);
		fputc(*s, out);
	}
	fputc('"', out);
}

void text_wrap(FILE *out, unsigned int col, const char *next, unsigned int next_col,
	       const char *text)
{
	for (bool first = true; *text; first = false) {
		unsigned int n = (unsigned int)strcspn(text, " ");

		if (!first && col + 1 + n > MAX_COLUMN) {
			fprintf(out, "\n%s", next);
			col = next_col;
		} else if (!first) {
			fputc(' ', out);
			col++;
		}
		fprintf(out, "%.*s", (int)n, text);
		col += n;
		text += n + (text[n] == ' ');
	}
}

void text_number(FILE *out, uint64_t value, bool hex)
{
	if (hex)
		fprintf(out, "0x%" PRIx64, value);
	else
		fprintf(out, "%" PRIu64, value);
}
