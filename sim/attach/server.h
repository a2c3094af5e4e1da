/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The ivshmem server of one NIC: a unix socket from which QEMU fetches BAR2 and the eventfds. The
 * server never blocks and serves one peer at a time; after that peer has left, another may connect.
 *
 * A message is 8 bytes, little-endian, some with a descriptor. QEMU accepts them only in this order
 * (if the vectors of the guest come before BAR2, it crashes):
 * 0				protocol version
 * 0				the guest's id
 * -1, BAR2
 * 1, doorbell eventfd		TALLY_NUM_VECTORS times: the device is peer 1
 * 0, vector eventfd		TALLY_NUM_VECTORS times: the guest's MSI-X vectors in order
 * After that no side sends anything; the end of the connection is the end of the VM.
 */
#ifndef TALLY_SIM_ATTACH_SERVER_H
#define TALLY_SIM_ATTACH_SERVER_H

#include <stdbool.h>

#include "attach/ivshmem.h"
#include "attach/watch.h"

/* Number of messages of the handshake. */
#define IVSHMEM_MESSAGES	(3 + 2 * TALLY_NUM_VECTORS)

struct ivshmem_server;

/* Events of a peer, which the owner handles or logs. */
enum ivshmem_peer_event {
	IVSHMEM_PEER_ATTACHED,	/* has received everything */
	IVSHMEM_PEER_DETACHED,	/* left after it had received everything */
	IVSHMEM_PEER_FAILED,	/* left, or broke the protocol, before that */
	IVSHMEM_PEER_REFUSED,	/* connected while another peer was there */
	IVSHMEM_ACCEPT_FAILED,	/* errno has the reason; the peer waits */
};

struct ivshmem_server_owner {
	void (*event)(void *ctx, struct ivshmem_server *server, enum ivshmem_peer_event event);
	void *ctx;
};

struct ivshmem_server {
	int epfd;
	const struct ivshmem *dev;
	struct ivshmem_server_owner owner;
	struct watch listener;
	struct watch peer;		/* fd is -1 while there is no peer */
	unsigned int sent;		/* number of messages sent to the peer */
};

/*
 * Listen on @path, which must not exist, for peers that want @dev, which the server borrows. @epfd
 * watches the sockets; @server must not move. Returns 0 or -errno; -ENAMETOOLONG if @path does not
 * fit into a socket address.
 */
int ivshmem_server_start(struct ivshmem_server *server, int epfd, const char *path,
			 const struct ivshmem *dev, const struct ivshmem_server_owner *owner);

/*
 * Close all sockets without a call of the owner. The socket's file stays and belongs to the caller.
 * The call may also be made in a forked process, where it does not affect the parent's server.
 */
void ivshmem_server_stop(struct ivshmem_server *server);

/* Return true if @path is short enough for a socket's address. */
bool ivshmem_path_fits(const char *path);

#endif
