/* SPDX-License-Identifier: BSD-2-Clause */
/* Command line of `tallysim serve`. */
#ifndef TALLY_SIM_SERVE_OPTIONS_H
#define TALLY_SIM_SERVE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "cli/options.h"
#include "fabric/rules.h"
#include "nic/units.h"

#define MAX_VMS		64
#define MAX_VM_NICS	16	/* of one VM */
#define MIN_MEM_MB	64
#define MAX_MEM_MB	(1024 * 1024)

struct options {
	const char *dir;
	const char *pcap_dir;	/* NULL: no captures */
	unsigned int vms;
	unsigned int nics;	/* of each VM */
	uint64_t mem_bytes;	/* of each VM */
	uint64_t seed;
	const struct nic_units *units;	/* NULL: those of the simulator */
	bool die_with_parent;
	unsigned int num_faults;
	const char *faults[FAB_RULES_MAX];	/* specifications; each one alone is valid */
};

/*
 * Parses argv[1] and on (argv[0] is used in messages) into @opt, whose strings point into argv.
 * Checks every range, and that the folders exist.
 */
enum options_result options_parse(struct options *opt, int argc, char **argv);

void options_usage(FILE *to);

#endif
