/* SPDX-License-Identifier: BSD-2-Clause */
/* The engine's exceptions and events of groups, for the bench of tally_exceptions. */
#ifndef TALLY_RTL_EXCEPTIONS_MODEL_H
#define TALLY_RTL_EXCEPTIONS_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "gen/tally_fw_hw.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What an event of a group tells. */
struct model_raised {
	uint32_t type, group, cause, status, mid, sid;
	uint64_t contributors, ranks;
};

void model_reset(void);
void model_begin(uint32_t group);
/* FREEZE or RELEASE: the epoch does not run any more. */
void model_end(uint32_t group);
/* Returns whether the group was frozen by it. */
bool model_exception(uint32_t group, const struct model_raised *x);
void model_fenced(uint32_t group);
void model_drained(uint32_t group);
/* Take the oldest event. Returns whether there was one. */
bool model_next(struct model_raised *x);

#ifdef __cplusplus
}
#endif

#endif
