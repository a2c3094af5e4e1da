/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where the words of a chunk are combined, and kept until they leave: in the slot (words.c), or in
 * the segment store of the host (store_words.c). A slot knows who gives data to its chunk and who
 * gets them, in either case; the host's store answers later what it has done.
 */
#ifndef TALLY_SIM_ENGINE_WORDS_H
#define TALLY_SIM_ENGINE_WORDS_H

#include "engine/edge.h"
#include "engine/tables.h"

/* What a request changes of the chunk that it posts. */
struct posted {
	uint64_t ranks;	 /* these have posted the chunk */
	uint64_t absent; /* of these, the ranks that give no data where they were expected, */
	uint64_t quits;	 /* and those that neither give nor get any */
	uint64_t out;	 /* neighbours that are left out */
};

struct words {
	void (*post)(struct engine *e, const struct group *g, const struct slot *s,
		     const struct posted *p);
	/* Take the data of a local rank, which are missing. */
	void (*give)(struct engine *e, struct group *g, struct slot *s, unsigned int rank,
		     const void *data);
	/* Take a contribution or the result of a neighbour; it agrees with the slot. */
	enum rx_verdict (*take)(struct engine *e, struct group *g, struct slot *s, unsigned int idx,
				const struct tch *t, const void *payload, uint16_t len);
	/* Combine what is there, and send sums on. NULL: the words do so where they are. */
	void (*pump)(struct engine *e, struct group *g, struct slot *s);
	/* The result is in the memory of a rank. */
	void (*delivered)(struct engine *e, const struct slot *s, unsigned int rank);
	/* Whether the chunk is finished, if the slot must find that out. */
	bool (*finished)(const struct group *g, const struct slot *s);
	/* The epoch has ended. */
	void (*clear)(struct engine *e, struct group *g, struct slot *s);
};

extern const struct words words_of_slots, words_of_store;

static inline const struct words *words_of(const struct slot *s)
{
	return s->words ? s->words : &words_of_slots;
}

#endif
