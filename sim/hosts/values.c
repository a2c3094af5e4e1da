// SPDX-License-Identifier: BSD-2-Clause
#include "hosts/values.h"

#include <endian.h>
#include <math.h>
#include <string.h>

#include "hosts/message.h"

#define CHOICES		64	/* different values in a message; a power of two */
#define FEW		8	/* used where ties or zeroes should be frequent */
#define PROD_RANKS	12	/* ranks whose factor is not 1 or -1: every type holds 2^+-12 */

/* The finalizer of splitmix64 (Vigna), used as a hash. */
uint64_t values_mix(uint64_t z)
{
	z += 0x9e3779b97f4a7c15ull;
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

void values_bytes(uint64_t seed, void *to, size_t len)
{
	uint64_t state = values_mix(seed);
	uint8_t *at = to;

	for (; len >= sizeof(state); len -= sizeof(state), at += sizeof(state)) {
		uint64_t z = values_mix(state++);

		memcpy(at, &z, sizeof(z));
	}
	state = values_mix(state);
	memcpy(at, &state, len);
}

static bool is_float(enum tally_type type)
{
	return type >> 4 == TALLY_TYPE_CLASS_FP || type >> 4 == TALLY_TYPE_CLASS_BF;
}

/* Returns the bits of the significand, including the hidden bit. */
static unsigned int precision(enum tally_type type)
{
	switch (type) {
	case TALLY_TYPE_BF16:
		return 8;
	case TALLY_TYPE_FP16:
		return 11;
	case TALLY_TYPE_FP32:
		return 24;
	default:
		return 53;
	}
}

/* Returns an integer so small that a sum of @ranks such integers is exact. */
static double summand(const struct message *m, uint64_t z)
{
	unsigned int bits = precision(m->type);
	int64_t most = (1ll << (bits < 30 ? bits : 30)) / m->total_ranks;

	if (most < 1)
		most = 1;
	return (double)((int64_t)(z % (2 * (uint64_t)most + 1)) - most);
}

/* Returns a value with a full significand, of few magnitudes: the order of additions matters. */
static double rounded_summand(uint64_t z)
{
	double fraction = (double)(z >> 12) * 0x1p-52;

	return ldexp(1 + fraction, (int)(z % 8) - 4);
}

static double factor(uint32_t rank, uint64_t z)
{
	double v = rank < PROD_RANKS ? (double[]){ 0.5, 1, 2 }[z % 3] : 1;

	return z >> 32 & 1 ? -v : v;
}

/* Returns any finite value, zero, subnormal or infinity, for comparisons. */
static uint64_t comparable(enum tally_type type, uint64_t z)
{
	unsigned int size = oracle_value_size(type) * 8, fraction = precision(type) - 1;
	uint64_t top = ((1ull << (size - 1)) - 1) >> fraction << fraction;

	if (z % 16 == 0)
		return z >> 8 & 1 ? 1ull << (size - 1) : 0;
	if (z % 16 == 1)
		return z >> 8 & 1 ? 1ull << (size - 1) | top : top;
	z = values_mix(z);
	if ((z & top) == top)
		z &= ~(1ull << fraction);
	return z;
}

/* ---- Special values ---- */

static uint64_t sign_bit(enum tally_type type)
{
	return 1ull << (oracle_value_size(type) * 8 - 1);
}

/* Returns the exponent bits of infinities and NaN. */
static uint64_t infinity(enum tally_type type)
{
	unsigned int fraction = precision(type) - 1;

	return (sign_bit(type) - 1) >> fraction << fraction;
}

static uint64_t quiet_bit(enum tally_type type)
{
	return 1ull << (precision(type) - 2);
}

bool values_signal(enum tally_type type, const void *value)
{
	uint64_t bits = 0, top = infinity(type);

	memcpy(&bits, value, oracle_value_size(type));
	bits = le64toh(bits);
	return (bits & top) == top && bits & (quiet_bit(type) - 1) && !(bits & quiet_bit(type));
}

static bool overflows(const struct message *m)
{
	return m->op == TALLY_OP_SUM && m->seed >> 1 & 1;
}

/* Returns a NaN of either kind, with any sign and payload, or an infinity. */
static uint64_t not_finite(const struct message *m, uint64_t z)
{
	uint64_t payload = values_mix(z) & (quiet_bit(m->type) - 1);
	/* An overflow that meets the opposite infinity would make the order matter. */
	uint64_t sign = z >> 20 & 1 && !overflows(m) ? sign_bit(m->type) : 0;

	switch (z >> 21 & 3) {
	case 0:
		return sign | infinity(m->type) | quiet_bit(m->type) | payload;
	case 1: /* in half of the messages */
		if (m->seed & 1)
			return sign | infinity(m->type) | payload | 1;
		__attribute__((fallthrough));
	default:
		return sign | infinity(m->type);
	}
}

/* Returns a value so small that the sum of all is subnormal at most, and thus is not rounded. */
static uint64_t subnormal(const struct message *m, uint64_t z)
{
	uint64_t most = 2 * quiet_bit(m->type) / m->total_ranks;

	return (z >> 63 ? sign_bit(m->type) : 0) | (most ? z % most : 0);
}

static uint64_t finite_value(const struct message *m, uint32_t rank, uint64_t z)
{
	switch (m->op) {
	case TALLY_OP_SUM:
		if (overflows(m)) /* the sum of two overflows */
			return infinity(m->type) - 1;
		__attribute__((fallthrough));
	case TALLY_OP_AVG:
		return m->seed >> 2 & 1 ? subnormal(m, z) : oracle_encode(m->type, summand(m, z));
	case TALLY_OP_PROD:
		return z >> 24 & 7 ? oracle_encode(m->type, factor(rank, z)) :
				     (z >> 63 ? sign_bit(m->type) : 0);
	case TALLY_OP_MINLOC:
	case TALLY_OP_MAXLOC: /* ties, also between zeroes */
		if (z % FEW < 2)
			return z % FEW ? sign_bit(m->type) : 0;
		return oracle_encode(m->type, (double)(z % FEW) - 3.5);
	default:
		return comparable(m->type, z);
	}
}

/* About every second element is not finite at one of the ranks. */
static uint64_t special_value(const struct message *m, uint32_t rank, uint64_t z)
{
	return values_mix(z) % (2 * m->total_ranks) ? finite_value(m, rank, z) : not_finite(m, z);
}

static uint64_t float_value(const struct message *m, uint32_t rank, uint64_t z)
{
	if (m->special)
		return special_value(m, rank, z);
	switch (m->op) {
	case TALLY_OP_SUM:
	case TALLY_OP_AVG:
		return oracle_encode(m->type, m->rounded ? rounded_summand(z) : summand(m, z));
	case TALLY_OP_PROD:
		return oracle_encode(m->type, factor(rank, z));
	case TALLY_OP_MINLOC:
	case TALLY_OP_MAXLOC: /* few values, for ties; none between +0 and -0 */
		return oracle_encode(m->type, (double)(z % FEW) - 3.5);
	default:
		return comparable(m->type, z);
	}
}

static uint64_t integer_value(const struct message *m, uint64_t z)
{
	switch (m->op) {
	case TALLY_OP_LAND: /* zeroes are rare; otherwise no result would be true */
		return z % (2 * m->total_ranks) ? z | 1 : 0;
	case TALLY_OP_LOR:
	case TALLY_OP_LXOR:
		return z % (2 * m->total_ranks) ? 0 : z | 1;
	case TALLY_OP_MINLOC:
	case TALLY_OP_MAXLOC:
		return z % FEW - FEW / 2;
	default:
		return z;
	}
}

/* Returns value number @i of the message's values, as it is in memory. */
static uint64_t choice(const struct message *m, uint32_t rank, unsigned int i)
{
	uint64_t z = values_mix(m->seed + i);

	return htole64(is_float(m->type) ? float_value(m, rank, z) : integer_value(m, z));
}

static bool any_bits_will_do(const struct message *m)
{
	const uint32_t ops = 1u << TALLY_OP_SUM | 1u << TALLY_OP_MIN | 1u << TALLY_OP_MAX |
			     1u << TALLY_OP_BAND | 1u << TALLY_OP_BOR | 1u << TALLY_OP_BXOR |
			     1u << TALLY_OP_PROD | 1u << TALLY_OP_AVG;

	return !is_float(m->type) && ops >> m->op & 1;
}

void values_reduce(const struct message *m, uint32_t rank, void *to)
{
	bool pairs = (m->op == TALLY_OP_MINLOC || m->op == TALLY_OP_MAXLOC) && !m->loc_values;
	uint32_t size = pairs ? message_elem_size(m) : oracle_value_size(m->type);
	uint64_t choices[CHOICES], at_random = values_mix(m->seed ^ values_mix(rank));
	uint64_t count = message_give_elements(m);
	bool many = count > CHOICES;
	uint8_t *at = to;

	if (any_bits_will_do(m)) {
		values_bytes(m->seed + rank, to, message_give_bytes(m));
		return;
	}
	for (unsigned int i = 0; many && i < CHOICES; i++)
		choices[i] = choice(m, rank, i);
	memset(to, 0, message_give_bytes(m));
	for (uint64_t i = 0; i < count; i++, at += size) {
		uint64_t z = values_mix(at_random + i);
		uint64_t v = many ? choices[z % CHOICES] : choice(m, rank, z % CHOICES);
		uint32_t index = htole32((uint32_t)(z >> 33));

		memcpy(at, &v, oracle_value_size(m->type));
		if (pairs)
			memcpy(at + oracle_index_offset(m->type), &index, sizeof(index));
	}
}
