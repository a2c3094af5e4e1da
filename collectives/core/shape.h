/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The shape of a team: its ranks on nodes. A node is a NIC. Nodes are numbered in the order of their
 * first ranks; the *place* of a rank counts node by node, and within a node in the order of ranks.
 */
#ifndef TALLYCOLL_CORE_SHAPE_H
#define TALLYCOLL_CORE_SHAPE_H

#include <stdbool.h>
#include <stdint.h>

struct tc_process;

struct tc_shape {
	uint32_t size, rank;	/* ranks, and this rank */
	uint32_t num_nodes, node, local;	/* nodes, this rank's node, and its number there */
	uint32_t num_local;	/* ranks of this node */
	uint32_t most_local, least_local;	/* of any node */
	bool has_sockets;	/* ranks of some node are on several sockets */
	uint32_t *member;	/* [rank] rank in the context */
	uint32_t *node_of;	/* [rank] node */
	uint32_t *local_of;	/* [rank] number within the node */
	uint32_t *place;	/* [rank] */
	uint32_t *node_first;	/* [node] first place; [num_nodes] is size */
	bool ordered;		/* every rank's place is its number */
	bool crowded;		/* a node has more ranks than contributors */
};

/* @member of @size ranks; NULL: the same numbers. Returns false if out of memory. */
bool tc_shape_init(struct tc_shape *s, const struct tc_process *process, const uint32_t *member,
		   uint32_t size, uint32_t rank);
void tc_shape_free(struct tc_shape *s);
/* Whether two shapes have the same ranks in the same order. */
bool tc_shape_equal(const struct tc_shape *a, const struct tc_shape *b);

/* Ranks of a node, and the contributors that stand for them. */
uint32_t tc_shape_ranks(const struct tc_shape *s, uint32_t node);
uint32_t tc_shape_contributors(const struct tc_shape *s, uint32_t node);
/* The contributor of a rank on its node. */
uint32_t tc_shape_contributor(const struct tc_shape *s, uint32_t rank);

#endif
