/* SPDX-License-Identifier: BSD-2-Clause */
/* The registers of queue pairs. */
#ifndef TALLY_SIM_ENGINE_REGISTERS_QP_H
#define TALLY_SIM_ENGINE_REGISTERS_QP_H

#include "engine/tables.h"

/* Read or write a register in the table of queue pairs. Return whether there is such a register. */
bool qp_register_read(const struct engine *e, uint32_t reg, uint64_t *value);
bool qp_register_write(struct engine *e, uint32_t reg, uint64_t value);

#endif
