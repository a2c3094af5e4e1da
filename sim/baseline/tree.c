// SPDX-License-Identifier: BSD-2-Clause
/*
 * Trees. In a k-nomial tree of radix k, a member's number, 0 for the root, is written in base k.
 * The number of its parent has the lowest nonzero digit set to 0. Radix 2 is the binomial tree.
 */
#include "baseline/build.h"

/* Returns the power of the radix of v's lowest nonzero digit; at least n for v = 0. */
static uint64_t lowest_digit(const struct baseline_group *t, uint32_t v)
{
	uint64_t mask = 1;

	while (mask < t->n && v / mask % t->param == 0)
		mask *= t->param;
	return mask;
}

static uint32_t parent(const struct baseline_group *t, uint32_t v, uint64_t top)
{
	return v - v / top % t->param * top;
}

void baseline_knomial_reduce(struct baseline_build *b, const struct baseline_group *t)
{
	uint32_t v = t->me, n = 0;
	uint64_t top = lowest_digit(t, v), base = b->tmp;

	for (uint64_t mask = 1; mask < top; mask *= t->param)
		for (uint32_t d = 1; d < t->param && v + d * mask < t->n; d++, n++)
			baseline_recv(b, t, v + d * mask, baseline_alloc(b, t->count), t->count);
	baseline_wait_reduce(b, n, base, t->count);
	if (v)
		baseline_send(b, t, parent(t, v, top), 0, t->count);
	b->tmp = base;
}

/* The largest subtree is first, because it is the deepest. */
void baseline_knomial_bcast(struct baseline_build *b, const struct baseline_group *t)
{
	uint32_t v = t->me;
	uint64_t top = lowest_digit(t, v);

	if (v)
		baseline_recv_wait(b, t, parent(t, v, top), 0, t->count);
	for (uint64_t mask = top / t->param; mask; mask /= t->param)
		for (uint32_t d = 1; d < t->param && v + d * mask < t->n; d++)
			baseline_send(b, t, v + d * mask, 0, t->count);
}

/* The complete binary tree: the children of v are 2v + 1 and 2v + 2. */
void baseline_binary_reduce(struct baseline_build *b, const struct baseline_group *t)
{
	uint32_t v = t->me, n = 0;
	uint64_t base = b->tmp;

	for (uint32_t c = 2 * v + 1; c <= 2 * v + 2 && c < t->n; c++, n++)
		baseline_recv(b, t, c, baseline_alloc(b, t->count), t->count);
	baseline_wait_reduce(b, n, base, t->count);
	if (v)
		baseline_send(b, t, (v - 1) / 2, 0, t->count);
	b->tmp = base;
}

void baseline_binary_bcast(struct baseline_build *b, const struct baseline_group *t)
{
	uint32_t v = t->me;

	if (v)
		baseline_recv_wait(b, t, (v - 1) / 2, 0, t->count);
	for (uint32_t c = 2 * v + 1; c <= 2 * v + 2 && c < t->n; c++)
		baseline_send(b, t, c, 0, t->count);
}

/* All members send to the root. */
void baseline_linear_reduce(struct baseline_build *b, const struct baseline_group *t)
{
	uint64_t base = b->tmp;

	if (t->me) {
		baseline_send(b, t, 0, 0, t->count);
		return;
	}
	for (uint32_t v = 1; v < t->n; v++)
		baseline_recv(b, t, v, baseline_alloc(b, t->count), t->count);
	baseline_wait_reduce(b, t->n - 1, base, t->count);
	b->tmp = base;
}

void baseline_linear_bcast(struct baseline_build *b, const struct baseline_group *t)
{
	if (t->me) {
		baseline_recv_wait(b, t, 0, 0, t->count);
		return;
	}
	for (uint32_t v = 1; v < t->n; v++)
		baseline_send(b, t, v, 0, t->count);
}
