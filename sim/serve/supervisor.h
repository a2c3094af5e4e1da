/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The supervisor: the process that a person starts. It owns what a VM's life depends on (memory
 * files, BAR2s, eventfds, sockets) and does as little as possible with it, so that the worker,
 * which does everything else, can die and be replaced under running VMs.
 */
#ifndef TALLY_SIM_SERVE_SUPERVISOR_H
#define TALLY_SIM_SERVE_SUPERVISOR_H

#include "serve/options.h"

/*
 * Serves until SIGTERM, SIGINT or SIGHUP, then removes all files of the run. Returns the process's
 * exit status; what failed was printed.
 */
int supervise(const struct options *opt);

#endif
