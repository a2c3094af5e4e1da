/* SPDX-License-Identifier: BSD-2-Clause */
/* Descriptors that an epoll instance waits for, each with the function that serves it. */
#ifndef TALLY_SIM_ATTACH_WATCH_H
#define TALLY_SIM_ATTACH_WATCH_H

#include <stddef.h>
#include <stdint.h>

struct watch {
	int fd;
	void (*ready)(struct watch *w, uint32_t events);
};

/* The structure of type @type whose member @member the watch @w is. */
#define watch_owner(w, type, member)	((type *)((char *)(w) - offsetof(type, member)))

/* Waits for @events (EPOLLIN, ...) on w->fd. @w must not move while it is added. 0 or -errno. */
int watch_add(int epfd, struct watch *w, uint32_t events);

/* Waits for other events on a watch that was added. 0 or -errno. */
int watch_change(int epfd, struct watch *w, uint32_t events);

/*
 * Ends the watch and closes w->fd, which is -1 afterwards; no effect when it already is. Ended by
 * name, because a process forked meanwhile may hold a copy of the descriptor, and epoll goes on
 * for as long as there is one.
 */
void watch_remove(int epfd, struct watch *w);

/* Closes w->fd only: for a forked process, that shares the epoll instance but not its business. */
void watch_close(struct watch *w);

/*
 * Waits until a descriptor is ready, or @timeout_ms passed (-1: for ever), and serves that one
 * descriptor: not several, as serving one may close another. Returns 0 (also when a signal came
 * or nothing was ready) or -errno.
 */
int watch_wait(int epfd, int timeout_ms);

#endif
