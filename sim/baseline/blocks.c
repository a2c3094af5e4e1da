// SPDX-License-Identifier: BSD-2-Clause
/*
 * Algorithms on a vector of one block for each member: allgather distributes the members' blocks,
 * and reduce-scatter leaves each member its block of the result.
 */
#include "baseline/build.h"

static uint64_t begin(const struct baseline_group *t, uint32_t block)
{
	return baseline_block(t->count, block, t->n);
}

/* Returns the length of blocks lo .. hi - 1. */
static uint64_t length(const struct baseline_group *t, uint32_t lo, uint32_t hi)
{
	return begin(t, hi) - begin(t, lo);
}

static void send_blocks(struct baseline_build *b, const struct baseline_group *t, uint32_t to,
			uint32_t lo, uint32_t hi)
{
	baseline_send(b, t, to, begin(t, lo), length(t, lo, hi));
}

static void take_blocks(struct baseline_build *b, const struct baseline_group *t, uint32_t from,
			uint32_t lo, uint32_t hi)
{
	baseline_recv_wait(b, t, from, begin(t, lo), length(t, lo, hi));
}

/* Each block goes round the ring. */
void baseline_ring_allgather(struct baseline_build *b, const struct baseline_group *t)
{
	uint32_t right = (t->me + 1) % t->n, left = (t->me + t->n - 1) % t->n, out = t->me;

	for (uint32_t s = 1; s < t->n; s++) {
		uint32_t in = (out + t->n - 1) % t->n;

		send_blocks(b, t, right, out, out + 1);
		take_blocks(b, t, left, in, in + 1);
		out = in;
	}
}

/* As the ring allgather, with a sum: block v starts at member v + 1 and ends at member v. */
void baseline_ring_scatter(struct baseline_build *b, const struct baseline_group *t)
{
	uint32_t right = (t->me + 1) % t->n, left = (t->me + t->n - 1) % t->n, out = left;
	uint64_t base = b->tmp, tmp = baseline_alloc(b, t->count / t->n + 1);

	for (uint32_t s = 1; s < t->n; s++) {
		uint32_t in = (out + t->n - 1) % t->n;

		send_blocks(b, t, right, out, out + 1);
		baseline_recv_wait(b, t, left, tmp, length(t, in, in + 1));
		baseline_reduce(b, begin(t, in), tmp, length(t, in, in + 1));
		out = in;
	}
	b->tmp = base;
}

/*
 * A ring reduce-scatter and a ring allgather, each block cut into segments. A segment is sent on
 * while the next one is combined, and while segments of the following block arrive.
 */
struct ring {
	const struct baseline_group *t;
	uint32_t right, left, parts;	/* segments of a block */
	uint64_t tmp, slot;		/* room for partial results: one slot per segment */
};

/* Returns the block that arrives in round 1, 2, ...; that of round 0 is sent first. */
static uint32_t ring_block(const struct ring *r, uint32_t round)
{
	return (r->t->me + 2 * r->t->n - 1 - round % r->t->n) % r->t->n;
}

static uint64_t part_begin(const struct ring *r, uint32_t block, uint32_t part)
{
	return begin(r->t, block) + baseline_block(length(r->t, block, block + 1), part, r->parts);
}

static uint64_t part_length(const struct ring *r, uint32_t block, uint32_t part)
{
	return part_begin(r, block, part + 1) - part_begin(r, block, part);
}

/* Returns the destination of a segment: partial results in the first rounds, then final ones. */
static uint64_t part_to(const struct ring *r, uint32_t round, uint32_t part)
{
	return round < r->t->n ? r->tmp + part * r->slot :
	       part_begin(r, ring_block(r, round), part);
}

static void ring_send(struct baseline_build *b, const struct ring *r, uint32_t round, uint32_t part)
{
	uint32_t block = ring_block(r, round);

	baseline_send(b, r->t, r->right, part_begin(r, block, part), part_length(r, block, part));
}

static void ring_recv(struct baseline_build *b, const struct ring *r, uint32_t round, uint32_t part)
{
	baseline_recv(b, r->t, r->left, part_to(r, round, part),
		      part_length(r, ring_block(r, round), part));
}

static void ring_part(struct baseline_build *b, const struct ring *r, uint32_t round, uint32_t part)
{
	uint32_t block = ring_block(r, round);

	baseline_wait(b);
	if (round < r->t->n)
		baseline_reduce(b, part_begin(r, block, part), part_to(r, round, part),
				part_length(r, block, part));
	if (round == 2 * (r->t->n - 1))
		return;
	ring_recv(b, r, round + 1, part);
	ring_send(b, r, round, part);
}

void baseline_ring_allreduce(struct baseline_build *b, const struct baseline_group *t)
{
	uint64_t base = b->tmp, longest = t->count / t->n + 1;
	struct ring r = {
		.t = t,
		.right = (t->me + 1) % t->n, .left = (t->me + t->n - 1) % t->n,
		.parts = t->param ? (longest - 1) / t->param + 1 : 1,
	};

	if (t->n < 2)
		return;
	r.slot = (longest - 1) / r.parts + 1;
	r.tmp = baseline_alloc(b, r.parts * r.slot);
	for (uint32_t part = 0; part < r.parts; part++)
		ring_recv(b, &r, 1, part);
	for (uint32_t part = 0; part < r.parts; part++)
		ring_send(b, &r, 0, part);
	for (uint32_t round = 1; round <= 2 * (t->n - 1); round++)
		for (uint32_t part = 0; part < r.parts; part++)
			ring_part(b, &r, round, part);
	b->tmp = base;
}

/* Every member sends every other one its block, one exchange after the other. */
void baseline_pairwise_scatter(struct baseline_build *b, const struct baseline_group *t)
{
	uint64_t base = b->tmp, tmp = baseline_alloc(b, t->count / t->n + 1);
	uint64_t mine = length(t, t->me, t->me + 1);

	for (uint32_t d = 1; d < t->n; d++) {
		uint32_t to = (t->me + d) % t->n;

		send_blocks(b, t, to, to, to + 1);
		baseline_recv_wait(b, t, (t->me + t->n - d) % t->n, tmp, mine);
		baseline_reduce(b, begin(t, t->me), tmp, mine);
	}
	b->tmp = base;
}

/* The same, with all messages in flight at once. */
void baseline_spread_scatter(struct baseline_build *b, const struct baseline_group *t)
{
	uint64_t base = b->tmp, mine = length(t, t->me, t->me + 1);

	for (uint32_t d = 1; d < t->n; d++)
		send_blocks(b, t, (t->me + d) % t->n, (t->me + d) % t->n, (t->me + d) % t->n + 1);
	for (uint32_t d = 1; d < t->n; d++)
		baseline_recv(b, t, (t->me + t->n - d) % t->n, baseline_alloc(b, mine), mine);
	for (uint32_t d = 0; d + 1 < t->n; d++) {
		baseline_wait(b);
		baseline_reduce(b, begin(t, t->me), base + d * mine, mine);
	}
	b->tmp = base;
}

/* Every member sends its block to every other one. */
void baseline_spread_allgather(struct baseline_build *b, const struct baseline_group *t)
{
	for (uint32_t d = 1; d < t->n; d++)
		send_blocks(b, t, (t->me + d) % t->n, t->me, t->me + 1);
	for (uint32_t d = 1; d < t->n; d++) {
		uint32_t from = (t->me + t->n - d) % t->n;

		baseline_recv(b, t, from, begin(t, from), length(t, from, from + 1));
	}
	for (uint32_t d = 1; d < t->n; d++)
		baseline_wait(b);
}

/* Member 0 sends each other one its block. */
void baseline_linear_distribute(struct baseline_build *b, const struct baseline_group *t)
{
	if (t->me) {
		take_blocks(b, t, 0, t->me, t->me + 1);
		return;
	}
	for (uint32_t v = 1; v < t->n; v++)
		send_blocks(b, t, v, v, v + 1);
}

/* Member 0 reduces over a binomial tree and sends each member its block. */
void baseline_linear_scatter(struct baseline_build *b, const struct baseline_group *t)
{
	struct baseline_group binomial = *t;

	binomial.param = 2;
	baseline_knomial_reduce(b, &binomial);
	baseline_linear_distribute(b, t);
}

/* The number of members must be a power of two. */
void baseline_doubling_allgather(struct baseline_build *b, const struct baseline_group *t)
{
	for (uint32_t mask = 1; mask < t->n; mask *= 2) {
		uint32_t lo = t->me & ~(mask - 1), other = lo ^ mask;

		send_blocks(b, t, t->me ^ mask, lo, lo + mask);
		take_blocks(b, t, t->me ^ mask, other, other + mask);
	}
}

/* Returns the pair of blocks @by pairs after pair @from. */
static uint32_t pair_at(const struct baseline_group *t, uint32_t from, int64_t by)
{
	int64_t pairs = t->n / 2;

	return ((from + by) % pairs + pairs) % pairs;
}

/*
 * The number of members must be even. The two members of a pair exchange their blocks; then every
 * member exchanges with its two neighbours in turn, and sends on the pair of blocks that it
 * received last. After J. Chen et al., "Performance Evaluation of Allgather Algorithms on Terascale
 * Linux Cluster with Fast Ethernet", HPC Asia 2005.
 */
void baseline_neighbour_allgather(struct baseline_build *b, const struct baseline_group *t)
{
	uint32_t pair = t->me / 2, out = pair;
	uint32_t other = t->me ^ 1, beyond = (t->me + (t->me % 2 ? 1 : t->n - 1)) % t->n;
	int64_t way = t->me % 2 ? 1 : -1;

	if (t->n < 2)
		return;
	send_blocks(b, t, other, t->me, t->me + 1);
	take_blocks(b, t, other, other, other + 1);
	for (uint32_t s = 1; s < t->n / 2; s++) {
		uint32_t peer = s % 2 ? beyond : other;
		uint32_t in = pair_at(t, pair, way * (s % 2 ? (s + 1) / 2 : -(int64_t)(s / 2)));

		send_blocks(b, t, peer, 2 * out, 2 * out + 2);
		take_blocks(b, t, peer, 2 * in, 2 * in + 2);
		out = in;
	}
}

/*
 * For any number of members: a member gathers blocks in a temporary buffer, its own first, and
 * moves them to their places at the end. After J. Bruck et al., IEEE TPDS 8(11), 1997.
 */
void baseline_bruck_allgather(struct baseline_build *b, const struct baseline_group *t)
{
	uint64_t base = b->tmp, room = baseline_alloc(b, t->count), len = t->count / t->n;

	baseline_copy(b, room, begin(t, t->me), len);
	for (uint32_t have = 1; have < t->n; have *= 2) {
		uint64_t more = have < t->n - have ? have : t->n - have;

		baseline_send(b, t, (t->me + t->n - have) % t->n, room, more * len);
		baseline_recv_wait(b, t, (t->me + have) % t->n, room + have * len, more * len);
	}
	baseline_copy(b, begin(t, t->me), room, (t->n - t->me) * len);
	baseline_copy(b, 0, room + (t->n - t->me) * len, t->me * len);
	b->tmp = base;
}

/* Sends member 0's blocks to their members, down a binomial tree. */
void baseline_binomial_scatter(struct baseline_build *b, const struct baseline_group *t)
{
	uint32_t mask = 1, v = t->me;

	while (mask < t->n && !(v & mask))
		mask *= 2;
	if (v)
		take_blocks(b, t, v - mask, v, v + mask < t->n ? v + mask : t->n);
	for (mask /= 2; mask; mask /= 2)
		if (v + mask < t->n)
			send_blocks(b, t, v + mask, v + mask,
				    v + 2 * mask < t->n ? v + 2 * mask : t->n);
}

/* The same tree upwards. */
void baseline_binomial_gather(struct baseline_build *b, const struct baseline_group *t)
{
	uint32_t mask = 1, v = t->me;

	for (; mask < t->n && !(v & mask); mask *= 2)
		if (v + mask < t->n)
			take_blocks(b, t, v + mask, v + mask,
				    v + 2 * mask < t->n ? v + 2 * mask : t->n);
	if (v)
		send_blocks(b, t, v - mask, v, v + mask < t->n ? v + mask : t->n);
}

/* Every member sends its block to member 0. */
void baseline_linear_gather(struct baseline_build *b, const struct baseline_group *t)
{
	if (t->me) {
		send_blocks(b, t, 0, t->me, t->me + 1);
		return;
	}
	for (uint32_t v = 1; v < t->n; v++)
		baseline_recv(b, t, v, begin(t, v), length(t, v, v + 1));
	for (uint32_t v = 1; v < t->n; v++)
		baseline_wait(b);
}

/* After R. van de Geijn: scatter, then allgather. */
void baseline_scatter_ring_bcast(struct baseline_build *b, const struct baseline_group *t)
{
	baseline_binomial_scatter(b, t);
	baseline_ring_allgather(b, t);
}

void baseline_scatter_doubling_bcast(struct baseline_build *b, const struct baseline_group *t)
{
	baseline_binomial_scatter(b, t);
	baseline_doubling_allgather(b, t);
}
