/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef TALLY_GROUP_CHECK_H
#define TALLY_GROUP_CHECK_H

#include <stdbool.h>

#include "ops.h"

struct tally_call;

/* Returns the modes of the group, TALLY_MODES_. */
static inline uint8_t tally_group_modes(const struct tallydv_group_attr *attr)
{
	return attr->modes ? attr->modes : tally_mode_bit(attr->mode);
}

/*
 * Returns whether the group has one mode. The kernel gets its description as in the first version,
 * whatever version the program uses.
 */
static inline bool tally_has_one_mode(const struct tallydv_group_attr *attr)
{
	return tally_group_modes(attr) == tally_mode_bit(attr->mode);
}

static inline bool tally_is_tree_alone(const struct tallydv_group_attr *attr)
{
	return tally_group_modes(attr) == TALLY_MODES_TREE;
}

/* Returns whether this node draws the first epoch. */
bool tally_is_root(const struct tallydv_group_attr *attr);

/*
 * Checks a group's description whose lists exist and have a valid length. Returns 0, or EINVAL with
 * a sentence.
 */
int tally_check_group(const struct tally_call *call, const struct tallydv_group_attr *attr);

#endif
