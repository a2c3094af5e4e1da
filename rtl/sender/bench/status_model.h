/* SPDX-License-Identifier: BSD-2-Clause */
/* The engine's status update, for the bench. Its groups have one queue pair each, and are frozen, so nothing else happens. */
#ifndef TALLY_RTL_STATUS_MODEL_H
#define TALLY_RTL_STATUS_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "gen/tally_fw_hw.h"
#include "gen/tally_hw.h"

#ifdef __cplusplus
extern "C" {
#endif

enum model_what { MODEL_COMPLETION, MODEL_RETIRED, MODEL_FAILS, MODEL_ANSWERED, MODEL_ERROR, MODEL_FAILED };

/* Something that the model does, in its order. */
struct model_event {
	enum model_what what;
	unsigned int qp, cqn;
	struct tally_cqe cqe;
	bool solicited;
	/* MODEL_FAILED */
	uint16_t status;
	uint64_t ranks;
	uint32_t mid;
};

struct model_request {
	uint16_t status;
	uint8_t opcode;
	uint32_t flags, index, mid, chunks;
	uint64_t rank_mask;
};

struct model_report {
	uint16_t status, detector;
	uint64_t contributors, ranks;
	uint32_t sid;
};

struct model_inverse {
	uint32_t inverse;
	uint8_t shift;
};

/* Forget everything. */
void model_reset(void);
struct model_inverse model_group(unsigned int group, uint32_t jid, uint16_t node, uint32_t max_segs);
void model_create(unsigned int qp, unsigned int group, unsigned int cqn, unsigned int state, unsigned int requests);
/* In ERROR, requests are flushed with the report, unless its status is 0. */
void model_set_state(unsigned int qp, unsigned int state, const struct model_report *r);
void model_end_epoch(unsigned int qp, const struct model_report *report);
void model_answer(unsigned int qp, const struct model_report *answer, uint8_t flags);
void model_posted(unsigned int qp, uint32_t count);
void model_take(unsigned int qp, enum tally_fw_verdict verdict, const struct model_request *request);
void model_skip(unsigned int qp, bool passes);
/* A chunk begins; these ranks have finished it. Returns whether the flag word is written now. */
bool model_chunk(unsigned int qp, uint32_t index, uint32_t num, uint64_t ranks, uint16_t err_vector);
void model_refuse(unsigned int qp, uint32_t index, uint16_t status, uint16_t err_vector);
/* Contributions to a request that has begun disagree. */
void model_mismatch(unsigned int qp, uint32_t index, uint16_t err_vector, uint64_t contributors);
/* These ranks have finished a chunk, after a write of one of them if `bytes` is not 0. */
bool model_finish(unsigned int qp, uint32_t index, uint32_t num, uint64_t ranks, uint16_t err_vector, uint32_t bytes, bool failed);
void model_flag_written(unsigned int qp, uint32_t index, bool failed);
/* Takes the oldest event. Returns false if there is none. */
bool model_next_event(struct model_event *event);

unsigned int model_state(unsigned int qp);
uint32_t model_head(unsigned int qp), model_admit(unsigned int qp);
bool model_failing(unsigned int qp), model_left(unsigned int qp), model_asked(unsigned int qp);
/* Whether a request that is taken in has this state. */
bool model_is_ready(unsigned int qp, uint32_t index), model_is_active(unsigned int qp, uint32_t index);
/* For which of the ranks 62:0 a queue pair holds a request of a message, or may hold one (@more: of any rank). */
uint64_t model_holds(unsigned int qp, uint32_t mid, bool *more);
uint64_t model_count(enum tally_counter counter);

#ifdef __cplusplus
}
#endif

#endif
