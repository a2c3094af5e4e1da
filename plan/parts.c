// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* EXCHANGE: the ranges of nodes that each round combines. */
#include "plan/plan_int.h"

#include <errno.h>
#include <stdlib.h>

void plan_parts_free(struct parts *parts)
{
	for (uint32_t r = 0; r <= TALLY_MAX_ROUNDS; r++)
		free(parts->level[r].start);
	*parts = (struct parts){ 0 };
}

uint32_t plan_parts_find(const struct round_parts *level, uint16_t place)
{
	uint32_t low = 0, high = level->num;

	while (high - low > 1) {
		uint32_t mid = (low + high) / 2;

		if (level->start[mid] <= place)
			low = mid;
		else
			high = mid;
	}
	return low;
}

int plan_parts_alloc(struct round_parts *level, uint32_t max)
{
	level->num = 0;
	level->start = malloc((max + 1) * sizeof(*level->start));
	return level->start ? 0 : -ENOMEM;
}

static int copy(struct round_parts *to, const struct round_parts *from)
{
	if (plan_parts_alloc(to, from->num))
		return -ENOMEM;
	to->num = from->num;
	for (uint32_t p = 0; p <= from->num; p++)
		to->start[p] = from->start[p];
	return 0;
}

/*
 * Cuts each part of `above` into `radix` pieces, or into fewer if there are not enough parts. Each
 * piece consists of parts of `whole`, and the pieces are as equal as possible.
 */
static int cut(struct round_parts *below, const struct round_parts *above,
	       const struct round_parts *whole, uint32_t radix)
{
	uint32_t at = 0;

	if (plan_parts_alloc(below, whole->num))
		return -ENOMEM;
	for (uint32_t p = 0; p < above->num; p++) {
		uint32_t count = 0, pieces;

		while (at + count < whole->num && whole->start[at + count] < above->start[p + 1])
			count++;
		pieces = count < radix ? count : radix;
		for (uint32_t i = 0; i < pieces; i++) {
			below->start[below->num++] = whole->start[at];
			at += count / pieces + (i < count % pieces);
		}
	}
	below->start[below->num] = whole->start[whole->num];
	return 0;
}

int plan_parts_refine(struct parts *parts, const struct round_parts *low,
		      const struct round_parts *high, uint32_t rounds, const uint8_t *radix)
{
	uint32_t first = parts->rounds;

	if (!parts->level[0].start && copy(&parts->level[0], low))
		return -ENOMEM;
	parts->rounds += rounds;
	if (rounds && copy(&parts->level[parts->rounds], high))
		return -ENOMEM;
	for (uint32_t r = rounds; r > 1; r--)
		if (cut(&parts->level[first + r - 1], &parts->level[first + r], low, radix[r - 1]))
			return -ENOMEM;
	return 0;
}

int plan_parts_singles(struct round_parts *level, uint32_t num_nodes)
{
	if (plan_parts_alloc(level, num_nodes))
		return -ENOMEM;
	level->num = num_nodes;
	for (uint32_t i = 0; i <= num_nodes; i++)
		level->start[i] = i;
	return 0;
}

int plan_parts_all(struct round_parts *level, uint32_t num_nodes)
{
	if (plan_parts_alloc(level, 1))
		return -ENOMEM;
	level->num = 1;
	level->start[0] = 0;
	level->start[1] = num_nodes;
	return 0;
}

/* Returns the largest number of parts of `low` in a part of `high`. */
uint32_t plan_parts_most(const struct round_parts *low, const struct round_parts *high)
{
	uint32_t most = 0, at = 0;

	for (uint32_t p = 0; p < high->num; p++) {
		uint32_t from = at;

		while (at < low->num && low->start[at] < high->start[p + 1])
			at++;
		if (at - from > most)
			most = at - from;
	}
	return most;
}

static uint64_t product(uint32_t rounds, const uint8_t *radix)
{
	uint64_t p = 1;

	for (uint32_t r = 0; r < rounds; r++)
		p *= radix[r];
	return p;
}

bool plan_radices(uint32_t count, uint32_t rounds, uint8_t *radix)
{
	uint32_t k = 1;

	do {
		if (++k > TALLY_MAX_CONTRIBUTORS)
			return false;
		for (uint32_t r = 0; r < rounds; r++)
			radix[r] = k;
	} while (product(rounds, radix) < count);
	for (uint32_t r = rounds; r-- > 0;) {
		radix[r]--;
		if (product(rounds, radix) < count) {
			radix[r]++;
			break;
		}
	}
	return true;
}
