// SPDX-License-Identifier: BSD-2-Clause
/*
 * Measures the ALU's C model: nanoseconds of CPU time for 4 KiB, one line for each type, the best
 * of many calls for each operation. Checks no results.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "alu/alu.h"
#include "alu/alu_testing.h"

#define BYTES 4096
#define CALLS 2000

static const struct {
	uint8_t op;
	const char *name;
} ops[] = {
	{ TALLY_OP_SUM, "SUM" }, { TALLY_OP_PROD, "PROD" }, { TALLY_OP_MIN, "MIN" },
	{ TALLY_OP_MINLOC, "MINLOC" }, { TALLY_OP_LXOR, "LXOR" }, { TALLY_OP_BXOR, "BXOR" },
};

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Fill in ordinary values of either sign: floats from 2^-8 to 2^8, any integers. */
static void fill(const struct alu_type *t, uint32_t stride, uint8_t *out)
{
	uint64_t one = t->man ? alu_infinity(t) / 2 >> t->man << t->man : 0;

	for (uint32_t i = 0; i < BYTES / stride; i++) {
		uint64_t r = rng_next(&alu_rng), x = r & alu_mask(t);

		if (t->man)
			x = (r & alu_sign(t)) | (one + ((r & 15) << t->man) - (8ULL << t->man) +
						 (r >> 8 & ((1ULL << t->man) - 1)));
		memcpy(out + i * stride, &x, t->bits / 8);
	}
}

/* Measure an operation; @op 0 is the division of AVG. */
static uint64_t measure(const struct alu_type *t, uint8_t op)
{
	static uint8_t a[BYTES], b[BYTES], acc[BYTES];
	uint32_t stride = alu_elem_size(op, t->type);
	uint64_t best = UINT64_MAX;

	fill(t, stride, a);
	fill(t, stride, b);
	for (unsigned int i = 0; i < CALLS; i++) {
		uint64_t begin, took;

		memcpy(acc, a, BYTES);
		begin = now();
		if (op)
			alu_reduce(op, t->type, acc, b, BYTES / stride);
		else
			alu_scale(t->type, acc, BYTES / stride, 7);
		took = now() - begin;
		best = took < best ? took : best;
	}
	return best;
}

int main(void)
{
	rng_seed(&alu_rng, 1);
	printf("%-8s", "");
	for (size_t k = 0; k < ARRAY_SIZE(ops); k++)
		printf("%8s", ops[k].name);
	printf("%8s\n", "divide");
	for (size_t i = 0; i < NUM_ALU_TYPES; i++) {
		printf("%-8s", alu_types[i].name);
		for (size_t k = 0; k < ARRAY_SIZE(ops); k++) {
			if (alu_supported(ops[k].op, alu_types[i].type))
				printf("%8llu", (unsigned long long)measure(&alu_types[i], ops[k].op));
			else
				printf("%8s", "-");
		}
		printf("%8llu\n", (unsigned long long)measure(&alu_types[i], 0));
	}
	return 0;
}
