/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Definitions that the tests of the ALU share: its types, random and corner values, and references
 * computed independently of it. Values are the bits of an element, right-aligned in a word.
 */
#ifndef TALLY_SIM_ALU_ALU_TESTING_H
#define TALLY_SIM_ALU_ALU_TESTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/rng.h"
#include "gen/tally_hw.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

struct alu_type {
	const char *name;
	uint8_t type;      /* enum tally_type */
	unsigned int bits; /* bits of a value */
	unsigned int man;  /* bits of the fraction field; 0: integer */
	bool is_signed;
	uint64_t nan; /* the canonical NaN */
};

#define NUM_ALU_TYPES 12
#define NUM_INT_TYPES 8 /* the first types; the others are floating point */
extern const struct alu_type alu_types[NUM_ALU_TYPES];

/* Random numbers of all tests; alu_start_random() seeds the generator. */
extern struct rng alu_rng;

/*
 * Setup of a group of tests: takes the seed from TALLY_TEST_SEED or the clock and prints it.
 * Returns 0, or -1 if TALLY_TEST_SEED is not a number.
 */
int alu_start_random(void **state);

/* Return all bits of a value; its sign bit; the magnitude of infinity. */
uint64_t alu_mask(const struct alu_type *t);
uint64_t alu_sign(const struct alu_type *t);
uint64_t alu_infinity(const struct alu_type *t);
bool alu_is_nan(const struct alu_type *t, uint64_t x);
bool alu_is_signalling(const struct alu_type *t, uint64_t x);

/* Return a random value. Values near the limits of the type are more likely than others. */
uint64_t alu_random(const struct alu_type *t);
/* Return a random operand that makes rounding or cancellation with @a likely. */
uint64_t alu_random_partner(const struct alu_type *t, uint64_t a);
/* Return a random factor whose product with @a is often near the smallest normal number. */
uint64_t alu_random_inverse(const struct alu_type *t, uint64_t a);

#define MAX_CORNERS 64
/* Write the corner values of @t to @out. Returns their number. */
size_t alu_corners(const struct alu_type *t, uint64_t out[MAX_CORNERS]);

/* Return the result of the ALU for one element, with both operands at odd addresses. */
uint64_t alu_one(const struct alu_type *t, uint8_t op, uint64_t a, uint64_t b, uint16_t *err);

/* ---- References (alu_reference.c) ---- */

/*
 * Return the expected result of @a op @b, computed by the host's floating point or with wider
 * numbers.
 */
uint64_t alu_reference(const struct alu_type *t, uint8_t op, uint64_t a, uint64_t b, uint16_t *err);
/* Return the expected result of @a / @n. */
uint64_t alu_reference_scale(const struct alu_type *t, uint64_t a, uint32_t n, uint16_t *err);
/* Return the value of a number or infinity of at most 32 bits. */
double alu_widen(const struct alu_type *t, uint64_t x);
/* Round @value to @t, which has at most 32 bits. ORs the flags that this raises into @err. */
uint64_t alu_narrow(const struct alu_type *t, double value, uint16_t *err);
/* Return the value of an integer. */
__int128 alu_int_value(const struct alu_type *t, uint64_t x);

#endif
