/* SPDX-License-Identifier: BSD-2-Clause */
/* Plausibility of a neighbour's report of the end. */
#ifndef TALLY_SIM_ENGINE_KILL_VALIDATE_H
#define TALLY_SIM_ENGINE_KILL_VALIDATE_H

#include "engine/tables.h"

bool kill_report_valid(const struct group *g, const struct report *r);

#endif
