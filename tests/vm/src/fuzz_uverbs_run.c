/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs programs: their calls, one at a time or two at the same time, in a context of their own. */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"
#include "fuzz_uverbs.h"

struct fuzz_counts counts;

static const struct {
	const char *name;
	fuzz_call *call;
} calls[NUM_CALLS] = {
#define CALL(name) { #name, name }
	CALL(alloc_pd), CALL(dealloc_pd), CALL(create_channel), CALL(create_cq),
	CALL(create_cq_ex), CALL(destroy_cq), CALL(reg_mr), CALL(dereg_mr),
	CALL(modify_qp), CALL(query_qp), CALL(destroy_qp), CALL(query_device),
	CALL(query_port), CALL(any_command), CALL(ioctl_create_cq), CALL(ioctl_create_qp),
	CALL(alloc_seg), CALL(free_seg), CALL(create_group), CALL(attach_group),
	CALL(query_group), CALL(reset_group), CALL(query_list), CALL(destroy_group),
	CALL(info_handles), CALL(any_method), CALL(any_ioctl), CALL(map_page),
	CALL(unmap_page), CALL(use_page), CALL(spoil_memory), CALL(read_events),
#undef CALL
};

/* If the first byte is at least this value, the call and the next one run at the same time. */
#define AT_ONCE 192

const char *call_name(unsigned int n)
{
	return n < NUM_CALLS ? calls[n].name : NULL;
}

/* ---- Objects of a context ---- */
void have(struct fuzz_context *c, enum kind kind, uint32_t handle)
{
	pthread_mutex_lock(&c->lock);
	c->have[kind].handle[c->have[kind].count++ % MAX_HANDLES] = handle;
	pthread_mutex_unlock(&c->lock);
}

void have_page(struct fuzz_context *c, uint64_t offset)
{
	pthread_mutex_lock(&c->lock);
	if (c->num_offsets < MAX_PAGES)
		c->offset[c->num_offsets++] = offset;
	pthread_mutex_unlock(&c->lock);
}

uint32_t choose(struct fuzz_context *c, struct bytes *b, enum kind kind)
{
	uint8_t how = take8(b);
	unsigned int count;
	uint32_t handle;

	if (how >= 240)
		return take64(b);
	if (how >= 208)
		kind = how % NUM_KINDS;
	pthread_mutex_lock(&c->lock);
	count = c->have[kind].count;
	handle = c->have[kind].handle[(how < 128 ? count + MAX_HANDLES - 1 : how) % MAX_HANDLES];
	pthread_mutex_unlock(&c->lock);
	return handle;
}

/* ---- Calls ---- */
struct job {
	struct fuzz_context *context;
	const uint8_t *slot;
};

static void make_call(const struct job *job)
{
	struct bytes b = { job->slot + 1, SLOT_SIZE - 1 };
	unsigned int n = job->slot[0] % NUM_CALLS;

	if (!calls[n].call(job->context, &b))
		__atomic_fetch_add(&counts.succeeded[n], 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&counts.calls, 1, __ATOMIC_RELAXED);
}

/* A second thread, which makes one call each time that it meets the first. */
static struct job other;
static pthread_barrier_t meeting;

static void *other_thread(void *arg)
{
	for (;;) {
		pthread_barrier_wait(&meeting);
		make_call(&other);
		pthread_barrier_wait(&meeting);
	}
	return arg;
}

static void make_two_calls(const struct job *job, const uint8_t *second)
{
	static bool begun;
	pthread_t thread;

	if (!begun) {
		REQUIRE(!pthread_barrier_init(&meeting, NULL, 2), "barrier");
		REQUIRE(!pthread_create(&thread, NULL, other_thread, NULL), "thread");
		begun = true;
	}
	other = (struct job){ job->context, second };
	pthread_barrier_wait(&meeting);
	make_call(job);
	pthread_barrier_wait(&meeting);
}

/* ---- Programs ---- */
static void open_context(struct fuzz_context *c, const char *path)
{
	memset(c, 0, sizeof(*c));
	pthread_mutex_init(&c->lock, NULL);
	c->fd = open(path, O_RDWR | O_CLOEXEC);
	REQUIRE(c->fd >= 0, "%s", path);
	REQUIRE(!get_context(c, NULL), "%s: the device is gone", path);
}

static void close_context(struct fuzz_context *c)
{
	unsigned int count = c->have[KIND_CHANNEL].count;

	while (!unmap_page(c, NULL))
		;
	for (unsigned int i = 0; i < count && i < MAX_HANDLES; i++)
		close(c->have[KIND_CHANNEL].handle[i]);
	close(c->fd);
	pthread_mutex_destroy(&c->lock);
}

void run_program(const char *path, const struct program *program)
{
	static struct fuzz_context c;
	struct job job = { .context = &c };

	arena_new();
	open_context(&c, path);
	for (unsigned int i = 0; i < program->count; i++) {
		job.slot = program->slot[i];
		if (job.slot[0] >= AT_ONCE && i + 1 < program->count)
			make_two_calls(&job, program->slot[++i]);
		else
			make_call(&job);
	}
	close_context(&c);
	counts.programs++;
}

static void append(struct program *program, fuzz_call *call)
{
	for (unsigned int n = 0; n < NUM_CALLS; n++)
		if (calls[n].call == call)
			program->slot[program->count++][0] = n;
}

/*
 * Creates, queries and destroys all objects with valid calls. A queue is created in each of the
 * three ways.
 */
size_t first_programs(struct program *programs, size_t room)
{
	static fuzz_call *const lives[][MAX_SLOTS] = {
		{ alloc_pd, create_channel, create_cq, reg_mr, alloc_seg, create_group,
		  ioctl_create_qp, modify_qp, query_qp, query_group, query_list, attach_group,
		  map_page, destroy_group, destroy_qp, free_seg, dereg_mr, destroy_cq, dealloc_pd },
		{ alloc_pd, ioctl_create_cq, alloc_seg, create_group, ioctl_create_qp, modify_qp,
		  destroy_qp, destroy_cq, create_cq_ex, ioctl_create_qp, reset_group, free_seg },
		{ query_device, query_port, info_handles, map_page, use_page, map_page, unmap_page,
		  create_channel, read_events, spoil_memory, any_method, any_command, any_ioctl },
	};
	size_t count = 0;

	for (; count < room && count < sizeof(lives) / sizeof(lives[0]); count++) {
		memset(&programs[count], 0, sizeof(programs[count]));
		for (unsigned int i = 0; i < MAX_SLOTS && lives[count][i]; i++)
			append(&programs[count], lives[count][i]);
	}
	return count;
}
