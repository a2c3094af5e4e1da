// SPDX-License-Identifier: BSD-2-Clause
#include "serve/ctl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "attach/watch.h"

#define MAX_CLIENTS	8
#define REQUEST_MAX	(FAULT_TEXT_MAX + 64)

struct client {
	struct watch watch;		/* fd -1: free */
	struct ctl *ctl;
	char request[REQUEST_MAX];
	size_t len;
	char *answer;			/* NULL: the request is incomplete */
	size_t answer_len, sent;
};

struct ctl {
	struct cluster *cluster;
	struct watch listener;
	int epfd;
	struct client client[MAX_CLIENTS];
};

static void drop(struct client *c)
{
	watch_remove(c->ctl->epfd, &c->watch);
	free(c->answer);
	c->answer = NULL;
	c->len = c->answer_len = c->sent = 0;
}

/* Sends as much as the socket accepts. */
static void answer(struct client *c)
{
	ssize_t n = send(c->watch.fd, c->answer + c->sent, c->answer_len - c->sent,
			 MSG_NOSIGNAL | MSG_DONTWAIT);

	if (n > 0)
		c->sent += n;
	if ((n < 0 && errno != EAGAIN && errno != EINTR) || c->sent == c->answer_len)
		drop(c);
	else if (watch_change(c->ctl->epfd, &c->watch, EPOLLOUT))
		drop(c);
}

static void take_request(struct client *c)
{
	ssize_t n = recv(c->watch.fd, c->request + c->len, sizeof(c->request) - 1 - c->len,
			 MSG_DONTWAIT);
	char *end;

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		drop(c);
		return;
	}
	c->len += n;
	end = memchr(c->request, '\n', c->len);
	if (!end && c->len < sizeof(c->request) - 1)
		return;
	if (end)
		*end = '\0';
	c->answer = ctl_answer(c->ctl->cluster, end ? c->request : NULL, end ? end - c->request : 0);
	if (!c->answer) {
		drop(c);
		return;
	}
	c->answer_len = strlen(c->answer);
	answer(c);
}

static void client_ready(struct watch *w, uint32_t events)
{
	struct client *c = watch_owner(w, struct client, watch);

	(void)events;
	if (c->answer)
		answer(c);
	else
		take_request(c);
}

/* If there is no room, drops a client that has not sent its request yet. */
static struct client *free_client(struct ctl *ctl)
{
	for (int i = 0; i < MAX_CLIENTS; i++)
		if (ctl->client[i].watch.fd < 0)
			return &ctl->client[i];
	drop(&ctl->client[0]);
	return &ctl->client[0];
}

static void accept_client(struct watch *w, uint32_t events)
{
	struct ctl *ctl = watch_owner(w, struct ctl, listener);
	int fd = accept4(w->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	struct client *c;

	(void)events;
	if (fd < 0)
		return;
	c = free_client(ctl);
	c->watch.fd = fd;
	if (watch_add(ctl->epfd, &c->watch, EPOLLIN))
		drop(c);
}

struct ctl *ctl_new(int listen_fd, struct cluster *cluster)
{
	struct ctl *ctl = calloc(1, sizeof(*ctl));
	int err;

	if (!ctl)
		return NULL;
	ctl->cluster = cluster;
	ctl->listener = (struct watch){ .fd = listen_fd, .ready = accept_client };
	for (int i = 0; i < MAX_CLIENTS; i++) {
		ctl->client[i].ctl = ctl;
		ctl->client[i].watch = (struct watch){ .fd = -1, .ready = client_ready };
	}
	ctl->epfd = epoll_create1(EPOLL_CLOEXEC);
	err = ctl->epfd < 0 ? -errno : watch_add(ctl->epfd, &ctl->listener, EPOLLIN);
	if (!err)
		return ctl;
	ctl_free(ctl);
	errno = -err;
	return NULL;
}

void ctl_free(struct ctl *ctl)
{
	if (!ctl)
		return;
	for (int i = 0; i < MAX_CLIENTS; i++)
		drop(&ctl->client[i]);
	if (ctl->epfd >= 0)
		close(ctl->epfd);
	free(ctl);
}

int ctl_fd(const struct ctl *ctl)
{
	return ctl->epfd;
}

/*
 * Serves one client at a time, as this may end another one. The number is limited, so that many
 * clients cannot stop the simulation.
 */
void ctl_serve(struct ctl *ctl)
{
	struct epoll_event ev;
	struct watch *w;

	for (int i = 0; i < 4 * MAX_CLIENTS && epoll_wait(ctl->epfd, &ev, 1, 0) == 1; i++) {
		w = ev.data.ptr;
		w->ready(w, ev.events);
	}
}
