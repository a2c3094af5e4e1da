/* SPDX-License-Identifier: BSD-2-Clause */
/* The engine's edges, as edge.c has them, for the benches: each edge is the only one of its group. */
#ifndef TALLY_EDGE_MODEL_H
#define TALLY_EDGE_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define EDGE_MODEL_MAX 16 /* edges */

/* Once, before all else. */
void edge_model_init(void);
/* Open, with the first number of each side. */
void edge_model_open(unsigned int edge, uint32_t first);

/* ---- Receive ---- */
/* In the order of tally_edge_pkg::rx_answer_e. */
enum edge_model_answer { EDGE_ACCEPT, EDGE_DUPLICATE, EDGE_OUTSIDE, EDGE_NOT_IN_TURN };
enum edge_model_answer edge_model_query(unsigned int edge, uint32_t seq, uint32_t before);
/* A packet is stored; false, and nothing is: it would not be accepted. */
bool edge_model_mark(unsigned int edge, uint32_t seq);
void edge_model_ack_contents(unsigned int edge, uint32_t *top, uint64_t *seen);

/* ---- Transmit ---- */
struct edge_model_tx {
	uint32_t una, next;
	uint64_t held;
};
struct edge_model_tx edge_model_look(unsigned int edge);
void edge_model_close(unsigned int edge);
/* false: closed, or the window is full. */
bool edge_model_send(unsigned int edge, uint32_t *seq);
/* Which are acknowledged by it, and which are sent again: bits seq % 64. */
void edge_model_ack(unsigned int edge, uint32_t top, uint64_t seen, uint64_t *acked,
		    uint64_t *hurried);
/* Does the neighbour's lack of room for this number matter? */
bool edge_model_busy(unsigned int edge, uint32_t seq);

/* ---- Retransmission ---- */
void edge_model_config(unsigned int edge, uint64_t rto, uint64_t cap, unsigned int limit);
/* A number that the neighbour has no room for, or that is new: the time-out begins. */
void edge_model_start(unsigned int edge, uint64_t now);
void edge_model_stop(unsigned int edge);
/* When it is due; UINT64_MAX: it does not run. */
uint64_t edge_model_due(unsigned int edge);
/* It is due and served at `now`. Returns retries; false: the edge was given up. */
bool edge_model_expire(unsigned int edge, uint64_t now, unsigned int *retries);

#ifdef __cplusplus
}
#endif

#endif
