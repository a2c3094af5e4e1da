/* SPDX-License-Identifier: BSD-2-Clause */
/* Contributions and results that arrive in packets. */
#ifndef TALLY_SIM_ENGINE_SEGMENT_RX_H
#define TALLY_SIM_ENGINE_SEGMENT_RX_H

#include "engine/edge.h"
#include "engine/tables.h"

enum rx_verdict slot_packet(struct engine *e, struct group *g, unsigned int idx,
			    const struct tch *t, const void *payload, uint16_t len);
/* Take the packet for its slot, whose words are there. Nothing else of it disagrees. */
enum rx_verdict slot_take(struct engine *e, struct group *g, struct slot *s, unsigned int idx,
			  const struct tch *t, const void *payload, uint16_t len);
/* Compare a chunk with a QUERY, in which a neighbour that waits for the chunk describes it. */
void slot_compare(struct engine *e, struct group *g, unsigned int idx, const struct tch *t);

#endif
