/* SPDX-License-Identifier: BSD-2-Clause */
/* Request sender: order and start of requests, division of messages into chunks. */
#ifndef TALLY_SIM_ENGINE_SENDER_H
#define TALLY_SIM_ENGINE_SENDER_H

#include "engine/tables.h"

void sender_pump(struct engine *e, struct qp *qp);
/* Give every work request of the queue pair its outcome, because the epoch has ended. */
void sender_group_dead(struct engine *e, struct qp *qp);

#endif
