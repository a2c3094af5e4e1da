/* SPDX-License-Identifier: BSD-2-Clause */
/* The register file by which the firmware reaches the hardware (docs/registers.md). */
#ifndef TALLY_SIM_ENGINE_REGISTERS_H
#define TALLY_SIM_ENGINE_REGISTERS_H

#include "engine/tables.h"

/*
 * Whether the hardware may change a register while the firmware runs, and whether it may act on a
 * write before the next command.
 */
bool registers_change(uint32_t reg);
bool registers_act(uint32_t reg);
/* Read or write a register at the address @reg. There must be one. */
uint64_t registers_read(struct engine *e, uint32_t reg);
void registers_write(struct engine *e, uint32_t reg, uint64_t value);

#endif
