// SPDX-License-Identifier: BSD-2-Clause
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/log.h"
#include "main/options.h"
#include "main/supervisor.h"

static int serve(int argc, char **argv)
{
	struct options opt;

	switch (options_parse(&opt, argc, argv)) {
	case OPTIONS_OK:
		return supervise(&opt);
	case OPTIONS_HELP:
		options_usage(stdout);
		return EXIT_SUCCESS;
	case OPTIONS_BAD:
	default:
		options_usage(stderr);
		return EXIT_USAGE;
	}
}

int main(int argc, char **argv)
{
	if (argc >= 2 && !strcmp(argv[1], "--help")) {
		options_usage(stdout);
		return EXIT_SUCCESS;
	}
	if (argc < 2 || strcmp(argv[1], "serve")) {
		if (argc < 2)
			sim_warn("no command");
		else
			sim_warn("%s: unknown command", argv[1]);
		options_usage(stderr);
		return EXIT_USAGE;
	}
	argv[1] = argv[0];
	return serve(argc - 1, argv + 1);
}
