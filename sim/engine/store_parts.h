/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parts of a chunk in the segment store of the host (docs/rtl-store.md): one for each two inputs
 * that are combined, in the fixed shape of ordered.c, and one for a single input. In EXCHANGE, the
 * last part of a round is the partial result after it; in TREE and RING, the last part is the sum.
 * Each mode of a group has a shape of its own.
 */
#ifndef TALLY_SIM_ENGINE_STORE_PARTS_H
#define TALLY_SIM_ENGINE_STORE_PARTS_H

#include "engine/tables.h"

struct store_input { /* of a part: the left or the right one */
	uint8_t part;
	bool right;
};

struct store_part {
	uint64_t ins, outs;	 /* edges that give data to it, and that get it */
	uint8_t inner;		 /* bits: the left, the right input is a rank or a part */
	struct store_input next; /* what it is to a later part */
};

struct store_parts { /* of the chunks of a mode */
	unsigned int num;
	struct store_part part[TALLY_FW_STORE_PARTS];
	struct store_input rank[TALLY_MAX_RANKS];
	uint8_t edge[MAX_EDGES]; /* the part to which it gives data */
};

struct store_tables {
	uint32_t words_log; /* log2 of the words of a part */
	struct store_parts mode[TALLY_FW_PART_MODES]; /* from TREE on; without parts: num is 0 */
};

/*
 * Make the parts of those modes of a group that reduce in a fixed shape. Return false if the store has
 * no room for them. Then no mode has parts.
 */
bool store_tables(const struct group *g, struct store_tables *t);

#endif
