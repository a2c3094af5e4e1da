/* SPDX-License-Identifier: BSD-2-Clause */
/* The node of a process: memcpy(), POSIX shared memory, the clock. */
#ifndef TALLYCOLL_HOST_PROCESS_H
#define TALLYCOLL_HOST_PROCESS_H

#include "host.h"

/* Returns 0 or -errno. @threads: several threads take the lock. */
int tc_process_open(bool threads, struct tc_host **host, char *why, size_t size);

/*
 * Tells how many processes of the job this machine has, including this one. If they are more than
 * the CPUs, a process that waits leaves its CPU to others earlier.
 */
void tc_process_crowd(struct tc_host *host, uint32_t num_local);

#endif
