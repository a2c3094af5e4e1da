/* SPDX-License-Identifier: BSD-2-Clause */
/* What the firmware has the hardware do. */
#ifndef TALLY_SIM_ENGINE_COMMANDS_H
#define TALLY_SIM_ENGINE_COMMANDS_H

#include "engine/tables.h"

/* Carry out the command whose operands are in e->command. */
void commands_go(struct engine *e, enum tally_fw_command_code code);

#endif
