/* SPDX-License-Identifier: BSD-2-Clause */
/* The registers of the configuration of groups and edges. */
#ifndef TALLY_SIM_ENGINE_REGISTERS_SETUP_H
#define TALLY_SIM_ENGINE_REGISTERS_SETUP_H

#include "engine/tables.h"

/* Write a register of a group, or of an edge. Returns whether there is such a register. */
bool setup_group_write(struct group *g, uint32_t at, uint64_t value);
bool setup_edge_write(struct edge *ed, uint32_t at, uint64_t value);

#endif
