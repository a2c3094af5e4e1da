/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests that wait for one behind them in the same queue pair. */
#ifndef TALLY_SIM_ENGINE_SQ_BLOCKED_H
#define TALLY_SIM_ENGINE_SQ_BLOCKED_H

#include "engine/tables.h"

/* End the epoch if a rank's part of the oldest message is behind requests that wait for it. */
void sq_blocked_check(struct engine *e, struct qp *qp);

#endif
