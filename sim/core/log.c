// SPDX-License-Identifier: BSD-2-Clause
#include "core/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

void sim_warn(const char *fmt, ...)
{
	va_list ap;

	flockfile(stderr);
	fprintf(stderr, "%s: ", program_invocation_short_name);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	funlockfile(stderr);
}
