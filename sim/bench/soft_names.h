/* SPDX-License-Identifier: BSD-2-Clause */
/* The algorithms by name. For soft_plan.c. */
#ifndef TALLY_SIM_BENCH_SOFT_NAMES_H
#define TALLY_SIM_BENCH_SOFT_NAMES_H

#include "bench/soft_build.h"

enum soft_param {
	SOFT_PLAIN,
	SOFT_RADIX,	/* name-RADIX */
	SOFT_SEGMENT,	/* name-BYTES */
};

/* What an algorithm is to work on. */
struct soft_shape {
	uint32_t n;		/* members */
	uint64_t count;		/* elements of their vector */
	uint32_t elem;		/* bytes of an element */
};

struct soft_algorithm {
	enum tally_opcode opcode;
	const char *name;
	enum soft_param param;
	void (*steps)(struct soft_build *b, const struct soft_team *t);
	/* Whether it can do that with @param, and nothing simpler does the same; NULL: yes. */
	bool (*fits)(const struct soft_shape *s, uint32_t param);
};

/* The algorithm called @name and its parameter, 0 if it has none; NULL: there is none. */
const struct soft_algorithm *soft_find(enum tally_opcode opcode, const char *name, uint32_t *param);

/* The @index-th algorithm and parameter that fit; NULL: there are not so many. */
const struct soft_algorithm *soft_candidate(enum tally_opcode opcode, const struct soft_shape *s,
					    unsigned int index, uint32_t *param);

/* Writes the name that soft_find() knows, behind @prefix. */
void soft_name(const struct soft_algorithm *a, uint32_t param, const char *prefix,
	       char name[SOFT_NAME_MAX]);

#endif
