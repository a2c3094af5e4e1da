// SPDX-License-Identifier: BSD-2-Clause
#include "alu/alu_testing.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "alu/alu.h"

const struct alu_type alu_types[NUM_ALU_TYPES] = {
	{ "int8", TALLY_TYPE_INT8, 8, 0, true, 0 },
	{ "int16", TALLY_TYPE_INT16, 16, 0, true, 0 },
	{ "int32", TALLY_TYPE_INT32, 32, 0, true, 0 },
	{ "int64", TALLY_TYPE_INT64, 64, 0, true, 0 },
	{ "uint8", TALLY_TYPE_UINT8, 8, 0, false, 0 },
	{ "uint16", TALLY_TYPE_UINT16, 16, 0, false, 0 },
	{ "uint32", TALLY_TYPE_UINT32, 32, 0, false, 0 },
	{ "uint64", TALLY_TYPE_UINT64, 64, 0, false, 0 },
	{ "fp16", TALLY_TYPE_FP16, 16, 10, true, 0x7e00 },
	{ "fp32", TALLY_TYPE_FP32, 32, 23, true, 0x7fc00000 },
	{ "fp64", TALLY_TYPE_FP64, 64, 52, true, 0x7ff8000000000000 },
	{ "bf16", TALLY_TYPE_BF16, 16, 7, true, 0x7fc0 },
};

struct rng alu_rng;

int alu_start_random(void **state)
{
	const char *text = getenv("TALLY_TEST_SEED");
	uint64_t seed = (uint64_t)time(NULL);
	char *end = "";

	(void)state;
	if (text)
		seed = strtoull(text, &end, 0);
	if (text && (end == text || *end)) {
		print_error("TALLY_TEST_SEED: \"%s\" is not a number\n", text);
		return -1;
	}
	print_message("TALLY_TEST_SEED=%" PRIu64 "\n", seed);
	rng_seed(&alu_rng, seed);
	return 0;
}

uint64_t alu_mask(const struct alu_type *t)
{
	return UINT64_MAX >> (64 - t->bits);
}

uint64_t alu_sign(const struct alu_type *t)
{
	return 1ULL << (t->bits - 1);
}

/* All ones in the exponent field. */
static uint64_t max_exp(const struct alu_type *t)
{
	return (1ULL << (t->bits - 1 - t->man)) - 1;
}

uint64_t alu_infinity(const struct alu_type *t)
{
	return max_exp(t) << t->man;
}

bool alu_is_nan(const struct alu_type *t, uint64_t x)
{
	return t->man && (x & ~alu_sign(t)) > alu_infinity(t);
}

bool alu_is_signalling(const struct alu_type *t, uint64_t x)
{
	return alu_is_nan(t, x) && !(x >> (t->man - 1) & 1);
}

/* ---- Random values ---- */

static uint64_t fp_of(const struct alu_type *t, bool sign, uint64_t exp, uint64_t fraction)
{
	return (sign ? alu_sign(t) : 0) | exp << t->man | fraction;
}

static uint64_t random_fraction(const struct alu_type *t)
{
	uint64_t all = (1ULL << t->man) - 1, r = rng_next(&alu_rng);

	switch (rng_below(&alu_rng, 4)) {
	case 0:
		return all & (r & 1 ? ~(r >> 1 & 3) : r >> 1 & 3); /* mostly ones or mostly zeros */
	case 1:
		return all & r << rng_below(&alu_rng, t->man); /* zeros at the end: ties */
	default:
		return all & r;
	}
}

static uint64_t random_fp(const struct alu_type *t)
{
	uint64_t exp;

	switch (rng_below(&alu_rng, 8)) {
	case 0:
		exp = rng_below(&alu_rng, 3);
		break;
	case 1:
		exp = max_exp(t) - rng_below(&alu_rng, 3);
		break;
	default:
		exp = rng_below(&alu_rng, max_exp(t) + 1);
	}
	return fp_of(t, rng_chance(&alu_rng, 0.5), exp, random_fraction(t));
}

static uint64_t random_int(const struct alu_type *t)
{
	uint64_t r = rng_next(&alu_rng);

	switch (rng_below(&alu_rng, 4)) {
	case 0:
		return (r & 3) - 2 + (r & 4 ? alu_sign(t) : 0); /* near zero and both limits */
	case 1:
		return r >> (r & 63);
	case 2:
		return ~(r >> (r & 63));
	default:
		return r;
	}
}

uint64_t alu_random(const struct alu_type *t)
{
	return t->man ? random_fp(t) : random_int(t) & alu_mask(t);
}

/* Return a number of about the exponent @exp, which may be out of range. */
static uint64_t random_at(const struct alu_type *t, int64_t exp)
{
	int64_t most = (int64_t)max_exp(t) - 1;

	exp = exp < 0 ? 0 : exp > most ? most : exp;
	return fp_of(t, rng_chance(&alu_rng, 0.5), (uint64_t)exp, random_fraction(t));
}

uint64_t alu_random_partner(const struct alu_type *t, uint64_t a)
{
	int64_t exp = (int64_t)(a >> t->man & max_exp(t)), reach = t->man + 4;

	if (!t->man)
		return alu_random(t);
	switch (rng_below(&alu_rng, 4)) {
	case 0:
		return random_fp(t);
	case 1: /* -a except for some low bits: a difference that cancels */
		return (a ^ alu_sign(t)) ^
		       (rng_next(&alu_rng) & ((1ULL << rng_below(&alu_rng, t->man)) - 1));
	default:
		return random_at(t, exp - reach + (int64_t)rng_below(&alu_rng, 2 * reach + 1));
	}
}

uint64_t alu_random_inverse(const struct alu_type *t, uint64_t a)
{
	int64_t exp = (int64_t)(a >> t->man & max_exp(t)), bias = (int64_t)max_exp(t) / 2;
	int64_t reach = t->man + 4;

	return random_at(t, bias - exp - reach + (int64_t)rng_below(&alu_rng, reach + 4));
}

/* ---- Corner values ---- */

/* Combine the limits of exponent and fraction with both signs. */
static size_t fp_corners(const struct alu_type *t, uint64_t *out)
{
	const uint64_t top = max_exp(t), ones = (1ULL << t->man) - 1;
	const uint64_t exps[] = { 0, 1, t->man, top / 2, top - 1, top };
	const uint64_t fractions[] = { 0, 1, 1ULL << (t->man - 1), ones - 1, ones };
	size_t n = 0;

	for (size_t e = 0; e < ARRAY_SIZE(exps); e++)
		for (size_t i = 0; i < 2 * ARRAY_SIZE(fractions); i++)
			out[n++] = fp_of(t, i & 1, exps[e], fractions[i / 2]);
	return n;
}

size_t alu_corners(const struct alu_type *t, uint64_t out[MAX_CORNERS])
{
	const uint64_t edge = alu_sign(t), mask = alu_mask(t);
	const uint64_t v[] = {
		0, 1, 2, 3, edge - 2, edge - 1, edge, edge + 1, edge + 2, mask - 2, mask - 1, mask,
		0x5555555555555555 & mask, 0xaaaaaaaaaaaaaaaa & mask, 1ULL << t->bits / 2,
		(1ULL << t->bits / 2) - 1,
	};

	if (t->man)
		return fp_corners(t, out);
	for (size_t i = 0; i < ARRAY_SIZE(v); i++)
		out[i] = v[i];
	return ARRAY_SIZE(v);
}

uint64_t alu_one(const struct alu_type *t, uint8_t op, uint64_t a, uint64_t b, uint16_t *err)
{
	uint8_t acc[9], in[9];
	uint64_t out = 0;

	for (unsigned int i = 0; i < 8; i++) {
		acc[i + 1] = (uint8_t)(a >> 8 * i);
		in[i + 1] = (uint8_t)(b >> 8 * i);
	}
	*err = alu_reduce(op, t->type, acc + 1, in + 1, 1);
	for (unsigned int i = 0; i < t->bits / 8; i++)
		out |= (uint64_t)acc[i + 1] << 8 * i;
	return out;
}
