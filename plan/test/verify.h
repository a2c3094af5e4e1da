/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Is a plan one that a group can be made of? Fails the test with the node at fault if not. */
#ifndef TALLY_PLAN_TEST_VERIFY_H
#define TALLY_PLAN_TEST_VERIFY_H

#include "plan/plan.h"

/* Edges mirror each other, ranges are right, and every node gets all data exactly once. */
void verify_plan(const struct plan *plan);

/* plan_make() that must succeed, verified. */
void make_verified(struct plan *plan, const struct plan_request *req);

#endif
