/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The outcome of requests with a host that retires and completes them: what it is told, and what it
 * tells. status.c is the same for other hosts.
 */
#ifndef TALLY_SIM_ENGINE_OUTCOME_H
#define TALLY_SIM_ENGINE_OUTCOME_H

#include "engine/tables.h"

/* The newest chunk of a request has begun. */
void outcome_chunk(struct engine *e, const struct qp *qp, const struct wr *wr);
/* A request is refused, with its status. */
void outcome_refused(struct engine *e, const struct qp *qp, const struct wr *wr);
/* A rank of a request has finished the chunk of a slot. */
void outcome_rank(struct engine *e, const struct qp *qp, const struct wr *wr, const struct slot *s,
		  unsigned int rank);
/* A triggered descriptor counts as a request of one chunk and one rank. */
void outcome_descriptor_begins(struct engine *e, const struct qp *qp, const struct wr *wr);
void outcome_descriptor_ends(struct engine *e, const struct qp *qp, const struct wr *wr);
void outcome_flag_written(struct engine *e, const struct qp *qp, const struct wr *wr, bool failed);
/* The epoch of the queue pair has ended. The host learns of it when its accesses have, too. */
void outcome_epoch_ends(struct qp *qp, const struct report *r);
void outcome_try_end(struct engine *e, struct qp *qp);

/* The host has retired the oldest request. */
void outcome_retired(struct qp *qp);
/* Return the request of an entry that the host names. */
struct wr *outcome_find(struct qp *qp, uint16_t entry);

/* Places of the entries that a queue pair owns, for the host. */
void outcome_take_places(struct engine *e, struct qp *qp);
void outcome_give_places(struct engine *e, const struct qp *qp);

#endif
