// SPDX-License-Identifier: BSD-2-Clause
#include "core/cost.h"

/* For a shape of the table, and for others. */
#define MARGIN 64
#define MARGIN_BETWEEN 8

/* Intervals between two sizes of the table in which changes are sought. */
#define PARTS 16

/* Bytes from which on nothing changes: those of the longest message. */
#define MOST (1ULL << 31)

/* The place of a value among the values of the table: between @lo and @lo + 1, or beyond them. */
struct place {
	uint32_t lo;
	int64_t above, width;	/* its distance from the value at @lo, and that of the next one */
};

static struct place find(const uint32_t *values, uint32_t num, uint64_t value)
{
	uint32_t lo = 0;

	while (lo + 2 < num && value >= values[lo + 1])
		lo++;
	return (struct place){ lo, (int64_t)(value - values[lo]), values[lo + 1] - values[lo] };
}

/* The straight line through two times. A time is never below 1. */
static uint64_t between(const struct place *p, uint64_t at_lo, uint64_t at_next)
{
	int64_t ns = (int64_t)at_lo + ((int64_t)at_next - (int64_t)at_lo) * p->above / p->width;

	return ns < 1 ? 1 : ns;
}

static bool exact(const struct place *p)
{
	return p->above == 0 || p->above == p->width;
}

static uint32_t limited(uint64_t ns)
{
	return ns < UINT32_MAX ? ns : UINT32_MAX;
}

void tc_cost_row(struct tc_cost_row *row, uint32_t opcode, uint32_t nodes, uint32_t ranks)
{
	const struct place n = find(tc_cost_nodes, TC_COST_NODES, nodes);
	const struct place r = find(tc_cost_ranks, TC_COST_RANKS, ranks);
	const struct tc_cost_times (*table)[TC_COST_RANKS] = tc_cost_table[opcode - 1];

	for (uint32_t s = 0; s < TC_COST_SIZES; s++)
		for (uint32_t k = 0; k < TC_COST_NUM; k++) {
			uint64_t few = between(&r, table[n.lo][r.lo].ns[s][k],
					       table[n.lo][r.lo + 1].ns[s][k]);
			uint64_t many = between(&r, table[n.lo + 1][r.lo].ns[s][k],
						table[n.lo + 1][r.lo + 1].ns[s][k]);

			row->times.ns[s][k] = limited(between(&n, few, many));
		}
	row->margin = exact(&n) && exact(&r) ? MARGIN : MARGIN_BETWEEN;
}

/*
 * Between two sizes of the table, an algorithm or a method of transfer may take the place of another,
 * with a jump of the time, at an unknown size. The estimates assume the worst for offload: no time
 * grows faster than the bytes, so a host's that does jumps up at the end only, and a way's that falls
 * jumps down at the end only.
 */
static uint64_t cautious(const struct place *s, enum tc_cost_by by, uint64_t lo, uint64_t next)
{
	const uint64_t line = between(s, lo, next), size = tc_cost_sizes[s->lo];
	const uint64_t most = lo * (size + s->above) / size;

	if (s->above >= s->width)
		return line;
	if (by == TC_COST_HOST)
		return line < most ? line : most;
	return next < lo ? most : line;
}

void tc_cost_at(const struct tc_cost_row *row, uint64_t bytes, uint64_t ns[TC_COST_NUM])
{
	const uint64_t least = tc_cost_sizes[0];
	const struct place s = find(tc_cost_sizes, TC_COST_SIZES,
				    bytes < least ? least : bytes < MOST ? bytes : MOST);

	for (uint32_t k = 0; k < TC_COST_NUM; k++)
		ns[k] = cautious(&s, k, row->times.ns[s.lo][k], row->times.ns[s.lo + 1][k]);
}

static bool host_wins(const uint64_t ns[TC_COST_NUM], enum tc_cost_by way, uint32_t margin)
{
	return ns[way] + ns[way] / margin >= ns[TC_COST_HOST];
}

uint32_t tc_cost_verdict(const uint64_t ns[TC_COST_NUM], uint32_t margin)
{
	const bool node = ns[TC_COST_NODE] < ns[TC_COST_DIRECT];

	const bool best = host_wins(ns, node ? TC_COST_NODE : TC_COST_DIRECT, margin);

	return (node ? TC_COST_NODE_WINS : 0) | (best ? TC_COST_HOST_WINS : 0) |
	       (host_wins(ns, TC_COST_DIRECT, margin) ? TC_COST_HOST_BEATS_DIRECT : 0);
}

static uint32_t verdict_at(const struct tc_cost_row *row, uint64_t bytes)
{
	uint64_t ns[TC_COST_NUM];

	tc_cost_at(row, bytes, ns);
	return tc_cost_verdict(ns, row->margin);
}

static void add(struct tc_cost_steps *steps, uint64_t from, uint32_t verdict)
{
	if (steps->num == TC_COST_STEPS)
		return;
	steps->step[steps->num].from = from;
	steps->step[steps->num++].verdict = verdict;
}

/*
 * Adds the changes above @lo, up to @hi, with a bisection for each: in a short interval a verdict does
 * not come back.
 */
static void add_changes(struct tc_cost_steps *steps, const struct tc_cost_row *row, uint64_t lo,
			uint64_t hi)
{
	const uint32_t last = verdict_at(row, hi);

	while (verdict_at(row, lo) != last) {
		const uint32_t verdict = verdict_at(row, lo);
		uint64_t same = lo, other = hi;

		while (other - same > 1) {
			uint64_t mid = same + (other - same) / 2;

			if (verdict_at(row, mid) == verdict)
				same = mid;
			else
				other = mid;
		}
		add(steps, other, verdict_at(row, other));
		lo = other;
	}
}

void tc_cost_steps(struct tc_cost_steps *steps, uint32_t opcode, uint32_t nodes, uint32_t ranks)
{
	struct tc_cost_row row;

	tc_cost_row(&row, opcode, nodes, ranks);
	steps->num = 0;
	add(steps, 0, verdict_at(&row, 0));
	for (uint32_t s = 0; s + 1 < TC_COST_SIZES; s++)
		for (uint64_t p = 0; p < PARTS; p++) {
			const uint64_t lo = tc_cost_sizes[s], width = tc_cost_sizes[s + 1] - lo;

			add_changes(steps, &row, lo + p * width / PARTS,
				    lo + (p + 1) * width / PARTS);
		}
	add_changes(steps, &row, tc_cost_sizes[TC_COST_SIZES - 1], MOST);
}
