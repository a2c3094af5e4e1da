/* SPDX-License-Identifier: BSD-2-Clause */
/* Neighbours of a node in a group of each mode, computed independently of the library. */
#ifndef TALLY_TEST_SHAPE_H
#define TALLY_TEST_SHAPE_H

#include "cluster.h"

/* Arrays that struct tallydv_group_attr points to. */
struct shape {
	struct tallydv_neighbour children[TREE_DEGREE];
	struct tallydv_neighbour parent;
	struct tallydv_neighbour peers[MAX_NICS];
};

/*
 * Fills in the attributes of a team's group at a node. `attr` points into `shape`, and the team
 * gets the segments. No group is created.
 */
void shape_fill(struct shape *shape, struct tallydv_group_attr *attr, const struct team *team,
		const struct team_spec *spec, unsigned int node);

/* The nodes that have the same partial result after `round` rounds of EXCHANGE. */
struct part {
	unsigned int first, count;
};

struct part shape_part(const struct team_spec *spec, unsigned int num_nodes, unsigned int round,
		       unsigned int node);

#endif
