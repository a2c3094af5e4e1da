/* SPDX-License-Identifier: BSD-2-Clause */
/* What `tallysim bench` calls operations, types and modes. */
#ifndef TALLY_SIM_BENCH_NAMES_H
#define TALLY_SIM_BENCH_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "gen/tally_hw.h"

/* A list of these ends with a NULL. */
struct bench_name {
	const char *name;
	unsigned int value;
};

/* A tree with multicast is none of enum tally_mode. */
#define BENCH_MULTICAST	0x100

extern const struct bench_name bench_opcodes[], bench_types[], bench_modes[];

/* The value of an option that must be one of @names; if it is not, says so and what there is. */
bool bench_take_name(const char *option, const char *text, const struct bench_name *names,
		     unsigned int *value);

/* The other way round. */
const char *bench_opcode_name(enum tally_opcode opcode);
const char *bench_type_name(enum tally_type type);
const char *bench_mode_name(enum tally_mode mode, uint32_t flags);

#endif
