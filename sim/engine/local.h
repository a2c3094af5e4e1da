/* SPDX-License-Identifier: BSD-2-Clause */
/* The local ranks of a chunk. */
#ifndef TALLY_SIM_ENGINE_LOCAL_H
#define TALLY_SIM_ENGINE_LOCAL_H

#include "engine/tables.h"

/*
 * Get the data that a rank gives to a chunk. Returns true if they are in the request itself, and so
 * in @data now. Otherwise they are read from memory.
 */
bool local_fetch(struct engine *e, struct group *g, const struct slot *s, unsigned int rank,
		 uint8_t *data);
/* Write a result to the memory of ranks. Returns the ranks for which there is nothing to write. */
uint64_t local_deliver(struct engine *e, struct group *g, const struct slot *s, uint64_t ranks,
		       const uint8_t *result);
/*
 * Note that ranks have finished a chunk. A request completes when its ranks have finished all its
 * chunks.
 */
/* Whether results of the chunk are being written; not by queue pairs that are gone. */
bool local_writing(struct engine *e, const struct slot *s);
void local_finished(struct engine *e, const struct slot *s, uint64_t ranks);

#endif
