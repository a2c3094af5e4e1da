// SPDX-License-Identifier: BSD-2-Clause
/* The node of a test job: memory of this process, which all ranks see. */
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "alu/alu.h"
#include "testing/soft.h"

#define PAGE 4096
#define NAP_NS 1000000

static struct soft_host *soft(struct tc_host *host)
{
	return (struct soft_host *)host;
}

static uint64_t now_ns(struct tc_host *host)
{
	struct timespec t;

	(void)host;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

/* ---- Waiting ---- */
/* What the thread had seen of its rank's events before it looked at its requests. */
static _Thread_local uint32_t seen;

/* Relaxed, so that it orders nothing and ThreadSanitizer sees what the library forgets to order. */
void soft_wake(struct job_rank *r)
{
	atomic_fetch_add_explicit(&r->job->wakes[r->rank].events, 1, memory_order_relaxed);
	if (atomic_load_explicit(&r->job->wakes[r->rank].sleepers, memory_order_relaxed))
		syscall(SYS_futex, &r->job->wakes[r->rank].events, FUTEX_WAKE_PRIVATE, INT_MAX,
			NULL, NULL, 0);
}

static void wake_machine(struct soft_host *h)
{
	struct job *j = h->rank->job;

	for (uint32_t k = 0; k < j->cfg.ranks; k++)
		if (j->wakes[k].machine == j->wakes[h->rank->rank].machine && k != h->rank->rank)
			soft_wake(&j->ranks[k]);
}

static void wait(struct tc_host *host, unsigned int idle)
{
	const struct timespec nap = { .tv_nsec = NAP_NS };
	struct job_rank *r = soft(host)->rank;
	struct soft_wake *w = &r->job->wakes[r->rank];

	(void)idle;
	atomic_fetch_add_explicit(&w->sleepers, 1, memory_order_relaxed);
	if (atomic_load_explicit(&w->events, memory_order_relaxed) == seen)
		syscall(SYS_futex, &w->events, FUTEX_WAIT_PRIVATE, seen, &nap, NULL, 0);
	atomic_fetch_sub_explicit(&w->sleepers, 1, memory_order_relaxed);
	seen = atomic_load_explicit(&w->events, memory_order_relaxed);
}

void job_pause(struct job_rank *r)
{
	wait(r->host, 0);
}

/* A message is performed when its last request is posted. */
void job_settle(struct job_rank *r)
{
	(void)r;
}

static void copy(struct tc_host *host, void *to, const void *from, size_t bytes)
{
	(void)host;
	memcpy(to, from, bytes);
}

static void reduce(struct tc_host *host, uint8_t op, uint8_t dtype, void *acc, const void *in,
		   uint64_t count)
{
	(void)host;
	alu_reduce(op, dtype, acc, in, count);
}

/* With a seed, a rank sometimes loses the processor just before others see what it did. */
static void disturb(struct soft_host *h)
{
	if (h->rank->job->cfg.seed && soft_random(&h->random) % 64 == 0)
		sched_yield();
}

static void set(struct tc_host *host, struct tc_flag *flag, uint32_t value)
{
	disturb(soft(host));
	atomic_store_explicit(&flag->value, value, memory_order_release);
	wake_machine(soft(host));
}

static uint32_t add(struct tc_host *host, struct tc_flag *flag, uint32_t n)
{
	uint32_t before;

	disturb(soft(host));
	before = atomic_fetch_add_explicit(&flag->value, n, memory_order_acq_rel);
	wake_machine(soft(host));
	return before;
}

/* ---- Shared memory ---- */
static struct soft_share *find_name(struct job *j, const char *name)
{
	for (struct soft_share *s = j->shares; s; s = s->next)
		if (s->named && !strcmp(s->name, name))
			return s;
	return NULL;
}

static struct soft_share *share_new(struct job *j, const char *name, size_t bytes)
{
	struct soft_share *s = calloc(1, sizeof(*s));

	s->bytes = bytes;
	s->named = true;
	s->memory = aligned_alloc(PAGE, (bytes + PAGE - 1) / PAGE * PAGE);
	memset(s->memory, 0, bytes);
	strncpy(s->name, name, sizeof(s->name) - 1);
	s->next = j->shares;
	j->shares = s;
	return s;
}

static void share_free_unused(struct job *j)
{
	for (struct soft_share **at = &j->shares; *at;) {
		struct soft_share *s = *at;

		if (s->named || s->users) {
			at = &s->next;
			continue;
		}
		*at = s->next;
		free(s->memory);
		free(s);
	}
}

static struct soft_share *find_or_make(struct job_rank *r, const char *name, size_t bytes,
				       bool create, int *err)
{
	struct soft_share *s = find_name(r->job, name);

	*err = soft_fault(r, JOB_SHARE) ? ENOMEM :
	       s && create		? EEXIST :
	       !s && !create		? ENOENT :
	       s && s->bytes != bytes	? EINVAL :
					  0;
	if (*err)
		return NULL;
	return s ? s : share_new(r->job, name, bytes);
}

static void *map(struct tc_host *host, const char *name, size_t bytes, bool create)
{
	struct job_rank *r = soft(host)->rank;
	struct soft_share *s;
	int err;

	pthread_mutex_lock(&r->job->lock);
	s = find_or_make(r, name, bytes, create, &err);
	if (s)
		s->users++;
	pthread_mutex_unlock(&r->job->lock);
	errno = err;
	return s ? s->memory : NULL;
}

static void unlink_name(struct tc_host *host, const char *name)
{
	struct job *j = soft(host)->rank->job;
	struct soft_share *s;

	pthread_mutex_lock(&j->lock);
	s = find_name(j, name);
	if (s)
		s->named = false;
	share_free_unused(j);
	pthread_mutex_unlock(&j->lock);
}

static void unmap(struct tc_host *host, void *memory, size_t bytes)
{
	struct job *j = soft(host)->rank->job;

	pthread_mutex_lock(&j->lock);
	for (struct soft_share *s = j->shares; s; s = s->next)
		if (s->memory == memory && s->bytes == bytes)
			s->users--;
	share_free_unused(j);
	pthread_mutex_unlock(&j->lock);
}

/* ---- The rest ---- */
static void lock(struct tc_host *host)
{
	if (soft(host)->threads)
		pthread_mutex_lock(&soft(host)->lock);
}

static void unlock(struct tc_host *host)
{
	if (soft(host)->threads)
		pthread_mutex_unlock(&soft(host)->lock);
}

static void randomize(struct tc_host *host, void *to, size_t bytes)
{
	uint8_t *at = to;

	for (size_t i = 0; i < bytes; i++)
		at[i] = soft_random(&soft(host)->random);
}

static void host_close(struct tc_host *host)
{
	pthread_mutex_destroy(&soft(host)->lock);
	free(host);
}

static const struct tc_host_ops ops = {
	.now_ns = now_ns,
	.wait = wait,
	.copy = copy,
	.reduce = reduce,
	.set = set,
	.add = add,
	.share = map,
	.share_unlink = unlink_name,
	.unshare = unmap,
	.lock = lock,
	.unlock = unlock,
	.random = randomize,
	.close = host_close,
};

/* Sockets get the ranks of their machine in equal parts, in order. */
static uint32_t socket_of(const struct job_rank *r)
{
	uint32_t local = 0, all = 0;

	for (uint32_t k = 0; k < r->size; k++)
		if (job_machine(r, k) == job_machine(r, r->rank)) {
			local += k < r->rank;
			all++;
		}
	return local * r->job->cfg.sockets / all;
}

int soft_host_open(void *arg, bool threads, struct tc_host **host, char *why, size_t size)
{
	struct job_rank *r = arg;
	struct soft_host *h = calloc(1, sizeof(*h));
	uint32_t machine = job_machine(r, r->rank) + 1;
	pthread_mutexattr_t recursive;

	(void)why;
	(void)size;
	h->base.ops = &ops;
	h->base.socket = socket_of(r);
	memcpy(h->base.id, &machine, sizeof(machine));
	h->rank = r;
	h->threads = threads;
	h->random = r->job->cfg.seed + (uint64_t)r->rank * 0x100000001;
	pthread_mutexattr_init(&recursive);
	pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&h->lock, &recursive);
	pthread_mutexattr_destroy(&recursive);
	r->host = h;
	*host = &h->base;
	return 0;
}
