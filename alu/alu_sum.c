// SPDX-License-Identifier: BSD-2-Clause
/*
 * Sums of the floating-point formats of 32 bits and less, eight at a time, for hosts with AVX2
 * (alu_fp.c checks). The integer arithmetic is the same as there, without branches. A condition is
 * a mask, all ones if true.
 */
#include <string.h>

#include "alu/alu_float.h"
#include "alu/alu_lanes.h"

#ifdef __x86_64__
#pragma GCC target("avx2")
#endif

#define VEC_LANES 8

typedef uint32_t vec __attribute__((vector_size(4 * VEC_LANES)));
typedef int32_t signed_vec __attribute__((vector_size(4 * VEC_LANES)));

/*
 * Bits of an unrounded significand below its last place: guard, round, sticky, and one for the
 * carry, which moves all of them down.
 */
#define GUARD_BITS 4

/* Compare signed numbers. */
ALU_INLINE vec less(vec a, vec b)
{
	return (vec)((signed_vec)a < (signed_vec)b);
}

ALU_INLINE vec all(uint32_t x)
{
	return (vec){ 0 } + x;
}

ALU_INLINE vec choose(vec mask, vec yes, vec no)
{
	return no ^ ((yes ^ no) & mask);
}

ALU_INLINE bool any(vec x)
{
	typedef uint64_t quarters __attribute__((vector_size(4 * VEC_LANES)));
	quarters q = (quarters)x;

	return q[0] | q[1] | q[2] | q[3];
}

/* Magnitudes: sig * 2^exp, in units of the same size for all. */
struct unpacked_vec {
	vec sig; /* the hidden bit, if there is one, at bit man + GUARD_BITS - 1 */
	vec exp; /* 1 for subnormals */
};

ALU_INLINE struct unpacked_vec unpack(struct fp_format f, vec magnitude)
{
	vec exp = magnitude >> f.man;

	exp -= (vec)(exp == 0);
	return (struct unpacked_vec){
		.sig = (magnitude - ((exp - 1) << f.man)) << (GUARD_BITS - 1),
		.exp = exp,
	};
}

/* Shift each lane right. Bits that fall out are ORed into the last bit. */
ALU_INLINE vec shift_sticky(vec x, vec by)
{
	vec kept;

	by = choose(less(all(31), by), all(31), by);
	kept = x >> by;
	return kept | ((vec)(kept << by != x) & 1);
}

/* Shift the leading one left to bit man + GUARD_BITS, but no further than exponent 1. */
ALU_INLINE struct unpacked_vec normalize(struct fp_format f, struct unpacked_vec u)
{
	const unsigned int top = f.man + GUARD_BITS;

#pragma GCC unroll 5
	for (unsigned int step = top < 16 ? 8 : 16; step; step /= 2) {
		vec take = less(u.sig, all(1U << (top + 1 - step))) & less(all(step), u.exp);
		vec part = u.sig & take;

		u.sig = u.sig - part + (part << step);
		u.exp -= take & step;
	}
	return u;
}

/* Events of a word. Any bit that is set means yes. */
struct happened {
	vec special; /* all ones in lanes of the last sum with an operand that is not finite */
	vec inexact;
	vec overflow;
};

/* Round to nearest, ties to even, and pack magnitudes. */
ALU_INLINE vec round_pack(struct fp_format f, struct unpacked_vec u, struct happened *h)
{
	const uint32_t half = 1U << (GUARD_BITS - 1);
	vec infinity = all((uint32_t)fp_infinity(f));
	vec rest = u.sig & (2 * half - 1), overflow, mag;

	mag = (u.sig + (half - 1) + (u.sig >> GUARD_BITS & 1)) >> GUARD_BITS;
	mag += (u.exp - 1) << f.man;
	overflow = ~less(mag - infinity, all(0));
	h->inexact |= rest & ~h->special;
	h->overflow |= overflow & ~h->special;
	return choose(overflow, infinity, mag);
}

/* Add. The caller replaces the results of special lanes. */
ALU_INLINE vec sum(struct fp_format f, vec a, vec b, struct happened *h)
{
	vec sign = all((uint32_t)fp_sign(f)), rest = sign - 1;
	vec swap = (a ^ b) & less(a & rest, b & rest);
	vec large = a ^ swap, small = b ^ swap;
	vec differ = 0 - ((a ^ b) >> (f.bits - 1));
	struct unpacked_vec l = unpack(f, large & rest), s = unpack(f, small & rest);
	vec zero;

	h->special = ~less(large & rest, all((uint32_t)fp_infinity(f)));
	s.sig = shift_sticky(s.sig, l.exp - s.exp);
	l.sig += (s.sig ^ differ) - differ;
	l.exp += 1;
	zero = (vec)(l.sig == 0); /* an exact cancellation gives +0 */
	return choose(zero, large & small & sign,
		      (large & sign) | round_pack(f, normalize(f, l), h));
}

#define SUM_LANE(name, T, f)                                                             \
	uint16_t name(void *acc, const void *in, uint32_t words)                         \
	{                                                                                \
		typedef T part __attribute__((vector_size(sizeof(T) * VEC_LANES)));      \
		struct happened h = { 0 };                                               \
		const uint8_t *y = in;                                                   \
		uint8_t *x = acc;                                                        \
		uint16_t err = 0;                                                        \
											 \
		for (uint64_t n = (uint64_t)words * (ALU_WORD / sizeof(part)); n; n--) { \
			part a, b, out;                                                  \
											 \
			memcpy(&a, x, sizeof(part));                                     \
			memcpy(&b, y, sizeof(part));                                     \
			out = __builtin_convertvector(                                   \
				sum(f, __builtin_convertvector(a, vec),                  \
				    __builtin_convertvector(b, vec), &h), part);         \
			for (unsigned int k = 0; ALU_RARE(any(h.special)) && k < VEC_LANES; k++) \
				if (h.special[k])                                        \
					out[k] = (T)fp_sum_special(f, a[k], b[k], &err); \
			memcpy(x, &out, sizeof(part));                                   \
			x += sizeof(part);                                               \
			y += sizeof(part);                                               \
		}                                                                        \
		if (any(h.overflow))                                                     \
			err |= TALLY_ERR_FP_OVERFLOW | TALLY_ERR_FP_INEXACT;             \
		if (any(h.inexact))                                                      \
			err |= TALLY_ERR_FP_INEXACT;                                     \
		return err;                                                              \
	}

SUM_LANE(alu_sum8_fp16, uint16_t, FP_FP16)
SUM_LANE(alu_sum8_fp32, uint32_t, FP_FP32)
SUM_LANE(alu_sum8_bf16, uint16_t, FP_BF16)
