/* SPDX-License-Identifier: BSD-2-Clause */
/* The registers of groups and queue pairs of the model, for the bench of tally_wqe_tables. */
#ifndef TALLY_RTL_WQE_TABLES_MODEL_H
#define TALLY_RTL_WQE_TABLES_MODEL_H

#include "wqe_model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Writes a register, of 64 bits if the register has them. Aborts if there is none. */
void model_write(uint32_t reg, uint64_t value);
/* What the parser reads of a queue pair, but of its group; returns the number of its group. */
uint32_t model_qp(struct model_around *to, uint32_t *pd, uint32_t qp);
/* What it reads of a group. */
void model_group(struct model_around *to, uint32_t group);

#ifdef __cplusplus
}
#endif

#endif
