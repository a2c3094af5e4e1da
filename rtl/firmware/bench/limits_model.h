/* SPDX-License-Identifier: BSD-2-Clause */
/* The engine's time limits of chunks and of requests ahead of their turn, for the bench of tally_limits. */
#ifndef TALLY_RTL_LIMITS_MODEL_H
#define TALLY_RTL_LIMITS_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LIMITS_MODEL_SLOTS 16
#define LIMITS_MODEL_REQUESTS 16
#define LIMITS_NEVER UINT64_MAX

void model_reset(void);

/* Chunks. Times and limits of groups are in picoseconds, limits of requests in milliseconds. */
void model_open(unsigned int slot, uint64_t now, uint64_t group_limit);
void model_post(unsigned int slot, uint32_t ms);
void model_whole(unsigned int slot);
void model_end(unsigned int slot);
uint64_t model_slot_due(unsigned int slot);
/* Returns whether the group times out. */
bool model_slot_timer(unsigned int slot, uint64_t now);

/* Requests that are ahead of their turn. */
void model_wait(unsigned int request, uint64_t now, uint32_t ms, uint64_t group_limit);
void model_wait_end(unsigned int request);
uint64_t model_wait_due(unsigned int request);
/* Its time is over, and a rank has not posted the oldest message, or all have. Returns whether the group times out. */
bool model_wait_timer(unsigned int request, bool late);

#ifdef __cplusplus
}
#endif

#endif
