/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the tests of the ALU share: its types, random and corner values, and references computed
 * independently of it. Values are the bits of an element, right-aligned in a word.
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
	unsigned int bits; /* of a value */
	unsigned int man;  /* of the fraction field; 0: integer */
	bool is_signed;
	uint64_t nan; /* the canonical NaN */
};

#define NUM_ALU_TYPES 12
#define NUM_INT_TYPES 8 /* the first of them; the others are floating point */
extern const struct alu_type alu_types[NUM_ALU_TYPES];

/* Every test draws from this; alu_start_random() seeds it. */
extern struct rng alu_rng;

/*
 * Setup of a group of tests: seeds from TALLY_TEST_SEED or the clock and prints the seed.
 * Returns 0, or -1 if TALLY_TEST_SEED is no number.
 */
int alu_start_random(void **state);

/* All bits of a value; its sign bit; infinity (the magnitude). */
uint64_t alu_mask(const struct alu_type *t);
uint64_t alu_sign(const struct alu_type *t);
uint64_t alu_infinity(const struct alu_type *t);
bool alu_is_nan(const struct alu_type *t, uint64_t x);
bool alu_is_signalling(const struct alu_type *t, uint64_t x);

/* Any value, those near the limits of the type more often than others. */
uint64_t alu_random(const struct alu_type *t);
/* One that is likely to make something of @a: close in exponent, or cancelling it. */
uint64_t alu_random_partner(const struct alu_type *t, uint64_t a);
/* A random product of these often lies near the smallest normal number. */
uint64_t alu_random_inverse(const struct alu_type *t, uint64_t a);

#define MAX_CORNERS 64
/* Fills @out with the corner values of @t; returns how many. */
size_t alu_corners(const struct alu_type *t, uint64_t out[MAX_CORNERS]);

/* What the ALU makes of one element; both operands lie at odd addresses. */
uint64_t alu_one(const struct alu_type *t, uint8_t op, uint64_t a, uint64_t b, uint16_t *err);

/* ---- References (alu_reference.c) ---- */

/* What @a op @b must give: by the host's floating point, or by wider numbers. */
uint64_t alu_reference(const struct alu_type *t, uint8_t op, uint64_t a, uint64_t b, uint16_t *err);
/* What @a / @n must give. */
uint64_t alu_reference_scale(const struct alu_type *t, uint64_t a, uint32_t n, uint16_t *err);
/* The value of a number or infinity of 32 bits or less. */
double alu_widen(const struct alu_type *t, uint64_t x);
/* @value rounded to @t, which has 32 bits or less. ORs what it raises into @err. */
uint64_t alu_narrow(const struct alu_type *t, double value, uint16_t *err);
/* The value of an integer. */
__int128 alu_int_value(const struct alu_type *t, uint64_t x);

#endif
