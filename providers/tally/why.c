// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "why.h"

#include <stdarg.h>
#include <stdio.h>

#include "tally.h"

/* More than any sentence has. */
#define MAX_TEXT 256

int tally_refuse(struct ibv_context *context, const struct tally_why *why, int err,
		 const char *call, const char *format, ...)
{
	char text[MAX_TEXT];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (why->size)
		snprintf(why->text, why->size, "%s", text);
	verbs_err(verbs_get_ctx(context), "%s: %s\n", call, text);
	return err;
}
