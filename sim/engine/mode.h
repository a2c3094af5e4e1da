/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Modes of messages. A mode says where the data of a chunk go; the slots, the windows, the edges
 * and the end of an epoch are the same in all modes, and a group may have several. tree.c,
 * exchange.c and ring.c have one mode each.
 */
#ifndef TALLY_SIM_ENGINE_MODE_H
#define TALLY_SIM_ENGINE_MODE_H

#include "engine/tables.h"

struct mode {
	uint16_t flag;	  /* flag of the mode in collective headers */
	bool narrows;	  /* some ranks or contributors may have no part in a message */
	/* Set the ranks and edges that give data to a chunk, and those that get data of it. */
	void (*plan)(const struct group *g, struct slot *s);
	/* Return the part of a chunk that crosses an edge; in EXCHANGE, towards this node. */
	struct span (*across)(const struct group *g, const struct slot *s, unsigned int idx,
			      uint8_t kind);
	/* Return the payload in which contributions meet that are not combined in a fixed shape. */
	uint8_t *(*accumulator)(struct engine *e, const struct group *g, struct slot *s);
	/* Return the payload that holds the result, once there is one. */
	uint8_t *(*result)(struct engine *e, const struct group *g, struct slot *s);
	/*
	 * Return the payload for the result of a reduction of fixed shape: of the local ranks and
	 * contributors, or in EXCHANGE of a round.
	 */
	uint8_t *(*partial)(struct engine *e, const struct group *g, struct slot *s,
			    unsigned int round);
	/* Take the data of a contributor that are not combined in a fixed shape. */
	void (*take)(struct engine *e, const struct group *g, struct slot *s, struct span sp,
		     const void *data);
	/* Combine what is there, and send partial results on. */
	void (*pump)(struct engine *e, struct group *g, struct slot *s);
	/* A neighbour has acknowledged a partial result. */
	void (*acked)(struct slot *s, unsigned int idx);
	/* Return the contributors whose data the chunk needs next. */
	uint64_t (*missing)(const struct group *g, const struct slot *s);
};

extern const struct mode tree_mode, exchange_mode, ring_mode;

/* The modes by enum tally_mode; modes.c has the table, so that no other unit depends on all. */
extern const struct mode *const modes[TALLY_MODE_RING + 1];

/* Return a mode of messages: TREE, EXCHANGE or RING. */
static inline const struct mode *mode_of(uint8_t mode)
{
	return modes[mode];
}

/* Return the mode that the flags of a collective header name; 0: they contradict each other. */
uint8_t mode_of_flags(uint16_t flags);
/*
 * Return the mode of a message for which a work request names none: it depends on the operation and
 * on `count` elements of `elem` bytes, which a rank contributes.
 */
uint8_t mode_choose(const struct group *g, uint8_t opcode, uint64_t count, uint32_t elem);

/* Payloads of a mode in which one sum grows and its result is given on, as in TREE and RING. */
uint8_t *mode_sum(struct engine *e, const struct group *g, struct slot *s);
uint8_t *mode_only_sum(struct engine *e, const struct group *g, struct slot *s,
		       unsigned int round);
uint8_t *mode_down(struct engine *e, const struct group *g, struct slot *s);

#endif
