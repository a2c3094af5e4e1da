// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A program that includes the public header gets the codes, limits and flags that it needs, but no
 * registers, rings and admin commands. It is sufficient to compile this file.
 */
#include <infiniband/tallydv.h>

#if defined(TALLY_HW_H) || defined(TALLY_BAR_SIZE) || defined(TALLY_ADMIN_LIST) || \
	defined(TALLY_RING_OFFSET)
#error "the device's interface is visible to programs"
#endif

/* These names remain free for programs. */
struct tally_wqe;
enum tally_admin_opcode { TALLY_ADMIN_CREATE_GROUP };

_Static_assert(TALLY_OPCODE_ALLREDUCE != 0, "what work requests do");
_Static_assert(TALLY_OP_SUM != 0, "how they reduce");
_Static_assert(TALLY_TYPE_FP64 != 0, "of what type");
_Static_assert(TALLY_MODE_TREE != 0, "in which mode");
_Static_assert(TALLY_COLL_TIMEOUT != 0, "what completions tell");
_Static_assert(TALLY_GROUP_DEAD != 0, "what a query of a group tells");
_Static_assert(TALLY_ERR_FP_OVERFLOW != 0, "what the arithmetic remarks");
_Static_assert(TALLY_MAX_RANKS != 0, "limits");

/* Parts of other structures have the size of their first version: a structure around them would move. */
_Static_assert(sizeof(struct tallydv_trigger) == 12, "part of a request");
_Static_assert(sizeof(struct tallydv_basic) == 8, "part of a request");
_Static_assert(sizeof(struct tallydv_missing_nodes) == 12, "part of a result");

/* A library looks at comp_mask before it knows which version of a structure a program has. */
#define COMP_MASK_AT(type, offset) \
	_Static_assert(offsetof(struct type, comp_mask) == (offset), "comp_mask of " #type)

COMP_MASK_AT(tallydv_device_attr, 0);
COMP_MASK_AT(tallydv_type_attr, 0);
COMP_MASK_AT(tallydv_seg, 0);
COMP_MASK_AT(tallydv_group_attr, 0);
COMP_MASK_AT(tallydv_group_attach_attr, 0);
COMP_MASK_AT(tallydv_group, 0);
COMP_MASK_AT(tallydv_group_info, 0);
COMP_MASK_AT(tallydv_tree_pos, 0);
COMP_MASK_AT(tallydv_plan_attr, 0);
COMP_MASK_AT(tallydv_plan, 0);
COMP_MASK_AT(tallydv_missing, 0);
COMP_MASK_AT(tallydv_qp_init_attr, 0);
COMP_MASK_AT(tallydv_qp, 0);
COMP_MASK_AT(tallydv_coll_attr, 96);
