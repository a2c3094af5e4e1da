// SPDX-License-Identifier: BSD-2-Clause
/*
 * Ranks as fibers. A rank runs without time between two events; what takes its CPU's time suspends
 * it until then. So at each moment only one rank runs, and its time is that of the simulation.
 */
#include "coll/priv.h"

#include <endian.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

static void body(void *arg)
{
	struct coll_rank *r = arg;

	r->s->body(r, r->s->arg);
}

static void resume(void *arg)
{
	struct coll_rank *r = arg;
	bool lives;

	r->blocked = false;
	coll_stores_show(r);
	lives = fiber_resume(r->fiber);
	coll_stores_hide(r);
	if (lives)
		return;
	r->fiber = NULL;
	r->s->running--;
}

void coll_rank_init(struct coll_rank *r)
{
	rng_seed(&r->rng, r->s->cfg.c.seed ^ (uint64_t)(r->number + 1) << 32);
	cpu_init(&r->cpu, &r->s->cfg.c, r->number);
	sim_event_init(&r->resume, resume, r);
	coll_stores_init(r);
}

bool coll_rank_start(struct coll_rank *r)
{
	r->fiber = fiber_new(body, r);
	if (!r->fiber)
		return false;
	r->s->running++;
	sim_schedule_in(r->s->sim, &r->resume, 0);
	return true;
}

void coll_block(struct coll_rank *r, vtime_t limit)
{
	r->blocked = true;
	if (limit != VT_NEVER)
		sim_schedule(r->s->sim, &r->resume, limit);
	fiber_yield(r->fiber);
}

void coll_wake(struct coll_rank *r)
{
	if (!r->blocked)
		return;
	r->blocked = false;
	sim_schedule_in(r->s->sim, &r->resume, 0);
}

void coll_changed(struct coll_rank *r)
{
	r->changes++;
	coll_wake(r);
}

void coll_sleep_until(struct coll_rank *r, vtime_t at)
{
	if (at <= sim_now(r->s->sim))
		return;
	sim_schedule(r->s->sim, &r->resume, at);
	fiber_yield(r->fiber);
}

void coll_compute(struct coll_rank *r, vtime_t time)
{
	if (time)
		coll_sleep_until(r, cpu_run(&r->cpu, sim_now(r->s->sim), time));
}

/* ---- Commands ---- */
void coll_answered(void *arg, const struct tally_admin_cqe *cqe)
{
	struct coll_answer *answer = arg;

	answer->status = cqe ? le16toh(cqe->status) : UINT32_MAX;
	answer->here = true;
	coll_wake(answer->rank);
}

int coll_await(struct coll_answer *answer, int err)
{
	if (err)
		return err;
	while (!answer->here)
		coll_block(answer->rank, VT_NEVER);
	return answer->status ? -EIO : 0;
}

/* ---- For programs ---- */
uint32_t coll_number(const struct coll_rank *r)
{
	return r->number;
}

vtime_t coll_now(const struct coll_rank *r)
{
	return sim_now(r->s->sim);
}

void *coll_take(struct coll_rank *r, size_t bytes)
{
	struct arena *mem = &r->node->host->mem;
	uint64_t at = arena_alloc(mem, bytes ? bytes : 1);

	return at ? arena_at(mem, at, bytes) : NULL;
}

void *coll_alloc(struct coll_rank *r, size_t bytes)
{
	void *memory = coll_take(r, bytes);

	if (!memory)
		coll_fail(r, "no memory for %zu bytes", bytes);
	return memory;
}

void coll_release(struct coll_rank *r, void *memory, size_t bytes)
{
	struct arena *mem = &r->node->host->mem;

	if (memory)
		arena_release(mem, ARENA_BUS_BASE + ((uint8_t *)memory - mem->base),
			      bytes ? bytes : 1);
}

void coll_fail(struct coll_rank *r, const char *format, ...)
{
	char what[160];
	va_list args;

	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	coll_trouble(r->s, "rank %u: %s", r->number, what);
}
