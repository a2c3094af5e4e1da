/* SPDX-License-Identifier: BSD-2-Clause */
/* Effect of a failed queue pair on other ranks. */
#ifndef TALLY_SIM_ENGINE_QP_FAILURE_H
#define TALLY_SIM_ENGINE_QP_FAILURE_H

#include "engine/tables.h"

/* Return those of the ranks for which no other queue pair may post. */
uint64_t qp_failure_mute(struct engine *e, const struct group *g, const struct qp *qp, uint64_t ranks);
/*
 * Return the ranks of a request ahead of its turn whose preceding message can no longer be posted.
 */
uint64_t qp_failure_skips(struct engine *e, const struct group *g, const struct qp *qp,
		       const struct wr *wr);
/*
 * Tell the sender of a host that delivers what it must know of the queue pairs of a group, as far as
 * that has changed.
 */
void qp_failure_tell_sender(struct engine *e, const struct group *g);
/* A request for these ranks, of message @mid, has put its queue pair into error. */
void qp_failure_retired(struct engine *e, struct group *g, const struct qp *qp, uint16_t status,
			uint64_t ranks, uint32_t mid);
/* The queue pair is in error because its send queue or completion queue has overrun. */
void qp_failure_queue_failed(struct engine *e, struct group *g, const struct qp *qp,
			  enum tally_coll_status status);

#endif
