/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The ivshmem server of one NIC: a unix socket on which QEMU fetches BAR2 and the eventfds. It
 * never blocks and serves one peer at a time; when that one is gone, another may come.
 *
 * A message is 8 bytes, little-endian, some with a descriptor. QEMU accepts them in this order
 * only (vectors of the guest ahead of BAR2 crash it):
 *	0				protocol version
 *	0				the guest's id
 *	-1, BAR2
 *	1, doorbell eventfd		TALLY_NUM_VECTORS times: the device is peer 1
 *	0, vector eventfd		TALLY_NUM_VECTORS times: the guest's MSI-X vectors in order
 * Then the connection says nothing more; its end is the end of the VM.
 */
#ifndef TALLY_SIM_ATTACH_SERVER_H
#define TALLY_SIM_ATTACH_SERVER_H

#include <stdbool.h>

#include "attach/ivshmem.h"
#include "attach/watch.h"

/* Messages of the handshake. */
#define IVSHMEM_MESSAGES	(3 + 2 * TALLY_NUM_VECTORS)

struct ivshmem_server;

/* What happened to the peer, for the owner to act on or to log. */
enum ivshmem_peer_event {
	IVSHMEM_PEER_ATTACHED,	/* has everything */
	IVSHMEM_PEER_DETACHED,	/* left after it had everything */
	IVSHMEM_PEER_FAILED,	/* left, or broke the protocol, before that */
	IVSHMEM_PEER_REFUSED,	/* came while another one was there */
	IVSHMEM_ACCEPT_FAILED,	/* errno says why; the peer waits */
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
	struct watch peer;		/* fd is -1 while nobody is there */
	unsigned int sent;		/* messages the peer has */
};

/*
 * Listens on @path, which must not exist yet, for peers that want @dev, which the server borrows.
 * Sockets are watched by @epfd; @server must not move. Returns 0 or -errno; -ENAMETOOLONG when
 * @path does not fit a socket address.
 */
int ivshmem_server_start(struct ivshmem_server *server, int epfd, const char *path,
			 const struct ivshmem *dev, const struct ivshmem_server_owner *owner);

/*
 * Closes all sockets and calls nobody. The socket's file stays; it is the caller's. Good in a
 * forked process too, where it leaves the parent's server alone.
 */
void ivshmem_server_stop(struct ivshmem_server *server);

/* True when @path is short enough to be a socket's address. */
bool ivshmem_path_fits(const char *path);

#endif
