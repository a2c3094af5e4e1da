// SPDX-License-Identifier: BSD-2-Clause
// Slots of one group of the C model's engine, for the benches of tally_segment. The model decides, combines, divides and
// advances `done`. These functions only call it.
#ifndef TALLY_SEGMENT_MODEL_H
#define TALLY_SEGMENT_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* As in tally_segment_pkg.sv. */
enum segment_kind {
	KIND_REDUCE,
	KIND_RESULT,
	KIND_POST,
	KIND_QUERY,
	KIND_RELEASE,
	KIND_CLEAR,
	KIND_SCALE,
};
enum segment_verdict {
	VERDICT_STORED,
	VERDICT_DUPLICATE,
	VERDICT_CLOSED,
	VERDICT_DISAGREES,
	VERDICT_DROPPED,
};

struct segment_chunk { /* struct message */
	uint8_t mode, opcode, op, dtype, root_rank;
	uint16_t root_node;
	uint32_t num, mid, sid, total, first, count;
};

struct segment_plan {
	uint32_t bytes;
	bool turns, expected;
};

struct segment_packet {
	struct segment_chunk chunk;
	bool root; /* this node is the root of the tree */
	struct segment_plan plan;
	uint64_t contributors, ranks; /* the plan's contributions */
	enum segment_kind kind;
	bool rank;
	unsigned int index;
	bool posts; /* ranks have posted the chunk */
	uint64_t out; /* contributors that they leave out */
	uint64_t absent; /* ranks that give nothing, also if no rank has posted */
	uint16_t err_vector;
	uint32_t len;
	const uint8_t *data;
};

struct segment_answer {
	enum segment_verdict verdict;
	uint16_t status, err_vector;
	bool opened, complete;
	bool divided; /* the sum is complete, and was divided after this packet */
	uint16_t err_divided; /* the error vector after that */
	uint64_t contributors, ranks; /* not yet arrived */
};

struct segment_state {
	bool busy, complete, have; /* busy: and not finished */
	uint64_t contributors, ranks; /* not yet arrived */
	const uint8_t *sum, *result;
};

struct segment_model;

struct segment_model *segment_model_new(unsigned int slots);
void segment_model_free(struct segment_model *m);
/* Returns the engine's plan of a chunk. `root` says whether this node is the root of the tree. */
struct segment_plan segment_model_plan(struct segment_model *m, const struct segment_chunk *c, bool root);
/* Lets an operation take effect. KIND_CLEAR is left to the model, which frees slots in the order of num. */
struct segment_answer segment_model_packet(struct segment_model *m, const struct segment_packet *p);
/* Number of ranks by which AVG divides. */
uint32_t segment_model_divisor(const struct segment_model *m);
uint32_t segment_model_done(const struct segment_model *m);
struct segment_state segment_model_state(const struct segment_model *m, unsigned int slot);

#ifdef __cplusplus
}
#endif

#endif
