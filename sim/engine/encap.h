/* SPDX-License-Identifier: BSD-2-Clause */
/* Encapsulator. */
#ifndef TALLY_SIM_ENGINE_ENCAP_H
#define TALLY_SIM_ENGINE_ENCAP_H

#include "engine/tables.h"

void packet_fill(const struct group *g, const struct edge *ed, struct tch *t, uint8_t kind);
void packet_send(struct engine *e, struct group *g, struct edge *ed, const struct tch *t,
		 const void *payload, size_t len);

#endif
