// SPDX-License-Identifier: BSD-2-Clause
#include <stdarg.h>
#include <stdlib.h>

#include "tallyctl.h"

int report_error(const char *format, ...)
{
	va_list args;

	fprintf(stderr, "tallyctl: ");
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fprintf(stderr, "\n");
	return EXIT_FAILURE;
}
