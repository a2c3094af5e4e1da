/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules of sim/nic that the hardware implements as well, for the bench. */
#ifndef TALLY_RTL_CQE_WRITER_MODEL_H
#define TALLY_RTL_CQE_WRITER_MODEL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

uint8_t model_owner(uint64_t produced, uint32_t depth);
/* Returns the count after the consumer has stored @value. */
uint64_t model_consumed(uint64_t consumed, uint64_t produced, uint64_t value);

#ifdef __cplusplus
}
#endif

#endif
