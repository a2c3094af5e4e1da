// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "why.h"

#include <stdarg.h>
#include <stdio.h>

#include "tally.h"

/* Longer than any sentence. */
#define MAX_TEXT 256

int tally_refuse(const struct tally_call *call, int err, const char *format, ...)
{
	char text[MAX_TEXT];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (call->size)
		snprintf(call->why, call->size, "%s", text);
	verbs_err(verbs_get_ctx(call->context), "%s: %s\n", call->name, text);
	return err;
}

int tally_refuse_context(const struct tally_call *call)
{
	if (call->size)
		snprintf(call->why, call->size, "context: is not of a Tally NIC");
	return EOPNOTSUPP;
}
