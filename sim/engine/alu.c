// SPDX-License-Identifier: BSD-2-Clause
#include "engine/alu.h"

#include <stdlib.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* A type code is (class << 4) | log2(bytes). */
#define CLASS_OF(type) ((type) >> 4)
#define LOG2_OF(type)  ((type) & 0xf)

/* An element in a lane: its bits, right-aligned in a word; the bits above it are zero. */
struct format {
	uint64_t mask; /* all bits of an element; 0: no such type */
	uint64_t sign; /* its sign bit; 0: unsigned */
	uint8_t man;   /* floating point: bits of the fraction field; the exponent has the rest */
};

typedef uint64_t (*lane_fn)(const struct format *f, uint64_t a, uint64_t b, uint16_t *err);

/* ---- Integers ---- */

static uint64_t int_sum(const struct format *f, uint64_t a, uint64_t b, uint16_t *err)
{
	(void)err;
	return (a + b) & f->mask;
}

/* Inverting the sign maps signed order to the order of the unsigned words. */
static bool int_less(const struct format *f, uint64_t a, uint64_t b)
{
	return (a ^ f->sign) < (b ^ f->sign);
}

static uint64_t int_min(const struct format *f, uint64_t a, uint64_t b, uint16_t *err)
{
	(void)err;
	return int_less(f, b, a) ? b : a;
}

static uint64_t int_max(const struct format *f, uint64_t a, uint64_t b, uint16_t *err)
{
	(void)err;
	return int_less(f, a, b) ? b : a;
}

static uint64_t int_band(const struct format *f, uint64_t a, uint64_t b, uint16_t *err)
{
	(void)f;
	(void)err;
	return a & b;
}

static uint64_t int_bor(const struct format *f, uint64_t a, uint64_t b, uint16_t *err)
{
	(void)f;
	(void)err;
	return a | b;
}

static uint64_t int_bxor(const struct format *f, uint64_t a, uint64_t b, uint16_t *err)
{
	(void)f;
	(void)err;
	return a ^ b;
}

/* ---- Floating point: sign, exponent field, fraction field ---- */

/* Guard, round and sticky: the bits an unrounded significand carries below its last place. */
#define GRS_BITS 3
#define GRS_MASK 7
#define GRS_HALF 4

static uint64_t magnitude(const struct format *f, uint64_t x)
{
	return x & (f->mask ^ f->sign);
}

/* The implicit leading one of a normal number, just above the fraction field. */
static uint64_t hidden_bit(const struct format *f)
{
	return 1ULL << f->man;
}

/* The magnitude of infinity: exponent all ones, fraction zero. NaNs lie above it. */
static uint64_t infinity(const struct format *f)
{
	return (f->mask ^ f->sign) & ~(hidden_bit(f) - 1);
}

/* The top bit of a NaN's fraction. */
static uint64_t quiet_bit(const struct format *f)
{
	return hidden_bit(f) >> 1;
}

static bool is_nan(const struct format *f, uint64_t x)
{
	return magnitude(f, x) > infinity(f);
}

static bool is_signalling(const struct format *f, uint64_t x)
{
	return is_nan(f, x) && !(x & quiet_bit(f));
}

/* The one NaN the ALU makes, so that no payload depends on the order of the contributions. */
static uint64_t canonical_nan(const struct format *f)
{
	return infinity(f) | quiet_bit(f);
}

/* True, with the result in @out, if either operand is a NaN. */
static bool take_nan(const struct format *f, uint64_t a, uint64_t b, uint64_t *out, uint16_t *err)
{
	if (is_signalling(f, a) || is_signalling(f, b))
		*err |= TALLY_ERR_FP_INVALID;
	*out = canonical_nan(f);
	return is_nan(f, a) || is_nan(f, b);
}

/* Order of all numbers, -0 below +0, as the order of unsigned words. */
static uint64_t fp_order(const struct format *f, uint64_t x)
{
	return x & f->sign ? x ^ f->mask : x | f->sign;
}

static uint64_t fp_min(const struct format *f, uint64_t a, uint64_t b, uint16_t *err)
{
	uint64_t nan;

	if (take_nan(f, a, b, &nan, err))
		return nan;
	return fp_order(f, b) < fp_order(f, a) ? b : a;
}

static uint64_t fp_max(const struct format *f, uint64_t a, uint64_t b, uint16_t *err)
{
	uint64_t nan;

	if (take_nan(f, a, b, &nan, err))
		return nan;
	return fp_order(f, a) < fp_order(f, b) ? b : a;
}

/* A finite magnitude taken apart: sig * 2^exp sixteenths of the smallest subnormal. */
struct unpacked {
	uint64_t sig;     /* fraction and hidden bit, above GRS_BITS more */
	unsigned int exp; /* exponent field; 1 for subnormals, which have the same scale */
};

static struct unpacked unpack(const struct format *f, uint64_t x)
{
	unsigned int exp = (unsigned int)(magnitude(f, x) >> f->man);
	uint64_t sig = x & (hidden_bit(f) - 1);

	if (exp)
		sig |= hidden_bit(f);
	else
		exp = 1;
	return (struct unpacked){ .sig = sig << GRS_BITS, .exp = exp };
}

/* Shifts right; what falls out stays visible in the last bit (sticky). */
static uint64_t shift_sticky(uint64_t x, unsigned int by)
{
	if (by > 63)
		return x != 0;
	return x >> by | ((x & ((1ULL << by) - 1)) != 0);
}

/*
 * Moves the leading one to the hidden bit's place: right by one after a carry, left after a
 * cancellation, but no further than the subnormals' scale.
 */
static struct unpacked normalize(const struct format *f, struct unpacked u)
{
	unsigned int top = f->man + GRS_BITS;

	if (u.sig >> (top + 1)) {
		u.sig = shift_sticky(u.sig, 1);
		u.exp++;
	} else if (u.sig) {
		unsigned int up = top - (63 - (unsigned int)__builtin_clzll(u.sig));

		if (up > u.exp - 1)
			up = u.exp - 1;
		u.sig <<= up;
		u.exp -= up;
	}
	return u;
}

/* Rounds a normalized number to nearest, ties to even, and packs it: a magnitude. */
static uint64_t round_pack(const struct format *f, struct unpacked u, uint16_t *err)
{
	unsigned int grs = (unsigned int)(u.sig & GRS_MASK);
	uint64_t sig = u.sig >> GRS_BITS;
	uint64_t mag;

	if (grs > GRS_HALF || (grs == GRS_HALF && (sig & 1)))
		sig++;
	/* The hidden bit, if there is one, and a carry out of rounding count up the exponent. */
	mag = ((uint64_t)(u.exp - 1) << f->man) + sig;
	if (mag >= infinity(f)) {
		*err |= TALLY_ERR_FP_OVERFLOW | TALLY_ERR_FP_INEXACT;
		return infinity(f);
	}
	if (grs)
		*err |= TALLY_ERR_FP_INEXACT;
	return mag;
}

/* Sum of finite numbers, |a| >= |b|. A sum that is subnormal is exact: there is no underflow. */
static uint64_t add_finite(const struct format *f, uint64_t a, uint64_t b, uint16_t *err)
{
	struct unpacked ua = unpack(f, a);
	struct unpacked ub = unpack(f, b);
	uint64_t sign = a & f->sign;

	ub.sig = shift_sticky(ub.sig, ua.exp - ub.exp);
	if ((a ^ b) & f->sign) {
		ua.sig -= ub.sig;
		if (!ua.sig)
			return 0;
	} else {
		ua.sig += ub.sig;
	}
	return sign | round_pack(f, normalize(f, ua), err);
}

static uint64_t fp_sum(const struct format *f, uint64_t a, uint64_t b, uint16_t *err)
{
	uint64_t nan;

	if (take_nan(f, a, b, &nan, err))
		return nan;
	if (magnitude(f, a) < magnitude(f, b)) {
		uint64_t swap = a;

		a = b;
		b = swap;
	}
	if (magnitude(f, a) != infinity(f))
		return add_finite(f, a, b, err);
	if (magnitude(f, b) == infinity(f) && a != b) {
		*err |= TALLY_ERR_FP_INVALID;
		return nan;
	}
	return a;
}

/* ---- The table ---- */

#define MASK(type) (UINT64_MAX >> (64 - (8U << LOG2_OF(type))))
#define SIGN(type) (MASK(type) ^ MASK(type) >> 1)

#define SIGNED(type) \
	[LOG2_OF(type)] = { .mask = MASK(type), .sign = SIGN(type) }
#define FLOAT(type, fraction_bits) \
	[LOG2_OF(type)] = { .mask = MASK(type), .sign = SIGN(type), .man = (fraction_bits) }

/* What the ALU performs: in each class, every operation on every type. */
static const struct lane_class {
	lane_fn op[32];          /* by operation */
	struct format format[8]; /* by log2 of the bytes */
} classes[] = {
	[TALLY_TYPE_CLASS_INT] = {
		.op = {
			[TALLY_OP_SUM] = int_sum,
			[TALLY_OP_MIN] = int_min,
			[TALLY_OP_MAX] = int_max,
			[TALLY_OP_BAND] = int_band,
			[TALLY_OP_BOR] = int_bor,
			[TALLY_OP_BXOR] = int_bxor,
		},
		.format = {
			SIGNED(TALLY_TYPE_INT32),
			SIGNED(TALLY_TYPE_INT64),
		},
	},
	[TALLY_TYPE_CLASS_FP] = {
		.op = {
			[TALLY_OP_SUM] = fp_sum,
			[TALLY_OP_MIN] = fp_min,
			[TALLY_OP_MAX] = fp_max,
		},
		.format = {
			FLOAT(TALLY_TYPE_FP32, 23),
			FLOAT(TALLY_TYPE_FP64, 52),
		},
	},
};

/* NULL: no type of @type_class is implemented. */
static const struct lane_class *find_class(uint8_t type_class)
{
	return type_class < ARRAY_SIZE(classes) ? &classes[type_class] : NULL;
}

/* NULL: the type is not implemented. */
static const struct format *find_format(uint8_t type)
{
	const struct lane_class *c = find_class(CLASS_OF(type));

	if (!c || LOG2_OF(type) >= ARRAY_SIZE(c->format) || !c->format[LOG2_OF(type)].mask)
		return NULL;
	return &c->format[LOG2_OF(type)];
}

/* NULL: the class does not have the operation. */
static lane_fn find_op(uint8_t op, uint8_t type_class)
{
	const struct lane_class *c = find_class(type_class);

	return c && op < ARRAY_SIZE(c->op) ? c->op[op] : NULL;
}

enum tally_coll_status alu_check(uint8_t op, uint8_t type)
{
	bool known = false;

	for (uint8_t i = 0; i < ARRAY_SIZE(classes); i++)
		known |= find_op(op, i) != NULL;
	if (!known)
		return TALLY_COLL_BAD_OP;
	if (!find_format(type))
		return TALLY_COLL_BAD_TYPE;
	return find_op(op, CLASS_OF(type)) ? TALLY_COLL_OK : TALLY_COLL_BAD_PAIR;
}

bool alu_supported(uint8_t op, uint8_t type)
{
	return alu_check(op, type) == TALLY_COLL_OK;
}

uint32_t alu_ops(uint8_t type_class)
{
	uint32_t mask = 0;

	for (uint8_t op = 0; op < 32; op++)
		if (find_op(op, type_class))
			mask |= 1U << op;
	return mask;
}

uint8_t alu_sizes(uint8_t type_class)
{
	const struct lane_class *c = find_class(type_class);
	uint8_t mask = 0;

	for (unsigned int i = 0; c && i < ARRAY_SIZE(c->format); i++)
		if (c->format[i].mask)
			mask |= 1U << i;
	return mask;
}

uint32_t alu_elem_size(uint8_t type)
{
#define KNOWN_TYPE(name, value, doc) case value:
	switch (type) {
	TALLY_TYPE_LIST(KNOWN_TYPE)
		return 1U << LOG2_OF(type);
	default:
		return 0;
	}
#undef KNOWN_TYPE
}

/* ---- Vectors ---- */

static uint64_t load(const uint8_t *p, uint32_t size)
{
	uint64_t value = 0;

	for (uint32_t i = 0; i < size; i++)
		value |= (uint64_t)p[i] << 8 * i;
	return value;
}

static void store(uint8_t *p, uint32_t size, uint64_t value)
{
	for (uint32_t i = 0; i < size; i++)
		p[i] = (uint8_t)(value >> 8 * i);
}

uint16_t alu_reduce(uint8_t op, uint8_t type, void *acc, const void *in, uint32_t count)
{
	const struct format *f = find_format(type);
	lane_fn fn = find_op(op, CLASS_OF(type));
	uint32_t size = alu_elem_size(type);
	const uint8_t *from = in;
	uint8_t *to = acc;
	uint16_t err = 0;

	if (!f || !fn)
		abort();
	for (uint32_t i = 0; i < count; i++, from += size, to += size)
		store(to, size, fn(f, load(to, size), load(from, size), &err));
	return err;
}
