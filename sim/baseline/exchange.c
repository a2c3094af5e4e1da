// SPDX-License-Identifier: BSD-2-Clause
/*
 * Rounds in which members exchange whole vectors until each has the result. For barriers the vector
 * has no elements.
 */
#include "baseline/build.h"

/* Exchanges vectors with one other member of the group, and combines them. */
static void swap_vectors(struct baseline_build *b, const struct baseline_group *t, uint32_t peer)
{
	uint64_t base = b->tmp, tmp = baseline_alloc(b, t->count);

	baseline_send(b, t, peer, 0, t->count);
	baseline_recv(b, t, peer, tmp, t->count);
	baseline_wait_reduce(b, 1, tmp, t->count);
	b->tmp = base;
}

/*
 * Recursive doubling. If the number of members n is not a power of two, the first 2 * (n - p)
 * members form pairs, p being the largest power: the odd one sends its vector to the even one and
 * receives the result at the end.
 */
void baseline_doubling(struct baseline_build *b, const struct baseline_group *t)
{
	uint32_t p = baseline_pow2(t->n), paired = 2 * (t->n - p), me = t->me;
	uint64_t base = b->tmp, tmp = baseline_alloc(b, t->count);

	if (me < paired && me % 2) {
		baseline_send(b, t, me - 1, 0, t->count);
		baseline_recv_wait(b, t, me - 1, 0, t->count);
		b->tmp = base;
		return;
	}
	if (me < paired) {
		baseline_recv(b, t, me + 1, tmp, t->count);
		baseline_wait_reduce(b, 1, tmp, t->count);
		me /= 2;
	} else {
		me -= paired / 2;
	}
	for (uint32_t mask = 1; mask < p; mask *= 2) {
		uint32_t peer = me ^ mask;

		swap_vectors(b, t, peer < paired / 2 ? 2 * peer : peer + paired / 2);
	}
	if (t->me < paired)
		baseline_send(b, t, t->me + 1, 0, t->count);
	b->tmp = base;
}

/* Members lo .. lo + n - 1, which include the caller. */
struct range {
	uint32_t lo, n;
};

static struct range part_of(struct range all, uint32_t parts, uint32_t i)
{
	uint32_t lo = baseline_block(all.n, i, parts);

	return (struct range){ all.lo + lo, baseline_block(all.n, i + 1, parts) - lo };
}

static uint32_t part_with(struct range all, uint32_t parts, uint32_t me)
{
	uint32_t i = 0;

	while (i + 1 < parts && part_of(all, parts, i + 1).lo <= me)
		i++;
	return i;
}

/*
 * A round: every member of a part gets the partial result of each other part from one member of
 * that part. If parts differ in size, a member of a smaller part sends to several.
 */
static void merge(struct baseline_build *b, const struct baseline_group *t, struct range all,
		  uint32_t parts)
{
	uint32_t own = part_with(all, parts, t->me);
	struct range mine = part_of(all, parts, own);
	uint32_t i = t->me - mine.lo;
	uint64_t base = b->tmp;

	for (uint32_t d = 1; d < parts; d++) {
		struct range to = part_of(all, parts, (own + d) % parts);

		for (uint32_t m = i; m < to.n; m += mine.n)
			baseline_send(b, t, to.lo + m, 0, t->count);
	}
	for (uint32_t d = 1; d < parts; d++) {
		struct range from = part_of(all, parts, (own + parts - d) % parts);

		baseline_recv(b, t, from.lo + i % from.n, baseline_alloc(b, t->count), t->count);
	}
	baseline_wait_reduce(b, parts - 1, base, t->count);
	b->tmp = base;
}

/* @reach: the radix to the power of the remaining rounds; at least all.n. */
static void multiply(struct baseline_build *b, const struct baseline_group *t, struct range all,
		     uint64_t reach)
{
	uint32_t parts;

	if (all.n < 2)
		return;
	reach /= t->param;
	parts = (all.n - 1) / reach + 1;
	multiply(b, t, part_of(all, parts, part_with(all, parts, t->me)), reach);
	merge(b, t, all, parts);
}

/*
 * Recursive multiplying with at most `param` parts per round and the least number of rounds, for
 * any number of members: parts have nearly equal sizes, and all members take part in all rounds.
 */
void baseline_multiplying(struct baseline_build *b, const struct baseline_group *t)
{
	uint64_t reach = 1;

	while (reach < t->n)
		reach *= t->param;
	multiply(b, t, (struct range){ 0, t->n }, reach);
}

/*
 * Recursive multiplying as in libraries: the members beyond the largest power p of the radix send
 * their vectors to the others, round robin, and receive the result from them.
 */
void baseline_folded(struct baseline_build *b, const struct baseline_group *t)
{
	uint64_t base = b->tmp, p = 1;
	uint32_t n = 0, v;

	while (p * t->param <= t->n)
		p *= t->param;
	if (t->me >= p) {
		baseline_send(b, t, t->me % p, 0, t->count);
		baseline_recv_wait(b, t, t->me % p, 0, t->count);
		return;
	}
	for (v = t->me + p; v < t->n; v += p, n++)
		baseline_recv(b, t, v, baseline_alloc(b, t->count), t->count);
	baseline_wait_reduce(b, n, base, t->count);
	b->tmp = base;
	multiply(b, t, (struct range){ 0, p }, p);
	for (v = t->me + p; v < t->n; v += p)
		baseline_send(b, t, v, 0, t->count);
}

/* For barriers only: member v notifies v + d, v + 2d, ..., for d = 1, radix, radix^2, ... */
void baseline_dissemination(struct baseline_build *b, const struct baseline_group *t)
{
	for (uint64_t dist = 1; dist < t->n; dist *= t->param) {
		uint32_t n = 0;

		for (uint64_t d = dist; d < t->n && d < dist * t->param; d += dist)
			baseline_send(b, t, (t->me + d) % t->n, 0, t->count);
		for (uint64_t d = dist; d < t->n && d < dist * t->param; d += dist, n++)
			baseline_recv(b, t, (t->me + t->n - d) % t->n, 0, t->count);
		baseline_wait_reduce(b, n, 0, t->count);
	}
}

void baseline_reduce_bcast(struct baseline_build *b, const struct baseline_group *t)
{
	baseline_knomial_reduce(b, t);
	baseline_knomial_bcast(b, t);
}

void baseline_linear_both(struct baseline_build *b, const struct baseline_group *t)
{
	baseline_linear_reduce(b, t);
	baseline_linear_bcast(b, t);
}
