/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Verifies that a group can be created from a plan. Otherwise fails the test and names the node at
 * fault.
 */
#ifndef TALLY_PLAN_TEST_VERIFY_H
#define TALLY_PLAN_TEST_VERIFY_H

#include "plan/plan.h"

/*
 * Checks that edges mirror each other, ranges are right, and every node gets all data exactly once.
 */
void verify_plan(const struct plan *plan);

/* Calls plan_make(), which must succeed, and verifies the plan. */
void make_verified(struct plan *plan, const struct plan_request *req);

#endif
