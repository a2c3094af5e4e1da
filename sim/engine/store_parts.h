/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parts of a chunk of EXCHANGE in the segment store of the host (docs/rtl-store.md): one for each
 * two inputs that are combined, in the fixed shape of ordered.c, and one for a round with a single
 * input. The last part of a round is the partial result after it.
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

struct store_parts {
	unsigned int num;
	uint32_t words_log; /* log2 of the words of a part */
	struct store_part part[TALLY_FW_STORE_PARTS];
	struct store_input rank[TALLY_MAX_RANKS];
	uint8_t edge[MAX_EDGES]; /* the part to which it gives data */
};

/* Return false if the store has no room for the parts of a group. */
bool store_parts(const struct group *g, struct store_parts *p);

#endif
