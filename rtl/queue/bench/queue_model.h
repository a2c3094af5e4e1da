/* SPDX-License-Identifier: BSD-2-Clause */
/* The C model's receive message queue (sim/engine/rmq.c, sum.c, rmq_cells.c), with queue pairs of its own. */
#ifndef TALLY_RTL_QUEUE_MODEL_H
#define TALLY_RTL_QUEUE_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MODEL_NONE UINT16_MAX

struct model_message {
	unsigned int port, counter, contributor;
	bool kept, counts; /* SwpMp, CP */
	uint8_t branch, op, dtype;
	uint16_t err_vector, len;
	uint32_t count;
	const uint8_t *data;
};

struct model_descriptor {
	unsigned int port, counter, cpcnt;
	bool swaps, own; /* takes an intermediate result; its own data follow */
};

/* What a descriptor takes when it fires. */
struct model_fire {
	bool swaps, filled, many;
	uint8_t op, dtype;
	uint16_t err_vector;
	uint32_t count;
	uint64_t disagree;
	uint8_t data[4096];
};

enum model_state { MODEL_WAITS, MODEL_LACKS, MODEL_FIRES };

struct model;

/* Port p belongs to group p % groups. */
struct model *model_new(unsigned int ports, unsigned int groups, unsigned int cells);
void model_free(struct model *m);
bool model_arrives(struct model *m, const struct model_message *t);
void model_own(struct model *m, const struct model_message *t);
void model_arm(struct model *m, const struct model_descriptor *d);
/* Returns whether the port's descriptor fires now, or lacks messages only. */
enum model_state model_state_of(struct model *m, unsigned int port);
void model_give_up(struct model *m, unsigned int port);
void model_fires(struct model *m, unsigned int port, struct model_fire *fire);
void model_flush(struct model *m, unsigned int port);
bool model_reserve(struct model *m, unsigned int group, uint32_t cells, uint32_t keep);
/* A cell for an input of a reduction in a fixed shape, or MODEL_NONE. */
uint16_t model_cell(struct model *m, unsigned int group, bool oldest);
void model_cell_back(struct model *m, unsigned int group, uint16_t cell);

/* Intermediate results of a counter: the one that a descriptor waits for, and those of the queue. */
unsigned int model_entries(const struct model *m, unsigned int port, unsigned int counter);
uint32_t model_used(const struct model *m, unsigned int port);
uint32_t model_own_used(const struct model *m, unsigned int group);
uint32_t model_shared_free(const struct model *m);
/* Events of one word of the ALU, whose result is in @acc. */
uint16_t model_alu(uint8_t op, uint8_t dtype, void *acc, const void *in, unsigned int bytes);
unsigned int model_elem_size(uint8_t op, uint8_t dtype);

#ifdef __cplusplus
}
#endif

#endif
