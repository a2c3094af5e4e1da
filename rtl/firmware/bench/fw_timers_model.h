/* SPDX-License-Identifier: BSD-2-Clause */
/* The engine's timers of the firmware, for the bench of tally_fw_timers. */
#ifndef TALLY_RTL_FW_TIMERS_MODEL_H
#define TALLY_RTL_FW_TIMERS_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Contexts are groups, and from the number `groups` on tombstones. Edge -1 stands for the context itself. No timer runs. */
void model_reset(unsigned int contexts, unsigned int groups);
/* The firmware writes a register at an offset of struct edge, or of struct group. */
void model_write(uint64_t now, unsigned int context, int edge, uint32_t at, uint64_t value);
void model_stop(unsigned int context, int edge);
uint64_t model_time(unsigned int context, int edge);
/* The time of the first timer. */
uint64_t model_next(void);
/* A timer that is over becomes an event, if there is a place for it. */
void model_expire(uint64_t now, unsigned int context, int edge, bool place);

#ifdef __cplusplus
}
#endif

#endif
