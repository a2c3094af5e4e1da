/* SPDX-License-Identifier: BSD-2-Clause */
/* What the C model knows of both ends of edges, for the bench of tally_edge_state. */
#ifndef TALLY_EDGE_STATE_MODEL_H
#define TALLY_EDGE_STATE_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define STATE_MODEL_PARENT 64 /* the edge of a parent that is no contributor */

struct state_model_group {
	unsigned int edges; /* contributors and peers */
	uint64_t peers;
	int parent; /* its edge; -1: there is none */
	bool borrows;
	uint32_t segs; /* segments that the group owns: the first limit of its neighbours */
};

/* Must be called first. */
void state_model_init(void);
void state_model_group(unsigned int group, const struct state_model_group *what);
void state_model_moved(unsigned int group, uint32_t done, uint32_t limit);

/* Commands of the firmware on an edge. */
void state_model_close(unsigned int group, unsigned int edge);
void state_model_renew(unsigned int group, unsigned int edge);
void state_model_open(unsigned int group, unsigned int edge, uint32_t limit);
void state_model_settle(unsigned int group, unsigned int edge);
bool state_model_is_open(unsigned int group, unsigned int edge);
/* Whether chunks of a mode come from the neighbour. */
bool state_model_gives(unsigned int group, unsigned int edge);

/* A packet has come. Returns whether the neighbour's limit has risen. */
bool state_model_heard(unsigned int group, unsigned int edge, uint32_t done, uint16_t limit);
/* Whether slot_send() sends a packet of this chunk. */
bool state_model_may_send(unsigned int group, unsigned int edge, uint32_t num);
/* Whether a message of a descriptor may leave. */
bool state_model_may_message(unsigned int group, unsigned int edge);
/* Sends a packet, and returns what it tells. */
void state_model_tell(unsigned int group, unsigned int edge, uint32_t *done, uint16_t *limit);
/* Whether the neighbour gets a packet of its own for the newest values, when its time has come. */
bool state_model_has_news(unsigned int group, unsigned int edge);
/* Whether it gets one at once. */
bool state_model_hurries(unsigned int group, unsigned int edge, bool posted);

#ifdef __cplusplus
}
#endif

#endif
