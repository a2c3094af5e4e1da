/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What of requests has begun. In groups whose requests the sender of the host begins (store_begins()),
 * it keeps their order, divides messages into chunks, and posts those that its store has. What it begins
 * is noted here, since the firmware looks at it; other chunks, and triggered descriptors of hosts that do
 * not carry them out, are carried out.
 */
#ifndef TALLY_SIM_ENGINE_BEGUN_H
#define TALLY_SIM_ENGINE_BEGUN_H

#include "engine/tables.h"

/* A request begins: it is the next message of its ranks no more; and a chunk of it has begun. */
void begun_message(struct group *g, struct wr *wr);
void begun_chunk(struct group *g, struct wr *wr);
/* Carry out a triggered descriptor, if those before it have fired. Returns whether it has begun. */
bool begun_descriptor(struct engine *e, struct qp *qp, uint32_t index);

/* Let the requests of a queue pair proceed as far as the host does not do that. */
void begun_pump(struct engine *e, struct qp *qp, struct group *g);
/* Carry out what the host says of a request. */
void begun_by_host(struct engine *e, struct qp *qp, struct wr *wr, const struct engine_begun *b);

#endif
