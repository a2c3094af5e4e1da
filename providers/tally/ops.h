/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A table of the opcodes, operations and data types that the device supports, and of their valid
 * combinations. A post looks up its request in the table, so that the library refuses an impossible
 * request before it is queued.
 */
#ifndef TALLY_OPS_H
#define TALLY_OPS_H

#include <stdbool.h>
#include <stdint.h>

#include "tallydv.h"

/* Use of operation and type by an opcode. Opcodes of one row are checked alike. */
enum tally_ops_row {
	TALLY_OPS_NEVER,        /* not an opcode of this device */
	TALLY_OPS_NO_MODE,      /* needs a mode that this device or group does not have */
	TALLY_OPS_OUT_OF_ORDER, /* QUERY, ABORT: ignores both */
	TALLY_OPS_BARRIER,      /* has neither */
	TALLY_OPS_MOVES,        /* any type, no operation */
	TALLY_OPS_REDUCES,      /* an operation and a type that the ALU supports */
	TALLY_OPS_FORWARDS,     /* any type without operation, or as REDUCES */
	TALLY_OPS_NUM_ROWS,
};

/* How a work request is retired. */
enum tally_wr_state {
	TALLY_WR_DONE,         /* already retired */
	TALLY_WR_IN_ORDER,     /* by its completion or a later one */
	TALLY_WR_OUT_OF_ORDER, /* only by its own completion */
};

/* The facts about an opcode that a post needs. */
struct tally_rule {
	const uint32_t *ok;        /* valid operations of its row, by data type: bit 1 << op */
	enum tally_wr_state state;
	uint8_t row;               /* enum tally_ops_row */
	uint8_t use;               /* row in a group of a mode that offers the opcode */
	uint8_t flags;             /* TALLY_WQE_F_ that its requests always have */
};

struct tally_ops {
	struct tally_rule rule[UINT8_MAX + 1];          /* by opcode */
	uint32_t ok[TALLY_OPS_NUM_ROWS][UINT8_MAX + 1]; /* by row and type */
};

/* A table in which nothing is allowed. */
extern const struct tally_ops tally_no_ops;

/* Modes of groups that this library knows, as capabilities of the device. */
#define TALLY_OPS_MODES (TALLY_CAP_TREE | TALLY_CAP_EXCHANGE | TALLY_CAP_RING)

/*
 * Initializes the table. `caps` are the TALLY_CAP_ of the device, and `opcodes` those that it performs,
 * bit 1 << opcode. `modes` are the modes of the
 * groups that the table is for, as capabilities. `sparse` is for groups with TALLY_GROUP_F_SPARSE,
 * which lack some opcodes. `ops` must not move afterwards.
 */
void tally_ops_init(struct tally_ops *ops, uint64_t caps, uint32_t opcodes, uint64_t modes, bool sparse);

/*
 * Returns TALLY_COLL_OK, or the status with which the device would refuse the request. All values
 * of the arguments are allowed.
 */
enum tally_coll_status tally_ops_check(const struct tally_ops *ops, uint32_t opcode, uint32_t op,
				       uint32_t dtype);
/* Implements tallydv_query_type(). EINVAL: there is no such type. */
int tally_ops_query_type(const struct tally_ops *ops, uint32_t dtype,
			 struct tallydv_type_attr *attr);
/*
 * Returns whether a group of these modes, TALLY_MODES_, has the mode, and the mode offers the
 * opcode, which is one whose messages have modes: ALLREDUCE to SCATTER.
 */
bool tally_ops_mode_offers(uint8_t modes, uint32_t mode, uint32_t opcode);
/* Returns the bit of a mode, or 0 if the library does not know it. */
uint8_t tally_mode_bit(uint32_t mode);
/* Returns the errno for such a refusal: EINVAL if a number is unknown, else EOPNOTSUPP. */
int tally_ops_errno(uint32_t opcode, uint32_t op, uint32_t dtype);

/* Returns whether tally_ops_check() returns OK. */
static inline bool tally_rule_allows(const struct tally_rule *rule, uint8_t op, uint8_t dtype)
{
	return op < 32 && rule->ok[dtype] >> op & 1;
}

#endif
