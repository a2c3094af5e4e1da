/* SPDX-License-Identifier: BSD-2-Clause */
/* What the receive message queue does, for the benches. */
#ifndef TALLY_QUEUE_MODEL_H
#define TALLY_QUEUE_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#define MODEL_NONE 0xffff

struct model;

struct model_message {
	uint8_t counter, contributor, branch, op, dtype;
	bool reduce;
	uint16_t err_vector, len;
	uint32_t count;
	const uint8_t *data;
};

#ifdef __cplusplus
extern "C" {
#endif

/* Creates a queue of `cells` cells, none of them reserved. Port p is in group p % groups. */
struct model *model_new(unsigned int ports, unsigned int groups, unsigned int cells);
void model_free(struct model *m);
/* Returns false if fewer cells are free. `keep` is the number of cells for inputs of reductions. */
bool model_reserve_cells(struct model *m, unsigned int group, uint32_t cells, uint32_t keep);

bool model_store(struct model *m, unsigned int port, const struct model_message *msg);
bool model_counts(const struct model *m, unsigned int port, unsigned int counter, unsigned int contributor);
uint32_t model_count(const struct model *m, unsigned int port, unsigned int counter);
bool model_promise(struct model *m, unsigned int port, unsigned int counter, uint32_t cpcnt);
/* Return the first cell of a firing, and the cell after a cell; MODEL_NONE ends the list. */
uint16_t model_take(struct model *m, unsigned int port, unsigned int counter, uint32_t cpcnt);
uint16_t model_next(const struct model *m, uint16_t cell);
struct model_message model_cell(const struct model *m, uint16_t cell);
void model_give(struct model *m, unsigned int port, uint16_t cell);
void model_flush(struct model *m, unsigned int port);

uint32_t model_used(const struct model *m, unsigned int port);
uint32_t model_promised(const struct model *m, unsigned int port);
/* Own cells of a group that are used or promised; those that are neither used, promised nor kept. */
uint32_t model_own_in_use(const struct model *m, unsigned int group);
uint32_t model_spare(const struct model *m, unsigned int group);
uint32_t model_shared_free(const struct model *m);

#ifdef __cplusplus
}
#endif

#endif
