/* SPDX-License-Identifier: BSD-2-Clause */
/* Edges of the C model (edge.c) for the benches. Each edge is the only one of its group. */
#ifndef TALLY_EDGE_MODEL_H
#define TALLY_EDGE_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define EDGE_MODEL_MAX 16 /* number of edges */

/* Must be called first. */
void edge_model_init(void);
/* Opens an edge. Both sides begin with the same number. */
void edge_model_open(unsigned int edge, uint32_t first);

/* ---- Receive ---- */
/* Answers, in the order of tally_edge_pkg::rx_answer_e. */
enum edge_model_answer { EDGE_ACCEPT, EDGE_DUPLICATE, EDGE_OUTSIDE, EDGE_NOT_IN_TURN };
enum edge_model_answer edge_model_query(unsigned int edge, uint32_t seq, uint32_t before);
/* Stores a packet. Returns false, and stores nothing, if the edge would not accept it. */
bool edge_model_mark(unsigned int edge, uint32_t seq);
void edge_model_ack_contents(unsigned int edge, uint32_t *top, uint64_t *seen);

/* ---- Transmit ---- */
struct edge_model_tx {
	uint32_t una, next;
	uint64_t held;
};
struct edge_model_tx edge_model_look(unsigned int edge);
void edge_model_close(unsigned int edge);
/* Returns false if the edge is closed or its window is full. */
bool edge_model_send(unsigned int edge, uint32_t *seq);
/* The same for a TRIGGER to a counter of a port, and the number that it names. */
bool edge_model_trigger(unsigned int edge, uint16_t port, uint8_t counter, uint32_t *seq,
			uint32_t *before);
/* Returns in *acked and *hurried the acknowledged and the retransmitted numbers, as bits seq % 64. */
void edge_model_ack(unsigned int edge, uint32_t top, uint64_t seen, uint64_t *acked,
		    uint64_t *hurried);
/* Returns whether the number that the neighbour has no room for is outstanding. */
bool edge_model_busy(unsigned int edge, uint32_t seq);

/* ---- Retransmission ---- */
void edge_model_config(unsigned int edge, uint64_t rto, uint64_t cap, unsigned int limit);
/* Starts the time-out, as for a new number or one that the neighbour has no room for. */
void edge_model_start(unsigned int edge, uint64_t now);
void edge_model_stop(unsigned int edge);
/* Returns the time at which the time-out is due, or UINT64_MAX if it does not run. */
uint64_t edge_model_due(unsigned int edge);
/* Serves an expiry at `now` and sets the retries. Returns false if the edge gave up. */
bool edge_model_expire(unsigned int edge, uint64_t now, unsigned int *retries);

#ifdef __cplusplus
}
#endif

#endif
