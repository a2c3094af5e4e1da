// SPDX-License-Identifier: BSD-2-Clause
/* The node of a process: identity, shared memory, lock. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "host/process.h"

#define BYTES 12345

static struct tc_host *host;
static char name[TC_NAME_MAX];

static int setup(void **state)
{
	char why[200];

	(void)state;
	snprintf(name, sizeof(name), "/tallycoll-test-%d", getpid());
	return tc_process_open(true, &host, why, sizeof(why));
}

static int teardown(void **state)
{
	(void)state;
	shm_unlink(name);
	host->ops->close(host);
	return 0;
}

/* ---- Identity ---- */
static void test_id_is_that_of_the_boot(void **state)
{
	struct tc_host *second;
	char why[200], text[40];
	FILE *file = fopen("/proc/sys/kernel/random/boot_id", "r");

	(void)state;
	assert_non_null(file);
	assert_non_null(fgets(text, sizeof(text), file));
	fclose(file);
	assert_int_equal(tc_process_open(false, &second, why, sizeof(why)), 0);
	assert_memory_equal(host->id, second->id, sizeof(host->id));
	/* The first groups of the UUID are not mixed with anything. */
	for (unsigned int i = 0; i < 4; i++) {
		unsigned int byte;

		assert_int_equal(sscanf(text + 2 * i, "%2x", &byte), 1);
		assert_int_equal(host->id[i], byte);
	}
	second->ops->close(second);
}

/* ---- Shared memory ---- */
static void test_processes_share_memory(void **state)
{
	struct tc_flag *flags = host->ops->share(host, name, BYTES, true);
	int status;
	pid_t pid;

	(void)state;
	assert_non_null(flags);
	for (unsigned int i = 0; i < BYTES; i++)
		assert_int_equal(((uint8_t *)flags)[i], 0);
	pid = fork();
	if (!pid) {
		struct tc_flag *theirs = host->ops->share(host, name, BYTES, false);

		host->ops->set(host, &theirs[0], 7);
		_exit(host->ops->add(host, &theirs[1], 5));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	assert_int_equal(tc_flag_get(&flags[0]), 7);
	assert_int_equal(host->ops->add(host, &flags[1], 1), 5);
	host->ops->share_unlink(host, name);
	assert_null(host->ops->share(host, name, BYTES, false));
	assert_int_equal(errno, ENOENT);
	host->ops->unshare(host, flags, BYTES);
}

static void test_only_the_user_may_open_it(void **state)
{
	void *memory = host->ops->share(host, name, BYTES, true);
	int fd = shm_open(name, O_RDONLY, 0);
	struct stat st;

	(void)state;
	assert_non_null(memory);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(st.st_size, BYTES);
	/* Its pages exist, so that no write ends the process when the file system is full. */
	assert_true(st.st_blocks * 512 >= BYTES);
	close(fd);
	host->ops->unshare(host, memory, BYTES);
}

static void test_a_name_is_made_once(void **state)
{
	void *memory = host->ops->share(host, name, BYTES, true);

	(void)state;
	assert_non_null(memory);
	assert_null(host->ops->share(host, name, BYTES, true));
	assert_int_equal(errno, EEXIST);
	/* Of another size it is not what the caller expects. */
	assert_null(host->ops->share(host, name, BYTES + 1, false));
	assert_int_equal(errno, EINVAL);
	host->ops->unshare(host, memory, BYTES);
}

static void test_what_does_not_fit_is_refused(void **state)
{
	(void)state;
	assert_null(host->ops->share(host, name, (size_t)1 << 62, true));
	assert_null(host->ops->share(host, name, BYTES, false));
	assert_int_equal(errno, ENOENT);
}

/* ---- The lock ---- */
struct guarded {
	atomic_bool begun;
	atomic_int value;
	int seen;
};

static void *look(void *arg)
{
	struct guarded *g = arg;

	g->begun = true;
	host->ops->lock(host);
	g->seen = g->value;
	host->ops->unlock(host);
	return NULL;
}

static void test_the_lock_excludes_threads(void **state)
{
	const struct timespec pause = { .tv_nsec = 10000000 };
	struct guarded g = { 0 };
	pthread_t thread;

	(void)state;
	host->ops->lock(host);
	host->ops->lock(host);
	assert_int_equal(pthread_create(&thread, NULL, look, &g), 0);
	host->ops->unlock(host);
	while (!g.begun)
		sched_yield();
	nanosleep(&pause, NULL);
	g.value = 1;
	host->ops->unlock(host);
	pthread_join(thread, NULL);
	assert_int_equal(g.seen, 1);
}

/* ---- Waiting, and the rest ---- */
static void test_wait_returns(void **state)
{
	uint64_t before = host->ops->now_ns(host);

	(void)state;
	for (unsigned int idle = 0; idle < 2110; idle++)
		host->ops->wait(host, idle);
	tc_process_crowd(host, UINT32_MAX);
	for (unsigned int idle = 0; idle < 30; idle++)
		host->ops->wait(host, idle);
	assert_true(host->ops->now_ns(host) > before);
}

static void test_random(void **state)
{
	uint8_t a[300] = { 0 }, b[300] = { 0 };

	(void)state;
	host->ops->random(host, a, sizeof(a));
	host->ops->random(host, b, sizeof(b));
	assert_memory_not_equal(a, b, sizeof(a));
	assert_memory_not_equal(a + 284, b + 284, 16);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_id_is_that_of_the_boot, setup, teardown),
		cmocka_unit_test_setup_teardown(test_processes_share_memory, setup, teardown),
		cmocka_unit_test_setup_teardown(test_only_the_user_may_open_it, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_name_is_made_once, setup, teardown),
		cmocka_unit_test_setup_teardown(test_what_does_not_fit_is_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(test_the_lock_excludes_threads, setup, teardown),
		cmocka_unit_test_setup_teardown(test_wait_returns, setup, teardown),
		cmocka_unit_test_setup_teardown(test_random, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
