/* SPDX-License-Identifier: BSD-2-Clause */
/* The NIC's memory of doorbells and pushed requests, for the bench of tally_push. */
#ifndef TALLY_RTL_PUSH_MODEL_H
#define TALLY_RTL_PUSH_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Stores the bytes of a word of BAR2 whose bits are set in @strb. */
void model_store(uint32_t offset, const uint8_t *data, uint64_t strb);
/* Gives the UAR's push buffer to a queue pair on this slot with entries of this size, or takes it away (@stride 0). */
void model_bind(unsigned int uar, unsigned int slot, unsigned int stride);
/* Returns the bytes of the request that was pushed with this count, of which @to becomes a copy; 0: none. */
size_t model_take(unsigned int uar, uint64_t posted, uint8_t *to);

#ifdef __cplusplus
}
#endif

#endif
