/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A fuzzer's input, read from front to end as the choices of a harness. After its end, every choice
 * is 0, so a prefix of an input is an input.
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

/* Must hold for every input. A violation is a finding. */
#define FUZZ_MUST(condition)			\
	do {					\
		if (!(condition))		\
			abort();		\
	} while (0)

/* Fills @to from the input. Missing bytes are 0. */
void input_bytes(struct input *in, void *to, size_t len);

uint8_t input_u8(struct input *in);
uint16_t input_u16(struct input *in);
uint32_t input_u32(struct input *in);
uint64_t input_u64(struct input *in);

/*
 * Returns a number below @bound, which must be at least 1. Takes one byte for bounds up to 256,
 * otherwise four.
 */
uint32_t input_below(struct input *in, uint32_t bound);

/* Returns true one time in @n. */
static inline bool input_one_in(struct input *in, uint32_t n)
{
	return input_below(in, n) == n - 1;
}

/* Returns a boundary value or a random number. */
uint64_t input_number(struct input *in);

/* Returns the remaining input, in memory of exactly its size, *len, which the caller frees. */
uint8_t *input_rest(struct input *in, size_t *len);

/*
 * Returns the remaining input as a string in memory of exactly its size, which the caller frees, so
 * that a read beyond it is detected. The first byte of 0 ends it.
 */
char *input_text(struct input *in);

/*
 * Changes up to @most fields of the @len bytes at @at. Fields have 1, 2, 4 or 8 bytes and are
 * aligned. They are set, added to, or have one or all bits inverted.
 */
void input_spoil(struct input *in, void *at, size_t len, unsigned int most);

/* Makes assertions of cmocka end the program, so that a harness can use code of the unit tests. */
int LLVMFuzzerInitialize(int *argc, char ***argv);

/* The entry point of every target. Returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
