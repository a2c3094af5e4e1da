/* SPDX-License-Identifier: BSD-2-Clause */
/* Plausibility of a neighbour's report of the end. */
#ifndef TALLY_SIM_ENGINE_KILL_CHECK_H
#define TALLY_SIM_ENGINE_KILL_CHECK_H

#include "engine/tables.h"

bool kill_plausible(const struct group *g, const struct report *r);

#endif
