/* SPDX-License-Identifier: BSD-2-Clause */
/* Valid descriptions of groups, and changes that make them invalid, for the device's checks. */
#ifndef TALLY_SIM_HOSTS_TEST_GROUPS_H
#define TALLY_SIM_HOSTS_TEST_GROUPS_H

#include "hosts/group_config.h"

/* Segments that a description asks for in each round. */
#define GROUPS_SEGS	8

enum groups_base {
	TREE_ROOT,	/* of 3 nodes, two children */
	TREE_LEAF,	/* of 3 nodes, no child */
	TREE_INNER,	/* of 3 nodes in a row, one child */
	EXCHANGE,	/* of 4 nodes, two rounds */
	RING,		/* of 3 nodes */
	RING_OF_2,
	GROUPS_NUM_BASES,
};

/* A changed value in a description. */
struct groups_change {
	const char *name;	/* names the case */
	enum groups_base base;
	size_t offset;		/* in struct group_config */
	size_t size;
	uint64_t value;
	size_t blamed;		/* offset that the device reports, if it refuses the value */
};

#define OF_GROUP(field)		offsetof(struct tally_group_cfg, field)
#define OF_EDGE(i, field)                                                                          \
	(offsetof(struct group_config, edge) + (i) * sizeof(struct tally_group_edge) +                    \
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

/* Writes a valid description. */
void groups_describe(struct group_config *config, enum groups_base base);
/* The same with a change. An address gets the value in its first byte, and zeroes. */
void groups_change(struct group_config *config, const struct groups_change *change);
/* Returns its bytes including the edges. */
size_t groups_bytes(const struct group_config *config);

#endif
