/* SPDX-License-Identifier: BSD-2-Clause */
/* Failure handling of the test programs: print a message and exit. */
#ifndef TALLY_TEST_CHECK_H
#define TALLY_TEST_CHECK_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Unless `condition` holds, prints the text and errno and ends the program with status 1. */
#define REQUIRE(condition, ...)                                                                    \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			int saved_errno_ = errno;                                                  \
			fprintf(stderr, "%s:%d: %s: ", __FILE__, __LINE__, #condition);            \
			fprintf(stderr, __VA_ARGS__);                                              \
			fprintf(stderr, " (errno: %s)\n", strerror(saved_errno_));                 \
			exit(EXIT_FAILURE);                                                        \
		}                                                                                  \
	} while (0)

/* Returns the factor by which the lab lengthens time limits in this guest. */
static inline unsigned int slowness(void)
{
	const char *factor = getenv("TALLY_SLOWNESS");

	return factor ? (unsigned int)atoi(factor) : 1;
}

/*
 * Ends the process by SIGALRM after `seconds`. The limit is longer in a guest that the lab declares
 * slower.
 */
static inline void limit_time(unsigned int seconds)
{
	alarm(seconds * slowness());
}

#endif
