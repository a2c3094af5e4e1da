// SPDX-License-Identifier: BSD-2-Clause
#include "attach/test_peer.h"

#include <endian.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int test_peer_connect(struct test_peer *peer, const char *path)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int err;

	*peer = (struct test_peer){ .sock = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0) };
	if (peer->sock < 0)
		return -errno;
	strncpy(addr.sun_path, path, sizeof(addr.sun_path) - 1);
	if (!connect(peer->sock, (struct sockaddr *)&addr, sizeof(addr)))
		return 0;
	err = -errno;
	test_peer_close(peer);
	return err;
}

int test_peer_receive(struct test_peer *peer, bool wait)
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control;
	uint64_t value;
	struct iovec iov = { .iov_base = &value, .iov_len = sizeof(value) };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control.bytes, .msg_controllen = sizeof(control.bytes),
	};
	struct cmsghdr *cmsg;
	ssize_t len;

	len = recvmsg(peer->sock, &msg, MSG_CMSG_CLOEXEC | (wait ? MSG_WAITALL : MSG_DONTWAIT));
	if (len <= 0)
		return len ? -errno : 0;
	if (len != sizeof(value) || peer->count == IVSHMEM_MESSAGES)
		return -EPROTO;
	cmsg = CMSG_FIRSTHDR(&msg);
	peer->value[peer->count] = (int64_t)le64toh(value);
	peer->fd[peer->count] = -1;
	if (cmsg)
		memcpy(&peer->fd[peer->count], CMSG_DATA(cmsg), sizeof(int));
	peer->count++;
	return 1;
}

int test_peer_handshake(struct test_peer *peer)
{
	void *bar;

	while (peer->count < IVSHMEM_MESSAGES) {
		int n = test_peer_receive(peer, true);

		if (n <= 0)
			return n ? n : -EPIPE;
	}
	bar = mmap(NULL, TALLY_BAR_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, peer->fd[2], 0);
	if (bar == MAP_FAILED)
		return -errno;
	peer->bar = bar;
	return 0;
}

int test_peer_doorbell(const struct test_peer *peer, unsigned int vector)
{
	return peer->fd[3 + vector];
}

int test_peer_vector(const struct test_peer *peer, unsigned int vector)
{
	return peer->fd[3 + TALLY_NUM_VECTORS + vector];
}

void test_peer_close(struct test_peer *peer)
{
	if (peer->bar)
		munmap(peer->bar, TALLY_BAR_SIZE);
	for (unsigned int i = 0; i < peer->count; i++)
		if (peer->fd[i] >= 0)
			close(peer->fd[i]);
	if (peer->sock > 0)
		close(peer->sock);
	*peer = (struct test_peer){ 0 };
}
