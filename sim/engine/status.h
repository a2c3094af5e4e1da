/* SPDX-License-Identifier: BSD-2-Clause */
/* Status update: retirement and CQEs. */
#ifndef TALLY_SIM_ENGINE_STATUS_H
#define TALLY_SIM_ENGINE_STATUS_H

#include "engine/tables.h"

/* Whether entry @index was fetched only to be flushed; data == NULL: it could not be fetched. */
bool status_wants_entry(const struct qp *qp, uint32_t index);
void status_flush_entry(struct engine *e, struct qp *qp, const void *data);
/* The entry at the head has not been taken in. Flush it, or pass it because it has its outcome. */
void status_flush_head(struct engine *e, struct qp *qp, const struct request *q);
void status_pass_head(struct qp *qp);
/* Complete the requests at the head of the queue whose outcome is known. */
void status_retire(struct engine *e, struct qp *qp);
/* Write the CQE of a QUERY or ABORT out of turn. */
void status_out_of_turn(struct engine *e, struct qp *qp, const struct request *q, uint16_t status,
			uint8_t flags, const struct report *r);

#endif
