/* SPDX-License-Identifier: BSD-2-Clause */
/* Queue pair contexts, by command of the firmware. */
#ifndef TALLY_SIM_ENGINE_QP_H
#define TALLY_SIM_ENGINE_QP_H

#include "engine/tables.h"

/* Add a queue pair to its group; its configuration is in place. */
void qp_create(struct engine *e, uint32_t qpn);
/* Raise an exception if a request of the queue pair has begun and is not finished. */
void qp_abandon(struct engine *e, uint32_t qpn);
/* Forget all requests. */
void qp_discard(struct engine *e, uint32_t qpn);
void qp_set_state(struct engine *e, struct qp *qp, enum tally_qp_state state);
/* Take the queue pair from its group. */
void qp_forget(struct engine *e, uint32_t qpn);

#endif
