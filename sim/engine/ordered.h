/* SPDX-License-Identifier: BSD-2-Clause */
/* Reduction in a fixed shape. */
#ifndef TALLY_SIM_ENGINE_ORDERED_H
#define TALLY_SIM_ENGINE_ORDERED_H

#include "engine/tables.h"

bool ordered_applies(const struct group *g, const struct slot *s);
/*
 * Return the number of inputs of a group's reductions: local ranks, then contributors; in EXCHANGE,
 * those of all rounds.
 */
unsigned int ordered_inputs(const struct group *g);
unsigned int ordered_input_of(const struct group *g, const struct slot *s, unsigned int idx);
/* Take a cell for an input whose data will come. Returns false if no cell is free. */
bool ordered_promise(struct engine *e, struct group *g, struct slot *s, unsigned int input);
/* Give the data of an input that has a cell. */
void ordered_give(struct engine *e, struct group *g, struct slot *s, unsigned int input,
		  const void *data);
/* Give nothing for an input that does not take part. */
void ordered_absent(struct engine *e, struct group *g, struct slot *s, unsigned int input);
/* The chunk is finished: return the cells that it still holds. */
void ordered_end(struct engine *e, struct group *g, struct slot *s);
void ordered_clear(struct engine *e, struct group *g, struct slot *s);

#endif
