/* SPDX-License-Identifier: BSD-2-Clause */
/* The algorithms by name. For baseline_plan.c. */
#ifndef TALLY_SIM_BASELINE_NAMES_H
#define TALLY_SIM_BASELINE_NAMES_H

#include "baseline/build.h"

enum baseline_param {
	BASELINE_PLAIN,
	BASELINE_RADIX,	/* name-RADIX */
	BASELINE_SEGMENT,	/* name-BYTES */
};

/* What an algorithm is to work on. */
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
	/* Whether it can do that with @param, and nothing simpler does the same; NULL: yes. */
	bool (*fits)(const struct baseline_shape *s, uint32_t param);
};

/* The algorithm called @name and its parameter, 0 if it has none; NULL: there is none. */
const struct baseline_algorithm *baseline_find(enum tally_opcode opcode, const char *name,
					       uint32_t *param);

/* The @index-th algorithm and parameter that fit; NULL: there are not so many. */
const struct baseline_algorithm *baseline_candidate(enum tally_opcode opcode,
						    const struct baseline_shape *s,
						    unsigned int index, uint32_t *param);

/* Writes the name that baseline_find() knows, behind @prefix. */
void baseline_name(const struct baseline_algorithm *a, uint32_t param, const char *prefix,
		   char name[BASELINE_NAME_MAX]);

#endif
