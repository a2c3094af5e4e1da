/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Plain arithmetic for what the NICs reduce, written for being obviously right, and data whose
 * result has the same bits in any order: sums of floats stay exact.
 */
#ifndef TALLY_TEST_ORACLE_H
#define TALLY_TEST_ORACLE_H

#include <infiniband/tallydv.h>

/* What is reduced, over how many ranks. */
struct arith {
	uint8_t op;     /* enum tally_op */
	uint8_t dtype;  /* enum tally_type */
	uint32_t ranks;
};

bool oracle_is_loc(uint8_t op);
/* Bytes of a value, and of an element: a pair for MINLOC and MAXLOC. */
unsigned int oracle_value_size(uint8_t dtype);
unsigned int oracle_elem_size(uint8_t op, uint8_t dtype);

/* Random data of one rank: `count` values, or pairs with anything in the bytes between. */
void oracle_fill_values(const struct arith *a, uint32_t rank, uint64_t count, uint8_t *to);
void oracle_fill_pairs(const struct arith *a, uint32_t rank, uint64_t count, uint8_t *to);
/* Pairs of values: element i has index first + i. */
void oracle_expand(uint8_t dtype, uint64_t count, uint32_t first, const uint8_t *values,
		   uint8_t *pairs);
/* acc[i] = acc[i] op in[i] for `count` elements. */
void oracle_fold(const struct arith *a, uint64_t count, uint8_t *acc, const uint8_t *in);
/* Sums into averages. */
void oracle_average(const struct arith *a, uint64_t count, uint8_t *sums);

#endif
