/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The firmware of the NIC, which runs natively. If the timing says what it costs, it runs as a fiber
 * that yields before it reads a register that the hardware may change, or writes one on which the
 * hardware acts, so that the hardware goes on meanwhile; otherwise it handles events at once. It also
 * yields for an event of a host that has those of packets, until it is there.
 */
#ifndef TALLY_SIM_ENGINE_FIRMWARE_RUN_H
#define TALLY_SIM_ENGINE_FIRMWARE_RUN_H

#include "engine/tables.h"

/* Let the firmware handle the events that the present work has raised. */
void firmware_run(struct engine *e);
/* Let the firmware go on that has yielded, if its time has come. */
void firmware_resume(struct engine *e);
/*
 * Let the firmware finish the event that it handles. It executes admin commands itself, so one
 * begins only then. If it waits for an event of the host, it handles none, and goes on to wait.
 */
void firmware_finish(struct engine *e);
/* Forget the firmware's work, as at a reset. */
void firmware_stop(struct engine *e);
/* Give the registers of an engine to functions of the firmware that are called directly. */
void firmware_attach(struct engine *e);

#endif
