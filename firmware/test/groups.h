/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Valid descriptions of groups, and changes that make them invalid, for the checks of the firmware
 * and of the whole device.
 */
#ifndef TALLY_FIRMWARE_TEST_GROUPS_H
#define TALLY_FIRMWARE_TEST_GROUPS_H

#include <stddef.h>
#include <stdint.h>

#include "gen/tally_hw.h"

/* Segments that a description asks for in each round. */
#define GROUPS_SEGS	8
#define GROUPS_MAX_EDGES	3

enum groups_base {
	TREE_ROOT,	/* of 3 nodes, two children */
	TREE_LEAF,	/* of 3 nodes, no child */
	TREE_INNER,	/* of 3 nodes in a row, one child */
	EXCHANGE,	/* of 4 nodes, two rounds */
	RING,		/* of 3 nodes */
	RING_OF_2,
	TREE_OF_7,	/* two children and the parent */
	EXCHANGE_OF_5,	/* two rounds, two neighbours in the first */
	RING_OF_5,
	GROUPS_NUM_BASES,
};

/* A changed value in a description. */
struct groups_change {
	const char *name;	/* names the case */
	enum groups_base base;
	size_t offset;		/* in the group's configuration, which the edges follow */
	size_t size;
	uint64_t value;
	size_t blamed;		/* offset that the device reports, if it refuses the value */
};

#define OF_GROUP(field)		offsetof(struct tally_group_cfg, field)
#define OF_EDGE(i, field)                                                                          \
	(sizeof(struct tally_group_cfg) + (i) * sizeof(struct tally_group_edge) +                  \
	 offsetof(struct tally_group_edge, field))

/* A change of a field of the group or an edge, and the field that is reported as bad. */
#define GROUP_AT(name_, base_, field_, value_, blamed_)                                            \
	{                                                                                          \
		.name = name_, .base = base_, .offset = OF_GROUP(field_),                          \
		.size = sizeof(((struct tally_group_cfg *)0)->field_), .value = value_,            \
		.blamed = blamed_,                                                                 \
	}
#define GROUP(name, base, field, value) GROUP_AT(name, base, field, value, OF_GROUP(field))
#define EDGE_AT(name_, base_, i_, field_, value_, blamed_)                                         \
	{                                                                                          \
		.name = name_, .base = base_, .offset = OF_EDGE(i_, field_),                       \
		.size = sizeof(((struct tally_group_edge *)0)->field_), .value = value_,           \
		.blamed = blamed_,                                                                 \
	}
#define EDGE(name, base, i, field, value) EDGE_AT(name, base, i, field, value, OF_EDGE(i, field))

/* Values that are refused, and values that are taken. */
extern const struct groups_change groups_bad[], groups_good[];
extern const unsigned int groups_num_bad, groups_num_good;

/* Write a valid description; `edges` has GROUPS_MAX_EDGES entries, of which cfg->num_edges count. */
void groups_describe(struct tally_group_cfg *cfg, struct tally_group_edge *edges,
		     enum groups_base base);
/* The same with a change. An address gets the value in its first byte, and zeroes. */
void groups_change(struct tally_group_cfg *cfg, struct tally_group_edge *edges,
		   const struct groups_change *change);

#endif
