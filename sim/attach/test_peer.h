/* SPDX-License-Identifier: BSD-2-Clause */
/* A peer that does on a NIC's socket what QEMU does, for tests. */
#ifndef TALLY_SIM_ATTACH_TEST_PEER_H
#define TALLY_SIM_ATTACH_TEST_PEER_H

#include <stdbool.h>
#include <stdint.h>

#include "attach/server.h"

struct test_peer {
	int sock;
	int64_t value[IVSHMEM_MESSAGES];	/* messages as they came */
	int fd[IVSHMEM_MESSAGES];		/* their descriptors; -1: none */
	unsigned int count;
	uint8_t *bar;				/* BAR2, or NULL */
};

/* Connects to the socket @path; the peer must be closed. Returns 0 or -errno. */
int test_peer_connect(struct test_peer *peer, const char *path);

/*
 * Receives the next message; waits for it when @wait. Returns 1, 0 when the server closed the
 * connection, or -errno (-EAGAIN when not waiting).
 */
int test_peer_receive(struct test_peer *peer, bool wait);

/* Receives all messages and maps BAR2. Returns 0, -EPIPE when the server closed, or -errno. */
int test_peer_handshake(struct test_peer *peer);

/* Descriptors by use, after the handshake. */
int test_peer_doorbell(const struct test_peer *peer, unsigned int vector);
int test_peer_vector(const struct test_peer *peer, unsigned int vector);

/* Closes all of @peer, which may be all-zero. */
void test_peer_close(struct test_peer *peer);

#endif
