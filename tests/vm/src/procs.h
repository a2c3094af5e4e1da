/* SPDX-License-Identifier: BSD-2-Clause */
/* Several processes of one test. Contexts do not survive a fork, so each process opens its own. */
#ifndef TALLY_TEST_PROCS_H
#define TALLY_TEST_PROCS_H

#include <stddef.h>
#include <sys/types.h>

/* Returns `size` bytes, initially zero, that all processes forked later share. */
void *share(size_t size);

/* A meeting point of `parties` processes in shared memory. */
struct meeting;
struct meeting *meeting_new(unsigned int parties);
void meet(struct meeting *meeting);

/*
 * Runs `body` in a new process, which ends with this one, or after a time limit. If it fails, this
 * process exits at once as well.
 */
pid_t spawn(void (*body)(void *arg), void *arg);
/* Waits for a process, which must exit successfully. */
void reap(pid_t pid);
/* Kills a process by SIGKILL and waits until it is gone. */
void slay(pid_t pid);

#endif
