// SPDX-License-Identifier: BSD-2-Clause
/*
 * Registrations that are kept. Memory is unmapped and mapped again at the same address, where the NIC
 * of the test still sees the old pages if the library uses an old registration.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "core/core.h"
#include "testing/job.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define PAGE 4096
#define BYTES (128u << 10) /* of a buffer; enough to be registered */
#define COUNT (BYTES / sizeof(int64_t))
#define KEPT (6 * BYTES) /* for the test of eviction */

/* A rank's buffers, side by side, and its team. */
struct user {
	struct job_rank *r;
	struct tallycoll_team *team;
	uint32_t salt; /* values differ with it */
};

static bool few; /* a short run */

/* ---- Memory ---- */
static int64_t *map(void *at, size_t bytes)
{
	void *memory = mmap(at, bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | (at ? MAP_FIXED_NOREPLACE : 0), -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

/* Maps other pages at the same address. */
static int remap(struct user *u, int64_t *at, size_t bytes)
{
	job_munmap(u->r, at, bytes);
	JOB_CHECK(u->r, map(at, bytes) == at);
	return 0;
}

static const struct tc_regs *regs(const struct user *u)
{
	return &u->r->context->regs;
}

static struct tc_reg *hold(struct user *u, const int64_t *at, size_t bytes)
{
	struct tc_host *host = u->r->context->host;
	struct tc_reg *reg;

	host->ops->lock(host);
	reg = tc_regs_get(&u->r->context->regs, at, bytes);
	host->ops->unlock(host);
	return reg;
}

static void let_go(struct user *u, struct tc_reg *reg)
{
	struct tc_host *host = u->r->context->host;

	host->ops->lock(host);
	tc_regs_put(&u->r->context->regs, reg);
	host->ops->unlock(host);
}

static uint32_t num_kept(const struct user *u)
{
	uint32_t num = 0;

	for (unsigned int i = 0; i < TC_REGS_KEPT; i++)
		num += regs(u)->reg[i].start != regs(u)->reg[i].end;
	return num;
}

/* ---- Operations ---- */
static int64_t value(const struct user *u, uint32_t rank, size_t i)
{
	return (int64_t)(u->salt * 1000 + i) * (rank + 1);
}

static int start(struct user *u, int64_t *src, int64_t *dst, struct tallycoll_request **request)
{
	const struct tallycoll_args args = {
		.opcode = TALLY_OPCODE_ALLREDUCE,
		.op = TALLY_OP_SUM,
		.dtype = TALLY_TYPE_INT64,
		.count = COUNT,
		.src = src,
		.dst = dst,
	};
	enum tallycoll_reason reason;

	JOB_CHECK(u->r, !tallycoll_collective_init(u->team, &args, request, &reason));
	return 0;
}

static int post(struct user *u, struct tallycoll_request *request, int64_t *src)
{
	u->salt++;
	for (size_t i = 0; i < COUNT; i++)
		src[i] = value(u, u->r->rank, i);
	JOB_CHECK(u->r, !tallycoll_collective_post(request));
	return 0;
}

static int end(struct user *u, struct tallycoll_request *request, const int64_t *dst)
{
	JOB_CHECK(u->r, tallycoll_collective_wait(request) == TALLYCOLL_OK);
	for (size_t i = 0; i < COUNT; i++) {
		int64_t want = 0;

		for (uint32_t k = 0; k < u->r->size; k++)
			want += value(u, k, i);
		if (dst[i] != want)
			return JOB_FAIL(u->r, "element %zu is %lld instead of %lld", i,
					(long long)dst[i], (long long)want);
	}
	return 0;
}

/* An allreduce from @src to @dst. */
static int sum(struct user *u, int64_t *src, int64_t *dst)
{
	struct tallycoll_request *request;

	if (start(u, src, dst, &request) || post(u, request, src) || end(u, request, dst))
		return -1;
	tallycoll_collective_finalize(request);
	return 0;
}

/* ---- What a rank does ---- */
static int again(struct user *u, int64_t *src, int64_t *dst)
{
	for (unsigned int i = 0; i < 5; i++)
		if (sum(u, src, dst))
			return -1;
	JOB_CHECK(u->r, regs(u)->count.made == 2 && regs(u)->count.hits == 8);
	if (sum(u, src, src))
		return -1;
	JOB_CHECK(u->r, regs(u)->count.made == 2 && regs(u)->count.hits == 10);
	/* What is part of a longer one is not kept beside it, and found as its part. */
	let_go(u, hold(u, src, 4 * BYTES));
	JOB_CHECK(u->r, num_kept(u) == 1 && regs(u)->count.made == 3);
	if (sum(u, src, dst))
		return -1;
	JOB_CHECK(u->r, regs(u)->count.made == 3 && regs(u)->count.evicted == 0);
	return 0;
}

/* An operation without long data. */
static int barrier(struct user *u)
{
	const struct tallycoll_args args = { .opcode = TALLY_OPCODE_BARRIER };
	struct tallycoll_request *request;
	enum tallycoll_reason reason;

	JOB_CHECK(u->r, !tallycoll_collective_init(u->team, &args, &request, &reason));
	JOB_CHECK(u->r, !tallycoll_collective_post(request));
	JOB_CHECK(u->r, !tallycoll_collective_wait(request));
	tallycoll_collective_finalize(request);
	return 0;
}

static int released(struct user *u, int64_t *src, int64_t *dst)
{
	for (unsigned int i = 0; i < 4; i++) {
		if (sum(u, src, dst) || remap(u, src, BYTES) || sum(u, src, dst) ||
		    remap(u, dst, BYTES))
			return -1;
	}
	if (sum(u, src, dst))
		return -1;
	JOB_CHECK(u->r, regs(u)->count.stale == 8 && regs(u)->count.made == 10);
	/* Some of its pages: one in the middle, the first, the last. */
	if (remap(u, src + COUNT / 2, PAGE) || sum(u, src, dst) || remap(u, src, PAGE) ||
	    sum(u, src, dst) || remap(u, src + (BYTES - PAGE) / sizeof(*src), PAGE) ||
	    sum(u, src, dst))
		return -1;
	JOB_CHECK(u->r, regs(u)->count.stale == 11 && regs(u)->count.made == 13);
	/* Those beside it do not matter. */
	job_munmap(u->r, (uint8_t *)dst + BYTES, PAGE);
	job_munmap(u->r, (uint8_t *)dst - PAGE, PAGE);
	if (sum(u, src, dst))
		return -1;
	JOB_CHECK(u->r, regs(u)->count.stale == 11 && regs(u)->count.made == 13);
	/* What is released is closed by the next operation, whatever that is. */
	job_munmap(u->r, dst, BYTES);
	job_munmap(u->r, src, BYTES);
	JOB_CHECK(u->r, num_kept(u) == 2);
	if (barrier(u))
		return -1;
	JOB_CHECK(u->r, num_kept(u) == 0 && regs(u)->count.stale == 13);
	return 0;
}

/*
 * A registration in use, of which a part that its user does not need is released meanwhile. It serves
 * until its user has ended, and nobody else.
 */
static int used(struct user *u, int64_t *src, int64_t *dst)
{
	struct tallycoll_request *first, *second;
	struct tc_reg *whole = hold(u, src - COUNT, 2 * BYTES);

	JOB_CHECK(u->r, whole);
	if (start(u, src, dst, &first) || start(u, src - COUNT, dst + COUNT, &second))
		return -1;
	/* Until rank 1 begins, rank 0 has both in progress. */
	if ((u->r->rank && job_barrier(u->r->world)) || post(u, first, src))
		return -1;
	JOB_CHECK(u->r, whole->users == 2);
	let_go(u, whole);
	if (remap(u, src - COUNT, BYTES) || post(u, second, src - COUNT))
		return -1;
	if (!u->r->rank) {
		JOB_CHECK(u->r, first->in_progress && second->src_reg != whole);
		JOB_CHECK(u->r, whole->stale && whole->start != whole->end);
		if (job_barrier(u->r->world))
			return -1;
	}
	if (end(u, second, dst + COUNT))
		return -1;
	u->salt--;
	if (end(u, first, dst))
		return -1;
	tallycoll_collective_finalize(first);
	tallycoll_collective_finalize(second);
	JOB_CHECK(u->r, regs(u)->count.stale == 1 && regs(u)->count.made == 4);
	return 0;
}

/* A request that is posted again. */
static int persistent(struct user *u, int64_t *src, int64_t *dst)
{
	struct tallycoll_request *request;

	if (start(u, src, dst, &request))
		return -1;
	for (unsigned int i = 0; i < 4; i++) {
		if (post(u, request, src) || end(u, request, dst))
			return -1;
		if (i % 2 && (remap(u, src, BYTES) || remap(u, dst, BYTES)))
			return -1;
	}
	tallycoll_collective_finalize(request);
	JOB_CHECK(u->r, regs(u)->count.made == 4 && regs(u)->count.hits == 4);
	return 0;
}

/* Several buffers in turn, of which not all are kept: by their bytes, then by their number. */
static int many(struct user *u, int64_t *src, int64_t *dst)
{
	const uint32_t num = job_cfg_of(u->r)->keep_bytes ? 8 : TC_REGS_KEPT + 8;
	int64_t *all = map(NULL, (size_t)num * BYTES);
	struct tc_reg *held = hold(u, dst, BYTES);
	uint64_t made;

	JOB_CHECK(u->r, all && held);
	for (uint32_t k = 0; k < num; k++) {
		if (sum(u, src, all + k * COUNT))
			return -1;
		JOB_CHECK(u->r, !job_cfg_of(u->r)->keep_bytes || regs(u)->bytes <= KEPT);
	}
	JOB_CHECK(u->r, regs(u)->count.made == num + 2 && regs(u)->count.evicted);
	JOB_CHECK(u->r, regs(u)->count.evicted == num + 2 - num_kept(u));
	/* One is in use, the source was used each time, the last result a moment ago, the first long ago. */
	made = regs(u)->count.made;
	if (sum(u, src, dst) || sum(u, src, all + (num - 1) * COUNT))
		return -1;
	let_go(u, held);
	JOB_CHECK(u->r, regs(u)->count.made == made);
	if (sum(u, src, all))
		return -1;
	JOB_CHECK(u->r, regs(u)->count.made == made + 1);
	job_munmap(u->r, all, (size_t)num * BYTES);
	return 0;
}

/* What cannot be registered goes through buffers, and what is kept makes room if it can. */
static int refused(struct user *u, int64_t *src, int64_t *dst)
{
	job_set_fault(u->r, JOB_REGION_OPEN, 1, 2);
	if (sum(u, src, dst))
		return -1;
	JOB_CHECK(u->r, regs(u)->count.made == 0 && num_kept(u) == 0);
	if (sum(u, src, dst))
		return -1;
	JOB_CHECK(u->r, regs(u)->count.made == 2);
	for (unsigned int i = 1; i <= 3; i++) {
		job_set_fault(u->r, JOB_REGION_OPEN, 1, 1);
		if (sum(u, src, dst + i * COUNT))
			return -1;
		JOB_CHECK(u->r, regs(u)->count.made == 2 + i && regs(u)->count.evicted == i);
	}
	return 0;
}

/* As many bytes as may be kept. */
static int whole(struct user *u, int64_t *src, int64_t *dst)
{
	struct tc_reg *reg = hold(u, src, KEPT - BYTES), *last = hold(u, dst + 3 * COUNT, BYTES);

	JOB_CHECK(u->r, reg && reg->kept && last && last->kept && regs(u)->bytes == KEPT);
	let_go(u, reg);
	let_go(u, last);
	return 0;
}

/* Nobody tells of released memory. */
static int untold(struct user *u, int64_t *src, int64_t *dst)
{
	for (unsigned int i = 0; i < 3; i++)
		if (sum(u, src, dst) || remap(u, src, BYTES) || remap(u, dst, BYTES))
			return -1;
	JOB_CHECK(u->r, regs(u)->count.made == 6 && regs(u)->count.hits == 0);
	return 0;
}

/* ---- Another thread that releases memory ---- */
struct releaser {
	struct user *u;
	_Atomic bool stop;
	int result;
};

static void *release(void *arg)
{
	struct releaser *l = arg;

	while (!l->stop) {
		int64_t *memory = map(NULL, 4 * PAGE);

		if (!memory)
			l->result = -1;
		job_munmap(l->u->r, memory, 4 * PAGE);
	}
	return NULL;
}

static void *release_once(void *arg)
{
	struct releaser *l = arg;

	l->result = remap(l->u, (int64_t *)l->u->r->kept[0], BYTES);
	return NULL;
}

/* One thread releases memory all the time, and others a buffer that is then used again. */
static int threads(struct user *u, int64_t *src, int64_t *dst)
{
	struct releaser always = { .u = u }, once = { .u = u };
	pthread_t thread, other;
	int err = 0;

	if (pthread_create(&thread, NULL, release, &always))
		return -1;
	u->r->kept[0] = src;
	for (unsigned int i = 0; i < (few ? 5 : 30) && !err; i++) {
		err = sum(u, src, dst);
		if (pthread_create(&other, NULL, release_once, &once))
			break;
		pthread_join(other, NULL);
		err |= once.result;
	}
	always.stop = true;
	pthread_join(thread, NULL);
	JOB_CHECK(u->r, !err && !always.result && regs(u)->count.stale);
	return 0;
}

/* ---- The jobs ---- */
struct part {
	const char *name;
	int (*run)(struct user *u, int64_t *src, int64_t *dst);
	struct job_cfg cfg;
};

/* The buffers have pages before and behind them. */
static int rank_main(struct job_rank *r)
{
	const struct part *part = job_arg(r);
	struct user u = { .r = r };
	int64_t *all = map(NULL, 8 * (size_t)BYTES);
	int err;

	JOB_CHECK(r, all && job_team(r, r->world, &u.team) == TALLYCOLL_OK);
	JOB_CHECK(r, tallycoll_team_reason(u.team) == TALLYCOLL_REASON_NONE);
	err = part->run(&u, all + 2 * COUNT, all + 4 * COUNT);
	tallycoll_team_destroy(u.team);
	munmap(all, 8 * (size_t)BYTES);
	return err;
}

int main(int argc, char **argv)
{
	static const struct part parts[] = {
		{ "again", again, { .memory_released = true } },
		{ "released", released, { .memory_released = true } },
		{ "used", used, { .memory_released = true } },
		{ "persistent", persistent, { .memory_released = true } },
		{ "many bytes", many, { .memory_released = true, .keep_bytes = KEPT } },
		{ "whole", whole, { .memory_released = true, .keep_bytes = KEPT } },
		{ "many", many, { .memory_released = true } },
		{ "refused", refused, { .memory_released = true } },
		{ "untold", untold, { 0 } },
		{ "threads", threads, { .memory_released = true, .threads = true } },
	};
	const char *only = argc > 2 ? argv[2] : NULL;
	int err = 0;

	few = argc > 1 && !strcmp(argv[1], "short");
	setenv("TALLY_COLL_TUNE", "all=direct", 1);
	for (unsigned int i = 0; i < ARRAY_SIZE(parts) && !err; i++) {
		struct job_cfg cfg = parts[i].cfg;

		if (only && strcmp(only, parts[i].name))
			continue;
		cfg.ranks = cfg.machines = 2;
		err = job_run(&cfg, rank_main, (void *)&parts[i]);
		if (err)
			fprintf(stderr, "%s failed\n", parts[i].name);
	}
	return err ? EXIT_FAILURE : EXIT_SUCCESS;
}
