/* SPDX-License-Identifier: BSD-2-Clause */
/* Cells of the receive message queue. */
#ifndef TALLY_SIM_ENGINE_RMQ_CELLS_H
#define TALLY_SIM_ENGINE_RMQ_CELLS_H

#include "engine/tables.h"

/*
 * Take a cell of the receive message queue: one that the group has reserved if more than `keep` of
 * those are free, otherwise a shared one. Returns NONE if there is none. cell_give() returns the
 * cell.
 */
uint16_t cell_take(struct engine *e, struct group *g, uint32_t keep);
void cell_give(struct engine *e, struct group *g, uint16_t cell);

#endif
