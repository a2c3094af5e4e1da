/* SPDX-License-Identifier: BSD-2-Clause */
/* The C model's reduction in a fixed shape (sim/engine/ordered.c), one slot of one group. */
#ifndef TALLY_RTL_ORDERED_MODEL_H
#define TALLY_RTL_ORDERED_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Up to TALLY_MAX_RANKS inputs are local ranks, the others are contributors. */
void ordered_model_begin(unsigned int inputs, uint8_t op, uint8_t dtype, uint32_t count);
/* NULL: the input is absent. */
void ordered_model_input(unsigned int input, const void *data);
/* Returns the result, or NULL if all inputs were absent. Checks that no cell is left over. */
const uint8_t *ordered_model_result(uint16_t *err_vector, unsigned int *combines);

#ifdef __cplusplus
}
#endif

#endif
