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

/*
 * Values are made for a run of elements at once, in loops that the compiler can inline: they are most of
 * the time of a test.
 */
struct run {
	uint32_t num;
	uint32_t element[VALUES_MOST]; /* what all ranks have in common of it */
};

static struct run run_of(const struct operation *o, uint64_t index, uint32_t num)
{
	struct run r;

	r.num = num;
	for (uint32_t i = 0; i < num; i++)
		r.element[i] = (o->salt * 0x9e3779b1 ^ (uint32_t)(index + i)) * 0x85ebca6b;
	return r;
}

static uint32_t mix(uint32_t element, uint32_t rank)
{
	uint32_t z = element ^ rank;

	z = (z ^ z >> 15) * 0xc2b2ae35;
	return z ^ z >> 13;
}

/* Averages of all ranks are whole: what one rank has more, its neighbour has less. */
static void average_parts(const struct operation *o, uint32_t rank, const struct run *r, int64_t *v)
{
	const int64_t more = (rank ^ 1) >= o->size ? 0 : rank % 2 ? -1 : 1;

	for (uint32_t i = 0; i < r->num; i++)
		v[i] = 1 + mix(r->element[i], 0) % 3 + more;
}

#define VALUES(expression)                                       \
	for (uint32_t i = 0; i < r->num; i++) {                  \
		const uint32_t x = mix(r->element[i], rank + 1); \
                                                                 \
		v[i] = (expression);                             \
	}                                                        \
	break

static void values(const struct operation *o, uint32_t rank, const struct run *r, int64_t *v)
{
	switch (o->op) {
	case TALLY_OP_AVG:
		average_parts(o, rank, r, v);
		break;
	case TALLY_OP_PROD:
		VALUES(rank < 3 ? 1 + x % 2 : 1);
	case TALLY_OP_NONE:
	case TALLY_OP_BAND:
	case TALLY_OP_BOR:
	case TALLY_OP_BXOR:
		VALUES(x & 0x7f);
	case TALLY_OP_MIN:
	case TALLY_OP_MAX:
		VALUES(x % 100);
	default:
		VALUES(x % 3);
	}
}

/* ---- Elements ---- */
/* Write whole numbers, of which integers keep the low bits. */
#define ENCODE(type)                                                     \
	for (uint32_t i = 0; i < num; i++) {                             \
		type x = v[i];                                           \
                                                                         \
		memcpy((uint8_t *)to + (size_t)i * elem, &x, sizeof(x)); \
	}                                                                \
	break

static void encode_floats(enum tally_type dtype, const int64_t *v, uint32_t num, uint32_t elem,
			  void *to)
{
	switch (dtype) {
	case TALLY_TYPE_FP16:
		ENCODE(_Float16);
	case TALLY_TYPE_FP32:
		ENCODE(float);
	case TALLY_TYPE_FP64:
		ENCODE(double);
	default:
		for (uint32_t i = 0; i < num; i++) {
			float x = v[i];

			memcpy((uint8_t *)to + (size_t)i * elem, (uint8_t *)&x + 2, 2);
		}
		break;
	}
}

static void encode(enum tally_type dtype, const int64_t *v, uint32_t num, uint32_t elem, void *to)
{
	if (dtype == TALLY_TYPE_FP16 || dtype == TALLY_TYPE_FP32 || dtype == TALLY_TYPE_FP64 ||
	    dtype == TALLY_TYPE_BF16) {
		encode_floats(dtype, v, num, elem, to);
		return;
	}
	switch (TYPE_SIZE(dtype)) {
	case 1:
		ENCODE(uint8_t);
	case 2:
		ENCODE(uint16_t);
	case 4:
		ENCODE(uint32_t);
	default:
		ENCODE(uint64_t);
	}
}

static void write_elements(const struct operation *o, const int64_t *v, const int32_t *index,
			   uint32_t num, uint8_t *to)
{
	const uint32_t elem = operation_elem(o->op, o->dtype);

	if (is_pair(o->op))
		memset(to, 0, (size_t)num * elem);
	encode(o->dtype, v, num, elem, to);
	for (uint32_t i = 0; is_pair(o->op) && i < num; i++)
		memcpy(to + i * elem + elem / 2, &index[i], sizeof(*index));
}

/* The index of a pair tells its rank, but not in the order of ranks. */
static int32_t index_of(const struct operation *o, uint32_t rank)
{
	return (rank * 7 + 3) % 1000 + o->salt % 5;
}

void elements_write(const struct operation *o, uint32_t rank, uint64_t index, uint32_t num,
		    void *to)
{
	const struct run r = run_of(o, index, num);
	int32_t places[VALUES_MOST];
	int64_t v[VALUES_MOST];

	values(o, rank, &r, v);
	for (uint32_t i = 0; is_pair(o->op) && i < num; i++)
		places[i] = index_of(o, rank);
	write_elements(o, v, places, num, to);
}

/* ---- Reductions ---- */
#define COMBINE(expression)                       \
	for (uint32_t i = 0; i < num; i++) {      \
		const int64_t a = v[i], b = w[i]; \
                                                  \
		v[i] = (expression);              \
	}                                         \
	break

static void combine(enum tally_op op, int64_t *v, const int64_t *w, uint32_t num)
{
	switch (op) {
	case TALLY_OP_SUM:
	case TALLY_OP_AVG:
		COMBINE(a + b);
	case TALLY_OP_PROD:
		COMBINE(a * b);
	case TALLY_OP_MIN:
	case TALLY_OP_MINLOC:
		COMBINE(a < b ? a : b);
	case TALLY_OP_MAX:
	case TALLY_OP_MAXLOC:
		COMBINE(a > b ? a : b);
	case TALLY_OP_LAND:
		COMBINE(a && b);
	case TALLY_OP_LOR:
		COMBINE(a || b);
	case TALLY_OP_LXOR:
		COMBINE(!a != !b);
	case TALLY_OP_BAND:
		COMBINE(a & b);
	case TALLY_OP_BOR:
		COMBINE(a | b);
	default:
		COMBINE(a ^ b);
	}
}

/* The lowest index of those that have the value. */
static void locate(const struct operation *o, const struct run *r, const int64_t *v,
		   int32_t *places)
{
	int64_t w[VALUES_MOST];

	for (uint32_t i = 0; i < r->num; i++)
		places[i] = INT32_MAX;
	for (uint32_t k = 0; k < o->size; k++) {
		values(o, k, r, w);
		for (uint32_t i = 0; i < r->num; i++)
			if (w[i] == v[i] && index_of(o, k) < places[i])
				places[i] = index_of(o, k);
	}
}

void elements_reduce(const struct operation *o, uint64_t index, uint32_t num, void *to)
{
	const struct run r = run_of(o, index, num);
	int64_t v[VALUES_MOST], w[VALUES_MOST];
	int32_t places[VALUES_MOST];

	values(o, 0, &r, v);
	for (uint32_t k = 1; k < o->size; k++) {
		values(o, k, &r, w);
		combine(o->op, v, w, num);
	}
	for (uint32_t i = 0; o->op == TALLY_OP_AVG && i < num; i++)
		v[i] /= o->size;
	if (is_pair(o->op))
		locate(o, &r, v, places);
	write_elements(o, v, places, num, to);
}
