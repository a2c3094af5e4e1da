/* SPDX-License-Identifier: BSD-2-Clause */
/* Request sender: fetching of work requests. */
#ifndef TALLY_SIM_ENGINE_FETCH_H
#define TALLY_SIM_ENGINE_FETCH_H

#include "engine/tables.h"

void fetch_next(struct engine *e, struct qp *qp);
/* Take in an entry that was fetched, or look whether it is to be answered ahead of its turn. */
void fetch_arrived(struct engine *e, struct qp *qp, uint32_t index, const void *data, size_t len);
/* The same of a request that the host has fetched and parsed. */
void fetch_taken_in(struct engine *e, struct qp *qp, const struct engine_request *r);
/* Have the firmware answer a QUERY, or end the epoch for the reason that an ABORT gives. */
void fetch_ask(struct engine *e, struct qp *qp, const struct wqe *w);
/* Fetch the entry at the head of a queue pair in error, to flush it. */
void fetch_to_flush(struct engine *e, struct qp *qp);
/* Return whether request `index` was answered out of turn, and forget it. */
bool fetch_take_answered(struct qp *qp, uint32_t index);

#endif
