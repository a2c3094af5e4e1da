/* SPDX-License-Identifier: BSD-2-Clause */
/* What the firmware has the hardware do. */
#ifndef TALLY_SIM_ENGINE_COMMANDS_H
#define TALLY_SIM_ENGINE_COMMANDS_H

#include "engine/tables.h"

/*
 * Carry out a command, as it is written to the register `go`. Its further operands are in
 * e->command.
 */
void commands_go(struct engine *e, uint32_t go);

#endif
