/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Plain arithmetic as the reference for the NICs' reductions, written to be obviously right. The
 * random data have the same result in any order: sums of floats stay exact.
 */
#ifndef TALLY_TEST_ORACLE_H
#define TALLY_TEST_ORACLE_H

#include <infiniband/tallydv.h>

/* A reduction over a number of ranks. */
struct arith {
	uint8_t op;     /* enum tally_op */
	uint8_t dtype;  /* enum tally_type */
	uint32_t ranks;
};

bool oracle_is_loc(uint8_t op);
/* Return the bytes of a value, and of an element, which is a pair for MINLOC and MAXLOC. */
unsigned int oracle_value_size(uint8_t dtype);
unsigned int oracle_elem_size(uint8_t op, uint8_t dtype);

/* Fill in the random data of one rank: `count` values, or pairs with random padding. */
void oracle_fill_values(const struct arith *a, uint32_t rank, uint64_t count, uint8_t *to);
void oracle_fill_pairs(const struct arith *a, uint32_t rank, uint64_t count, uint8_t *to);
/* Expands values to pairs: element i has index first + i. */
void oracle_expand(uint8_t dtype, uint64_t count, uint32_t first, const uint8_t *values,
		   uint8_t *pairs);
/* Computes acc[i] = acc[i] op in[i] for `count` elements. */
void oracle_fold(const struct arith *a, uint64_t count, uint8_t *acc, const uint8_t *in);
/* Turns sums into averages. */
void oracle_average(const struct arith *a, uint64_t count, uint8_t *sums);

#endif
