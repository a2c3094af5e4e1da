/* SPDX-License-Identifier: BSD-2-Clause */
/* The engine's pool of segments, for the bench of tally_pool. */
#ifndef TALLY_RTL_POOL_MODEL_H
#define TALLY_RTL_POOL_MODEL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

void pool_reset(uint32_t groups, uint32_t segs);
uint32_t pool_model_left(void);
void pool_model_join(unsigned int group, uint32_t num, uint32_t max);
void pool_model_leave(unsigned int group);
void pool_model_begin(unsigned int group);
void pool_model_borrow(unsigned int group, uint32_t top);
void pool_model_advance(unsigned int group);
void pool_model_end(unsigned int group);
uint32_t pool_model_limit(unsigned int group);
/* Number of segments of its own that it has. */
uint32_t pool_model_granted(unsigned int group);
/* Number of segments that have been lent, and of groups that segments were owed to, since the last reset. */
uint64_t pool_model_lent(void);
uint64_t pool_model_owed(void);

#ifdef __cplusplus
}
#endif

#endif
