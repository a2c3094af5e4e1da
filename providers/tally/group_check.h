/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef TALLY_GROUP_CHECK_H
#define TALLY_GROUP_CHECK_H

#include <stdbool.h>

struct tally_call;
struct tallydv_group_attr;

/* Returns whether this node draws the first epoch. */
bool tally_is_root(const struct tallydv_group_attr *attr);

/*
 * Checks a group's description whose lists exist and have a valid length. Returns 0, or EINVAL with
 * a sentence.
 */
int tally_check_group(const struct tally_call *call, const struct tallydv_group_attr *attr);

#endif
