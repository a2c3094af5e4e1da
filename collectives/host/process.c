// SPDX-License-Identifier: BSD-2-Clause
#include "host/process.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "host/reduce.h"

/*
 * How a process waits: it spins, then yields, then sleeps. These are numbers of calls. To yield may
 * take as long as others compute, but one that sleeps is woken while they do.
 */
#define SPINS 2000
#define YIELDS 100
#define CROWDED_YIELDS 4
#define SLEEP_NS 20000

struct process {
	struct tc_host host;
	pthread_mutex_t mutex;
	bool threads;
	unsigned int spins, yields;	/* yields: the call from which on it sleeps */
};

static struct process *process_of(struct tc_host *host)
{
	return (struct process *)host;
}

/* ---- Time ---- */
static uint64_t now_ns(struct tc_host *host)
{
	struct timespec now;

	(void)host;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

static inline void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

static void wait_idle(struct tc_host *host, unsigned int idle)
{
	const struct timespec pause = { .tv_nsec = SLEEP_NS };
	const struct process *p = process_of(host);

	if (idle < p->spins)
		relax();
	else if (idle < p->yields)
		sched_yield();
	else
		nanosleep(&pause, NULL);
}

static uint32_t num_cpus(void)
{
	cpu_set_t cpus;

	/* A machine with more CPUs than the set holds has enough. */
	if (sched_getaffinity(0, sizeof(cpus), &cpus))
		return CPU_SETSIZE;
	return CPU_COUNT(&cpus);
}

void tc_process_crowd(struct tc_host *host, uint32_t num_local)
{
	struct process *p = process_of(host);
	bool crowded = num_local > num_cpus();

	p->spins = crowded ? 0 : SPINS;
	p->yields = p->spins + (crowded ? CROWDED_YIELDS : YIELDS);
}

/* ---- Data ---- */
static void copy(struct tc_host *host, void *to, const void *from, size_t bytes)
{
	(void)host;
	memcpy(to, from, bytes);
}

static void reduce(struct tc_host *host, uint8_t op, uint8_t dtype, void *acc, const void *in,
		   uint64_t count)
{
	(void)host;
	tc_reduce(op, dtype, acc, in, count);
}

static void set(struct tc_host *host, struct tc_flag *flag, uint32_t value)
{
	(void)host;
	atomic_store_explicit(&flag->value, value, memory_order_release);
}

static uint32_t add(struct tc_host *host, struct tc_flag *flag, uint32_t n)
{
	(void)host;
	return atomic_fetch_add_explicit(&flag->value, n, memory_order_acq_rel);
}

/* ---- Shared memory ---- */
static void *map(int fd, size_t bytes)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

/* Takes the memory now: a file that only grows when it is written would end the process by SIGBUS. */
static int reserve(int fd, size_t bytes)
{
	int err;

	do {
		err = posix_fallocate(fd, 0, bytes);
	} while (err == EINTR);
	errno = err;
	return err;
}

static void *share_new(const char *name, size_t bytes)
{
	int fd = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600), err;
	void *memory = NULL;

	if (fd < 0)
		return NULL;
	if (!reserve(fd, bytes))
		memory = map(fd, bytes);
	err = errno;
	close(fd);
	if (!memory)
		shm_unlink(name);
	errno = err;
	return memory;
}

static bool has_size(int fd, size_t bytes)
{
	struct stat st;

	if (fstat(fd, &st))
		return false;
	errno = EINVAL;
	return (size_t)st.st_size == bytes;
}

static void *share_old(const char *name, size_t bytes)
{
	int fd = shm_open(name, O_RDWR, 0), err;
	void *memory;

	if (fd < 0)
		return NULL;
	memory = has_size(fd, bytes) ? map(fd, bytes) : NULL;
	err = errno;
	close(fd);
	errno = err;
	return memory;
}

static void *share(struct tc_host *host, const char *name, size_t bytes, bool create)
{
	(void)host;
	return create ? share_new(name, bytes) : share_old(name, bytes);
}

static void share_unlink(struct tc_host *host, const char *name)
{
	(void)host;
	shm_unlink(name);
}

static void share_close(struct tc_host *host, void *memory, size_t bytes)
{
	(void)host;
	munmap(memory, bytes);
}

/* ---- The lock ---- */
static void lock(struct tc_host *host)
{
	struct process *p = process_of(host);

	if (p->threads)
		pthread_mutex_lock(&p->mutex);
}

static void unlock(struct tc_host *host)
{
	struct process *p = process_of(host);

	if (p->threads)
		pthread_mutex_unlock(&p->mutex);
}

static int lock_init(struct process *p)
{
	pthread_mutexattr_t attr;
	int err = pthread_mutexattr_init(&attr);

	if (err)
		return err;
	err = pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
	if (!err)
		err = pthread_mutex_init(&p->mutex, &attr);
	pthread_mutexattr_destroy(&attr);
	return err;
}

/* ---- The rest ---- */
static void draw(struct tc_host *host, void *to, size_t bytes)
{
	uint8_t *at = to;

	(void)host;
	while (bytes) {
		ssize_t n = getrandom(at, bytes, 0);

		if (n < 0 && errno != EINTR)
			abort();
		at += n > 0 ? n : 0;
		bytes -= n > 0 ? n : 0;
	}
}

static void close_host(struct tc_host *host)
{
	struct process *p = process_of(host);

	pthread_mutex_destroy(&p->mutex);
	free(p);
}

static const struct tc_host_ops ops = {
	.now_ns = now_ns,
	.wait = wait_idle,
	.copy = copy,
	.reduce = reduce,
	.set = set,
	.add = add,
	.share = share,
	.share_unlink = share_unlink,
	.unshare = share_close,
	.lock = lock,
	.unlock = unlock,
	.random = draw,
	.close = close_host,
};

/* Returns the boot's UUID. Hosts have equal names more often than equal boots. */
static bool read_boot(uint8_t id[16])
{
	FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
	unsigned int i = 0, byte;

	if (!file)
		return false;
	while (i < 16 && fscanf(file, i >= 4 && i <= 10 && !(i & 1) ? "-%2x" : "%2x", &byte) == 1)
		id[i++] = byte;
	fclose(file);
	return i == 16;
}

/* Processes share memory if they also see the same /dev/shm; each container has its own. */
static bool read_id(uint8_t id[16])
{
	struct stat shm;
	uint64_t device;

	if (!read_boot(id) || stat("/dev/shm", &shm))
		return false;
	device = shm.st_dev * 0x9e3779b97f4a7c15ULL;
	for (unsigned int i = 0; i < sizeof(device); i++)
		id[8 + i] ^= device >> 8 * i;
	return true;
}

int tc_process_open(bool threads, struct tc_host **host, char *why, size_t size)
{
	struct process *p = calloc(1, sizeof(*p));

	if (!p || lock_init(p)) {
		snprintf(why, size, "There is no memory left.");
		free(p);
		return -ENOMEM;
	}
	p->host.ops = &ops;
	p->threads = threads;
	tc_process_crowd(&p->host, 1);
	/* Without an identity no other process can share memory with this one. */
	if (!read_id(p->host.id))
		draw(&p->host, p->host.id, sizeof(p->host.id));
	*host = &p->host;
	return 0;
}
