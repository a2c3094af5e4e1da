/* SPDX-License-Identifier: BSD-2-Clause */
/* The engine's fetcher, with the parts of the NIC and of the status unit that it works with, for the bench. */
#ifndef TALLY_RTL_FETCH_MODEL_H
#define TALLY_RTL_FETCH_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "gen/tally_fw_hw.h"

#ifdef __cplusplus
extern "C" {
#endif

enum model_what { MODEL_FETCH, MODEL_SKIP, MODEL_FREE, MODEL_OVER, MODEL_POSTED };

/* Something that the model asks for, in its order. */
struct model_event {
	enum model_what what;
	unsigned int qp, buffer;
	uint32_t index; /* MODEL_POSTED: the count */
	bool pushed;
	bool passes; /* MODEL_SKIP: it has retired */
};

/* What is in a request: whether it is good, and its kind. */
struct model_entry {
	bool good, query, abort;
};

void model_create(unsigned int qp, unsigned int depth);
void model_set_state(unsigned int qp, unsigned int state);
void model_doorbell(unsigned int qp, uint64_t count, bool pushed, unsigned int buffer);
enum tally_fw_verdict model_result(unsigned int qp, const struct model_entry *entry);
void model_retire(unsigned int qp);
void model_answered(unsigned int qp);
void model_fail(unsigned int qp);
/* Takes the oldest event. Returns false if there is none. */
bool model_next_event(struct model_event *event);
/* What the bench may do with a queue pair. */
unsigned int model_state(unsigned int qp);
uint32_t model_in_window(unsigned int qp), model_posted(unsigned int qp), model_head(unsigned int qp);
bool model_asked(unsigned int qp), model_fetching(unsigned int qp);

#ifdef __cplusplus
}
#endif

#endif
