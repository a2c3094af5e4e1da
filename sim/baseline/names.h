/* SPDX-License-Identifier: BSD-2-Clause */
/* The algorithms by name. Used by plan.c. */
#ifndef TALLY_SIM_BASELINE_NAMES_H
#define TALLY_SIM_BASELINE_NAMES_H

#include "baseline/build.h"

enum baseline_param {
	BASELINE_PLAIN,
	BASELINE_RADIX,	/* name-RADIX */
	BASELINE_SEGMENT,	/* name-BYTES */
};

/* The input of an algorithm. */
struct baseline_shape {
	uint32_t n;		/* members */
	uint64_t count;		/* elements of their vector */
	uint32_t elem;		/* bytes of an element */
};

struct baseline_algorithm {
	enum tally_opcode opcode;
	const char *name;
	enum baseline_param param;
	void (*steps)(struct baseline_build *b, const struct baseline_group *t);
	/* Returns whether it works with @param, and no simpler one does the same; NULL: always. */
	bool (*fits)(const struct baseline_shape *s, uint32_t param);
};

/* Returns the algorithm called @name, and its parameter, 0 if it has none; NULL: there is none. */
const struct baseline_algorithm *baseline_find(enum tally_opcode opcode, const char *name,
					       uint32_t *param);

/* Returns algorithm and parameter number @index of those that fit; NULL: there are fewer. */
const struct baseline_algorithm *baseline_candidate(enum tally_opcode opcode,
						    const struct baseline_shape *s,
						    unsigned int index, uint32_t *param);

/* Writes the name that baseline_find() accepts, after @prefix. */
void baseline_name(const struct baseline_algorithm *a, uint32_t param, const char *prefix,
		   char name[BASELINE_NAME_MAX]);

#endif
