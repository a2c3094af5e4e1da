/* SPDX-License-Identifier: BSD-2-Clause */
/* Arrival and acknowledgement of multicast results. */
#ifndef TALLY_SIM_ENGINE_MULTICAST_RX_H
#define TALLY_SIM_ENGINE_MULTICAST_RX_H

#include "engine/tables.h"

void multicast_packet(struct engine *e, struct group *g, const struct tch *t, const void *payload,
		      uint16_t len);
void multicast_ack(struct engine *e, struct group *g, unsigned int idx, const struct tch *t,
		   uint64_t seen);
void multicast_timer(struct engine *e, struct group *g);

#endif
