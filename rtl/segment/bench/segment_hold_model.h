// SPDX-License-Identifier: BSD-2-Clause
// Hold side of the C model's slots, for the bench of tally_segment_hold. Sends and writes to memory begin at once in the
// model, and end when the bench says so.
#ifndef TALLY_SEGMENT_HOLD_MODEL_H
#define TALLY_SEGMENT_HOLD_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct hold_plan {
	bool up, expected, turns;
	uint64_t contributors, ranks, local;
};

struct hold_event {
	uint32_t num;
	bool open, complete, have;
	bool nothing;
	uint64_t out; /* contributors that are left out */
	uint64_t quits; /* of the ranks that post, those that get nothing */
	uint64_t posted;
	bool taken, parent, rank;
	unsigned int index;
	struct hold_plan plan;
};

struct hold_answer {
	bool ok, finished, up;
	uint64_t contributors, ranks;
};

struct hold_model;

struct hold_model *hold_model_new(unsigned int slots, uint64_t contributors, uint64_t ranks);
void hold_model_free(struct hold_model *m);
/* Returns the engine's plan of a chunk of ALLREDUCE or REDUCE. The caller may narrow its bitmaps. */
struct hold_plan hold_model_plan(struct hold_model *m, bool root, bool reduce);
/* Lets an event take effect, if the chunk is open or the event opens it. */
struct hold_answer hold_model_event(struct hold_model *m, const struct hold_event *ev);
uint32_t hold_model_done(const struct hold_model *m);
bool hold_model_free_slot(const struct hold_model *m, uint32_t num);
bool hold_model_busy(const struct hold_model *m, uint32_t num);
struct hold_view {
	bool busy, up, have, awaits;
	uint64_t contributors, ranks, unposted;
};

/* What the firmware's registers show of a chunk. */
struct hold_view hold_model_view(const struct hold_model *m, uint32_t num);
/* What has been sent or is being written, and what has not been posted. */
struct hold_answer hold_model_outstanding(const struct hold_model *m, uint32_t num);

#ifdef __cplusplus
}
#endif

#endif
