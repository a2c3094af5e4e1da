/* SPDX-License-Identifier: BSD-2-Clause */
/* Several processes of one test. Contexts do not survive a fork: each process opens its own. */
#ifndef TALLY_TEST_PROCS_H
#define TALLY_TEST_PROCS_H

#include <stddef.h>
#include <sys/types.h>

/* `size` bytes, zero at first, that all processes forked later share. */
void *share(size_t size);

/* A meeting point of `parties` processes, in shared memory. */
struct meeting;
struct meeting *meeting_new(unsigned int parties);
void meet(struct meeting *meeting);

/*
 * Run `body` in a process of its own, which ends with this one, or after a minute. If it fails, so
 * does this one, at once.
 */
pid_t spawn(void (*body)(void *arg), void *arg);
/* Wait for a process, which must have ended well. */
void reap(pid_t pid);
/* Kill a process by SIGKILL and wait until it is gone. */
void slay(pid_t pid);

#endif
