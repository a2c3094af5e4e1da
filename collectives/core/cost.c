// SPDX-License-Identifier: BSD-2-Clause
#include "core/cost.h"

/* For a shape of the table, and for others. */
#define MARGIN 64
#define MARGIN_BETWEEN 5

/* Intervals between two sizes of the table in which changes are sought. */
#define PARTS 16

/* Bytes from which on nothing changes: those of the longest message. */
#define MOST (1ULL << 31)

/* The place of a value among the values of the table: between those at @lo and @next, or beyond them. */
struct place {
	uint32_t lo, next, at_lo;	/* @at_lo: the value there */
	int64_t above, width;	/* its distance from the value at @lo, and that of the next one */
};

static struct place place_of(const uint32_t *values, uint32_t lo, uint32_t next, uint64_t value)
{
	return (struct place){ lo, next, values[lo], (int64_t)(value - values[lo]),
			       values[next] - values[lo] };
}

static struct place find(const uint32_t *values, uint32_t num, uint64_t value)
{
	uint32_t lo = 0;

	while (lo + 2 < num && value >= values[lo + 1])
		lo++;
	return place_of(values, lo, lo + 1, value);
}

/*
 * Among the numbers of ranks that were measured with this number of nodes, and those above them all, whose
 * times follow from fewer nodes.
 */
static struct place find_ranks(uint32_t node, uint64_t ranks)
{
	uint32_t lo = 0, next;

	for (uint32_t i = 0; i + 1 < TC_COST_RANKS; i++)
		if (ranks >= tc_cost_ranks[i] && tc_cost_usable[node] & 1u << i)
			lo = i;
	next = lo + 1;
	while (!(tc_cost_usable[node] & 1u << next))
		next++;
	return place_of(tc_cost_ranks, lo, next, ranks);
}

/* The straight line through two times. A time is never below 1. */
static uint64_t between(const struct place *p, uint64_t at_lo, uint64_t at_next)
{
	int64_t ns = (int64_t)at_lo + ((int64_t)at_next - (int64_t)at_lo) * p->above / p->width;

	return ns < 1 ? 1 : ns;
}

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t most(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/*
 * The time between two numbers of nodes or ranks. Where it grows faster than they do, or falls, there is a
 * jump at an unknown place, and the estimate is the worst for offload.
 */
static uint64_t worst_between(const struct place *p, enum tc_cost_by by, uint64_t lo, uint64_t next)
{
	const uint64_t line = between(p, lo, next), value = p->at_lo + p->above;

	if (p->above == 0 || p->above >= p->width)
		return line;
	if (by == TC_COST_HOST)
		return least(least(line, next), lo * value / p->at_lo);
	return next < lo ? lo : next > lo * (p->at_lo + p->width) / p->at_lo ? next : line;
}

/* Returns the index of a value that the table has, or @num. */
static uint32_t index_of(const uint32_t *values, uint32_t num, uint64_t value)
{
	uint32_t i = 0;

	while (i < num && values[i] != value)
		i++;
	return i;
}

static bool is_measured(uint32_t nodes, uint32_t ranks)
{
	const uint32_t n = index_of(tc_cost_nodes, TC_COST_NODES, nodes);
	const uint32_t r = index_of(tc_cost_ranks, TC_COST_RANKS, ranks);

	return n < TC_COST_NODES && r < TC_COST_RANKS && tc_cost_measured[n] & 1u << r;
}

/* The time of an operation, by one way and with one size, among as many nodes as the table has at @node. */
static uint64_t time_at(uint32_t opcode, uint32_t node, uint32_t ranks, uint32_t size,
			enum tc_cost_by by)
{
	const struct tc_cost_times *row = tc_cost_table[opcode - 1][node];
	const struct place r = find_ranks(node, ranks);

	return worst_between(&r, by, row[r.lo].ns[size][by], row[r.next].ns[size][by]);
}

static uint32_t limited(uint64_t ns)
{
	return ns < UINT32_MAX ? ns : UINT32_MAX;
}

void tc_cost_row(struct tc_cost_row *row, uint32_t opcode, uint32_t nodes, uint32_t ranks)
{
	const struct place n = find(tc_cost_nodes, TC_COST_NODES, nodes);

	for (uint32_t s = 0; s < TC_COST_SIZES; s++)
		for (uint32_t k = 0; k < TC_COST_NUM; k++) {
			uint64_t few = time_at(opcode, n.lo, ranks, s, k);
			uint64_t many = time_at(opcode, n.next, ranks, s, k);

			row->times.ns[s][k] = limited(worst_between(&n, k, few, many));
		}
	row->margin = is_measured(nodes, ranks) ? MARGIN : MARGIN_BETWEEN;
}

/* The line through the times at @from and at its neighbour @to, at a distance from @from. */
static int64_t line_on(const struct tc_cost_times *t, enum tc_cost_by by, uint32_t from,
		       uint32_t to, int64_t distance)
{
	const int64_t width = (int64_t)tc_cost_sizes[to] - tc_cost_sizes[from];
	const int64_t ns = t->ns[from][by];

	return ns + (t->ns[to][by] - ns) * distance / width;
}

/*
 * Between two sizes of the table, an algorithm or a method of transfer may take the place of another, at
 * an unknown size. So either the line of the interval below goes on, or that of the one above has begun,
 * or neither is so. The estimate is the worst of these for offload. Within an algorithm a time does not
 * fall with the bytes, and grows no faster than they do.
 */
static uint64_t cautious(const struct tc_cost_times *t, enum tc_cost_by by, const struct place *s)
{
	const uint32_t lo = s->lo, next = lo + 1;
	const int64_t size = tc_cost_sizes[lo], at = size + s->above;
	const int64_t low = t->ns[lo][by], high = t->ns[next][by], line = between(s, low, high);
	int64_t below = line, above = line;

	if (s->above >= s->width || s->above == 0)
		return line;
	if (lo)
		below = least(most(low, line_on(t, by, lo, lo - 1, s->above)), low * at / size);
	if (next + 1 < TC_COST_SIZES)
		above = most(least(high, line_on(t, by, next, next + 1, s->above - s->width)),
			     high * at / tc_cost_sizes[next]);
	if (by == TC_COST_HOST)
		return least(line, least(below, above));
	return most(line, most(below, above));
}

void tc_cost_at(const struct tc_cost_row *row, uint64_t bytes, uint64_t ns[TC_COST_NUM])
{
	const uint64_t shortest = tc_cost_sizes[0];
	const struct place s = find(tc_cost_sizes, TC_COST_SIZES,
				    bytes < shortest ? shortest : bytes < MOST ? bytes : MOST);

	for (uint32_t k = 0; k < TC_COST_NUM; k++)
		ns[k] = cautious(&row->times, k, &s);
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

/* Adds the changes between two sizes of the table, at which estimates may jump. */
static void add_interval(struct tc_cost_steps *steps, const struct tc_cost_row *row, uint64_t size,
			 uint64_t next)
{
	const uint64_t lo = size + 1, width = next - 1 - lo;

	add_changes(steps, row, size, lo);
	for (uint64_t p = 0; p < PARTS; p++)
		add_changes(steps, row, lo + p * width / PARTS, lo + (p + 1) * width / PARTS);
	add_changes(steps, row, next - 1, next);
}

void tc_cost_steps(struct tc_cost_steps *steps, uint32_t opcode, uint32_t nodes, uint32_t ranks)
{
	struct tc_cost_row row;

	tc_cost_row(&row, opcode, nodes, ranks);
	steps->num = 0;
	add(steps, 0, verdict_at(&row, 0));
	for (uint32_t s = 0; s + 1 < TC_COST_SIZES; s++)
		add_interval(steps, &row, tc_cost_sizes[s], tc_cost_sizes[s + 1]);
	add_changes(steps, &row, tc_cost_sizes[TC_COST_SIZES - 1], MOST);
}
