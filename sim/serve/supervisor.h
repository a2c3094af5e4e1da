/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The supervisor: the process that a user starts. It owns the resources that the VMs depend on
 * (memory files, BAR2s, eventfds, sockets) and does as little as possible, so that the worker,
 * which does everything else, can die and be replaced while VMs run.
 */
#ifndef TALLY_SIM_SERVE_SUPERVISOR_H
#define TALLY_SIM_SERVE_SUPERVISOR_H

#include "serve/options.h"

/*
 * Serves until SIGTERM, SIGINT or SIGHUP, then removes all files of the run. Prints errors. Returns
 * the process's exit status.
 */
int supervise(const struct options *opt);

#endif
