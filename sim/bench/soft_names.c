// SPDX-License-Identifier: BSD-2-Clause
#include "bench/soft_names.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SEGMENT	(1u << 30)

/* Segments that are tried, in bytes; the last one is Open MPI's for rings. */
static const uint32_t segments[] = { 4096, 16384, 65536, 262144, 1048576 };

static bool power_of_two(const struct soft_shape *s, uint32_t param)
{
	(void)param;
	return !(s->n & (s->n - 1));
}

static bool even(const struct soft_shape *s, uint32_t param)
{
	(void)param;
	return s->n == 1 || s->n % 2 == 0;
}

/* With a power of the radix there is nothing to fold, and "recursive-multiplying" does the same. */
static bool no_power(const struct soft_shape *s, uint32_t radix)
{
	uint64_t p = 1;

	while (p < s->n)
		p *= radix;
	return p != s->n && radix <= s->n;
}

/* Segments of whole elements, and more than one to what is sent at a time. */
static bool segments_vector(const struct soft_shape *s, uint32_t bytes)
{
	return bytes >= s->elem && bytes / s->elem < s->count;
}

static bool segments_blocks(const struct soft_shape *s, uint32_t bytes)
{
	return bytes >= s->elem && bytes / s->elem < s->count / s->n;
}

#define ALLREDUCE	TALLY_OPCODE_ALLREDUCE
#define REDUCE		TALLY_OPCODE_REDUCE
#define BCAST		TALLY_OPCODE_BCAST
#define BARRIER		TALLY_OPCODE_BARRIER
#define ALLGATHER	TALLY_OPCODE_ALLGATHER
#define SCATTER		TALLY_OPCODE_REDUCE_SCATTER

static const struct soft_algorithm algorithms[] = {
	{ ALLREDUCE, "recursive-doubling", SOFT_PLAIN, soft_doubling, NULL },
	{ ALLREDUCE, "rabenseifner", SOFT_PLAIN, soft_rabenseifner, NULL },
	{ ALLREDUCE, "ring", SOFT_PLAIN, soft_ring_allreduce, NULL },
	{ ALLREDUCE, "ring", SOFT_SEGMENT, soft_ring_allreduce, segments_blocks },
	{ ALLREDUCE, "recursive-multiplying", SOFT_RADIX, soft_multiplying, NULL },
	{ ALLREDUCE, "folded-multiplying", SOFT_RADIX, soft_folded, no_power },
	{ ALLREDUCE, "reduce-bcast", SOFT_RADIX, soft_reduce_bcast, NULL },
	{ BCAST, "k-nomial", SOFT_RADIX, soft_knomial_bcast, NULL },
	{ BCAST, "binary", SOFT_PLAIN, soft_binary_bcast, NULL },
	{ BCAST, "linear", SOFT_PLAIN, soft_linear_bcast, NULL },
	{ BCAST, "chain", SOFT_PLAIN, soft_chain_bcast, NULL },
	{ BCAST, "pipeline", SOFT_SEGMENT, soft_chain_bcast, segments_vector },
	{ BCAST, "scatter-ring", SOFT_PLAIN, soft_scatter_ring_bcast, NULL },
	{ BCAST, "scatter-doubling", SOFT_PLAIN, soft_scatter_doubling_bcast, power_of_two },
	{ BARRIER, "recursive-doubling", SOFT_PLAIN, soft_doubling, NULL },
	{ BARRIER, "linear", SOFT_PLAIN, soft_linear_both, NULL },
	{ BARRIER, "dissemination", SOFT_RADIX, soft_dissemination, NULL },
	{ BARRIER, "recursive-multiplying", SOFT_RADIX, soft_multiplying, NULL },
	{ BARRIER, "tree", SOFT_RADIX, soft_reduce_bcast, NULL },
	{ REDUCE, "k-nomial", SOFT_RADIX, soft_knomial_reduce, NULL },
	{ REDUCE, "binary", SOFT_PLAIN, soft_binary_reduce, NULL },
	{ REDUCE, "linear", SOFT_PLAIN, soft_linear_reduce, NULL },
	{ REDUCE, "chain", SOFT_PLAIN, soft_chain_reduce, NULL },
	{ REDUCE, "pipeline", SOFT_SEGMENT, soft_chain_reduce, segments_vector },
	{ REDUCE, "rabenseifner", SOFT_PLAIN, soft_rabenseifner_reduce, NULL },
	{ ALLGATHER, "bruck", SOFT_PLAIN, soft_bruck_allgather, NULL },
	{ ALLGATHER, "recursive-doubling", SOFT_PLAIN, soft_doubling_allgather, power_of_two },
	{ ALLGATHER, "ring", SOFT_PLAIN, soft_ring_allgather, NULL },
	{ ALLGATHER, "neighbour", SOFT_PLAIN, soft_neighbour_allgather, even },
	{ ALLGATHER, "spread", SOFT_PLAIN, soft_spread_allgather, NULL },
	{ SCATTER, "recursive-halving", SOFT_PLAIN, soft_halving_scatter, NULL },
	{ SCATTER, "pairwise", SOFT_PLAIN, soft_pairwise_scatter, NULL },
	{ SCATTER, "spread", SOFT_PLAIN, soft_spread_scatter, NULL },
	{ SCATTER, "ring", SOFT_PLAIN, soft_ring_scatter, NULL },
	{ SCATTER, "linear", SOFT_PLAIN, soft_linear_scatter, NULL },
};

#define NUM_ALGORITHMS	(sizeof(algorithms) / sizeof(algorithms[0]))
#define NUM_SEGMENTS	(sizeof(segments) / sizeof(segments[0]))

/* The number that follows "name-" in @text, within the bounds; 0: it is something else. */
static uint32_t parse_param(const char *text, const struct soft_algorithm *a)
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
	if (a->param == SOFT_RADIX)
		return value < SOFT_MIN_RADIX || value > SOFT_MAX_RADIX ? 0 : value;
	return value > MAX_SEGMENT ? 0 : value;
}

const struct soft_algorithm *soft_find(enum tally_opcode opcode, const char *name, uint32_t *param)
{
	for (size_t i = 0; i < NUM_ALGORITHMS; i++) {
		const struct soft_algorithm *a = &algorithms[i];

		if (a->opcode != opcode)
			continue;
		*param = a->param == SOFT_PLAIN ? 0 : parse_param(name, a);
		if (a->param == SOFT_PLAIN ? !strcmp(name, a->name) : *param)
			return a;
	}
	return NULL;
}

/* Parameters of @a for @n members; a radix above n is as n. */
static uint32_t num_params(const struct soft_algorithm *a, uint32_t n)
{
	switch (a->param) {
	case SOFT_RADIX:
		return n <= SOFT_MIN_RADIX ? 1 : n >= SOFT_MAX_RADIX ?
			SOFT_MAX_RADIX - SOFT_MIN_RADIX + 1 : n - SOFT_MIN_RADIX + 1;
	case SOFT_SEGMENT:
		return NUM_SEGMENTS;
	default:
		return 1;
	}
}

static uint32_t param_at(const struct soft_algorithm *a, uint32_t index)
{
	if (a->param == SOFT_PLAIN)
		return 0;
	return a->param == SOFT_RADIX ? SOFT_MIN_RADIX + index : segments[index];
}

const struct soft_algorithm *soft_candidate(enum tally_opcode opcode, const struct soft_shape *s,
					    unsigned int index, uint32_t *param)
{
	for (size_t i = 0; i < NUM_ALGORITHMS; i++) {
		const struct soft_algorithm *a = &algorithms[i];

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

void soft_name(const struct soft_algorithm *a, uint32_t param, const char *prefix,
	       char name[SOFT_NAME_MAX])
{
	if (param)
		snprintf(name, SOFT_NAME_MAX, "%s%s-%u", prefix, a->name, param);
	else
		snprintf(name, SOFT_NAME_MAX, "%s%s", prefix, a->name);
}
