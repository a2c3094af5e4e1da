// SPDX-License-Identifier: BSD-2-Clause
/*
 * Each operation against what the ALU's model computes from the data of all ranks, which every rank
 * knows. Floating-point values are small whole numbers, so that results are exact in any order.
 */
#include <stdint.h>

#include "alu/alu.h"
#include "tallycoll.h"

static const uint8_t types[] = {
	TALLY_TYPE_INT8, TALLY_TYPE_INT16, TALLY_TYPE_INT32, TALLY_TYPE_INT64,
	TALLY_TYPE_UINT8, TALLY_TYPE_UINT16, TALLY_TYPE_UINT32, TALLY_TYPE_UINT64,
	TALLY_TYPE_FP16, TALLY_TYPE_FP32, TALLY_TYPE_FP64, TALLY_TYPE_BF16,
};

static uint32_t turn; /* operations so far, so that no two have the same data */

/* ---- Data ---- */
/* Writes -2, -1, 0, 1 or 2, whose products of 8 ranks every type has. */
static void put_float(uint8_t type, uint8_t *at, int value)
{
	static const uint32_t upper[] = { 0, 0x3f80, 0x4000 }, half[] = { 0, 0x3c00, 0x4000 };
	unsigned int magnitude = abs(value), minus = value < 0;
	uint16_t bits = (type == TALLY_TYPE_FP16 ? half[magnitude] : upper[magnitude]) | minus << 15;
	double wide = value;

	switch (type) {
	case TALLY_TYPE_FP64:
		memcpy(at, &wide, 8);
		break;
	case TALLY_TYPE_FP32:
		memset(at, 0, 2);
		memcpy(at + 2, &bits, 2);
		break;
	default:
		memcpy(at, &bits, 2);
	}
}

static void put(uint8_t type, uint8_t *at, uint64_t seed)
{
	uint64_t value = (seed * 6364136223846793005 + turn) * 6364136223846793005;

	value ^= value >> 32;
	if (type >> 4 == TALLY_TYPE_CLASS_FP || type >> 4 == TALLY_TYPE_CLASS_BF)
		put_float(type, at, (int)(value % 5) - 2);
	else
		memcpy(at, &value, alu_value_size(type));
}

/* Fills in the data of a rank. The index of a pair is the number of its rank. */
static void fill(const struct tallycoll_args *a, uint8_t *to, uint64_t count, uint32_t rank)
{
	const uint32_t elem = alu_elem_size(a->op, a->dtype), size = alu_value_size(a->dtype);
	const bool pairs = a->op == TALLY_OP_MINLOC || a->op == TALLY_OP_MAXLOC;

	memset(to, 0, count * elem);
	for (uint64_t i = 0; i < count; i++) {
		put(a->dtype, to + i * elem, rank * 0x100000001ULL + i);
		if (pairs)
			memcpy(to + i * elem + (size > 4 ? 8 : 4), &rank, 4);
	}
}

/* ---- What is expected ---- */
static bool has_blocks_in(const struct tallycoll_args *a)
{
	return a->opcode == TALLY_OPCODE_SCATTER || a->opcode == TALLY_OPCODE_REDUCE_SCATTER;
}

static bool has_blocks_out(const struct tallycoll_args *a)
{
	return a->opcode == TALLY_OPCODE_GATHER || a->opcode == TALLY_OPCODE_ALLGATHER;
}

static bool only_root_gets(const struct tallycoll_args *a)
{
	return a->opcode == TALLY_OPCODE_REDUCE || a->opcode == TALLY_OPCODE_GATHER;
}

static bool reduces(const struct tallycoll_args *a)
{
	return a->opcode == TALLY_OPCODE_ALLREDUCE || a->opcode == TALLY_OPCODE_REDUCE ||
	       a->opcode == TALLY_OPCODE_REDUCE_SCATTER;
}

static uint64_t elements_in(const struct member *m, const struct tallycoll_args *a)
{
	return a->count * (has_blocks_in(a) ? m->size : 1);
}

static uint64_t elements_out(const struct member *m, const struct tallycoll_args *a)
{
	return a->count * (has_blocks_out(a) ? m->size : 1);
}

static void reduce_all(const struct member *m, const struct tallycoll_args *a, uint8_t *to,
		       uint8_t *other)
{
	uint64_t count = elements_in(m, a);

	fill(a, to, count, 0);
	for (uint32_t r = 1; r < m->size; r++) {
		fill(a, other, count, r);
		alu_reduce(a->op, a->dtype, to, other, count);
	}
	if (a->op == TALLY_OP_AVG)
		alu_scale(a->dtype, to, count, m->size);
}

/* Writes the result of this rank to @to; @other is memory for the data of a rank. */
static void expect(const struct member *m, const struct tallycoll_args *a, uint8_t *to,
		   uint8_t *other)
{
	const uint64_t block = a->count * alu_elem_size(a->op, a->dtype);

	if (reduces(a)) {
		reduce_all(m, a, to, other);
		if (a->opcode == TALLY_OPCODE_REDUCE_SCATTER)
			memmove(to, to + m->rank * block, block);
	} else if (has_blocks_out(a)) {
		for (uint32_t r = 0; r < m->size; r++)
			fill(a, to + r * block, a->count, r);
	} else {
		fill(a, other, elements_in(m, a), a->root);
		memcpy(to, other + (has_blocks_in(a) ? m->rank * block : 0), block);
	}
}

/* ---- An operation ---- */
#define GUARD 0x5a
#define GUARDS 64

static void check(const struct member *m, const struct tallycoll_args *a, const uint8_t *result,
		  const uint8_t *right, uint64_t bytes)
{
	for (uint64_t i = 0; i < bytes + GUARDS; i++)
		REQUIRE(result[i] == (i < bytes ? right[i] : GUARD),
			"rank %u: opcode %u, op %u, type %#x, %llu elements, root %u: byte %llu is %#x",
			m->rank, a->opcode, a->op, a->dtype, (unsigned long long)a->count, a->root,
			(unsigned long long)i, result[i]);
}

static void run(struct member *m, struct tallycoll_args a)
{
	const uint64_t elem = alu_elem_size(a.op, a.dtype), most = a.count * m->size * elem;
	uint8_t *in = malloc(most + 1), *out = malloc(most + GUARDS), *right = malloc(most + 1);
	uint8_t *other = malloc(most + 1);
	struct tallycoll_request *request;

	REQUIRE(in && out && right && other, "%llu bytes", (unsigned long long)most);
	turn++;
	fill(&a, in, elements_in(m, &a), m->rank);
	memset(out, GUARD, most + GUARDS);
	if (a.opcode == TALLY_OPCODE_BCAST && m->rank == a.root)
		memcpy(out, in, a.count * elem);
	a.src = in;
	a.dst = out;
	request = prepare(m, &a);
	perform(request, "an operation");
	if (only_root_gets(&a) && m->rank != a.root) {
		check(m, &a, out, right, 0);
	} else if (a.opcode != TALLY_OPCODE_BARRIER) {
		expect(m, &a, right, other);
		check(m, &a, out, right, elements_out(m, &a) * elem);
	}
	tallycoll_collective_finalize(request);
	free(in);
	free(out);
	free(right);
	free(other);
}

/* ---- Tests ---- */
void test_pairs(struct member *m)
{
	for (unsigned int t = 0; t < sizeof(types); t++)
		for (unsigned int op = 1; op < 32; op++)
			if (alu_supported(op, types[t]))
				run(m, (struct tallycoll_args){ .opcode = TALLY_OPCODE_ALLREDUCE,
								.op = op,
								.dtype = types[t],
								.count = 5 });
}

static void every_opcode(struct member *m, uint8_t op, uint8_t type, uint64_t count)
{
	for (unsigned int opcode = TALLY_OPCODE_ALLREDUCE; opcode <= TALLY_OPCODE_SCATTER; opcode++) {
		struct tallycoll_args a = {
			.opcode = opcode,
			.dtype = type,
			.count = count,
			.root = turn % m->size,
		};

		a.op = reduces(&a) ? op : TALLY_OP_NONE;
		if (opcode == TALLY_OPCODE_BARRIER) {
			a.dtype = TALLY_TYPE_NONE;
			a.count = 0;
		}
		run(m, a);
	}
}

void test_lengths(struct member *m)
{
	static const uint64_t counts[] = { 1, 3, 300, 1025, 9000, 50001 };

	for (unsigned int i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
		every_opcode(m, TALLY_OP_SUM, TALLY_TYPE_FP64, counts[i]);
		every_opcode(m, TALLY_OP_MAX, TALLY_TYPE_INT8, counts[i]);
	}
	every_opcode(m, TALLY_OP_MINLOC, TALLY_TYPE_FP64, 700);
}

static void in_place(struct member *m, enum tally_opcode opcode, uint64_t count)
{
	struct tallycoll_args a = {
		.opcode = opcode,
		.op = opcode == TALLY_OPCODE_ALLGATHER ? TALLY_OP_NONE : TALLY_OP_SUM,
		.dtype = TALLY_TYPE_INT32,
		.count = count,
		.src = TALLYCOLL_IN_PLACE,
	};
	const uint64_t most = count * m->size * 4;
	uint8_t *buf = malloc(most + GUARDS), *right = malloc(most), *other = malloc(most);
	struct tallycoll_request *request;

	REQUIRE(buf && right && other, "%llu bytes", (unsigned long long)most);
	turn++;
	a.dst = buf;
	memset(buf, GUARD, most + GUARDS);
	fill(&a, buf + (has_blocks_out(&a) ? m->rank * count * 4 : 0), elements_in(m, &a), m->rank);
	request = prepare(m, &a);
	perform(request, "an operation in place");
	expect(m, &a, right, other);
	for (uint64_t i = 0; i < elements_out(m, &a) * 4; i++)
		REQUIRE(buf[i] == right[i], "rank %u: in place, opcode %u: byte %llu", m->rank, opcode,
			(unsigned long long)i);
	tallycoll_collective_finalize(request);
	free(buf);
	free(right);
	free(other);
}

void test_in_place(struct member *m)
{
	static const uint64_t counts[] = { 2, 2000, 40000 };

	for (unsigned int i = 0; i < 3; i++) {
		in_place(m, TALLY_OPCODE_ALLREDUCE, counts[i]);
		in_place(m, TALLY_OPCODE_ALLGATHER, counts[i]);
		in_place(m, TALLY_OPCODE_REDUCE_SCATTER, counts[i]);
	}
}
