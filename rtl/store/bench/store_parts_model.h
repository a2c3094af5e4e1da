/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rows of the parts of a chunk in each mode, as the C model's engine makes them, for the bench of
 * tally_store.
 */
#ifndef TALLY_STORE_PARTS_MODEL_H
#define TALLY_STORE_PARTS_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { PARTS_MODES = 3, PARTS_MOST = 8, PARTS_EDGES = 64, PARTS_RANKS = 64, PARTS_ROUNDS = 13 };

struct parts_node {
	uint64_t rank_mask;
	uint32_t modes;
	bool ordered;
	uint64_t children;
	unsigned int contributors; /* number */
	uint8_t left;
	unsigned int rounds;
	uint8_t own[PARTS_ROUNDS], parts[PARTS_ROUNDS];	   /* by round, from 1 on */
	uint64_t ins[PARTS_ROUNDS], outs[PARTS_ROUNDS];	   /* edges */
	uint8_t position[PARTS_EDGES];
};

struct parts_rows {
	unsigned int num;
	uint64_t ins[PARTS_MOST], outs[PARTS_MOST];
	uint8_t inner[PARTS_MOST], next[PARTS_MOST], right[PARTS_MOST];
	uint8_t rank_part[PARTS_RANKS], rank_right[PARTS_RANKS], edge_part[PARTS_EDGES];
};

/* rows[m]: of mode TALLY_MODE_TREE + m */
void parts_model_rows(const struct parts_node *node, struct parts_rows rows[PARTS_MODES]);

#ifdef __cplusplus
}
#endif

#endif
