/* SPDX-License-Identifier: BSD-2-Clause */
/* The keys of a parameter file and the units they may be in. For params.c. */
#ifndef TALLY_SIM_WORKLOAD_PARAMS_KEYS_H
#define TALLY_SIM_WORKLOAD_PARAMS_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum params_kind {
	PARAMS_TIME, PARAMS_BIT_RATE, PARAMS_BYTE_RATE, PARAMS_BYTES, PARAMS_LENGTH,
	PARAMS_DELAY, PARAMS_CLOCK, PARAMS_CYCLES, PARAMS_COUNT, PARAMS_SWITCHING,
};

struct params_key {
	const char *name;
	enum params_kind kind;
	size_t offset;			/* of a uint64_t in struct bench_params */
	double min, max;		/* in the first unit of the kind */
	bool power_of_two;
	bool optional;			/* it is `otherwise` in a file without it */
	uint64_t otherwise;
};

struct params_unit {
	const char *name;
	enum params_kind kind;
	double factor;			/* of the unit that struct bench_params holds */
};

#define PARAMS_NUM_KEYS	33

extern const struct params_key params_keys[PARAMS_NUM_KEYS];

/* The unit @name of a kind; NULL: it has none of that name. @name NULL: its first. */
const struct params_unit *params_unit(enum params_kind kind, const char *name);

/* Writes the names of a kind's units, with commas. */
void params_unit_names(enum params_kind kind, char *to, size_t size);

/* The words of PARAMS_SWITCHING: 0 or 1, or -1. */
int params_switching(const char *word);

#endif
