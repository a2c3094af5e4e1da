/* SPDX-License-Identifier: BSD-2-Clause */
/* Segment buffer and compute control. */
#ifndef TALLY_SIM_ENGINE_SEGMENT_H
#define TALLY_SIM_ENGINE_SEGMENT_H

#include "engine/edge.h"
#include "engine/message.h"
#include "engine/tables.h"

/* Let a chunk take its slot, which is free. */
void slot_open(struct engine *e, struct group *g, struct slot *s, const struct message *m);
/* End the epoch because a contribution disagrees with the slot. */
void slot_disagree(struct engine *e, struct group *g, struct slot *s, uint16_t status,
		   uint64_t contributors, uint64_t ranks);
/* Combine data with the contents of the slot, or put a block in its place. */
void slot_combine(struct engine *e, const struct group *g, struct slot *s, struct span sp,
		  const void *data);
/*
 * Let chunk `sid` of a work request, which is within the window, enter its slot, where its ranks
 * count as posted. Returns false if the request disagrees with the slot, which ends the epoch.
 */
bool slot_post(struct engine *e, struct group *g, struct qp *qp, struct wr *wr, uint32_t sid);
/* Take the data of a local rank, the part that chunk_given() returns, unless they are not missing. */
void slot_contribute(struct engine *e, struct group *g, struct slot *s, unsigned int rank,
		     const void *data);
/* The same for a chunk whose words are in the slot; they are missing. */
void slot_give(struct engine *e, struct group *g, struct slot *s, unsigned int rank,
	       const void *data);
void slot_pump(struct engine *e, struct group *g, struct slot *s);
/* Send the sum on, if it is complete. */
void slot_send_up(struct engine *e, struct group *g, struct slot *s);
/* Whether all of a chunk has been done whose words are in the slot. */
bool slot_finished(const struct group *g, const struct slot *s);
/* The host's store says that all chunks before `done` are finished. */
void slots_done(struct engine *e, struct group *g, uint32_t done);
/* Functions of a mode in which one sum grows and its result is given on, as in TREE and RING. */
void slot_pump_sum(struct engine *e, struct group *g, struct slot *s);
void slot_sum_acked(struct slot *s, unsigned int idx);
uint64_t slot_missing_inputs(const struct group *g, const struct slot *s);
/* Return the neighbours that the chunk waits for, without the parent. */
uint64_t slot_waits(const struct group *g, const struct slot *s);
/* Whether the chunk waits for this neighbour: for its contribution, its result or its window. */
bool slot_waits_on(const struct group *g, const struct slot *s, unsigned int idx);
void slot_tx_acked(struct engine *e, struct group *g, unsigned int idx, const struct acked *a);
/* Note that a rank's part of the result is in memory. */
void slot_delivered(struct engine *e, struct slot *s, unsigned int rank);
void slot_timer(struct engine *e, struct group *g, struct slot *s);
uint64_t slot_next(const struct group *g, const struct slot *s);
bool slots_idle(struct engine *e, const struct group *g);
/* Free all slots, because the epoch has ended. */
void slots_clear(struct engine *e, struct group *g);
uint64_t slot_missing_ranks(const struct group *g, const struct slot *s);
/*
 * Whether neither this node nor its subtree takes part in the chunk. The parent may not know that
 * yet, and may send the result all the same.
 */
bool slot_stands_aside(const struct group *g, const struct slot *s);

#endif
