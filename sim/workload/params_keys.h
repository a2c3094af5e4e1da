/* SPDX-License-Identifier: BSD-2-Clause */
/* The keys of a parameter file and their units. Used by params.c. */
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
	bool optional;			/* a file without it has the value `otherwise` */
	uint64_t otherwise;
};

struct params_unit {
	const char *name;
	enum params_kind kind;
	double factor;			/* converts to the unit of struct bench_params */
};

#define PARAMS_NUM_KEYS	39

extern const struct params_key params_keys[PARAMS_NUM_KEYS];

/* Returns unit @name of a kind; NULL if there is none. If @name is NULL, returns the first unit. */
const struct params_unit *params_unit(enum params_kind kind, const char *name);

/* Writes the names of a kind's units, separated by commas. */
void params_unit_names(enum params_kind kind, char *to, size_t size);

/* Converts a word of PARAMS_SWITCHING to 0 or 1; returns -1 for other words. */
int params_switching(const char *word);

#endif
