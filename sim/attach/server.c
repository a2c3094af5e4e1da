// SPDX-License-Identifier: BSD-2-Clause
#include "attach/server.h"

#include <endian.h>
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define PROTOCOL_VERSION	0
#define GUEST_ID		0
#define DEVICE_ID		1
#define SHARED_MEMORY		(-1)

static void tell(struct ivshmem_server *s, enum ivshmem_peer_event event)
{
	s->owner.event(s->owner.ctx, s, event);
}

/* Return the value of message @n, and its descriptor in @fd (-1: none). */
static int64_t message(const struct ivshmem *dev, unsigned int n, int *fd)
{
	*fd = -1;
	if (n == 0)
		return PROTOCOL_VERSION;
	if (n == 1)
		return GUEST_ID;
	if (n == 2) {
		*fd = dev->bar_fd;
		return SHARED_MEMORY;
	}
	n -= 3;
	if (n < TALLY_NUM_VECTORS) {
		*fd = dev->doorbell_fd;
		return DEVICE_ID;
	}
	*fd = dev->vector_fd[n - TALLY_NUM_VECTORS];
	return GUEST_ID;
}

/* Send message @n as a whole, which a stream socket does with so few bytes. Returns 0 or -errno. */
static int send_message(const struct ivshmem_server *s, unsigned int n)
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = { 0 };
	int fd;
	uint64_t value = htole64((uint64_t)message(s->dev, n, &fd));
	struct iovec iov = { .iov_base = &value, .iov_len = sizeof(value) };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	ssize_t len;

	if (fd >= 0) {
		msg.msg_control = control.bytes;
		msg.msg_controllen = sizeof(control.bytes);
		struct cmsghdr *cmsg = CMSG_FIRSTHDR(&msg);

		cmsg->cmsg_level = SOL_SOCKET;
		cmsg->cmsg_type = SCM_RIGHTS;
		cmsg->cmsg_len = CMSG_LEN(sizeof(fd));
		memcpy(CMSG_DATA(cmsg), &fd, sizeof(fd));
	}
	len = sendmsg(s->peer.fd, &msg, MSG_NOSIGNAL | MSG_DONTWAIT);
	if (len < 0)
		return -errno;
	return len == sizeof(value) ? 0 : -EMSGSIZE;
}

static void drop_peer(struct ivshmem_server *s)
{
	bool attached = s->sent == IVSHMEM_MESSAGES;

	watch_remove(s->epfd, &s->peer);
	s->sent = 0;
	tell(s, attached ? IVSHMEM_PEER_DETACHED : IVSHMEM_PEER_FAILED);
}

/* Send the messages that the socket accepts; the others follow when it accepts more. */
static void continue_handshake(struct ivshmem_server *s)
{
	int err = 0;

	while (s->sent < IVSHMEM_MESSAGES && !err) {
		err = send_message(s, s->sent);
		if (!err)
			s->sent++;
	}
	/*
	 * ETOOMANYREFS: too many descriptors are in flight. Only time helps; the peer must ask
	 * again.
	 */
	if (err && err != -EAGAIN && err != -EINTR) {
		drop_peer(s);
		return;
	}
	if (!err && watch_change(s->epfd, &s->peer, EPOLLIN)) {
		drop_peer(s);
		return;
	}
	if (!err)
		tell(s, IVSHMEM_PEER_ATTACHED);
}

/* A peer never sends anything, so any input is its end or a breach of the protocol. */
static void peer_ready(struct watch *w, uint32_t events)
{
	struct ivshmem_server *s = watch_owner(w, struct ivshmem_server, peer);

	if (events & (EPOLLIN | EPOLLHUP | EPOLLERR))
		drop_peer(s);
	else if (events & EPOLLOUT)
		continue_handshake(s);
}

/* The end of a peer may be queued behind the connection of the next one, so check for it. */
static bool peer_is_there(struct ivshmem_server *s)
{
	char byte;

	if (s->peer.fd < 0)
		return false;
	if (recv(s->peer.fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && errno == EAGAIN)
		return true;
	drop_peer(s);
	return false;
}

static void listener_ready(struct watch *w, uint32_t events)
{
	struct ivshmem_server *s = watch_owner(w, struct ivshmem_server, listener);
	int fd = accept4(w->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

	(void)events;
	if (fd < 0) {
		if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED)
			tell(s, IVSHMEM_ACCEPT_FAILED);
		return;
	}
	if (peer_is_there(s)) {
		close(fd);
		tell(s, IVSHMEM_PEER_REFUSED);
		return;
	}
	s->peer.fd = fd;
	if (watch_add(s->epfd, &s->peer, EPOLLIN | EPOLLOUT))
		drop_peer(s);
}

bool ivshmem_path_fits(const char *path)
{
	return strlen(path) < sizeof(((struct sockaddr_un *)NULL)->sun_path);
}

static int listen_on(const char *path)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int err, fd;

	if (!ivshmem_path_fits(path))
		return -ENAMETOOLONG;
	strcpy(addr.sun_path, path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	if (bind(fd, (struct sockaddr *)&addr, sizeof(addr)) || listen(fd, SOMAXCONN)) {
		err = -errno;
		close(fd);
		return err;
	}
	return fd;
}

int ivshmem_server_start(struct ivshmem_server *s, int epfd, const char *path,
			 const struct ivshmem *dev, const struct ivshmem_server_owner *owner)
{
	int err, fd = listen_on(path);

	*s = (struct ivshmem_server){
		.epfd = epfd,
		.dev = dev,
		.owner = *owner,
		.listener = { .fd = fd, .ready = listener_ready },
		.peer = { .fd = -1, .ready = peer_ready },
	};
	if (fd < 0)
		return fd;
	err = watch_add(epfd, &s->listener, EPOLLIN);
	if (err)
		watch_close(&s->listener);
	return err;
}

void ivshmem_server_stop(struct ivshmem_server *s)
{
	watch_close(&s->listener);
	watch_close(&s->peer);
	s->sent = 0;
}
