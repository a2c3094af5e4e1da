// SPDX-License-Identifier: BSD-2-Clause
/*
 * Flags in memory that ranks share. A store is in the memory of the host only once other ranks see
 * it. While its own rank runs, its stores are in that memory too, like those in the store buffer of
 * a CPU, which only that CPU sees. All stores of a rank take the same time, so they become visible
 * in their order.
 */
#include "coll/priv.h"

#include <stdlib.h>

static void perform(struct coll_store *st)
{
	uint32_t value = tc_flag_get(st->flag);

	st->before = value;
	atomic_store_explicit(&st->flag->value, st->add ? value + st->value : st->value,
			      memory_order_release);
}

void coll_stores_show(struct coll_rank *r)
{
	for (struct coll_store *st = r->store; st; st = st->next)
		perform(st);
}

static void hide(struct coll_store *st)
{
	if (!st)
		return;
	hide(st->next);
	atomic_store_explicit(&st->flag->value, st->before, memory_order_release);
}

void coll_stores_hide(struct coll_rank *r)
{
	hide(r->store);
}

static void tell_others(struct coll_rank *r)
{
	for (uint32_t i = 0; i < r->node->num_ranks; i++)
		if (r->node->rank[i] != r)
			coll_changed(r->node->rank[i]);
}

/* Performs the stores that are due. No rank runs now. */
static void seen(void *arg)
{
	struct coll_rank *r = arg;
	struct coll_store *st;

	while ((st = r->store) && st->seen <= sim_now(r->s->sim)) {
		r->store = st->next;
		if (!r->store)
			r->last_store = &r->store;
		perform(st);
		free(st);
	}
	if (r->store)
		sim_schedule(r->s->sim, &r->seen, r->store->seen);
	tell_others(r);
}

void coll_stores_init(struct coll_rank *r)
{
	r->last_store = &r->store;
	sim_event_init(&r->seen, seen, r);
}

void coll_stores_drop(struct coll_rank *r, const void *memory, size_t bytes)
{
	const uint8_t *from = memory;

	r->last_store = &r->store;
	while (*r->last_store) {
		struct coll_store *st = *r->last_store;
		const uint8_t *at = (const uint8_t *)st->flag;

		if (at < from || at >= from + bytes) {
			r->last_store = &st->next;
			continue;
		}
		*r->last_store = st->next;
		free(st);
	}
}

void coll_stores_free(struct coll_rank *r)
{
	while (r->store) {
		struct coll_store *next = r->store->next;

		free(r->store);
		r->store = next;
	}
}

static void store(struct coll_rank *r, const struct coll_store *what)
{
	struct coll_store *st = malloc(sizeof(*st));

	if (!st)
		abort();
	*st = *what;
	perform(st);
	if (!r->store)
		sim_schedule(r->s->sim, &r->seen, st->seen);
	*r->last_store = st;
	r->last_store = &st->next;
}

void coll_set(struct tc_host *host, struct tc_flag *flag, uint32_t value)
{
	struct coll_rank *r = coll_rank_of_host(host);
	vtime_t now = sim_now(r->s->sim);

	store(r, &(struct coll_store){ .flag = flag, .value = value, .owned = now,
				       .seen = now + coll_params(r)->share });
}

/*
 * Returns what ranks that come before have added and this rank does not see yet, and when the last
 * of them has the line.
 */
static uint32_t unseen(const struct coll_rank *r, const struct tc_flag *flag, vtime_t *owned)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i < r->node->num_ranks; i++) {
		const struct coll_rank *other = r->node->rank[i];

		for (const struct coll_store *st = other->store; st; st = st->next) {
			if (!st->add || st->flag != flag)
				continue;
			if (other != r)
				sum += st->value;
			if (st->owned > *owned)
				*owned = st->owned;
		}
	}
	return sum;
}

uint32_t coll_add(struct tc_host *host, struct tc_flag *flag, uint32_t n)
{
	struct coll_rank *r = coll_rank_of_host(host);
	const vtime_t share = coll_params(r)->share, now = sim_now(r->s->sim);
	vtime_t owned = now;
	uint32_t before = unseen(r, flag, &owned) + tc_flag_get(flag);

	owned += share;
	store(r, &(struct coll_store){ .flag = flag, .value = n, .add = true, .owned = owned,
				       .seen = owned + share });
	coll_compute(r, owned - now);
	return before;
}
