/* SPDX-License-Identifier: BSD-2-Clause */
/* Receive message queue and CP counters. */
#ifndef TALLY_SIM_ENGINE_RMQ_H
#define TALLY_SIM_ENGINE_RMQ_H

#include "engine/edge.h"
#include "engine/tables.h"

void rmq_init(struct qp *qp);
enum rx_verdict rmq_packet(struct engine *e, struct group *g, unsigned int idx,
			   const struct tch *t, const void *payload, uint16_t len);
/*
 * Send a message to this node itself. Returns OK, BAD_DEST, or RMQ_OVERFLOW if there is no room
 * now.
 */
enum tally_coll_status rmq_to_self(struct engine *e, struct group *g, const struct tch *t,
				   const void *payload, uint16_t len);
/*
 * Let a descriptor wait for the oldest intermediate result of its counter, which is in qp->sum from
 * now on, and its data in @data.
 */
void rmq_wait(struct engine *e, struct qp *qp, const struct wr *wr, uint8_t *data);
/* Whether the counter of a descriptor has reached CPCnt. */
bool rmq_reached(const struct qp *qp, const struct wr *wr);
/* Take CPCnt messages from the counter, which has reached it. Returns their error vector. */
uint16_t rmq_fire(struct engine *e, struct qp *qp, const struct wr *wr);
void rmq_flush(struct engine *e, struct qp *qp);

#endif
