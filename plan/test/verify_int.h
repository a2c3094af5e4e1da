/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Declarations that the files of verify.h share. */
#ifndef TALLY_PLAN_TEST_VERIFY_INT_H
#define TALLY_PLAN_TEST_VERIFY_INT_H

#include "verify.h"

#define MUST(condition, what)                                                                      \
	do {                                                                                       \
		if (!(condition))                                                                  \
			fail_msg("node %u of %u: %s", (what)->node, verify_nodes, #condition);     \
	} while (0)

/* The number of nodes of the plan that is being verified. */
extern uint32_t verify_nodes;

/* A range of places. */
struct range {
	uint32_t first, count;
};

/* Checks that these are the ranks of a range of nodes, of which `n` is told. */
void verify_ranks(const struct plan *plan, const struct plan_node *nodes, const struct plan_node *n,
		  uint32_t rank_first, uint32_t rank_count, struct range r);

/* Checks that in the rounds of EXCHANGE every node gets all data exactly once. */
void verify_rounds(const struct plan *plan, const struct plan_node *nodes);

/* Checks a shared plan. Edges without roles get some. */
void verify_shared(const struct plan *plan, struct plan_node *nodes);

#endif
