/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* A correct description of a group, in which tests make mistakes. */
#ifndef TALLY_FAKE_GROUP_H
#define TALLY_FAKE_GROUP_H

#include "fake_ib.h"

#define FAKE_NUM_EDGES 2
/* Segments of the range for this description. */
#define FAKE_ROOM 16

/**
 * struct fake_group - Arguments of a process that creates a group.
 * @req: the group, of which the process is the root, in a tree of 3 nodes
 * @edges: neighbours of the node, two children
 */
struct fake_group {
	struct tally_ureq_group req;
	struct tally_ureq_edge edges[FAKE_NUM_EDGES];
};

void tally_fake_group(struct fake_group *group);

#endif
