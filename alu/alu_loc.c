// SPDX-License-Identifier: BSD-2-Clause
/*
 * MINLOC and MAXLOC. A pair is a value and an int32 index. Each is right-aligned in a word of its
 * own if the value has 8 bytes, otherwise in one half of a word.
 */
#include "alu/alu_float.h"
#include "alu/alu_lanes.h"

/* Order of values: sign bit (0: unsigned) and, for floating point, the format. */
struct loc_type {
	struct fp_format f; /* man == 0: integer */
	uint64_t sign;
	bool max;
};

struct loc_pair {
	uint64_t value;
	int32_t index;
};

/*
 * Return the key of a value; the lower key wins. Zeros of either sign are equal, and NaNs come
 * before all numbers.
 */
ALU_INLINE uint64_t loc_key(struct loc_type t, uint64_t x)
{
	const uint64_t mask = UINT64_MAX >> (64 - t.f.bits);
	uint64_t key = x ^ t.sign;

	if (t.f.man) {
		if (fp_is_nan(t.f, x))
			return 0;
		key = fp_order(t.f, fp_magnitude(t.f, x) ? x : 0);
	}
	return t.max ? key ^ mask : key;
}

ALU_INLINE struct loc_pair loc_pick(struct loc_type t, struct loc_pair a, struct loc_pair b,
				    uint16_t *err)
{
	uint64_t ka = loc_key(t, a.value), kb = loc_key(t, b.value);
	bool tie = ka == kb && a.index == b.index;
	struct loc_pair out = kb < ka || (kb == ka && b.index < a.index) ? b : a;

	if (t.f.man) {
		*err |= fp_invalid(t.f, a.value) | fp_invalid(t.f, b.value);
		if (fp_is_nan(t.f, out.value))
			out.value = fp_nan(t.f);
		else if (tie) /* zeros differ at most in sign: choose like MIN and MAX */
			out.value = t.max ? a.value & b.value : a.value | b.value;
	}
	return out;
}

/* Compute all bits of a pair. Bits outside value and index become zero. */
ALU_INLINE uint64_t loc_narrow(struct loc_type t, uint64_t a, uint64_t b, uint16_t *err)
{
	const uint64_t mask = UINT64_MAX >> (64 - t.f.bits);
	struct loc_pair out = loc_pick(t, (struct loc_pair){ a & mask, (int32_t)(a >> 32) },
				       (struct loc_pair){ b & mask, (int32_t)(b >> 32) }, err);

	return out.value | (uint64_t)(uint32_t)out.index << 32;
}

typedef unsigned __int128 wide_pair;

ALU_INLINE wide_pair loc_wide(struct loc_type t, wide_pair a, wide_pair b, uint16_t *err)
{
	struct loc_pair out = loc_pick(t, (struct loc_pair){ (uint64_t)a, (int32_t)(a >> 64) },
				       (struct loc_pair){ (uint64_t)b, (int32_t)(b >> 64) }, err);

	return out.value | (wide_pair)(uint32_t)out.index << 64;
}

#define LOC_TYPE(is_max, n, fraction, signed) \
	((struct loc_type){ .f = { .bits = (n), .man = (fraction) }, .max = (is_max), \
			    .sign = (uint64_t)(signed) << ((n) - 1) })

#define LOC_LANES(t, T, pick, n, fraction, signed)                                       \
	ALU_REDUCE_LANE(alu_minloc_##t, T,                                               \
			pick(LOC_TYPE(false, n, fraction, signed), a, b, &err))          \
	ALU_REDUCE_LANE(alu_maxloc_##t, T,                                               \
			pick(LOC_TYPE(true, n, fraction, signed), a, b, &err))

LOC_LANES(int8, uint64_t, loc_narrow, 8, 0, 1)
LOC_LANES(int16, uint64_t, loc_narrow, 16, 0, 1)
LOC_LANES(int32, uint64_t, loc_narrow, 32, 0, 1)
LOC_LANES(int64, wide_pair, loc_wide, 64, 0, 1)
LOC_LANES(uint8, uint64_t, loc_narrow, 8, 0, 0)
LOC_LANES(uint16, uint64_t, loc_narrow, 16, 0, 0)
LOC_LANES(uint32, uint64_t, loc_narrow, 32, 0, 0)
LOC_LANES(uint64, wide_pair, loc_wide, 64, 0, 0)
LOC_LANES(fp16, uint64_t, loc_narrow, 16, 10, 1)
LOC_LANES(fp32, uint64_t, loc_narrow, 32, 23, 1)
LOC_LANES(fp64, wide_pair, loc_wide, 64, 52, 1)
LOC_LANES(bf16, uint64_t, loc_narrow, 16, 7, 1)
