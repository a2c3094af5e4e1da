/* SPDX-License-Identifier: BSD-2-Clause */
/* What a test program does when something is not as it must be: say so and end. */
#ifndef TALLY_TEST_CHECK_H
#define TALLY_TEST_CHECK_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Ends the program with status 1 and the text unless `condition` holds. errno is told as well. */
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

/* SIGALRM ends the process after so many seconds; in a guest that the lab calls slower, after as many times more. */
static inline void limit_time(unsigned int seconds)
{
	const char *slowness = getenv("TALLY_SLOWNESS");

	alarm(seconds * (slowness ? (unsigned int)atoi(slowness) : 1));
}

#endif
