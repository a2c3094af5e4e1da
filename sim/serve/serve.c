// SPDX-License-Identifier: BSD-2-Clause
#include <stdlib.h>

#include "cli/commands.h"
#include "serve/options.h"
#include "serve/supervisor.h"

int serve_main(int argc, char **argv)
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
