/* SPDX-License-Identifier: BSD-2-Clause */
/* What a neighbour is told of the window. */
#ifndef TALLY_SIM_ENGINE_WINDOW_H
#define TALLY_SIM_ENGINE_WINDOW_H

#include "engine/tables.h"

/* Whether a neighbour is told the lowest values of this node's subtree. */
bool window_of_subtree(const struct group *g, const struct edge *ed);
/* Return the values that a neighbour is told. */
uint32_t window_done(const struct group *g, const struct edge *ed);
uint32_t window_limit(const struct group *g, const struct edge *ed);

#endif
