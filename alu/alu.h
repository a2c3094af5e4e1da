/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The reduce ALU of the collective engine: it combines two vectors element by element. Every lane
 * is integer arithmetic, for floating point too, as in the hardware; docs/alu.md has the rules. The
 * ALU has no state, so every function may be called from any thread.
 *
 * Types and operations are codes of uapi/tally.yaml and may come from the wire. The functions that
 * query accept any value. Those that compute abort the program on a pair that is not supported,
 * which is a fault of the caller, so that they never return wrong data.
 */
#ifndef TALLY_SIM_ALU_ALU_H
#define TALLY_SIM_ALU_ALU_H

#include <stdbool.h>
#include <stdint.h>

#include "gen/tally_hw.h"

/* Return whether the ALU performs @op (enum tally_op) on elements of @type (enum tally_type). */
bool alu_supported(uint8_t op, uint8_t type);

/*
 * Return TALLY_COLL_OK if the pair is supported, _BAD_OP if no type has @op, _BAD_TYPE if @type has
 * no operation at all, or _BAD_PAIR if both exist, but not together.
 */
enum tally_coll_status alu_check(uint8_t op, uint8_t type);

/*
 * Return the operations of every type of a class (enum tally_type_class): bit 1 << op. An unknown
 * class has none.
 */
uint32_t alu_ops(uint8_t type_class);

/*
 * Return the element sizes that the ALU supports in a class: bit 1 << log2(bytes). An unknown class
 * has none.
 */
uint8_t alu_sizes(uint8_t type_class);

/*
 * Return the bytes of a value of @type; 1 for TALLY_TYPE_NONE, 0 if uapi does not define the type.
 */
uint32_t alu_value_size(uint8_t type);

/*
 * Return the bytes of an element of @type in a message of @op, on the wire and in memory. For
 * MINLOC and MAXLOC it is the size of a pair, or 0 if @type has no pairs; for any other @op,
 * including NONE and unknown ones, it is alu_value_size().
 */
uint32_t alu_elem_size(uint8_t op, uint8_t type);

/*
 * acc[i] = acc[i] @op in[i] for @count elements of @type, little-endian, at any alignment. Both
 * pointers refer to @count * alu_elem_size(@op, @type) bytes; they may be equal, but the areas must
 * not overlap otherwise. AVG computes a sum; alu_scale() makes it an average at the end. Returns
 * the events of all elements, TALLY_ERR_FP_*. The pair must be alu_supported().
 */
uint16_t alu_reduce(uint8_t op, uint8_t type, void *acc, const void *in, uint32_t count);

/*
 * acc[i] = acc[i] / @n for @count values of @type, @n >= 1. Integers are truncated toward zero;
 * floating point is rounded once, from the exact quotient. Returns TALLY_ERR_FP_*. AVG must be
 * supported for @type.
 */
uint16_t alu_scale(uint8_t type, void *acc, uint32_t count, uint32_t n);

/*
 * Make @count pairs of MINLOC and MAXLOC from plain values: pair i gets value i unchanged and index
 * @first_index + i; all other bytes are zero. @pairs has room for @count *
 * alu_elem_size(TALLY_OP_MINLOC, @type) bytes. @values may begin where @pairs begins, but must not
 * overlap it otherwise. MINLOC must be supported for @type.
 */
void alu_expand_loc(uint8_t type, void *pairs, const void *values, uint32_t count,
		    uint32_t first_index);

#endif
