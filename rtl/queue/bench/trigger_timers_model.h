/* SPDX-License-Identifier: BSD-2-Clause */
/* Time limits of descriptors in the engine. */
#ifndef TALLY_RTL_TRIGGER_TIMERS_MODEL_H
#define TALLY_RTL_TRIGGER_TIMERS_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TIMERS_NEVER UINT64_MAX

/* Return when a descriptor is out of time, with its own limit in milliseconds, if it is not 0, and that of its group. */
uint64_t timers_limit(uint64_t since, uint32_t ms, uint64_t group_limit, bool lacks);

#ifdef __cplusplus
}
#endif

#endif
