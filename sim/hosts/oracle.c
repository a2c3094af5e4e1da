// SPDX-License-Identifier: BSD-2-Clause
#include "hosts/oracle.h"

#include <endian.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct oracle_value {
	union {
		double f;
		int64_t i;
		uint64_t u;
	};
	int32_t index;
};

/* A binary floating-point format: bits of exponent and fraction. */
struct format {
	int exponent, fraction;
};

static struct format format_of(enum tally_type type)
{
	switch (type) {
	case TALLY_TYPE_FP16:
		return (struct format){ 5, 10 };
	case TALLY_TYPE_BF16:
		return (struct format){ 8, 7 };
	case TALLY_TYPE_FP32:
		return (struct format){ 8, 23 };
	default:
		return (struct format){ 11, 52 };
	}
}

static bool is_float(enum tally_type type)
{
	return type >> 4 == TALLY_TYPE_CLASS_FP || type >> 4 == TALLY_TYPE_CLASS_BF;
}

static bool is_signed(enum tally_type type)
{
	return type >> 4 == TALLY_TYPE_CLASS_INT;
}

static bool is_loc(enum tally_op op)
{
	return op == TALLY_OP_MINLOC || op == TALLY_OP_MAXLOC;
}

uint32_t oracle_value_size(enum tally_type type)
{
	return 1u << (type & 0xf);
}

uint32_t oracle_index_offset(enum tally_type type)
{
	uint32_t size = oracle_value_size(type);

	return size < sizeof(int32_t) ? sizeof(int32_t) : size;
}

uint32_t oracle_elem_size(enum tally_op op, enum tally_type type)
{
	uint32_t size = oracle_value_size(type);

	if (!is_loc(op))
		return size;
	return size == sizeof(uint64_t) ? 2 * sizeof(uint64_t) : 2 * sizeof(int32_t);
}

/* ---- Encodings ---- */

double oracle_unit(enum tally_type type)
{
	return ldexp(1, -format_of(type).fraction);
}

double oracle_decode(enum tally_type type, uint64_t bits)
{
	const struct format f = format_of(type);
	uint64_t fraction = bits & ((1ull << f.fraction) - 1);
	int top = (1 << f.exponent) - 1, e = bits >> f.fraction & top;
	double v;

	if (e == top)
		v = fraction ? NAN : INFINITY;
	else if (e)
		v = ldexp((double)(fraction | 1ull << f.fraction), e - top / 2 - f.fraction);
	else
		v = ldexp((double)fraction, 1 - top / 2 - f.fraction);
	return bits >> (f.exponent + f.fraction) & 1 ? -v : v;
}

uint64_t oracle_encode(enum tally_type type, double value)
{
	const struct format f = format_of(type);
	uint64_t top = (1ull << f.exponent) - 1, bits;
	int bias = (int)top / 2, e;
	double m;

	if (isnan(value)) /* the canonical NaN */
		return (top << 1 | 1) << (f.fraction - 1);
	m = fabs(value);
	e = m ? ilogb(m) : -bias;
	if (isinf(value) || e > bias) {
		bits = top << f.fraction;
	} else {
		if (e < 1 - bias)
			e = 1 - bias;
		/* nearbyint() rounds to nearest even; a carry propagates into the exponent */
		bits = (uint64_t)nearbyint(ldexp(m, f.fraction - e));
		bits += (uint64_t)(e + bias - 1) << f.fraction;
	}
	return bits | (uint64_t)!!signbit(value) << (f.exponent + f.fraction);
}

static struct oracle_value load(enum tally_type type, const uint8_t *at)
{
	uint32_t size = oracle_value_size(type);
	struct oracle_value v = { 0 };
	uint64_t bits = 0;

	memcpy(&bits, at, size);
	bits = le64toh(bits);
	if (is_float(type))
		v.f = oracle_decode(type, bits);
	else if (is_signed(type))
		v.i = (int64_t)(bits << (64 - 8 * size)) >> (64 - 8 * size);
	else
		v.u = bits;
	return v;
}

/* ---- Operations ---- */

static bool less(enum tally_type type, struct oracle_value a, struct oracle_value b)
{
	if (is_float(type)) /* -0 is less than +0 */
		return a.f < b.f || (a.f == b.f && signbit(a.f) && !signbit(b.f));
	return is_signed(type) ? a.i < b.i : a.u < b.u;
}

/* A NaN wins, with its index; of two NaN, the lower index wins. */
static struct oracle_value pick_nan(struct oracle_value a, struct oracle_value b)
{
	if (isnan(b.f) && (!isnan(a.f) || b.index < a.index))
		a.index = b.index;
	a.f = NAN;
	return a;
}

static struct oracle_value pick(enum tally_type type, bool want_less, struct oracle_value a,
				struct oracle_value b)
{
	if (is_float(type) && (isnan(a.f) || isnan(b.f)))
		return pick_nan(a, b);
	if (less(type, want_less ? a : b, want_less ? b : a))
		return a;
	if (less(type, want_less ? b : a, want_less ? a : b))
		return b;
	return a.index < b.index ? a : b;
}

/* With an index, zeroes are equal, so the lower index wins; for equal indices the sign decides. */
static struct oracle_value pick_loc(enum tally_type type, bool want_less, struct oracle_value a,
				    struct oracle_value b)
{
	if (is_float(type) && a.f == 0 && b.f == 0 && a.index != b.index)
		return a.index < b.index ? a : b;
	return pick(type, want_less, a, b);
}

static struct oracle_value of_float(double f)
{
	return (struct oracle_value){ .f = f };
}

static struct oracle_value of_bits(uint64_t u)
{
	return (struct oracle_value){ .u = u };
}

static struct oracle_value combine(const struct oracle *o, struct oracle_value a,
				   struct oracle_value b)
{
	bool f = is_float(o->type);

	switch (o->op) {
	case TALLY_OP_SUM:
	case TALLY_OP_AVG:
		return f ? of_float(a.f + b.f) : of_bits(a.u + b.u);
	case TALLY_OP_PROD:
		return f ? of_float(a.f * b.f) : of_bits(a.u * b.u);
	case TALLY_OP_MIN:
		return pick(o->type, true, a, b);
	case TALLY_OP_MAX:
		return pick(o->type, false, a, b);
	case TALLY_OP_MINLOC:
		return pick_loc(o->type, true, a, b);
	case TALLY_OP_MAXLOC:
		return pick_loc(o->type, false, a, b);
	case TALLY_OP_LAND:
		return of_bits(a.u && b.u);
	case TALLY_OP_LOR:
		return of_bits(a.u || b.u);
	case TALLY_OP_LXOR:
		return of_bits(!a.u != !b.u);
	case TALLY_OP_BAND:
		return of_bits(a.u & b.u);
	case TALLY_OP_BOR:
		return of_bits(a.u | b.u);
	default:
		return of_bits(a.u ^ b.u);
	}
}

/* ---- A reduction ---- */

bool oracle_begin(struct oracle *o, enum tally_op op, enum tally_type type, uint32_t count)
{
	if (count > o->room) {
		free(o->value);
		o->value = malloc(count * sizeof(*o->value));
		o->room = o->value ? count : 0;
	}
	o->op = op;
	o->type = type;
	o->count = count;
	o->ranks = 0;
	return o->room >= count;
}

static void take(struct oracle *o, uint32_t i, struct oracle_value v)
{
	o->value[i] = o->ranks ? combine(o, o->value[i], v) : v;
}

void oracle_add(struct oracle *o, const void *elements)
{
	uint32_t size = oracle_elem_size(o->op, o->type), index = oracle_index_offset(o->type);
	const uint8_t *at = elements;

	for (uint32_t i = 0; i < o->count; i++, at += size) {
		struct oracle_value v = load(o->type, at);
		int32_t le;

		if (is_loc(o->op)) {
			memcpy(&le, at + index, sizeof(le));
			v.index = (int32_t)le32toh((uint32_t)le);
		}
		take(o, i, v);
	}
	o->ranks++;
}

void oracle_add_values(struct oracle *o, const void *values, int32_t first)
{
	uint32_t size = oracle_value_size(o->type);
	const uint8_t *at = values;

	for (uint32_t i = 0; i < o->count; i++, at += size) {
		struct oracle_value v = load(o->type, at);

		v.index = first + (int32_t)i;
		take(o, i, v);
	}
	o->ranks++;
}

/* Divides a sum of integers, which has wrapped in its type, rounding toward zero. */
static struct oracle_value average(const struct oracle *o, struct oracle_value sum)
{
	uint8_t bytes[sizeof(uint64_t)];
	uint64_t le;

	if (is_float(o->type))
		return of_float(sum.f / o->ranks);
	le = htole64(sum.u);
	memcpy(bytes, &le, sizeof(le));
	sum = load(o->type, bytes);
	if (is_signed(o->type))
		return of_bits((uint64_t)(sum.i / (int64_t)o->ranks));
	return of_bits(sum.u / o->ranks);
}

void oracle_finish(const struct oracle *o, void *result)
{
	uint32_t size = oracle_elem_size(o->op, o->type), value = oracle_value_size(o->type);
	uint8_t *at = result;

	memset(result, 0, (size_t)size * o->count);
	for (uint32_t i = 0; i < o->count; i++, at += size) {
		struct oracle_value v = o->value[i];
		uint64_t le;

		if (o->op == TALLY_OP_AVG)
			v = average(o, v);
		le = htole64(is_float(o->type) ? oracle_encode(o->type, v.f) : v.u);
		memcpy(at, &le, value);
		if (is_loc(o->op)) {
			uint32_t index = htole32((uint32_t)v.index);

			memcpy(at + oracle_index_offset(o->type), &index, sizeof(index));
		}
	}
}

void oracle_free(struct oracle *o)
{
	free(o->value);
	*o = (struct oracle){ 0 };
}
