/* SPDX-License-Identifier: BSD-2-Clause */
/* The engine's request sender with several queue pairs, for the bench of tally_sender. */
#ifndef TALLY_RTL_SENDER_MODEL_H
#define TALLY_RTL_SENDER_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "gen/tally_hw.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MODEL_NODE 3
#define MODEL_CHILDREN 2 /* a bitmap */

/* A request, with what all requests of its message share. */
struct model_request {
	unsigned int qp;
	uint32_t mid, flags, total, chunk, chunks;
	uint64_t ranks, out; /* out: neighbours that take no part, of MODEL_CHILDREN */
	uint8_t opcode, op, dtype, root_rank;
	uint16_t root_node, seg_count;
};

/* A chunk has been posted; `finished`: number of ranks that need nothing more of it, as is told. */
struct model_post {
	unsigned int group;
	uint32_t num, mid, sid, total, count;
	uint8_t opcode, op, dtype, root_rank, mode;
	uint16_t root_node;
	uint64_t ranks, absent, quits, out, due;
	unsigned int finished;
};

struct model_window {
	uint32_t done, limit;
};

void model_reset(void);
/* An epoch of a group begins; all that was posted is forgotten. It owns @owned segments, and may hold @max_segs. */
struct model_window model_begin(unsigned int group, uint64_t ranks, uint32_t owned, uint32_t max_segs);
void model_qp(unsigned int qp, unsigned int group, uint64_t ranks);
/* RESET, then RTS. */
void model_qp_reset(unsigned int qp);
/* ERROR. */
void model_error(unsigned int qp);
/* Number of further requests that the queue pair has room for. */
unsigned int model_room(unsigned int qp);
void model_add(const struct model_request *r);
/* Whether the pool has segments to spare. */
void model_lend(bool lends);
/* A local rank has use for segments below @top. */
struct model_window model_borrow(unsigned int group, uint32_t top);
/* All chunks below @done are finished. */
struct model_window model_advance(unsigned int group, uint32_t done);
struct model_window model_window_of(unsigned int group);
/* Calls sender_pump() for all queue pairs until nothing changes. */
void model_pump(void);
/* What has been posted, in order. Returns false if there is no more. */
bool model_next_post(struct model_post *p);
/* The status with which a request of the queue pair was refused since it was reset, or OK. */
uint16_t model_refusal(unsigned int qp);
/* The message for whose turn the first request that has not begun waits; or -1. */
int64_t model_waits(unsigned int qp);
uint32_t model_next_mid(unsigned int group, unsigned int rank);
uint32_t model_next_num(unsigned int group, unsigned int rank);
/*
 * Ranks that only this queue pair may post for, if the other ones of the group do not work from now on. Until the next epoch begins.
 */
uint64_t model_alone(unsigned int qp);

#ifdef __cplusplus
}
#endif

#endif
