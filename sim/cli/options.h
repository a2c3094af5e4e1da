/* SPDX-License-Identifier: BSD-2-Clause */
/* Options and their values. Each function prints an error to stderr if it refuses a value. */
#ifndef TALLY_SIM_CLI_OPTIONS_H
#define TALLY_SIM_CLI_OPTIONS_H

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "core/event.h"

/* Exit status for an invalid command line. */
#define EXIT_USAGE 2

enum options_result {
	OPTIONS_OK,
	OPTIONS_HELP,		/* help was requested; nothing has been printed */
	OPTIONS_BAD,		/* a message that names the error has been printed */
};

/* Parses an integer from @min to @max. */
bool option_number(const char *option, const char *text, uint64_t min, uint64_t max,
		   uint64_t *out);

/* As option_number(); a suffix K, M or G multiplies by 2^10, 2^20 or 2^30. */
bool option_size(const char *option, const char *text, uint64_t min, uint64_t max, uint64_t *out);

/* Parses a number from 0 to @max. */
bool option_rate(const char *option, const char *text, double max, double *out);

/* Parses a time with its unit, ns, us or ms, from 0 to @max: "1.5us". */
bool option_time(const char *option, const char *text, vtime_t max, vtime_t *out);

/* A list of numbers; all-zero means empty. */
struct option_list {
	uint64_t *value;
	size_t n;
};

/*
 * Replaces @list by several numbers, each parsed by @number from @min, at least 1, to @max:
 * "3,8,20"; "8:1000", each twice the one before; "8:20:4", each 4 more than the one before.
 */
bool option_list(const char *option, const char *text,
		 bool (*number)(const char *option, const char *text, uint64_t min, uint64_t max,
				uint64_t *out),
		 uint64_t min, uint64_t max, struct option_list *list);
void option_list_free(struct option_list *list);

/* Draws a random seed. */
bool option_random_seed(uint64_t *seed);

/*
 * Passes every option of a command line to @take, with its value in optarg, until one is refused.
 * An option whose val is 'h' requests help. An argument that is not an option is refused.
 */
enum options_result option_loop(int argc, char **argv, const struct option *options,
				bool (*take)(void *arg, int option), void *arg);

/*
 * Evaluates the @result of parsing the command line of @command. Returns false if the program must
 * exit, with its exit status in @status; @usage, or a hint how to get it, has been printed.
 */
bool option_go_on(enum options_result result, const char *command, void (*usage)(FILE *to),
		  int *status);

#endif
