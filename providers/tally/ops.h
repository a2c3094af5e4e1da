/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Which opcodes, operations and data types the device has, and which go together: a table that a
 * post looks into once, so that what cannot be done is refused before it is queued.
 */
#ifndef TALLY_OPS_H
#define TALLY_OPS_H

#include <stdbool.h>
#include <stdint.h>

#include "tallydv.h"

/* What an opcode does with operation and type; opcodes of one row are judged alike. */
enum tally_ops_row {
	TALLY_OPS_NEVER,    /* not an opcode of this device */
	TALLY_OPS_NO_MODE,  /* of a mode that this device or group does not have */
	TALLY_OPS_APART,    /* QUERY, ABORT: looks at neither */
	TALLY_OPS_BARRIER,  /* has neither */
	TALLY_OPS_MOVES,    /* any type, no operation */
	TALLY_OPS_REDUCES,  /* a pair of the ALU */
	TALLY_OPS_FORWARDS, /* any type without operation, or a pair */
	TALLY_OPS_NUM_ROWS,
};

/* How a work request is retired. */
enum tally_wr_state {
	TALLY_WR_DONE,     /* it has been */
	TALLY_WR_IN_ORDER, /* by its completion or a later one */
	TALLY_WR_APART,    /* by its own completion only */
};

/* What a post needs to know of an opcode. */
struct tally_rule {
	const uint32_t *ok;        /* of its row, by data type: bit 1 << op */
	enum tally_wr_state state;
	uint8_t row;               /* enum tally_ops_row */
	uint8_t flags;             /* TALLY_WQE_F_ that it always has */
};

struct tally_ops {
	struct tally_rule rule[UINT8_MAX + 1];          /* by opcode */
	uint32_t ok[TALLY_OPS_NUM_ROWS][UINT8_MAX + 1]; /* by row and type */
};

/* Nothing is allowed. */
extern const struct tally_ops tally_no_ops;

/* The modes of groups that this library knows, as capabilities of the device. */
#define TALLY_OPS_MODES (TALLY_CAP_TREE | TALLY_CAP_EXCHANGE | TALLY_CAP_RING)

/*
 * `caps`: the device's TALLY_CAP_. `modes`: what groups of these modes offer, as capabilities.
 * `sparse`: for groups with TALLY_GROUP_F_SPARSE, which lack some opcodes. `ops` must stay where it
 * is.
 */
void tally_ops_init(struct tally_ops *ops, uint64_t caps, uint64_t modes, bool sparse);

/* TALLY_COLL_OK, or the status with which the device would refuse it. Any numbers are good. */
enum tally_coll_status tally_ops_check(const struct tally_ops *ops, uint32_t opcode, uint32_t op,
				       uint32_t dtype);
/* For tallydv_query_type(). EINVAL: there is no such type. */
int tally_ops_query_type(const struct tally_ops *ops, uint32_t dtype,
			 struct tallydv_type_attr *attr);
/* The errno for such a refusal: EINVAL if a number means nothing at all, else EOPNOTSUPP. */
int tally_ops_errno(uint32_t opcode, uint32_t op, uint32_t dtype);

/* Does tally_ops_check() say OK? */
static inline bool tally_rule_allows(const struct tally_rule *rule, uint8_t op, uint8_t dtype)
{
	return op < 32 && rule->ok[dtype] >> op & 1;
}

#endif
