// SPDX-License-Identifier: BSD-2-Clause
#include <stdlib.h>

#include "cli/commands.h"
#include "serve/options.h"
#include "serve/supervisor.h"

int serve_main(int argc, char **argv)
{
	struct options opt;
	int status;

	if (option_go_on(options_parse(&opt, argc, argv), "serve", options_usage, &status))
		status = supervise(&opt);
	return status;
}
