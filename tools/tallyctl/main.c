// SPDX-License-Identifier: BSD-2-Clause
/* tallyctl: shows the state of a simulator and of the drivers in its VMs, and injects faults. */
#include <argp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tallyctl.h"

static const struct {
	const char *name;
	int (*run)(const struct options *opt);
	int max_words;		/* with the command's name; 0: the command checks */
	bool takes_group;	/* --group */
} commands[] = {
	{ "fault", cmd_fault, 0, false },
	{ "links", cmd_links, 0, false },
	{ "switches", cmd_switches, 0, false },
	{ "nics", cmd_nics, 0, false },
	{ "devices", cmd_devices, 2, false },
	{ "groups", cmd_groups, 2, true },
	{ "segs", cmd_segs, 2, true },
	{ "edges", cmd_edges, 2, true },
	{ "counters", cmd_counters, 2, false },
	{ "arrivals", cmd_arrivals, 2, true },
};

const char *argp_program_version = "tallyctl " TALLY_VERSION;

static const char doc[] =
	"Shows the state of Tally devices and of their simulator, and injects faults.\n"
	"\n"
	"Commands for the simulator (on the machine where tallysim runs):\n"
	"  fault add SPEC...     add faults, e.g. drop:rate=0.05,link=vm0-nic0,kind=result\n"
	"  fault list            list the faults and their numbers of hits\n"
	"  fault clear [ID...]   remove these faults, or all of them\n"
	"  links                 list the ports of all links\n"
	"  switches              list the switches\n"
	"  nics [NIC]            list the NICs, or show one, by number or name\n"
	"Commands for this machine's devices (in a VM), or for DEVICE alone:\n"
	"  devices [DEVICE]      list the devices\n"
	"  groups [DEVICE]       list groups of ranks and their state\n"
	"  segs [DEVICE]         list segments of the aggregation buffer\n"
	"  edges [DEVICE]        list connections to neighbours\n"
	"  counters [DEVICE]     list hardware counters\n"
	"  arrivals [DEVICE]     list arrivals of each group's last messages"
	"\v"
	"Exit status: 0 success, 1 failure, 2 bad command line. See tallyctl(8).";

enum { OPT_JSON = 256, OPT_ALL, OPT_CONTROL, OPT_GROUP, OPT_SYSFS, OPT_DEBUGFS };

static const struct argp_option argp_options[] = {
	{ "json", OPT_JSON, NULL, 0, "Print JSON", 0 },
	{ "all", OPT_ALL, NULL, 0, "Also print counters that are zero", 0 },
	{ "control", OPT_CONTROL, "PATH", 0,
	  "The simulator's folder, or control.sock in it (the environment's TALLY_CONTROL)", 0 },
	{ "group", OPT_GROUP, "GROUP", 0, "Only this group: its number, or its job id as 0x...", 0 },
	{ "sysfs", OPT_SYSFS, "DIR", 0, "Mount point of sysfs (/sys)", 0 },
	{ "debugfs", OPT_DEBUGFS, "DIR", 0, "Mount point of debugfs (/sys/kernel/debug)", 0 },
	{ 0 },
};

static error_t take_group(struct options *opt, char *arg, struct argp_state *state)
{
	char *end;

	strtoull(arg, &end, 0);
	if (*arg < '0' || *arg > '9' || *end)
		argp_error(state, "--group %s: not a number", arg);
	opt->group = arg;
	return 0;
}

static error_t take(int key, char *arg, struct argp_state *state)
{
	struct options *opt = state->input;

	switch (key) {
	case OPT_JSON:
		opt->json = true;
		return 0;
	case OPT_ALL:
		opt->all = true;
		return 0;
	case OPT_CONTROL:
		opt->control = arg;
		return 0;
	case OPT_GROUP:
		return take_group(opt, arg, state);
	case OPT_SYSFS:
		opt->sysfs = arg;
		return 0;
	case OPT_DEBUGFS:
		opt->debugfs = arg;
		return 0;
	case ARGP_KEY_ARGS:
		opt->words = state->argv + state->next;
		opt->num_words = state->argc - state->next;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "no command");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = argp_options,
	.parser = take,
	.args_doc = "COMMAND [ARGUMENT...]",
	.doc = doc,
};

/* The output may still be buffered; a command whose output is lost has failed. */
static void close_stdout(void)
{
	if (!fflush(stdout) && !ferror(stdout))
		return;
	report_error("stdout cannot be written to");
	_exit(EXIT_FAILURE);
}

int main(int argc, char **argv)
{
	struct options opt = {
		.control = getenv("TALLY_CONTROL"),
		.sysfs = "/sys",
		.debugfs = "/sys/kernel/debug",
	};

	atexit(close_stdout); /* --help and --version exit inside argp_parse() */
	argp_err_exit_status = EXIT_USAGE;
	argp_parse(&argp, argc, argv, 0, NULL, &opt);
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (strcmp(opt.words[0], commands[i].name))
			continue;
		if (opt.group && !commands[i].takes_group) {
			report_error("%s: --group does not apply to this command", opt.words[0]);
			return EXIT_USAGE;
		}
		if (!commands[i].max_words || opt.num_words <= commands[i].max_words)
			return commands[i].run(&opt);
		report_error("%s: unexpected argument %s", opt.words[0],
			     opt.words[commands[i].max_words]);
		return EXIT_USAGE;
	}
	report_error("%s: unknown command; tallyctl --help lists them", opt.words[0]);
	return EXIT_USAGE;
}
