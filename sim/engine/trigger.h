/* SPDX-License-Identifier: BSD-2-Clause */
/* Request processor: execution of triggered descriptors. */
#ifndef TALLY_SIM_ENGINE_TRIGGER_H
#define TALLY_SIM_ENGINE_TRIGGER_H

#include "engine/edge.h"
#include "engine/tables.h"

/* Begin a descriptor. Returns false if no payload buffer is free. */
bool trigger_start(struct engine *e, struct qp *qp, struct wr *wr);
void trigger_pump(struct engine *e, struct qp *qp, struct wr *wr);
/* Take the descriptor's own data. */
void trigger_data(struct engine *e, struct qp *qp, struct wr *wr, const void *data);
/*
 * Whether the counter of a descriptor has reached CPCnt, but its intermediate result is not complete.
 */
bool trigger_lacks_messages(const struct qp *qp, const struct wr *wr);
/* Let a descriptor fire without the messages that its intermediate result lacks. */
void trigger_give_up(struct engine *e, struct qp *qp, struct wr *wr);
void trigger_written(struct engine *e, struct qp *qp, struct wr *wr);
void trigger_tx_acked(struct engine *e, unsigned int idx, const struct acked *a);

/*
 * Return the contributors whose messages a descriptor lacks. A descriptor does not say which
 * contributors it waits for, unless a reduction needs a message of every one.
 */
uint64_t trigger_lacking(const struct group *g, const struct qp *qp, const struct wr *wr);

#endif
