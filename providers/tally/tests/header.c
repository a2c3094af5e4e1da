// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What a program gets by including the public header: codes, limits and flags of its own, and
 * nothing of registers, rings and admin commands. Compiling it is the test.
 */
#include <infiniband/tallydv.h>

#if defined(TALLY_HW_H) || defined(TALLY_BAR_SIZE) || defined(TALLY_ADMIN_LIST) || \
	defined(TALLY_RING_OFFSET)
#error "the device's interface is visible to programs"
#endif

/* The names are a program's own. */
struct tally_wqe;
enum tally_admin_opcode { TALLY_ADMIN_CREATE_GROUP };

_Static_assert(TALLY_OPCODE_ALLREDUCE && TALLY_OP_SUM && TALLY_TYPE_FP64 && TALLY_MODE_TREE,
	       "what work requests say");
_Static_assert(TALLY_COLL_TIMEOUT && TALLY_GROUP_DEAD && TALLY_ERR_FP_OVERFLOW, "what is told");
_Static_assert(TALLY_MAX_RANKS && TALLY_MAX_CONTRIBUTORS && TALLY_MIN_TIMEOUT_MS, "limits");
