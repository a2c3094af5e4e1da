// SPDX-License-Identifier: BSD-2-Clause
#include "core/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define PROGRESS_PERIOD_S	0.2

static bool progress;		/* a line is shown */
static double progress_at;	/* when it was shown, in seconds of CLOCK_MONOTONIC */

void sim_warn(const char *fmt, ...)
{
	va_list ap;

	flockfile(stderr);
	sim_progress_end();
	fprintf(stderr, "%s: ", program_invocation_short_name);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	funlockfile(stderr);
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

void sim_progress(const char *fmt, ...)
{
	double at = now();
	va_list ap;

	if ((progress && at - progress_at < PROGRESS_PERIOD_S) || !isatty(STDERR_FILENO))
		return;
	progress = true;
	progress_at = at;
	fputc('\r', stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputs("\033[K", stderr);
	fflush(stderr);
}

void sim_progress_end(void)
{
	if (progress)
		fputs("\r\033[K", stderr);
	progress = false;
}
