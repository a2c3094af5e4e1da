// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "attach/test_peer.h"

#define MAX_EVENTS	64

/* A server in this process, and the events that it reported to its owner. */
struct fixture {
	char dir[64], path[96];
	int epfd;
	struct ivshmem dev;
	struct ivshmem_server server;
	enum ivshmem_peer_event events[MAX_EVENTS];
	int num_events;
};

static void note_event(void *ctx, struct ivshmem_server *server, enum ivshmem_peer_event event)
{
	struct fixture *f = ctx;

	assert_ptr_equal(server, &f->server);
	assert_true(f->num_events < MAX_EVENTS);
	f->events[f->num_events++] = event;
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct ivshmem_server_owner owner = { .event = note_event, .ctx = f };

	assert_non_null(f);
	strcpy(f->dir, "/tmp/tally-server-XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	snprintf(f->path, sizeof(f->path), "%s/nic.sock", f->dir);
	f->epfd = epoll_create1(EPOLL_CLOEXEC);
	assert_int_equal(ivshmem_create(&f->dev, "server_test"), 0);
	assert_int_equal(ivshmem_server_start(&f->server, f->epfd, f->path, &f->dev, &owner), 0);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	ivshmem_server_stop(&f->server);
	ivshmem_destroy(&f->dev);
	close(f->epfd);
	unlink(f->path);
	rmdir(f->dir);
	free(f);
	return 0;
}

/* Serve everything that is ready now. All is local, so nothing becomes ready by waiting. */
static void serve(struct fixture *f)
{
	struct epoll_event ev;

	while (epoll_wait(f->epfd, &ev, 1, 0) == 1)
		assert_int_equal(watch_wait(f->epfd, 0), 0);
}

static void expect_events(struct fixture *f, int n, const enum ivshmem_peer_event *events)
{
	assert_int_equal(f->num_events, n);
	for (int i = 0; i < n; i++)
		assert_int_equal(f->events[i], events[i]);
	f->num_events = 0;
}

#define EXPECT(f, ...)	do {								\
	const enum ivshmem_peer_event want[] = { __VA_ARGS__ };				\
	expect_events(f, sizeof(want) / sizeof(want[0]), want);				\
} while (0)

static void attach(struct fixture *f, struct test_peer *peer)
{
	assert_int_equal(test_peer_connect(peer, f->path), 0);
	serve(f);
	assert_int_equal(test_peer_handshake(peer), 0);
	EXPECT(f, IVSHMEM_PEER_ATTACHED);
}

/* The order that QEMU needs, with the numbers of platform and protocol written out. */
static void handshake_order(void **state)
{
	struct fixture *f = *state;
	struct test_peer peer;

	attach(f, &peer);
	assert_int_equal(peer.count, 19);
	for (int i = 0; i < 19; i++) {
		int64_t want = i < 2 ? 0 : i == 2 ? -1 : i < 11 ? 1 : 0;

		assert_true(peer.value[i] == want);
		assert_true((peer.fd[i] >= 0) == (i >= 2));
	}
	assert_int_equal(test_peer_receive(&peer, false), -EAGAIN);
	test_peer_close(&peer);
}

static void bar_is_shared_and_cannot_shrink(void **state)
{
	struct fixture *f = *state;
	struct test_peer peer;
	struct stat st;
	void *bar;

	attach(f, &peer);
	assert_int_equal(fstat(peer.fd[2], &st), 0);
	assert_int_equal(st.st_size, TALLY_BAR_SIZE);
	assert_int_equal(ivshmem_map_bar(&f->dev, &bar), 0);
	((uint8_t *)bar)[TALLY_BAR_SIZE - 1] = 0x5a;
	assert_int_equal(peer.bar[TALLY_BAR_SIZE - 1], 0x5a);
	assert_int_equal(ftruncate(peer.fd[2], 4096), -1);
	assert_int_equal(errno, EPERM);
	ivshmem_unmap_bar(bar);
	test_peer_close(&peer);
}

static void every_doorbell_reaches_the_device(void **state)
{
	struct fixture *f = *state;
	struct test_peer peer;
	eventfd_t count;

	attach(f, &peer);
	for (unsigned int v = 0; v < TALLY_NUM_VECTORS; v++) {
		assert_int_equal(eventfd_read(f->dev.doorbell_fd, &count), -1);
		assert_int_equal(eventfd_write(test_peer_doorbell(&peer, v), 1), 0);
		assert_int_equal(eventfd_read(f->dev.doorbell_fd, &count), 0);
	}
	test_peer_close(&peer);
}

static void every_interrupt_reaches_its_vector_alone(void **state)
{
	struct fixture *f = *state;
	struct test_peer peer;
	eventfd_t count;

	attach(f, &peer);
	for (unsigned int v = 0; v < TALLY_NUM_VECTORS; v++) {
		ivshmem_interrupt(&f->dev, v);
		for (unsigned int i = 0; i < TALLY_NUM_VECTORS; i++)
			assert_int_equal(eventfd_read(test_peer_vector(&peer, i), &count),
					 i == v ? 0 : -1);
	}
	ivshmem_interrupt(&f->dev, TALLY_NUM_VECTORS);
	for (unsigned int i = 0; i < TALLY_NUM_VECTORS; i++)
		assert_int_equal(eventfd_read(test_peer_vector(&peer, i), &count), -1);
	test_peer_close(&peer);
}

static void a_full_interrupt_does_not_block(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(eventfd_write(f->dev.vector_fd[0], UINT64_MAX - 1), 0);
	ivshmem_interrupt(&f->dev, 0);
}

static void peer_that_leaves_may_come_again(void **state)
{
	struct fixture *f = *state;
	struct test_peer peer;

	for (int i = 0; i < 3; i++) {
		attach(f, &peer);
		test_peer_close(&peer);
		serve(f);
		EXPECT(f, IVSHMEM_PEER_DETACHED);
	}
}

static void peer_that_leaves_at_once_harms_nobody(void **state)
{
	struct fixture *f = *state;
	struct test_peer peer;

	assert_int_equal(test_peer_connect(&peer, f->path), 0);
	test_peer_close(&peer);
	serve(f);
	EXPECT(f, IVSHMEM_PEER_FAILED);

	/* The peer leaves between accept and the first message. */
	assert_int_equal(test_peer_connect(&peer, f->path), 0);
	assert_int_equal(watch_wait(f->epfd, 0), 0);
	assert_true(f->server.peer.fd >= 0);
	test_peer_close(&peer);
	serve(f);
	EXPECT(f, IVSHMEM_PEER_FAILED);

	attach(f, &peer);
	test_peer_close(&peer);
}

static void peer_that_reads_slowly_gets_everything(void **state)
{
	struct fixture *f = *state;
	struct test_peer peer;
	int small = 1;

	assert_int_equal(test_peer_connect(&peer, f->path), 0);
	assert_int_equal(watch_wait(f->epfd, 0), 0);
	assert_true(f->server.peer.fd >= 0);
	/* The system raises this to its minimum, which is less than a handshake needs. */
	assert_int_equal(setsockopt(f->server.peer.fd, SOL_SOCKET, SO_SNDBUF, &small, sizeof(small)), 0);
	serve(f);
	assert_in_range(f->server.sent, 1, IVSHMEM_MESSAGES - 1);
	assert_int_equal(f->num_events, 0);

	while (peer.count < IVSHMEM_MESSAGES) {
		assert_int_equal(test_peer_receive(&peer, false), 1);
		serve(f);
	}
	EXPECT(f, IVSHMEM_PEER_ATTACHED);
	for (unsigned int i = 3; i < IVSHMEM_MESSAGES; i++)
		assert_int_equal(peer.value[i], i < 3 + TALLY_NUM_VECTORS ? 1 : 0);
	test_peer_close(&peer);
}

static void peer_that_talks_is_dropped(void **state)
{
	struct fixture *f = *state;
	struct test_peer peer;

	attach(f, &peer);
	assert_int_equal(send(peer.sock, "x", 1, MSG_NOSIGNAL), 1);
	serve(f);
	EXPECT(f, IVSHMEM_PEER_DETACHED);
	assert_true(test_peer_receive(&peer, true) <= 0);
	test_peer_close(&peer);
	attach(f, &peer);
	test_peer_close(&peer);
}

static void second_peer_is_refused_while_the_first_stays(void **state)
{
	struct fixture *f = *state;
	struct test_peer first, second;

	attach(f, &first);
	assert_int_equal(test_peer_connect(&second, f->path), 0);
	serve(f);
	EXPECT(f, IVSHMEM_PEER_REFUSED);
	assert_int_equal(test_peer_handshake(&second), -EPIPE);
	test_peer_close(&second);
	assert_int_equal(test_peer_receive(&first, false), -EAGAIN);
	test_peer_close(&first);
}

/* The end of the first and the connection of the second are both pending when the server checks. */
static void successor_may_come_at_once(void **state)
{
	struct fixture *f = *state;
	struct test_peer first, second;

	attach(f, &first);
	assert_int_equal(test_peer_connect(&second, f->path), 0);
	test_peer_close(&first);
	serve(f);
	EXPECT(f, IVSHMEM_PEER_DETACHED, IVSHMEM_PEER_ATTACHED);
	assert_int_equal(test_peer_handshake(&second), 0);
	test_peer_close(&second);
}

static void bad_paths_are_refused(void **state)
{
	struct fixture *f = *state;
	struct ivshmem_server_owner owner = { .event = note_event, .ctx = f };
	struct ivshmem_server other;
	char path[200];

	assert_int_equal(ivshmem_server_start(&other, f->epfd, f->path, &f->dev, &owner),
			 -EADDRINUSE);
	snprintf(path, sizeof(path), "%s/none/nic.sock", f->dir);
	assert_int_equal(ivshmem_server_start(&other, f->epfd, path, &f->dev, &owner), -ENOENT);
	memset(path, 'x', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	assert_int_equal(ivshmem_server_start(&other, f->epfd, path, &f->dev, &owner),
			 -ENAMETOOLONG);
	assert_false(ivshmem_path_fits(path));
	path[107] = '\0';
	assert_true(ivshmem_path_fits(path));
}

#define TEST(fn)	cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(handshake_order),
		TEST(bar_is_shared_and_cannot_shrink),
		TEST(every_doorbell_reaches_the_device),
		TEST(every_interrupt_reaches_its_vector_alone),
		TEST(a_full_interrupt_does_not_block),
		TEST(peer_that_leaves_may_come_again),
		TEST(peer_that_leaves_at_once_harms_nobody),
		TEST(peer_that_reads_slowly_gets_everything),
		TEST(peer_that_talks_is_dropped),
		TEST(second_peer_is_refused_while_the_first_stays),
		TEST(successor_may_come_at_once),
		TEST(bad_paths_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
