/* SPDX-License-Identifier: BSD-2-Clause */
/* Time limits of work requests that are in no slot. */
#ifndef TALLY_SIM_ENGINE_WR_TIMEOUT_H
#define TALLY_SIM_ENGINE_WR_TIMEOUT_H

#include "engine/tables.h"

/* Returns whether a descriptor has fired, so that others may proceed. */
bool wr_timeout_expire(struct engine *e, struct group *g);
uint64_t wr_timeout_next(struct engine *e, const struct group *g);

#endif
