/* SPDX-License-Identifier: BSD-2-Clause */
/* What a group waits for. */
#ifndef TALLY_SIM_ENGINE_LATE_H
#define TALLY_SIM_ENGINE_LATE_H

#include "engine/tables.h"

/*
 * Return the local ranks that have not posted a message. A rank whose request only waits for the
 * window has posted.
 */
uint64_t late_ranks(struct engine *e, const struct group *g, uint32_t mid);
/* Return the oldest chunk, or NULL if it has not begun. */
const struct slot *late_chunk(struct engine *e, const struct group *g);
/*
 * Return the neighbours of a chunk whose data have not arrived, or which have not acknowledged data
 * of this node.
 */
uint64_t late_contributors(const struct group *g, const struct slot *s);
/* Return the contributors whose messages triggered descriptors wait for. */
uint64_t late_messages(struct engine *e, const struct group *g);
/* Whether a triggered descriptor waits for messages. */
bool late_descriptor(struct engine *e, const struct group *g);
/* Whether a local rank has begun a message. */
bool late_begun(const struct group *g, uint32_t mid);

#endif
