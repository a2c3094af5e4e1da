// SPDX-License-Identifier: BSD-2-Clause
#include "attach/watch.h"

#include <errno.h>
#include <sys/epoll.h>
#include <unistd.h>

int watch_add(int epfd, struct watch *w, uint32_t events)
{
	struct epoll_event ev = { .events = events, .data.ptr = w };

	return epoll_ctl(epfd, EPOLL_CTL_ADD, w->fd, &ev) ? -errno : 0;
}

int watch_change(int epfd, struct watch *w, uint32_t events)
{
	struct epoll_event ev = { .events = events, .data.ptr = w };

	return epoll_ctl(epfd, EPOLL_CTL_MOD, w->fd, &ev) ? -errno : 0;
}

void watch_remove(int epfd, struct watch *w)
{
	if (w->fd >= 0)
		epoll_ctl(epfd, EPOLL_CTL_DEL, w->fd, NULL);
	watch_close(w);
}

void watch_close(struct watch *w)
{
	if (w->fd >= 0)
		close(w->fd);
	w->fd = -1;
}

int watch_wait(int epfd, int timeout_ms)
{
	struct epoll_event ev;
	struct watch *w;
	int n = epoll_wait(epfd, &ev, 1, timeout_ms);

	if (n < 0)
		return errno == EINTR ? 0 : -errno;
	if (n == 1) {
		w = ev.data.ptr;
		w->ready(w, ev.events);
	}
	return 0;
}
