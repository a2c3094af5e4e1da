// SPDX-License-Identifier: BSD-2-Clause
/*
 * Peers of the ivshmem socket: they connect, send invalid data, read a part of the answers or
 * nothing, and leave. The server serves one peer at a time, and a last peer that behaves well gets
 * everything.
 */
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "attach/test_peer.h"
#include "input.h"

#define PEERS		3
#define MOST_DEEDS	100

struct run {
	struct ivshmem_server server;
	struct test_peer peer[PEERS];
	bool there[PEERS];
	int epfd, attached;
	const char *path;
};

static void noted(void *ctx, struct ivshmem_server *server, enum ivshmem_peer_event event)
{
	struct run *r = ctx;

	FUZZ_MUST(server == &r->server && event != IVSHMEM_ACCEPT_FAILED);
	if (event == IVSHMEM_PEER_ATTACHED)
		FUZZ_MUST(++r->attached == 1);
	if (event == IVSHMEM_PEER_DETACHED)
		FUZZ_MUST(--r->attached == 0);
}

/* Serves a few turns. The remaining peers wait in the socket's queue. */
static void serve(struct run *r)
{
	for (int i = 0; i < 4 * PEERS; i++)
		FUZZ_MUST(!watch_wait(r->epfd, 0));
}

/* Serves until nothing is left to do, which takes a few turns for each connection. */
static void settle(struct run *r)
{
	struct pollfd work = { .fd = r->epfd, .events = POLLIN };
	unsigned int turns = 0;

	while (poll(&work, 1, 0) == 1) {
		FUZZ_MUST(turns++ < 4 * MOST_DEEDS);
		FUZZ_MUST(!watch_wait(r->epfd, 0));
	}
}

static void leave(struct run *r, unsigned int i)
{
	if (r->there[i])
		test_peer_close(&r->peer[i]);
	r->there[i] = false;
}

static void step(struct run *r, struct input *in)
{
	unsigned int i = input_below(in, PEERS);
	struct test_peer *p = &r->peer[i];
	uint8_t bytes[32];

	switch (input_below(in, 6)) {
	case 0:
		if (!r->there[i]) {
			*p = (struct test_peer){ 0 };
			r->there[i] = !test_peer_connect(p, r->path);
		}
		break;
	case 1:
		leave(r, i);
		break;
	case 2:
		input_bytes(in, bytes, sizeof(bytes));
		if (r->there[i])
			send(p->sock, bytes, 1 + input_below(in, sizeof(bytes)), MSG_NOSIGNAL | MSG_DONTWAIT);
		break;
	case 3:
		if (r->there[i])
			shutdown(p->sock, input_below(in, 3));
		break;
	case 4:
		while (r->there[i] && p->count < IVSHMEM_MESSAGES && input_one_in(in, 2) &&
		       test_peer_receive(p, false) == 1)
			;
		break;
	default:
		serve(r);
		break;
	}
}

/* After all peers have left, the next one gets BAR2 and its descriptors. */
static void behave(struct run *r)
{
	struct test_peer *p = &r->peer[0];

	for (unsigned int i = 0; i < PEERS; i++)
		leave(r, i);
	settle(r);
	FUZZ_MUST(!r->attached);
	*p = (struct test_peer){ 0 };
	FUZZ_MUST(!test_peer_connect(p, r->path));
	settle(r);
	FUZZ_MUST(r->attached == 1 && !test_peer_handshake(p) && p->bar);
	test_peer_close(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ivshmem_server_owner owner = { .event = noted };
	struct input in = { data, size };
	static struct ivshmem device;
	static bool made;
	struct run r = { .epfd = epoll_create1(EPOLL_CLOEXEC) };
	char path[64];

	if (!made)
		FUZZ_MUST(!ivshmem_create(&device, "fuzz"));
	made = true;
	snprintf(path, sizeof(path), "/tmp/tally-fuzz-%d.sock", getpid());
	unlink(path);
	r.path = path;
	owner.ctx = &r;
	FUZZ_MUST(r.epfd >= 0 && !ivshmem_server_start(&r.server, r.epfd, path, &device, &owner));
	for (unsigned int i = 0; in.left && i < MOST_DEEDS; i++)
		step(&r, &in);
	behave(&r);
	ivshmem_server_stop(&r.server);
	close(r.epfd);
	unlink(path);
	return 0;
}
