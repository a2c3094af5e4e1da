// SPDX-License-Identifier: BSD-2-Clause
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/options.h"
#include "core/log.h"

/*
 * The commands, one per line: name, function (argv[0] is the program, then the options), and
 * description.
 */
static const struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *about;
} commands[] = {
	{ "serve", serve_main, "NICs on a simulated network for virtual machines" },
	{ "bench", bench_main, "times of collectives by NICs and by software" },
	{ "coll", coll_main, "times of collectives by libtallycoll" },
	{ "campaign", campaign_main, "random collectives under faults, checked against an oracle" },
	{ "ordered", ordered_main, "bit patterns of a sum over many orders of arrival" },
	{ "stream", stream_main, "share of the links' capacity that a long message achieves" },
};

#define NUM_COMMANDS	(sizeof(commands) / sizeof(commands[0]))

static void usage(void)
{
	printf("Usage: tallysim COMMAND [options]\n"
		"Simulates Tally NICs and the network between them. COMMAND --help lists its options.\n\n");
	for (size_t i = 0; i < NUM_COMMANDS; i++)
		printf("  %-10s %s\n", commands[i].name, commands[i].about);
}

/* Output may still be in memory. A command whose output is lost has failed. */
static int close_stdout(int status)
{
	if ((!fflush(stdout) && !ferror(stdout)) || status)
		return status;
	sim_warn("stdout cannot be written to");
	return EXIT_FAILURE;
}

int main(int argc, char **argv)
{
	if (argc >= 2 && !strcmp(argv[1], "--help")) {
		usage();
		return close_stdout(EXIT_SUCCESS);
	}
	if (argc >= 2 && !strcmp(argv[1], "--version")) {
		printf("tallysim %s\n", TALLY_VERSION);
		return close_stdout(EXIT_SUCCESS);
	}
	for (size_t i = 0; argc >= 2 && i < NUM_COMMANDS; i++) {
		if (strcmp(argv[1], commands[i].name))
			continue;
		argv[1] = argv[0];
		return close_stdout(commands[i].run(argc - 1, argv + 1));
	}
	if (argc < 2)
		sim_warn("no command");
	else
		sim_warn("%s: unknown command", argv[1]);
	fprintf(stderr, "Try 'tallysim --help' for the commands.\n");
	return EXIT_USAGE;
}
