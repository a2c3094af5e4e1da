/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A fuzzer's input, read from front to end as the choices of a harness. Where it has ended, every
 * further choice is 0: a prefix of an input is an input.
 */
#ifndef TALLY_FUZZ_INPUT_H
#define TALLY_FUZZ_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

struct input {
	const uint8_t *at;
	size_t left;
};

/* Must hold whatever the input: a finding if not. */
#define FUZZ_MUST(condition)			\
	do {					\
		if (!(condition))		\
			abort();		\
	} while (0)

/* Fills @to; what the input has no bytes for is 0. */
void input_bytes(struct input *in, void *to, size_t len);

uint8_t input_u8(struct input *in);
uint16_t input_u16(struct input *in);
uint32_t input_u32(struct input *in);
uint64_t input_u64(struct input *in);

/* A number below @bound, at least 1. Takes one byte for bounds up to 256, else four. */
uint32_t input_below(struct input *in, uint32_t bound);

/* One time in @n. */
static inline bool input_one_in(struct input *in, uint32_t n)
{
	return input_below(in, n) == n - 1;
}

/* A number at whose edges things break, or any. */
uint64_t input_number(struct input *in);

/* What is left, in memory of exactly that size, which the caller frees; *len says how much. */
uint8_t *input_rest(struct input *in, size_t *len);

/*
 * The rest as a string to be freed: text of its own end, so that a reader that goes beyond is seen.
 * The first byte of 0 ends it.
 */
char *input_text(struct input *in);

/*
 * Changes up to @most fields of the @len bytes at @at: of 1, 2, 4 or 8 bytes at a multiple of their
 * size, set, added to or with a bit inverted.
 */
void input_spoil(struct input *in, void *at, size_t len, unsigned int most);

/* Asserts of cmocka end the program, so that a harness may use code of the unit tests. */
int LLVMFuzzerInitialize(int *argc, char ***argv);

/* What every target has. Returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
