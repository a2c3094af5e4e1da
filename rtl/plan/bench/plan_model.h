// SPDX-License-Identifier: BSD-2-Clause
// The planners of the C model's engine, for the benches of rtl/plan. These functions fill a group's tables and call them.
#ifndef TALLY_PLAN_MODEL_H
#define TALLY_PLAN_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { PLAN_MAX_EDGES = 64 };

struct plan_group {
	uint16_t node, nodes, edges; /* edges: number of contributors */
	bool root;		     /* of the tree */
	uint8_t parent, left, right;
	uint64_t rank_mask, children, exchange_ins;
	uint16_t first[PLAN_MAX_EDGES], count[PLAN_MAX_EDGES]; /* nodes behind an edge */
};

struct plan_divisor {
	uint32_t n, inverse;
	uint8_t shift;
};

struct plan_chunk {
	uint8_t mode, opcode, root_rank;
	uint16_t root_node;
	uint32_t sid;
};

struct plan_moves {
	uint64_t up_ranks, up_contributors, down_todo, deliver;
	uint8_t up_edge, down_edge;
	bool up_send, turns, down_expected;
};

struct plan_place { /* of a chunk */
	bool ok, last;
	uint32_t first, count, bytes;
};

void plan_model_group(const struct plan_group *group);
/* Returns the contributor that leads to a node, or -1. */
int plan_model_route(uint16_t node);
struct plan_moves plan_model_moves(const struct plan_chunk *chunk);

struct plan_divisor plan_model_divisor(uint32_t n);
uint32_t plan_model_quotient(struct plan_divisor d, uint32_t value);
uint32_t plan_model_modulo(struct plan_divisor d, uint32_t value);

/* Returns the place of the chunk of a packet. The elements are integers of 2 to the power of `size` bytes. */
struct plan_place plan_model_packet(uint32_t sid, uint32_t count, uint32_t total, bool last, uint8_t size, uint16_t mtu);
/* Returns the place of a chunk of a work request, whose chunks have `chunk` elements. */
struct plan_place plan_model_request(uint32_t sid, uint32_t chunk, uint32_t total, uint8_t size);

#ifdef __cplusplus
}
#endif

#endif
