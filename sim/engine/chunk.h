/* SPDX-License-Identifier: BSD-2-Clause */
/* Ranks that a chunk takes data from and brings data to. */
#ifndef TALLY_SIM_ENGINE_CHUNK_H
#define TALLY_SIM_ENGINE_CHUNK_H

#include "engine/tables.h"

bool opcode_reduces(uint8_t opcode);
/* Whether a message has one block for each rank, as GATHER, SCATTER, ALLGATHER, REDUCE_SCATTER. */
bool opcode_blocked(uint8_t opcode);
bool opcode_rooted(uint8_t opcode);
/* Return the part of a chunk that a local rank gives, and the part that it gets. */
struct span chunk_given(const struct group *g, const struct slot *s, unsigned int rank);
struct span chunk_got(const struct group *g, const struct slot *s, unsigned int rank);
/* Return the elements of a block in a message of so many; the message consists of one for each rank. */
uint32_t chunk_block(const struct group *g, uint32_t total);
/* Return the part of a chunk that lies in the blocks of `num` ranks from global rank `first` on. */
struct span chunk_blocks(const struct group *g, const struct slot *s, uint32_t first, uint32_t num);
/* Return all of a chunk. */
struct span chunk_whole(const struct slot *s);
/* Whether a part must be moved: not if the message consists of blocks and the part is empty. */
bool chunk_moves(const struct slot *s, struct span sp);
/* Return the local ranks that give data to a chunk, or get data of it, if all take part. */
uint64_t chunk_givers(const struct group *g, const struct slot *s);
uint64_t chunk_getters(const struct group *g, const struct slot *s);
/* Set the ranks and edges that give data to a chunk, and those that get data of it. */
void chunk_plan(const struct group *g, struct slot *s);
/*
 * Apply the masks of a local request, which say who takes part. Returns false if they disagree with
 * those of an earlier request.
 */
bool chunk_narrow(const struct group *g, struct slot *s, const struct wqe *w);
/* Whether this node takes part in a chunk. That is known once all local ranks have posted. */
bool chunk_concerns(const struct group *g, const struct slot *s);

#endif
