/* SPDX-License-Identifier: BSD-2-Clause */
/* Answers to QUERY. */
#ifndef TALLY_SIM_ENGINE_QUERY_H
#define TALLY_SIM_ENGINE_QUERY_H

#include "engine/tables.h"

/* Answer the QUERY that a queue pair holds. */
void query_answer(struct engine *e, struct qp *qp);

#endif
