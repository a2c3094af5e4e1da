/* SPDX-License-Identifier: BSD-2-Clause */
/* What the engine compares of an OPEN, for the bench of tally_open_state. */
#ifndef TALLY_RTL_OPEN_MODEL_H
#define TALLY_RTL_OPEN_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "gen/tally_fw_hw.h"
#include "gen/tally_hw.h"

#ifdef __cplusplus
extern "C" {
#endif

struct open_group {
	uint32_t flags, chunk, mtu, plan, total_ranks, epoch, key;
	uint16_t num_nodes, node, num_segs;
	uint8_t modes, rounds;
	uint8_t alive; /* 0 or 1 */
};

struct open_edge {
	uint64_t nonce, peer_nonce;
	uint32_t peer_key, awaits_epoch;
	uint16_t first, count;
	uint8_t state, unconfirmed;
};

struct open_packet {
	uint32_t epoch;
	uint16_t flags;
	uint8_t data[64];
};

/* Give the packet the payload that such a group expects of a node at this edge. */
void open_agreeing(const struct open_group *g, const struct open_edge *ed, uint16_t node, struct open_packet *p);
/* Return open_state() of the engine. */
uint32_t open_model(const struct open_group *g, const struct open_edge *ed, const struct open_packet *p);

#ifdef __cplusplus
}
#endif

#endif
