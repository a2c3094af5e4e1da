/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The reduce ALU of the collective engine: two vectors in, their elementwise reduction out.
 * Every lane is integer arithmetic, floating point too, as the hardware does it; docs/alu.md has
 * the rules. No state, so every function may be called from any thread.
 *
 * Types and operations are codes of uapi/tally.yaml and may come from the wire: any value is good.
 */
#ifndef TALLY_ENGINE_ALU_H
#define TALLY_ENGINE_ALU_H

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

/*
 * Bytes of an element of @type; 1 for TALLY_TYPE_NONE, 0 if uapi does not define the type. Types
 * the ALU does not reduce have a size as well: collectives without a reduction carry them.
 */
uint32_t alu_elem_size(uint8_t type);

/*
 * acc[i] = acc[i] @op in[i] for @count elements of @type, little-endian, at any alignment. Both
 * point to @count * alu_elem_size(@type) bytes; they may be the same but not overlap otherwise.
 * Returns what happened in any element, TALLY_ERR_FP_*. The pair must be alu_supported(): another
 * one is a fault of the caller and aborts the program, rather than passing off wrong data.
 */
uint16_t alu_reduce(uint8_t op, uint8_t type, void *acc, const void *in, uint32_t count);

#endif
