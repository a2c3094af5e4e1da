// SPDX-License-Identifier: BSD-2-Clause
#include "baseline/names.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SEGMENT (1u << 30)

/* Segment sizes to be tried, in bytes; the last one is Open MPI's for rings. */
static const uint32_t segments[] = { 4096, 16384, 65536, 262144, 1048576 };

static bool power_of_two(const struct baseline_shape *s, uint32_t param)
{
	(void)param;
	return !(s->n & (s->n - 1));
}

static bool even(const struct baseline_shape *s, uint32_t param)
{
	(void)param;
	return s->n == 1 || s->n % 2 == 0;
}

/* For a power of the radix no member is folded, and "recursive-multiplying" does the same. */
static bool no_power(const struct baseline_shape *s, uint32_t radix)
{
	uint64_t p = 1;

	while (p < s->n)
		p *= radix;
	return p != s->n && radix <= s->n;
}

/* Requires segments of whole elements, and more than one segment in what is sent at a time. */
static bool segments_vector(const struct baseline_shape *s, uint32_t bytes)
{
	return bytes >= s->elem && bytes / s->elem < s->count;
}

static bool segments_blocks(const struct baseline_shape *s, uint32_t bytes)
{
	return bytes >= s->elem && bytes / s->elem < s->count / s->n;
}

#define ALLREDUCE TALLY_OPCODE_ALLREDUCE
#define REDUCE TALLY_OPCODE_REDUCE
#define BCAST TALLY_OPCODE_BCAST
#define BARRIER TALLY_OPCODE_BARRIER
#define ALLGATHER TALLY_OPCODE_ALLGATHER
#define REDUCE_SCATTER TALLY_OPCODE_REDUCE_SCATTER
#define GATHER TALLY_OPCODE_GATHER
#define SCATTER TALLY_OPCODE_SCATTER

static const struct baseline_algorithm algorithms[] = {
	{ ALLREDUCE, "recursive-doubling", BASELINE_PLAIN, baseline_doubling, NULL },
	{ ALLREDUCE, "rabenseifner", BASELINE_PLAIN, baseline_rabenseifner, NULL },
	{ ALLREDUCE, "ring", BASELINE_PLAIN, baseline_ring_allreduce, NULL },
	{ ALLREDUCE, "ring", BASELINE_SEGMENT, baseline_ring_allreduce, segments_blocks },
	{ ALLREDUCE, "recursive-multiplying", BASELINE_RADIX, baseline_multiplying, NULL },
	{ ALLREDUCE, "folded-multiplying", BASELINE_RADIX, baseline_folded, no_power },
	{ ALLREDUCE, "reduce-bcast", BASELINE_RADIX, baseline_reduce_bcast, NULL },
	{ BCAST, "k-nomial", BASELINE_RADIX, baseline_knomial_bcast, NULL },
	{ BCAST, "binary", BASELINE_PLAIN, baseline_binary_bcast, NULL },
	{ BCAST, "linear", BASELINE_PLAIN, baseline_linear_bcast, NULL },
	{ BCAST, "chain", BASELINE_PLAIN, baseline_chain_bcast, NULL },
	{ BCAST, "pipeline", BASELINE_SEGMENT, baseline_chain_bcast, segments_vector },
	{ BCAST, "scatter-ring", BASELINE_PLAIN, baseline_scatter_ring_bcast, NULL },
	{ BCAST, "scatter-doubling", BASELINE_PLAIN, baseline_scatter_doubling_bcast, power_of_two },
	{ BARRIER, "recursive-doubling", BASELINE_PLAIN, baseline_doubling, NULL },
	{ BARRIER, "linear", BASELINE_PLAIN, baseline_linear_both, NULL },
	{ BARRIER, "dissemination", BASELINE_RADIX, baseline_dissemination, NULL },
	{ BARRIER, "recursive-multiplying", BASELINE_RADIX, baseline_multiplying, NULL },
	{ BARRIER, "tree", BASELINE_RADIX, baseline_reduce_bcast, NULL },
	{ REDUCE, "k-nomial", BASELINE_RADIX, baseline_knomial_reduce, NULL },
	{ REDUCE, "binary", BASELINE_PLAIN, baseline_binary_reduce, NULL },
	{ REDUCE, "linear", BASELINE_PLAIN, baseline_linear_reduce, NULL },
	{ REDUCE, "chain", BASELINE_PLAIN, baseline_chain_reduce, NULL },
	{ REDUCE, "pipeline", BASELINE_SEGMENT, baseline_chain_reduce, segments_vector },
	{ REDUCE, "rabenseifner", BASELINE_PLAIN, baseline_rabenseifner_reduce, NULL },
	{ ALLGATHER, "bruck", BASELINE_PLAIN, baseline_bruck_allgather, NULL },
	{ ALLGATHER, "recursive-doubling", BASELINE_PLAIN, baseline_doubling_allgather, power_of_two },
	{ ALLGATHER, "ring", BASELINE_PLAIN, baseline_ring_allgather, NULL },
	{ ALLGATHER, "neighbour", BASELINE_PLAIN, baseline_neighbour_allgather, even },
	{ ALLGATHER, "spread", BASELINE_PLAIN, baseline_spread_allgather, NULL },
	{ REDUCE_SCATTER, "recursive-halving", BASELINE_PLAIN, baseline_halving_scatter, NULL },
	{ REDUCE_SCATTER, "pairwise", BASELINE_PLAIN, baseline_pairwise_scatter, NULL },
	{ REDUCE_SCATTER, "spread", BASELINE_PLAIN, baseline_spread_scatter, NULL },
	{ REDUCE_SCATTER, "ring", BASELINE_PLAIN, baseline_ring_scatter, NULL },
	{ REDUCE_SCATTER, "linear", BASELINE_PLAIN, baseline_linear_scatter, NULL },
	{ GATHER, "binomial", BASELINE_PLAIN, baseline_binomial_gather, NULL },
	{ GATHER, "linear", BASELINE_PLAIN, baseline_linear_gather, NULL },
	{ SCATTER, "binomial", BASELINE_PLAIN, baseline_binomial_scatter, NULL },
	{ SCATTER, "linear", BASELINE_PLAIN, baseline_linear_distribute, NULL },
};

#define NUM_ALGORITHMS (sizeof(algorithms) / sizeof(algorithms[0]))
#define NUM_SEGMENTS (sizeof(segments) / sizeof(segments[0]))

/* Parses the number after "name-" in @text, within the bounds; returns 0 for any other text. */
static uint32_t parse_param(const char *text, const struct baseline_algorithm *a)
{
	size_t len = strlen(a->name);
	unsigned long value;
	char *end;

	if (strncmp(text, a->name, len) || text[len] != '-' || text[len + 1] < '1' ||
	    text[len + 1] > '9')
		return 0;
	errno = 0;
	value = strtoul(text + len + 1, &end, 10);
	if (errno || *end)
		return 0;
	if (a->param == BASELINE_RADIX)
		return value < BASELINE_MIN_RADIX || value > BASELINE_MAX_RADIX ? 0 : value;
	return value > MAX_SEGMENT ? 0 : value;
}

const struct baseline_algorithm *baseline_find(enum tally_opcode opcode, const char *name,
					       uint32_t *param)
{
	for (size_t i = 0; i < NUM_ALGORITHMS; i++) {
		const struct baseline_algorithm *a = &algorithms[i];

		if (a->opcode != opcode)
			continue;
		*param = a->param == BASELINE_PLAIN ? 0 : parse_param(name, a);
		if (a->param == BASELINE_PLAIN ? !strcmp(name, a->name) : *param)
			return a;
	}
	return NULL;
}

/* Returns the number of parameters of @a for @n members; a radix above n is equivalent to n. */
static uint32_t num_params(const struct baseline_algorithm *a, uint32_t n)
{
	switch (a->param) {
	case BASELINE_RADIX:
		return n <= BASELINE_MIN_RADIX ? 1 : n >= BASELINE_MAX_RADIX ?
			BASELINE_MAX_RADIX - BASELINE_MIN_RADIX + 1 : n - BASELINE_MIN_RADIX + 1;
	case BASELINE_SEGMENT:
		return NUM_SEGMENTS;
	default:
		return 1;
	}
}

static uint32_t param_at(const struct baseline_algorithm *a, uint32_t index)
{
	if (a->param == BASELINE_PLAIN)
		return 0;
	return a->param == BASELINE_RADIX ? BASELINE_MIN_RADIX + index : segments[index];
}

const struct baseline_algorithm *baseline_candidate(enum tally_opcode opcode,
						    const struct baseline_shape *s,
						    unsigned int index, uint32_t *param)
{
	for (size_t i = 0; i < NUM_ALGORITHMS; i++) {
		const struct baseline_algorithm *a = &algorithms[i];

		if (a->opcode != opcode)
			continue;
		for (uint32_t k = 0; k < num_params(a, s->n); k++) {
			*param = param_at(a, k);
			if ((!a->fits || a->fits(s, *param)) && !index--)
				return a;
		}
	}
	return NULL;
}

void baseline_name(const struct baseline_algorithm *a, uint32_t param, const char *prefix,
		   char name[BASELINE_NAME_MAX])
{
	if (param)
		snprintf(name, BASELINE_NAME_MAX, "%s%s-%u", prefix, a->name, param);
	else
		snprintf(name, BASELINE_NAME_MAX, "%s%s", prefix, a->name);
}
