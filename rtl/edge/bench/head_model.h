/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets of the C model, for the bench of tally_head. There is one group. */
#ifndef TALLY_HEAD_MODEL_H
#define TALLY_HEAD_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/engine.h"
#include "wire/roce.h"

#ifdef __cplusplus
extern "C" {
#endif

struct head_model_edge {
	struct engine_addr addr;
	uint32_t peer_key;
	uint8_t remote_index, round;
};

struct head_model_group {
	uint32_t jid, epoch, done, limit;
	bool ordered;
};

struct head_model_chunk {
	uint8_t mode, opcode, op, dtype, root_rank;
	uint16_t root_node, err_vector;
	uint32_t num, mid, sid, total, first, count;
};

/* What a descriptor sends. */
struct head_model_message {
	uint8_t opcode, op, dtype, branch, counter;
	uint16_t port, err_vector;
	uint32_t mid, count;
	bool cp, swp_mp;
};

/* A packet as it leaves. */
struct head_model_packet {
	struct roce_hdr hdr;
	struct tally_tch tch;
	uint16_t len;
};

/* Must be called first; the addresses are those of the NIC. */
void head_model_init(const uint8_t mac[6], const uint8_t gid[16]);
void head_model_edge(unsigned int edge, const struct head_model_edge *what);
void head_model_group(const struct head_model_group *what);

/*
 * Send a sum or a result of a chunk, with this number; @open: the neighbour's limit is above it.
 * Returns whether it may leave.
 */
bool head_model_send(unsigned int edge, uint8_t kind, const struct head_model_chunk *c, uint32_t seq,
		     bool open, struct head_model_packet *p);
/*
 * Send what a descriptor sends, with this number, behind @before; @open: the edge is open at both ends.
 * Returns whether it may leave.
 */
bool head_model_message(unsigned int edge, const struct head_model_message *m, uint32_t seq,
			uint32_t before, bool open, struct head_model_packet *p);
/* A QUERY about a chunk. */
void head_model_query(unsigned int edge, const struct head_model_chunk *c,
		      struct head_model_packet *p);
/* A packet without a chunk, of which only these fields are set. */
void head_model_plain(unsigned int edge, uint8_t kind, uint32_t num, uint32_t mid, uint32_t seq,
		      struct head_model_packet *p);

#ifdef __cplusplus
}
#endif

#endif
