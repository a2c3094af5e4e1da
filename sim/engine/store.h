/* SPDX-License-Identifier: BSD-2-Clause */
/* Operations and commands for the segment store of the host, and which chunks it does. */
#ifndef TALLY_SIM_ENGINE_STORE_H
#define TALLY_SIM_ENGINE_STORE_H

#include "engine/tables.h"

/*
 * Whether the host's store does chunks of a group whose configuration is written. The host finds the
 * same by its own copy of the registers.
 */
bool store_does_group(struct engine *e, const struct group *g);
/* Whether it does those of an operation in such a group. The others are finished by the slots. */
bool store_does(const struct group *g, uint8_t opcode);

/* Commands, for any group: a chunk is finished that the store does not finish; the epoch has ended. */
void store_finish(struct engine *e, const struct group *g, uint32_t num);
void store_end(struct engine *e, const struct group *g);

/* Whether the host begins the requests of a group; and whether it has the ranks of such a chunk, too. */
bool store_begins(struct engine *e, const struct group *g);
bool store_has_ranks(struct engine *e, const struct group *g, uint8_t opcode);
/*
 * Whether the answer to an operation means that the host has raised an exception, as the operation disagrees
 * with its chunk. Nothing else is to be done about it.
 */
bool store_raises(struct engine *e, const struct group *g, const struct engine_answer *a);

struct posted; /* words.h */

/* Local ranks have posted a chunk. */
void store_post(struct engine *e, const struct slot *s, const struct posted *p);
/*
 * The same by the sender of the host, which its store has answered. The ranks of the request have
 * posted the slot.
 */
void store_posted(struct engine *e, struct group *g, struct slot *s, const struct wqe *w,
		  const struct engine_answer *a);
void store_data(struct engine *e, const struct slot *s, unsigned int rank, const void *data);
/* Ranks have the result. */
void store_taken_ranks(struct engine *e, uint32_t group, uint32_t num, uint64_t ranks);

#endif
