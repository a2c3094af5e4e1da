// SPDX-License-Identifier: BSD-2-Clause
/*
 * Recursive halving: in each round, two members exchange halves of the range that they hold, and
 * each combines the half that it keeps; at the end, blocks of the result are distributed over the
 * members. Recursive doubling collects them. After R. Rabenseifner, "Optimization of Collective
 * Reduction Operations", ICCS 2004.
 */
#include "baseline/build.h"

/*
 * The members that take part; their number is a power of two. Of the first 2 * `pairs` members, the
 * odd ones do not take part; each even one works for its pair.
 */
struct halvers {
	const struct baseline_group *group;
	uint32_t p, pairs;
	uint32_t blocks;		/* blocks of the vector: p, or one for every member */
};

static uint32_t member(const struct halvers *h, uint32_t i)
{
	return i < h->pairs ? 2 * i : i + h->pairs;
}

/* Returns the start of the blocks of halver @i. */
static uint64_t begin(const struct halvers *h, uint32_t i)
{
	uint32_t block = h->blocks == h->p ? i : member(h, i);

	return baseline_block(h->group->count, i == h->p ? h->blocks : block, h->blocks);
}

static uint64_t length(const struct halvers *h, uint32_t lo, uint32_t hi)
{
	return begin(h, hi) - begin(h, lo);
}

static struct halvers halvers_of(const struct baseline_group *t, bool block_each)
{
	uint32_t p = baseline_pow2(t->n);

	return (struct halvers){ t, p, t->n - p, block_each ? t->n : p };
}

/* The odd one of a pair sends its vector to the even one. Returns true for halvers. */
static bool fold(struct baseline_build *b, const struct halvers *h, uint32_t *i)
{
	const struct baseline_group *t = h->group;
	uint64_t base = b->tmp, tmp;

	if (t->me >= 2 * h->pairs) {
		*i = t->me - h->pairs;
		return true;
	}
	*i = t->me / 2;
	if (t->me % 2) {
		baseline_send(b, t, t->me - 1, 0, t->count);
		return false;
	}
	tmp = baseline_alloc(b, t->count);
	baseline_recv(b, t, t->me + 1, tmp, t->count);
	baseline_wait_reduce(b, 1, tmp, t->count);
	b->tmp = base;
	return true;
}

static void halve(struct baseline_build *b, const struct halvers *h, uint32_t i)
{
	const struct baseline_group *t = h->group;
	uint64_t base = b->tmp, tmp = baseline_alloc(b, t->count);
	uint32_t lo = 0, hi = h->p;

	for (uint32_t mask = h->p / 2; mask; mask /= 2) {
		uint32_t peer = member(h, i ^ mask), mid = lo + mask;

		if (i & mask) {
			baseline_send(b, t, peer, begin(h, lo), length(h, lo, mid));
			lo = mid;
		} else {
			baseline_send(b, t, peer, begin(h, mid), length(h, mid, hi));
			hi = mid;
		}
		baseline_recv_wait(b, t, peer, tmp, length(h, lo, hi));
		baseline_reduce(b, begin(h, lo), tmp, length(h, lo, hi));
	}
	b->tmp = base;
}

/* Collects all blocks at every halver. */
static void double_up(struct baseline_build *b, const struct halvers *h, uint32_t i)
{
	for (uint32_t mask = 1; mask < h->p; mask *= 2) {
		uint32_t lo = i & ~(mask - 1), other = lo ^ mask;
		uint32_t peer = member(h, i ^ mask);

		baseline_send(b, h->group, peer, begin(h, lo), length(h, lo, lo + mask));
		baseline_recv_wait(b, h->group, peer, begin(h, other),
				   length(h, other, other + mask));
	}
}

/* Collects all blocks at halver 0. */
static void gather(struct baseline_build *b, const struct halvers *h, uint32_t i)
{
	uint32_t mask, n = 0;

	for (mask = 1; mask < h->p && !(i & mask); mask *= 2, n++)
		baseline_recv(b, h->group, member(h, i + mask), begin(h, i + mask),
			      length(h, i + mask, i + 2 * mask));
	while (n--)
		baseline_wait(b);
	if (i)
		baseline_send(b, h->group, member(h, i - mask), begin(h, i),
			      length(h, i, i + mask));
}

void baseline_rabenseifner(struct baseline_build *b, const struct baseline_group *t)
{
	struct halvers h = halvers_of(t, false);
	uint32_t i;

	if (!fold(b, &h, &i)) {
		baseline_recv_wait(b, t, t->me - 1, 0, t->count);
		return;
	}
	halve(b, &h, i);
	double_up(b, &h, i);
	if (i < h.pairs)
		baseline_send(b, t, t->me + 1, 0, t->count);
}

void baseline_rabenseifner_reduce(struct baseline_build *b, const struct baseline_group *t)
{
	struct halvers h = halvers_of(t, false);
	uint32_t i;

	if (!fold(b, &h, &i))
		return;
	halve(b, &h, i);
	gather(b, &h, i);
}

void baseline_halving_scatter(struct baseline_build *b, const struct baseline_group *t)
{
	struct halvers h = halvers_of(t, true);
	uint64_t at = baseline_block(t->count, t->me, t->n);
	uint64_t len = baseline_block(t->count, t->me + 1, t->n) - at;
	uint32_t i;

	if (!fold(b, &h, &i)) {
		baseline_recv_wait(b, t, t->me - 1, at, len);
		return;
	}
	halve(b, &h, i);
	if (i < h.pairs)
		baseline_send(b, t, t->me + 1, at + len,
			      baseline_block(t->count, t->me + 2, t->n) - at - len);
}
