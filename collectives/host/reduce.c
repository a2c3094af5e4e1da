// SPDX-License-Identifier: BSD-2-Clause
/*
 * Loops that the compiler vectorizes for fp32 and fp64. Sums and products are those of the CPU,
 * which rounds as the NIC does; only a NaN becomes the canonical one. The CPU must be in its default
 * state: a program may have told it to round otherwise, to drop subnormals or to trap. Everything
 * else is done by the model of the NIC's ALU, whose loops on integers are vectorized, too.
 */
#include "host/reduce.h"

#include "alu/alu.h"

#ifdef __SSE2__
#include <xmmintrin.h>
#endif

/* Of alu_reduce(), which takes 32 bits. */
#define PART (1u << 30)

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
	!defined(__SANITIZE_ADDRESS__) && defined(__OPTIMIZE__)
#define LOOP __attribute__((target_clones("avx2", "default"), optimize("O3")))
#else
#define LOOP
#endif

static bool cpu_is_usual(void)
{
#ifdef __SSE2__
	/* All exceptions masked, to nearest, subnormals kept; the low bits only tell of events. */
	return (_mm_getcsr() & ~0x3fu) == 0x1f80;
#else
	return false;
#endif
}

/* Numbers as signed integers in the order of MIN and MAX, in which -0 is less than +0. */
#define KEY(bits, uint_t, int_t, magnitude) \
	((int_t)((bits) ^ ((uint_t)((int_t)(bits) >> (8 * sizeof(uint_t) - 1)) & (magnitude))))

/* @expr computes bits from the bits a and b, and from the numbers x and y. */
#define FP_LOOP(name, fp_t, uint_t, expr)                                                        \
	LOOP static void name(void *acc, const void *in, uint64_t count)                         \
	{                                                                                        \
		typedef uint_t elem __attribute__((aligned(1), may_alias));                      \
		const elem *from = in;                                                           \
		elem *to = acc;                                                                  \
												 \
		_Pragma("GCC ivdep")                                                             \
		for (uint64_t i = 0; i < count; i++) {                                           \
			union {                                                                  \
				uint_t bits;                                                     \
				fp_t number;                                                     \
			} a = { to[i] }, b = { from[i] };                                        \
			expr;                                                                    \
		}                                                                                \
	}

#define FP_SUM(name, fp_t, uint_t, op, nan)                                                      \
	FP_LOOP(name, fp_t, uint_t, {                                                            \
		a.number = a.number op b.number;                                                 \
		to[i] = a.number == a.number ? a.bits : (nan);                                   \
	})

#define FP_CHOICE(name, fp_t, uint_t, int_t, op, magnitude, infinity, nan)                       \
	FP_LOOP(name, fp_t, uint_t, {                                                            \
		uint_t chosen = KEY(a.bits, uint_t, int_t, magnitude) op                         \
				KEY(b.bits, uint_t, int_t, magnitude) ? a.bits : b.bits;         \
		int_t is_nan = ((int_t)(a.bits & (magnitude)) > (int_t)(infinity)) |             \
			       ((int_t)(b.bits & (magnitude)) > (int_t)(infinity));              \
												 \
		to[i] = is_nan ? (nan) : chosen;                                                 \
	})

#define FP32_NAN 0x7fc00000u
#define FP32_INFINITY 0x7f800000u
#define FP32_MAGNITUDE 0x7fffffffu
#define FP64_NAN 0x7ff8000000000000ull
#define FP64_INFINITY 0x7ff0000000000000ull
#define FP64_MAGNITUDE 0x7fffffffffffffffull

FP_SUM(sum_fp32, float, uint32_t, +, FP32_NAN)
FP_SUM(prod_fp32, float, uint32_t, *, FP32_NAN)
FP_SUM(sum_fp64, double, uint64_t, +, FP64_NAN)
FP_SUM(prod_fp64, double, uint64_t, *, FP64_NAN)
FP_CHOICE(min_fp32, float, uint32_t, int32_t, <, FP32_MAGNITUDE, FP32_INFINITY, FP32_NAN)
FP_CHOICE(max_fp32, float, uint32_t, int32_t, >, FP32_MAGNITUDE, FP32_INFINITY, FP32_NAN)
FP_CHOICE(min_fp64, double, uint64_t, int64_t, <, FP64_MAGNITUDE, FP64_INFINITY, FP64_NAN)
FP_CHOICE(max_fp64, double, uint64_t, int64_t, >, FP64_MAGNITUDE, FP64_INFINITY, FP64_NAN)

typedef void loop(void *acc, const void *in, uint64_t count);

/* Returns the loop for a pair, or NULL. */
static loop *find(uint8_t op, uint8_t dtype)
{
	bool wide = dtype == TALLY_TYPE_FP64;

	if (dtype != TALLY_TYPE_FP32 && !wide)
		return NULL;
	switch (op) {
	case TALLY_OP_SUM:
	case TALLY_OP_AVG:	/* a sum, until the NIC forms the result */
		return wide ? sum_fp64 : sum_fp32;
	case TALLY_OP_PROD:
		return wide ? prod_fp64 : prod_fp32;
	case TALLY_OP_MIN:
		return wide ? min_fp64 : min_fp32;
	case TALLY_OP_MAX:
		return wide ? max_fp64 : max_fp32;
	default:
		return NULL;
	}
}

void tc_reduce(uint8_t op, uint8_t dtype, void *acc, const void *in, uint64_t count)
{
	const uint64_t elem = alu_elem_size(op, dtype);
	loop *fast = cpu_is_usual() ? find(op, dtype) : 0;

	if (fast) {
		fast(acc, in, count);
		return;
	}
	for (uint64_t i = 0; i < count; i += PART)
		alu_reduce(op, dtype, (uint8_t *)acc + i * elem, (const uint8_t *)in + i * elem,
			   count - i < PART ? count - i : PART);
}
