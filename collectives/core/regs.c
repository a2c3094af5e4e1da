// SPDX-License-Identifier: BSD-2-Clause
#include "core/regs.h"

#include <errno.h>
#include <stdlib.h>

#define PAGE 4096 /* or a part of a page, if these are larger */

/*
 * The members that tc_regs_released() reads are ordered by the program: memory is not released while
 * an operation that registers it is beginning.
 */
static uint64_t get(const _Atomic uint64_t *value)
{
	return atomic_load_explicit(value, memory_order_relaxed);
}

static void set(_Atomic uint64_t *value, uint64_t to)
{
	atomic_store_explicit(value, to, memory_order_relaxed);
}

static uint64_t bytes_of(const struct tc_reg *reg)
{
	return get(&reg->end) - get(&reg->start);
}

static bool is_stale(const struct tc_reg *reg)
{
	return atomic_load_explicit(&reg->stale, memory_order_relaxed);
}

static bool is_within(const struct tc_reg *reg, uint64_t start, uint64_t end)
{
	return get(&reg->start) >= start && get(&reg->end) <= end;
}

void tc_regs_init(struct tc_regs *s, struct tc_net *net, bool keeps, uint64_t most)
{
	s->net = net;
	s->keeps = keeps;
	s->most = most ? most : TC_REGS_BYTES;
}

/* ---- The table ---- */
static struct tc_reg *last_place(struct tc_regs *s)
{
	return &s->reg[atomic_load_explicit(&s->places, memory_order_relaxed)];
}

static void drop(struct tc_regs *s, struct tc_reg *reg)
{
	s->bytes -= bytes_of(reg);
	set(&reg->end, get(&reg->start));
	s->net->ops->region_close(s->net, &reg->region);
}

void tc_regs_free(struct tc_regs *s)
{
	for (struct tc_reg *reg = s->reg; reg < last_place(s); reg++)
		if (bytes_of(reg))
			drop(s, reg);
}

/* A mark that comes after the look at its place is found by the next sweep. */
void tc_regs_sweep(struct tc_regs *s)
{
	atomic_exchange_explicit(&s->any_stale, false, memory_order_acquire);
	for (struct tc_reg *reg = s->reg; reg < last_place(s); reg++) {
		if (!bytes_of(reg) || !is_stale(reg) || reg->users)
			continue;
		s->count.stale++;
		drop(s, reg);
	}
}

static struct tc_reg *find(struct tc_regs *s, uint64_t start, uint64_t end)
{
	for (struct tc_reg *reg = s->reg; reg < last_place(s); reg++)
		if (get(&reg->start) <= start && end <= get(&reg->end) && !is_stale(reg))
			return reg;
	return NULL;
}

/* Removes the unused registration that was used least recently. Returns false if all are in use. */
static bool evict(struct tc_regs *s)
{
	struct tc_reg *oldest = NULL;

	for (struct tc_reg *reg = s->reg; reg < last_place(s); reg++)
		if (bytes_of(reg) && !reg->users && (!oldest || reg->used < oldest->used))
			oldest = reg;
	if (!oldest)
		return false;
	s->count.evicted++;
	drop(s, oldest);
	return true;
}

static struct tc_reg *free_place(struct tc_regs *s)
{
	struct tc_reg *reg = s->reg;

	while (reg < last_place(s) && bytes_of(reg))
		reg++;
	if (reg == last_place(s)) {
		if (reg == s->reg + TC_REGS_KEPT)
			return NULL;
		atomic_fetch_add_explicit(&s->places, 1, memory_order_release);
	}
	return reg;
}

/* Returns a place for a registration that is to be kept; NULL: there is no room. */
static struct tc_reg *make_room(struct tc_regs *s, uint64_t start, uint64_t end)
{
	struct tc_reg *place;

	/* What is part of the new one will not be found any more. */
	for (struct tc_reg *reg = s->reg; reg < last_place(s); reg++)
		if (bytes_of(reg) && !reg->users && is_within(reg, start, end))
			drop(s, reg);
	if (end - start > s->most)
		return NULL;
	while (s->bytes + (end - start) > s->most)
		if (!evict(s))
			return NULL;
	place = free_place(s);
	if (!place && evict(s))
		place = free_place(s);
	return place;
}

/* ---- Registrations ---- */
/* If no more memory may be pinned, what is kept of others is given back first. */
static bool open_region(struct tc_regs *s, struct tc_region *region, uint64_t start, uint64_t end)
{
	int err;

	do {
		err = s->net->ops->region_open(s->net, (void *)(uintptr_t)start, end - start,
					       region);
	} while ((err == -ENOMEM || err == -EDQUOT || err == -ENOSPC) && evict(s));
	return !err;
}

static struct tc_reg *make(struct tc_regs *s, uint64_t start, uint64_t end)
{
	struct tc_reg *place = s->keeps ? make_room(s, start, end) : NULL;
	struct tc_reg *reg = place ? place : calloc(1, sizeof(*reg));
	struct tc_region region;

	if (!reg || !open_region(s, &region, start, end)) {
		if (!place)
			free(reg);
		return NULL;
	}
	s->count.made++;
	reg->kept = place;
	reg->users = 0;
	reg->region = region;
	atomic_store_explicit(&reg->stale, false, memory_order_relaxed);
	set(&reg->start, start);
	set(&reg->end, end);
	if (place)
		s->bytes += end - start;
	return reg;
}

/* The pages of a buffer stay as long as the buffer does, and so does a registration of all of them. */
struct tc_reg *tc_regs_get(struct tc_regs *s, const void *at, uint64_t bytes)
{
	uint64_t start = (uintptr_t)at, end = start + bytes;
	struct tc_reg *reg;

	if (s->keeps) {
		start = start / PAGE * PAGE;
		end = (end + PAGE - 1) / PAGE * PAGE;
	}
	reg = find(s, start, end);
	if (reg)
		s->count.hits++;
	else
		reg = make(s, start, end);
	if (!reg)
		return NULL;
	reg->users++;
	reg->used = ++s->calls;
	return reg;
}

void tc_regs_put(struct tc_regs *s, struct tc_reg *reg)
{
	if (--reg->users)
		return;
	if (!reg->kept) {
		s->net->ops->region_close(s->net, &reg->region);
		free(reg);
	} else if (is_stale(reg)) {
		s->count.stale++;
		drop(s, reg);
	}
}

/*
 * A place that is just being filled or emptied may be read half old, half new: then it is marked in
 * vain, or it has no memory that can be released now.
 */
void tc_regs_released(struct tc_regs *s, const void *at, uint64_t bytes)
{
	const uint64_t start = (uintptr_t)at, end = start + bytes;
	const uint32_t places = atomic_load_explicit(&s->places, memory_order_acquire);
	bool any = false;

	for (uint32_t i = 0; i < places; i++) {
		struct tc_reg *reg = &s->reg[i];

		if (get(&reg->start) >= end || get(&reg->end) <= start)
			continue;
		atomic_store_explicit(&reg->stale, true, memory_order_release);
		any = true;
	}
	if (any)
		atomic_store_explicit(&s->any_stale, true, memory_order_release);
}
