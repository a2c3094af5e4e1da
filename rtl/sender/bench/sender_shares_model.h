/* SPDX-License-Identifier: BSD-2-Clause */
/* Who gives and gets data of a request, for the bench of tally_sender_shares. */
#ifndef TALLY_RTL_SENDER_SHARES_MODEL_H
#define TALLY_RTL_SENDER_SHARES_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "gen/tally_hw.h"

#ifdef __cplusplus
extern "C" {
#endif

struct shares {
	uint64_t due, absent, quits;
};

struct shares shares_of(uint8_t opcode, uint32_t flags, uint64_t ranks, uint64_t rank_mask, bool root_here, uint8_t root_rank);

#ifdef __cplusplus
}
#endif

#endif
