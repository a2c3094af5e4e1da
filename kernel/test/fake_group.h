/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Descriptions of groups that are right, and what makes them wrong, for tests of their checks. */
#ifndef TALLY_FAKE_GROUP_H
#define TALLY_FAKE_GROUP_H

#include "fake_ib.h"

#define FAKE_MAX_EDGES 4
/* Segments of the range that goes with a description. */
#define FAKE_ROOM 16

enum fake_base {
	TREE_ROOT,	/* of 3 nodes, two children */
	TREE_LEAF,	/* of 3 nodes, no child */
	TREE_INNER,	/* of 3 nodes in a row, one child */
	EXCHANGE,	/* of 4 nodes, two rounds */
	RING,		/* of 3 nodes */
	RING_OF_2,
	FAKE_NUM_BASES,
};

/**
 * struct fake_group - What a process passes to create a group.
 * @req: the group
 * @edges: its neighbours
 * @num: how many
 */
struct fake_group {
	struct tally_ureq_group req;
	struct tally_group_edge edges[FAKE_MAX_EDGES];
	unsigned int num;
};

/* The description of the group itself is changed, and not one of its edges. */
#define OF_GROUP -1

/**
 * struct fake_change - A value in a description.
 * @name: says what it is about
 * @base: the description
 * @edge: edge concerned, or OF_GROUP
 * @offset: where the field is, in bytes
 * @size: its size in bytes
 * @value: what is to stand there
 */
struct fake_change {
	const char *name;
	enum fake_base base;
	int edge;
	size_t offset;
	size_t size;
	u64 value;
};

#define FIELD(name_, base_, field, value_) { \
	.name = name_, \
	.base = base_, \
	.edge = OF_GROUP, \
	.offset = offsetof(struct tally_ureq_group, field), \
	.size = sizeof_field(struct tally_ureq_group, field), \
	.value = value_, \
}

#define EDGE(name_, base_, edge_, field, value_) { \
	.name = name_, \
	.base = base_, \
	.edge = edge_, \
	.offset = offsetof(struct tally_group_edge, field), \
	.size = sizeof_field(struct tally_group_edge, field), \
	.value = value_, \
}

void tally_fake_group(struct fake_group *group, enum fake_base base);
void tally_fake_change(struct fake_group *group, const struct fake_change *change);

#endif
