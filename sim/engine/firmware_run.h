/* SPDX-License-Identifier: BSD-2-Clause */
/* The firmware of the NIC, which runs natively. */
#ifndef TALLY_SIM_ENGINE_FIRMWARE_RUN_H
#define TALLY_SIM_ENGINE_FIRMWARE_RUN_H

#include "engine/tables.h"

/* Let the firmware handle the events that the present work has raised. */
void firmware_run(struct engine *e);
/* Give the registers of an engine to functions of the firmware that are called directly. */
void firmware_attach(struct engine *e);

#endif
