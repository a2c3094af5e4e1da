/* SPDX-License-Identifier: BSD-2-Clause */
/* A peer for tests, which acts on a NIC's socket like QEMU. */
#ifndef TALLY_SIM_ATTACH_TEST_PEER_H
#define TALLY_SIM_ATTACH_TEST_PEER_H

#include <stdbool.h>
#include <stdint.h>

#include "attach/server.h"

struct test_peer {
	int sock;
	int64_t value[IVSHMEM_MESSAGES];	/* messages in the order of arrival */
	int fd[IVSHMEM_MESSAGES];		/* their descriptors; -1: none */
	unsigned int count;
	uint8_t *bar;				/* BAR2, or NULL */
};

/* Connect to the socket @path. The peer must be closed. Returns 0 or -errno. */
int test_peer_connect(struct test_peer *peer, const char *path);

/*
 * Receive the next message; wait for it if @wait is true. Returns 1, 0 if the server has closed the
 * connection, or -errno (-EAGAIN if there is no message and @wait is false).
 */
int test_peer_receive(struct test_peer *peer, bool wait);

/* Receive all messages and map BAR2. Returns 0, -EPIPE if the server closed, or -errno. */
int test_peer_handshake(struct test_peer *peer);

/* Return a descriptor by its use, after the handshake. */
int test_peer_doorbell(const struct test_peer *peer, unsigned int vector);
int test_peer_vector(const struct test_peer *peer, unsigned int vector);

/* Close everything of @peer, which may be all zero. */
void test_peer_close(struct test_peer *peer);

#endif
