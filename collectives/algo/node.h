/* SPDX-License-Identifier: BSD-2-Clause */
/* What the parts of the node way share: node.c its phases, node_data.c the data, node_post.c the messages. */
#ifndef TALLYCOLL_ALGO_NODE_H
#define TALLYCOLL_ALGO_NODE_H

#include "core/area.h"
#include "core/core.h"

static inline bool tc_node_reduces(const struct tallycoll_request *r)
{
	enum tally_opcode opcode = r->args.opcode;

	return opcode == TALLY_OPCODE_ALLREDUCE || opcode == TALLY_OPCODE_REDUCE ||
	       opcode == TALLY_OPCODE_REDUCE_SCATTER;
}

/* The data come from a root: BCAST, SCATTER. */
static inline bool tc_node_spreads(const struct tallycoll_request *r)
{
	return r->args.opcode == TALLY_OPCODE_BCAST || r->args.opcode == TALLY_OPCODE_SCATTER;
}

/* A BCAST whose blocks are scattered, and gathered by all nodes. */
static inline bool tc_node_scatters(const struct tallycoll_request *r)
{
	return tc_way_messages(r->way, r->args.opcode) > 1;
}

/* Its messages. The first two are on their way together. */
enum tc_node_message {
	TC_NODE_LENGTH,
	TC_NODE_SCATTER,
	TC_NODE_GATHER,
};

/* ---- Uses of the area: each piece is one, and takes a slot ---- */
static inline uint32_t tc_node_use(const struct tallycoll_request *r, const struct tc_piece *p)
{
	return r->first_use + p->index + 1;
}

static inline uint32_t tc_node_slot(const struct tallycoll_request *r, const struct tc_piece *p)
{
	return (tc_node_use(r, p) - 1) % TC_AREA_SLOTS;
}

/* ---- Shares ---- */
/* Bytes of one rank's part of a piece. */
static inline uint64_t tc_node_part(const struct tallycoll_request *r, const struct tc_piece *p)
{
	return tc_piece_elements(r, p->index) * r->elem;
}

/* The ranks of the root's party read what the root has brought. */
static inline bool tc_node_near_root(const struct tallycoll_request *r)
{
	const struct tc_member_group *mg = r->team->mg;

	return mg->shape.node_of[r->args.root] == mg->shape.node &&
	       r->party->mask >> tc_shape_contributor(&mg->shape, r->args.root) & 1;
}

/* The next message of the piece. */
static inline uint32_t tc_node_mid(const struct tallycoll_request *r, const struct tc_piece *p)
{
	return r->first_mid + p->index * tc_way_messages(r->way, r->args.opcode) + p->messages;
}

/* Copies this rank's data into the slot, if it gives any. */
void tc_node_bring(const struct tallycoll_request *r, const struct tc_piece *p);
/*
 * Combines a slice of the elements of all ranks, in the order of ranks. Slices begin at cache lines,
 * so a short vector is combined by the first rank alone.
 */
void tc_node_combine(const struct tallycoll_request *r, const struct tc_piece *p);
/* Copies this rank's result out of the slot. */
void tc_node_take(const struct tallycoll_request *r, const struct tc_piece *p);
/* Posts the piece's next message. Returns false if the queue is full, or if the request has failed. */
bool tc_node_post(struct tallycoll_request *r, struct tc_piece *p);

#endif
