/* SPDX-License-Identifier: BSD-2-Clause */
/* Encapsulator. */
#ifndef TALLY_SIM_ENGINE_ENCAP_H
#define TALLY_SIM_ENGINE_ENCAP_H

#include "engine/tables.h"

void packet_fill(const struct group *g, const struct edge *ed, struct tch *t, uint8_t kind);
/* Send a packet without a number, or one that has it. */
void packet_send(struct engine *e, struct group *g, struct edge *ed, const struct tch *t,
		 const void *payload, size_t len);
/* The same for a packet of which the host has the number. */
void packet_send_numbered(struct engine *e, struct group *g, struct edge *ed, const struct tch *t,
			  const void *payload, size_t len, const struct engine_name *name);

#endif
