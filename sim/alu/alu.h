/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The reduce ALU of the collective engine: two vectors in, their elementwise reduction out.
 * Every lane is integer arithmetic, floating point too, as the hardware does it; docs/alu.md has
 * the rules. No state, so every function may be called from any thread.
 *
 * Types and operations are codes of uapi/tally.yaml and may come from the wire: any value is good
 * for the functions that ask. Those that compute abort the program on a pair that is not
 * supported, a fault of the caller, rather than pass off wrong data.
 */
#ifndef TALLY_SIM_ALU_ALU_H
#define TALLY_SIM_ALU_ALU_H

#include <stdbool.h>
#include <stdint.h>

#include "gen/tally_hw.h"

/* Does the ALU perform @op (enum tally_op) on elements of @type (enum tally_type)? */
bool alu_supported(uint8_t op, uint8_t type);

/*
 * The same, saying what is at fault: TALLY_COLL_OK; _BAD_OP if no type has @op; _BAD_TYPE if
 * @type has no operation at all; _BAD_PAIR if both exist, but not together.
 */
enum tally_coll_status alu_check(uint8_t op, uint8_t type);

/* Operations of every type of a class (enum tally_type_class): bit 1 << op. Unknown class: 0. */
uint32_t alu_ops(uint8_t type_class);

/* Element sizes the ALU has in a class: bit 1 << log2(bytes). Unknown class: 0. */
uint8_t alu_sizes(uint8_t type_class);

/* Bytes of a value of @type; 1 for TALLY_TYPE_NONE, 0 if uapi does not define the type. */
uint32_t alu_value_size(uint8_t type);

/*
 * Bytes of an element of @type in a message of @op, on the wire and in memory: for MINLOC and
 * MAXLOC those of a pair, 0 if @type has no pairs; else alu_value_size(). Other operations, NONE
 * and unknown ones among them, have no say here.
 */
uint32_t alu_elem_size(uint8_t op, uint8_t type);

/*
 * acc[i] = acc[i] @op in[i] for @count elements of @type, little-endian, at any alignment. Both
 * point to @count * alu_elem_size(@op, @type) bytes; they may be the same but not overlap
 * otherwise. AVG is a sum; alu_scale() makes it an average at the end.
 * Returns what happened in any element, TALLY_ERR_FP_*. The pair must be alu_supported().
 */
uint16_t alu_reduce(uint8_t op, uint8_t type, void *acc, const void *in, uint32_t count);

/*
 * acc[i] = acc[i] / @n for @count values of @type, @n >= 1: integers truncated toward zero,
 * floating point rounded once, from the exact quotient. Returns TALLY_ERR_FP_*. AVG must be
 * supported for @type.
 */
uint16_t alu_scale(uint8_t type, void *acc, uint32_t count, uint32_t n);

/*
 * Makes @count pairs of MINLOC and MAXLOC from as many plain values: pair i gets value i as it is
 * and index @first_index + i; all other bytes are zero. @pairs has room for
 * @count * alu_elem_size(TALLY_OP_MINLOC, @type) bytes; @values may begin where @pairs begins, but
 * not overlap it otherwise. MINLOC must be supported for @type.
 */
void alu_expand_loc(uint8_t type, void *pairs, const void *values, uint32_t count,
		    uint32_t first_index);

#endif
