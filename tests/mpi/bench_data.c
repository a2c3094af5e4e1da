// SPDX-License-Identifier: BSD-2-Clause
#include "bench_data.h"

#include <stdbool.h>

#define POISON 0xa5c3e1f7

static uint32_t mix(uint32_t x)
{
	x = (x ^ x >> 16) * 0x7feb352d;
	x = (x ^ x >> 15) * 0x846ca68b;
	return x ^ x >> 16;
}

static uint32_t base(const struct bench_turn *t, uint64_t index)
{
	return mix((uint32_t)index + t->number * 0x9e3779b9);
}

static uint32_t step(const struct bench_turn *t, uint64_t index)
{
	return mix(~(uint32_t)index ^ t->number) | 1;
}

/* Linear in the rank, so that the sum of all ranks needs no loop over them. */
static uint32_t word(const struct bench_turn *t, uint32_t rank, uint64_t index)
{
	return base(t, index) + rank * step(t, index);
}

static uint32_t sum(const struct bench_turn *t, uint64_t index)
{
	uint64_t pairs = (uint64_t)t->size * (t->size - 1) / 2;

	return t->size * base(t, index) + (uint32_t)pairs * step(t, index);
}

uint64_t bench_given(const struct bench_turn *t)
{
	switch (t->op) {
	case BENCH_ALLREDUCE:
	case BENCH_REDUCE:
	case BENCH_ALLGATHER:
	case BENCH_GATHER:
		return t->count;
	case BENCH_REDUCE_SCATTER:
		return t->count * t->size;
	case BENCH_SCATTER:
		return t->rank == t->root ? t->count * t->size : 0;
	default:
		return 0;
	}
}

uint64_t bench_gotten(const struct bench_turn *t)
{
	bool root = t->rank == t->root;

	switch (t->op) {
	case BENCH_ALLREDUCE:
	case BENCH_REDUCE_SCATTER:
	case BENCH_BCAST:
	case BENCH_SCATTER:
		return t->count;
	case BENCH_REDUCE:
		return root ? t->count : 0;
	case BENCH_ALLGATHER:
		return t->count * t->size;
	case BENCH_GATHER:
		return root ? t->count * t->size : 0;
	default:
		return 0;
	}
}

static uint32_t expected(const struct bench_turn *t, uint64_t index)
{
	switch (t->op) {
	case BENCH_ALLREDUCE:
	case BENCH_REDUCE:
		return sum(t, index);
	case BENCH_REDUCE_SCATTER:
		return sum(t, t->rank * t->count + index);
	case BENCH_SCATTER:
		return word(t, t->root, t->rank * t->count + index);
	case BENCH_ALLGATHER:
	case BENCH_GATHER:
		return word(t, index / t->count, index % t->count);
	default:
		return word(t, t->root, index);
	}
}

void bench_fill(const struct bench_turn *t, uint32_t *src, uint32_t *dst)
{
	uint64_t given = bench_given(t), gotten = bench_gotten(t);
	bool sender = t->op == BENCH_BCAST && t->rank == t->root;

	for (uint64_t i = 0; i < given; i++)
		src[i] = word(t, t->rank, i);
	for (uint64_t i = 0; i < gotten; i++)
		dst[i] = sender ? word(t, t->root, i) : POISON + t->number;
	for (uint64_t i = 0; i < BENCH_GUARD; i++)
		dst[gotten + i] = POISON + t->number;
}

static void compare(struct bench_wrong *wrong, uint64_t index, uint32_t is, uint32_t should)
{
	if (is == should)
		return;
	if (!wrong->words++) {
		wrong->index = index;
		wrong->is = is;
		wrong->expected = should;
	}
}

struct bench_wrong bench_compare(const struct bench_turn *t, const uint32_t *src,
				 const uint32_t *dst)
{
	uint64_t given = bench_given(t), gotten = bench_gotten(t);
	struct bench_wrong wrong = { 0 };

	for (uint64_t i = 0; i < gotten; i++)
		compare(&wrong, i, dst[i], expected(t, i));
	for (uint64_t i = gotten; i < gotten + BENCH_GUARD; i++)
		compare(&wrong, i, dst[i], POISON + t->number);
	for (uint64_t i = 0; i < given; i++)
		compare(&wrong, i, src[i], word(t, t->rank, i));
	return wrong;
}
