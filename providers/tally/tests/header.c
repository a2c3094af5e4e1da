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
