/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The description of a group that is right, for tests to make it wrong. */
#ifndef TALLY_FAKE_GROUP_H
#define TALLY_FAKE_GROUP_H

#include "fake_ib.h"

#define FAKE_NUM_EDGES 2
/* Segments of the range that goes with the description. */
#define FAKE_ROOM 16

/**
 * struct fake_group - What a process passes to create a group.
 * @req: the group: the root of a tree of 3 nodes
 * @edges: its neighbours, two children
 */
struct fake_group {
	struct tally_ureq_group req;
	struct tally_ureq_edge edges[FAKE_NUM_EDGES];
};

void tally_fake_group(struct fake_group *group);

#endif
