/* SPDX-License-Identifier: BSD-2-Clause */
/* Descriptors that an epoll instance waits for, and the functions that serve them. */
#ifndef TALLY_SIM_ATTACH_WATCH_H
#define TALLY_SIM_ATTACH_WATCH_H

#include <stddef.h>
#include <stdint.h>

struct watch {
	int fd;
	void (*ready)(struct watch *w, uint32_t events);
};

/* Return the structure of type @type whose member @member is the watch @w. */
#define watch_owner(w, type, member)	((type *)((char *)(w) - offsetof(type, member)))

/*
 * Wait for @events (EPOLLIN, ...) on w->fd. @w must not move until it is removed. Returns 0 or
 * -errno.
 */
int watch_add(int epfd, struct watch *w, uint32_t events);

/* Change the events of a watch. Returns 0 or -errno. */
int watch_change(int epfd, struct watch *w, uint32_t events);

/*
 * Remove the watch and close w->fd, which is -1 afterwards; no effect if it is -1 already. The
 * watch is removed explicitly, because a process that was forked meanwhile may hold a copy of the
 * descriptor, and epoll continues while there is a copy.
 */
void watch_remove(int epfd, struct watch *w);

/* Only close w->fd, in a forked process that shares the epoll instance but does not use it. */
void watch_close(struct watch *w);

/*
 * Wait until a descriptor is ready, or @timeout_ms have passed (-1: no limit), and serve that one
 * descriptor. The function serves only one, because serving it may close another. Returns 0 (also
 * after a signal, or if nothing was ready) or -errno.
 */
int watch_wait(int epfd, int timeout_ms);

#endif
