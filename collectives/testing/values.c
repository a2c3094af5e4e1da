// SPDX-License-Identifier: BSD-2-Clause
#include "testing/values.h"

#include <string.h>

#define TYPE_SIZE(type) ((type) ? 1u << ((type)&0xf) : 1u)

static bool is_pair(enum tally_op op)
{
	return op == TALLY_OP_MINLOC || op == TALLY_OP_MAXLOC;
}

uint32_t operation_elem(enum tally_op op, enum tally_type dtype)
{
	if (!is_pair(op))
		return TYPE_SIZE(dtype);
	return TYPE_SIZE(dtype) == 8 ? 16 : dtype ? 8 : 0;
}

static uint32_t mix(uint32_t a, uint32_t b, uint32_t c)
{
	uint32_t z = (a * 0x9e3779b1 ^ b) * 0x85ebca6b ^ c;

	z = (z ^ z >> 15) * 0xc2b2ae35;
	return z ^ z >> 13;
}

/* Averages of all ranks are whole: what one rank has more, its neighbour has less. */
static int64_t average_part(const struct operation *o, uint32_t rank, uint64_t index)
{
	uint32_t partner = rank ^ 1;
	int64_t value = 1 + mix(o->salt, index, 0) % 3;

	return partner >= o->size ? value : rank % 2 ? value - 1 : value + 1;
}

static int64_t value(const struct operation *o, uint32_t rank, uint64_t index)
{
	uint32_t v = mix(o->salt, index, rank + 1);

	switch (o->op) {
	case TALLY_OP_NONE:
		return v & 0x7f;
	case TALLY_OP_AVG:
		return average_part(o, rank, index);
	case TALLY_OP_PROD:
		return rank < 3 ? 1 + v % 2 : 1;
	case TALLY_OP_BAND:
	case TALLY_OP_BOR:
	case TALLY_OP_BXOR:
		return v & 0x7f;
	case TALLY_OP_MIN:
	case TALLY_OP_MAX:
		return v % 100;
	default:
		return v % 3;
	}
}

/* Writes a whole number, of which integers keep the low bits. */
static void encode(enum tally_type dtype, int64_t v, void *to)
{
	double d = v;
	float f = v;
	_Float16 h = v;

	switch (dtype) {
	case TALLY_TYPE_FP16:
		memcpy(to, &h, sizeof(h));
		break;
	case TALLY_TYPE_FP32:
		memcpy(to, &f, sizeof(f));
		break;
	case TALLY_TYPE_FP64:
		memcpy(to, &d, sizeof(d));
		break;
	case TALLY_TYPE_BF16:
		memcpy(to, (uint8_t *)&f + 2, 2);
		break;
	default:
		memcpy(to, &v, TYPE_SIZE(dtype));
		break;
	}
}

static void write_element(const struct operation *o, int64_t v, int32_t index, void *to)
{
	uint32_t elem = operation_elem(o->op, o->dtype);

	memset(to, 0, elem);
	encode(o->dtype, v, to);
	if (is_pair(o->op))
		memcpy((uint8_t *)to + elem / 2, &index, sizeof(index));
}

/* The index of a pair tells its rank, but not in the order of ranks. */
static int32_t index_of(const struct operation *o, uint32_t rank)
{
	return (rank * 7 + 3) % 1000 + o->salt % 5;
}

void value_write(const struct operation *o, uint32_t rank, uint64_t index, void *to)
{
	write_element(o, value(o, rank, index), index_of(o, rank), to);
}

static int64_t combine(enum tally_op op, int64_t a, int64_t b)
{
	switch (op) {
	case TALLY_OP_SUM:
	case TALLY_OP_AVG:
		return a + b;
	case TALLY_OP_PROD:
		return a * b;
	case TALLY_OP_MIN:
	case TALLY_OP_MINLOC:
		return a < b ? a : b;
	case TALLY_OP_MAX:
	case TALLY_OP_MAXLOC:
		return a > b ? a : b;
	case TALLY_OP_LAND:
		return a && b;
	case TALLY_OP_LOR:
		return a || b;
	case TALLY_OP_LXOR:
		return !a != !b;
	case TALLY_OP_BAND:
		return a & b;
	case TALLY_OP_BOR:
		return a | b;
	default:
		return a ^ b;
	}
}

/* The lowest index of those that have the value. */
static int32_t location(const struct operation *o, uint64_t index, int64_t result)
{
	int32_t least = INT32_MAX;

	for (uint32_t k = 0; k < o->size; k++)
		if (value(o, k, index) == result && index_of(o, k) < least)
			least = index_of(o, k);
	return least;
}

void value_reduce(const struct operation *o, uint64_t index, void *to)
{
	int64_t result = value(o, 0, index);

	for (uint32_t k = 1; k < o->size; k++)
		result = combine(o->op, result, value(o, k, index));
	if (o->op == TALLY_OP_AVG)
		result /= o->size;
	write_element(o, result, is_pair(o->op) ? location(o, index, result) : 0, to);
}
