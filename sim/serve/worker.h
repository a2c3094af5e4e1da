/* SPDX-License-Identifier: BSD-2-Clause */
/* The worker: the process that simulates. The supervisor forks it and can replace it. */
#ifndef TALLY_SIM_SERVE_WORKER_H
#define TALLY_SIM_SERVE_WORKER_H

#include "attach/ivshmem.h"
#include "serve/control.h"
#include "serve/options.h"

struct worker_cfg {
	const struct options *opt;
	struct control *control;
	int kick_fd;			/* eventfd: *control changed */
	int up_fd;			/* eventfd: written when all NICs are served */
	const int *mem_fd;		/* by VM */
	int control_fd;			/* listens for tallyctl */
	const struct ivshmem *nics;	/* by vm * opt->nics + nic */
	unsigned int generation;	/* number of earlier workers */
};

/*
 * Simulates until control->stop. Prints errors. Returns the process's exit status. All of @cfg is
 * borrowed.
 */
int worker_run(const struct worker_cfg *cfg);

#endif
