/* SPDX-License-Identifier: BSD-2-Clause */
/* Options and their values. Each function says on stderr what is wrong with one that is refused. */
#ifndef TALLY_SIM_CLI_OPTIONS_H
#define TALLY_SIM_CLI_OPTIONS_H

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "core/event.h"

/* Exit status for a command line that makes no sense. */
#define EXIT_USAGE 2

enum options_result {
	OPTIONS_OK,
	OPTIONS_HELP,		/* asked for; nothing was printed yet */
	OPTIONS_BAD,		/* a message that names what is wrong was printed */
};

/* A whole number from @min to @max. */
bool option_number(const char *option, const char *text, uint64_t min, uint64_t max,
		   uint64_t *out);

/* The same with K, M or G behind it: times 2^10, 2^20, 2^30. */
bool option_size(const char *option, const char *text, uint64_t min, uint64_t max, uint64_t *out);

/* A number from 0 to @max. */
bool option_rate(const char *option, const char *text, double max, double *out);

/* A time with its unit, ns, us or ms, from 0 to @max: "1.5us". */
bool option_time(const char *option, const char *text, vtime_t max, vtime_t *out);

/* Numbers; all zero: none. */
struct option_list {
	uint64_t *value;
	size_t n;
};

/*
 * Several numbers in place of those in @list, each read by @number from @min, at least 1, to @max:
 * "3,8,20"; "8:1000", each twice the one before; "8:20:4", each 4 more than the one before.
 */
bool option_list(const char *option, const char *text,
		 bool (*number)(const char *option, const char *text, uint64_t min, uint64_t max,
				uint64_t *out),
		 uint64_t min, uint64_t max, struct option_list *list);
void option_list_free(struct option_list *list);

/* A seed nobody chose. */
bool option_random_seed(uint64_t *seed);

/*
 * Gives every option of a command line to @take, its value in optarg, until one is refused; one
 * whose val is 'h' asks for help. What is no option is refused.
 */
enum options_result option_loop(int argc, char **argv, const struct option *options,
				bool (*take)(void *arg, int option), void *arg);

/*
 * For the command @command, whose line was read with @result: false if that is all there is to do, with
 * the program's exit status in @status; @usage, or where to find it, was printed.
 */
bool option_go_on(enum options_result result, const char *command, void (*usage)(FILE *to),
		  int *status);

#endif
