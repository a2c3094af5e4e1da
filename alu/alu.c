// SPDX-License-Identifier: BSD-2-Clause
#include "alu/alu.h"

#include <stdlib.h>
#include <string.h>

#include "alu/alu_lanes.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* A type code is (class << 4) | log2(bytes). */
#define CLASS_OF(type) ((type) >> 4)
#define LOG2_OF(type)  ((type) & 0xf)

/* ---- The table ---- */

#define NUMBER(t)                                                                        \
	[TALLY_OP_SUM] = alu_sum_##t, [TALLY_OP_AVG] = alu_sum_##t,                      \
	[TALLY_OP_PROD] = alu_prod_##t,                                                  \
	[TALLY_OP_MIN] = alu_min_##t, [TALLY_OP_MAX] = alu_max_##t,                      \
	[TALLY_OP_MINLOC] = alu_minloc_##t, [TALLY_OP_MAXLOC] = alu_maxloc_##t
#define BITS(t)                                                                          \
	[TALLY_OP_LAND] = alu_land_##t, [TALLY_OP_BAND] = alu_band_##t,                  \
	[TALLY_OP_LOR] = alu_lor_##t, [TALLY_OP_BOR] = alu_bor_##t,                      \
	[TALLY_OP_LXOR] = alu_lxor_##t, [TALLY_OP_BXOR] = alu_bxor_##t
#define INT(code, t) [code] = { .reduce = { NUMBER(t), BITS(t) }, .scale = alu_scale_##t }
#define FP(code, t)  [code] = { .reduce = { NUMBER(t) }, .scale = alu_scale_##t }

/* The ALU's operations by type code. A type without lanes is not implemented. */
static const struct lanes {
	alu_reduce_lane *reduce[TALLY_OP_AVG + 1]; /* index: operation */
	alu_scale_lane *scale;
} lanes[] = {
	INT(TALLY_TYPE_INT8, int8),
	INT(TALLY_TYPE_INT16, int16),
	INT(TALLY_TYPE_INT32, int32),
	INT(TALLY_TYPE_INT64, int64),
	INT(TALLY_TYPE_UINT8, uint8),
	INT(TALLY_TYPE_UINT16, uint16),
	INT(TALLY_TYPE_UINT32, uint32),
	INT(TALLY_TYPE_UINT64, uint64),
	FP(TALLY_TYPE_FP16, fp16),
	FP(TALLY_TYPE_FP32, fp32),
	FP(TALLY_TYPE_FP64, fp64),
	FP(TALLY_TYPE_BF16, bf16),
};

static bool is_implemented(unsigned int type)
{
	return type < ARRAY_SIZE(lanes) && lanes[type].scale;
}

/* Return the lane, or NULL if @type does not have the operation. */
static alu_reduce_lane *find_lane(uint8_t op, unsigned int type)
{
	if (type >= ARRAY_SIZE(lanes) || op >= ARRAY_SIZE(lanes[type].reduce))
		return NULL;
	return lanes[type].reduce[op];
}

/* ---- Queries ---- */

enum tally_coll_status alu_check(uint8_t op, uint8_t type)
{
	bool known = false;

	for (unsigned int i = 0; i < ARRAY_SIZE(lanes); i++)
		known |= find_lane(op, i) != NULL;
	if (!known)
		return TALLY_COLL_BAD_OP;
	if (!is_implemented(type))
		return TALLY_COLL_BAD_TYPE;
	return find_lane(op, type) ? TALLY_COLL_OK : TALLY_COLL_BAD_PAIR;
}

bool alu_supported(uint8_t op, uint8_t type)
{
	return find_lane(op, type) != NULL;
}

uint32_t alu_ops(uint8_t type_class)
{
	uint32_t all = 0, missing = 0;

	for (unsigned int type = 0; type < ARRAY_SIZE(lanes); type++) {
		if (CLASS_OF(type) != type_class || !is_implemented(type))
			continue;
		for (uint8_t op = 0; op < ARRAY_SIZE(lanes[type].reduce); op++)
			*(find_lane(op, type) ? &all : &missing) |= 1U << op;
	}
	return all & ~missing;
}

uint8_t alu_sizes(uint8_t type_class)
{
	uint8_t mask = 0;

	for (unsigned int type = 0; type < ARRAY_SIZE(lanes); type++)
		if (CLASS_OF(type) == type_class && is_implemented(type))
			mask |= 1U << LOG2_OF(type);
	return mask;
}

uint32_t alu_value_size(uint8_t type)
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

/*
 * The index follows the value, at the next multiple of its own size, and a pair is aligned like
 * that.
 */
static uint32_t index_offset(uint32_t value_size)
{
	return value_size < sizeof(int32_t) ? sizeof(int32_t) : value_size;
}

uint32_t alu_elem_size(uint8_t op, uint8_t type)
{
	uint32_t size = alu_value_size(type);

	if (op != TALLY_OP_MINLOC && op != TALLY_OP_MAXLOC)
		return size;
	return alu_supported(op, type) ? 2 * index_offset(size) : 0;
}

/* ---- Vectors ---- */

/*
 * Elements that do not fill a word are computed in a word that ends in zeros, which raise no flag.
 */

uint16_t alu_reduce(uint8_t op, uint8_t type, void *acc, const void *in, uint32_t count)
{
	alu_reduce_lane *lane = find_lane(op, type);
	uint64_t bytes = (uint64_t)count * alu_elem_size(op, type);
	uint32_t words = (uint32_t)(bytes / ALU_WORD), rest = bytes % ALU_WORD;
	uint8_t a[ALU_WORD] = { 0 }, b[ALU_WORD] = { 0 };
	uint16_t err;

	if (!lane)
		abort();
	err = lane(acc, in, words);
	if (!rest)
		return err;
	bytes -= rest;
	memcpy(a, (uint8_t *)acc + bytes, rest);
	memcpy(b, (const uint8_t *)in + bytes, rest);
	err |= lane(a, b, 1);
	memcpy((uint8_t *)acc + bytes, a, rest);
	return err;
}

uint16_t alu_scale(uint8_t type, void *acc, uint32_t count, uint32_t n)
{
	struct alu_divisor d = { .n = n, .inverse = n ? UINT64_MAX / n : 0 };
	uint64_t bytes = (uint64_t)count * alu_value_size(type);
	uint32_t words = (uint32_t)(bytes / ALU_WORD), rest = bytes % ALU_WORD;
	uint8_t a[ALU_WORD] = { 0 };
	uint16_t err;

	if (!is_implemented(type) || !n)
		abort();
	err = lanes[type].scale(acc, words, &d);
	if (!rest)
		return err;
	bytes -= rest;
	memcpy(a, (uint8_t *)acc + bytes, rest);
	err |= lanes[type].scale(a, 1, &d);
	memcpy((uint8_t *)acc + bytes, a, rest);
	return err;
}

void alu_expand_loc(uint8_t type, void *pairs, const void *values, uint32_t count,
		    uint32_t first_index)
{
	uint32_t size = alu_value_size(type), offset = index_offset(size);

	if (!alu_supported(TALLY_OP_MINLOC, type))
		abort();
	/* Backwards: pairs are longer than values, so no value is overwritten before it is used. */
	for (uint32_t i = count; i-- > 0;) {
		uint8_t pair[2 * sizeof(uint64_t)] = { 0 };
		uint32_t index = first_index + i;

		memcpy(pair, (const uint8_t *)values + (uint64_t)i * size, size);
		memcpy(pair + offset, &index, sizeof(index));
		memcpy((uint8_t *)pairs + (uint64_t)i * 2 * offset, pair, 2 * offset);
	}
}
