// SPDX-License-Identifier: BSD-2-Clause
/*
 * Command lines of tallysim: the first byte selects the command, and the rest are its words,
 * separated by newlines.
 */
#include <getopt.h>
#include <string.h>

#include "bench/options.h"
#include "campaign/campaign.h"
#include "input.h"
#include "serve/options.h"

#define MOST_WORDS	40

static int split(char *text, char **argv)
{
	int argc = 0;

	argv[argc++] = "tallysim";
	while (text && argc < MOST_WORDS)
		argv[argc++] = strsep(&text, "\n");
	argv[argc] = NULL;
	return argc;
}

/* Accepted options must be in their ranges. */
static void serve(int argc, char **argv)
{
	struct options opt;

	if (options_parse(&opt, argc, argv) != OPTIONS_OK)
		return;
	FUZZ_MUST(opt.vms >= 1 && opt.vms <= MAX_VMS && opt.nics >= 1 && opt.nics <= MAX_VM_NICS);
	FUZZ_MUST(opt.mem_bytes >= (uint64_t)MIN_MEM_MB << 20);
	FUZZ_MUST(opt.num_faults <= FAB_RULES_MAX);
}

static void campaign(int argc, char **argv)
{
	struct campaign_options opt;

	if (campaign_options_parse(&opt, argc, argv) != OPTIONS_OK)
		return;
	FUZZ_MUST(opt.nodes >= 1 && opt.nodes <= CAMPAIGN_MAX_NODES && opt.modes);
	FUZZ_MUST(opt.cells && opt.cells <= TALLY_RMQ_CELLS);
	FUZZ_MUST(opt.drop >= 0 && opt.drop < 1 && opt.deaths >= 0 && opt.deaths <= 1);
}

static void bench(int argc, char **argv)
{
	struct bench_options opt;

	if (bench_options_parse(&opt, argc, argv) == OPTIONS_OK) {
		FUZZ_MUST(opt.nodes.n && opt.sizes.n && opt.c.params);
		FUZZ_MUST(opt.c.ranks >= 1 && opt.c.ranks <= TALLY_MAX_RANKS);
		for (size_t i = 0; i < opt.nodes.n; i++)
			FUZZ_MUST(opt.nodes.value[i] >= 1 && opt.nodes.value[i] <= BENCH_MAX_NODES);
	}
	option_list_free(&opt.nodes);
	option_list_free(&opt.sizes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const commands[])(int argc, char **argv) = { serve, campaign, bench };
	struct input in = { data, size };
	unsigned int command = input_below(&in, 3);
	char *text = input_text(&in), *argv[MOST_WORDS + 1];

	optind = 0;	/* restarts getopt_long() */
	commands[command](split(text, argv), argv);
	free(text);
	return 0;
}
