/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Computes the expected result of a reduction with the host's arithmetic; it shares no code with
 * the engine. Every element is kept as a double or as 64 bits, so a floating-point sum or product
 * is right only if all partial results are exact in the message's type, in any order.
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
	uint32_t ranks;			/* ranks added so far */
	struct oracle_value *value;
	size_t room;			/* of value, in elements */
};

/* Returns the bytes of an element as work requests count it; for MINLOC and MAXLOC, of a pair. */
uint32_t oracle_elem_size(enum tally_op op, enum tally_type type);

/* Returns the bytes of a value without an index. */
uint32_t oracle_value_size(enum tally_type type);

/* Returns the offset of the index in a pair. */
uint32_t oracle_index_offset(enum tally_type type);

/* Begins a reduction of @count elements; @o is all-zero initially. False: out of memory. */
bool oracle_begin(struct oracle *o, enum tally_op op, enum tally_type type, uint32_t count);

/* Adds the contribution of one rank: @count elements. */
void oracle_add(struct oracle *o, const void *elements);

/* As oracle_add(), without indices, for MINLOC and MAXLOC: element i has index @first + i. */
void oracle_add_values(struct oracle *o, const void *values, int32_t first);

/* Writes the result of @count elements. */
void oracle_finish(const struct oracle *o, void *result);

void oracle_free(struct oracle *o);

/* Returns the bits of @value in a floating-point type, rounded to nearest even. */
uint64_t oracle_encode(enum tally_type type, double value);

/* Returns the value of the bits of a floating-point type. */
double oracle_decode(enum tally_type type, uint64_t bits);

/* Returns the distance from 1 to the next larger value of a floating-point type. */
double oracle_unit(enum tally_type type);

#endif
