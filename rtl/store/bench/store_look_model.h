/* SPDX-License-Identifier: BSD-2-Clause */
/* What the firmware reads of a chunk in the C model, for the bench of tally_store_look. */
#ifndef TALLY_STORE_LOOK_MODEL_H
#define TALLY_STORE_LOOK_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct look_chunk {
	uint8_t state, mode, opcode, op, dtype;
	uint32_t mid, sid;
	uint64_t missing, receivers, unposted, deliver;
	bool have, up, awaits; /* the result is here; the sum is to leave; a result is waited for */
	uint8_t up_edge, down_edge;
};

/* Registers of struct segment, and oldest_* of struct group. */
struct look_view {
	uint32_t state, opcode, op, dtype, num, mid, sid;
	uint64_t missing, ranks, receivers, deliver, waits;
	uint32_t oldest_busy, oldest_tree, oldest_mid, oldest_sid, oldest_waits_parent;
	uint64_t oldest_missing, oldest_waits;
};

void look_model_reset(void);
/* Local ranks, and the round of EXCHANGE of each contributor. */
void look_model_group(unsigned int group, uint64_t ranks, const uint8_t *rounds);
void look_model_window(unsigned int group, uint32_t done, uint32_t limit);
void look_model_chunk(unsigned int group, uint32_t num, unsigned int slot, const struct look_chunk *c);
struct look_view look_model_view(unsigned int group, uint32_t index);

#ifdef __cplusplus
}
#endif

#endif
