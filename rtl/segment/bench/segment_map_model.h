// SPDX-License-Identifier: BSD-2-Clause
// Pool of segments and groups of the C model's engine, for the bench of tally_segment_map. The groups own no segments,
// so each is set aside by itself.
#ifndef TALLY_SEGMENT_MAP_MODEL_H
#define TALLY_SEGMENT_MAP_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct map_model;

struct map_model *map_model_new(unsigned int groups, unsigned int most);
void map_model_free(struct map_model *m);
void map_model_begin(struct map_model *m, unsigned int group);
/* Sets one more segment aside. Returns false if the model's pool does not lend one. */
bool map_model_raise(struct map_model *m, unsigned int group);
/* Marks a chunk as finished, and lets done advance. Returns false if its number has no segment or is finished. */
bool map_model_finish(struct map_model *m, unsigned int group, uint32_t num);
void map_model_end(struct map_model *m, unsigned int group);
uint32_t map_model_done(const struct map_model *m, unsigned int group);
uint32_t map_model_limit(const struct map_model *m, unsigned int group);
bool map_model_has(const struct map_model *m, unsigned int group, uint32_t num);
bool map_model_past(const struct map_model *m, unsigned int group, uint32_t num);
unsigned int map_model_slot(const struct map_model *m, unsigned int group, uint32_t num);

#ifdef __cplusplus
}
#endif

#endif
