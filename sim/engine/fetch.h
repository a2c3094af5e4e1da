/* SPDX-License-Identifier: BSD-2-Clause */
/* Request sender: fetching of work requests. */
#ifndef TALLY_SIM_ENGINE_FETCH_H
#define TALLY_SIM_ENGINE_FETCH_H

#include "engine/tables.h"

void fetch_next(struct engine *e, struct qp *qp);
/* Take in an entry that was fetched, or look whether it is to be answered ahead of its turn. */
void fetch_arrived(struct engine *e, struct qp *qp, uint32_t index, const void *data, size_t len);
/* Fetch the entry at the head of a queue pair in error, to flush it. */
void fetch_to_flush(struct engine *e, struct qp *qp);
/* Return whether request `index` was answered out of turn, and forget it. */
bool fetch_take_answered(struct qp *qp, uint32_t index);

#endif
