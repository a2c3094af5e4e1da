/* SPDX-License-Identifier: BSD-2-Clause */
/* The engine's probes, for the bench of tally_edge_probes. Each row is an edge of a group of its own. */
#ifndef TALLY_EDGE_PROBES_MODEL_H
#define TALLY_EDGE_PROBES_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum probes_model_result { PROBES_NOTHING, PROBES_QUERY, PROBES_SILENT };

/* Closes all edges. */
void probes_model_reset(void);
void probes_model_open(unsigned int row, unsigned int edge, uint64_t rto, uint64_t cap, uint32_t limit);
void probes_model_close(unsigned int row);
/* The oldest chunk waits for the neighbour. */
void probes_model_watch(uint64_t now, unsigned int row);
/* A packet has come. */
void probes_model_heard(uint64_t now, unsigned int row);
/* When the neighbour has been silent for too long. */
uint64_t probes_model_due(unsigned int row);
/* This time has come, and the chunk still waits for the neighbour or not. */
enum probes_model_result probes_model_timer(uint64_t now, unsigned int row, bool waits);

#ifdef __cplusplus
}
#endif

#endif
