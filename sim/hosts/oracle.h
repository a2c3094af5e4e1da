/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a reduction must give, computed with the host's arithmetic and sharing no code with the
 * engine. Every element is kept as a double or as 64 bits, so a floating-point sum or product is
 * right only if all partial results are exact in the message's type, in whatever order they come.
 */
#ifndef TALLY_SIM_HOSTS_ORACLE_H
#define TALLY_SIM_HOSTS_ORACLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gen/tally_hw.h"

struct oracle_value;

struct oracle {
	enum tally_op op;
	enum tally_type type;
	uint32_t count;
	uint32_t ranks;			/* added so far */
	struct oracle_value *value;
	size_t room;			/* of value, in elements */
};

/* Bytes of an element as work requests count it; MINLOC, MAXLOC: of a pair. */
uint32_t oracle_elem_size(enum tally_op op, enum tally_type type);

/* Bytes of a value alone. */
uint32_t oracle_value_size(enum tally_type type);

/* Where the index is in a pair. */
uint32_t oracle_index_offset(enum tally_type type);

/* Begins a reduction of @count elements; @o is all-zero the first time. False: no memory. */
bool oracle_begin(struct oracle *o, enum tally_op op, enum tally_type type, uint32_t count);

/* Adds what one rank contributes: @count elements. */
void oracle_add(struct oracle *o, const void *elements);

/* The same of values alone, for MINLOC and MAXLOC: element i has index @first + i. */
void oracle_add_values(struct oracle *o, const void *values, int32_t first);

/* Writes the result of @count elements. */
void oracle_finish(const struct oracle *o, void *result);

void oracle_free(struct oracle *o);

/* The bits of @value in a floating-point type, rounded to nearest even. */
uint64_t oracle_encode(enum tally_type type, double value);

/* And back. */
double oracle_decode(enum tally_type type, uint64_t bits);

/* Distance from 1 to the next larger value of a floating-point type. */
double oracle_unit(enum tally_type type);

#endif
