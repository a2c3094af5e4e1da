/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets of a chunk. */
#ifndef TALLY_SIM_ENGINE_CHUNK_SEND_H
#define TALLY_SIM_ENGINE_CHUNK_SEND_H

#include "engine/tables.h"

/* Fill in the header of a packet of a chunk. */
void slot_fill_tch(const struct group *g, const struct edge *ed, const struct slot *s,
		   struct tch *t, uint8_t kind);
/* Send a part of the chunk to a neighbour. Returns false if the edge or its window is not open. */
bool slot_send(struct engine *e, struct group *g, struct slot *s, unsigned int idx, uint8_t kind,
	       struct span sp, const uint8_t *data);

#endif
