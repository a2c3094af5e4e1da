/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of operations, types and modes in `tallysim bench`. */
#ifndef TALLY_SIM_BENCH_NAMES_H
#define TALLY_SIM_BENCH_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "gen/tally_hw.h"

/* A list of names ends with NULL. */
struct bench_name {
	const char *name;
	unsigned int value;
};

/* A tree with multicast is not in enum tally_mode. */
#define BENCH_MULTICAST	0x100

extern const struct bench_name bench_opcodes[], bench_types[], bench_modes[];

/* Parses an option whose value must be one of @names; otherwise prints an error that lists them. */
bool bench_take_name(const char *option, const char *text, const struct bench_name *names,
		     unsigned int *value);

/* Return the name of a value. */
const char *bench_opcode_name(enum tally_opcode opcode);
const char *bench_type_name(enum tally_type type);
const char *bench_mode_name(enum tally_mode mode, uint32_t flags);

#endif
