/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages over all ranks of a cluster. Their data are in one piece of memory, which processes may
 * share. The functions fill the memory, post for some ranks at a time, and compare every bit with
 * the expected contents, including the bytes between and after the results. Failures end the
 * program (check.h).
 */
#ifndef TALLY_TEST_MESSAGE_H
#define TALLY_TEST_MESSAGE_H

#include "work.h"

#define MESSAGE_PATIENCE_MS 60000 /* limit of the wait for a completion */

/* The ranks and the memory with their data. Every node has the same local ranks. */
struct stage {
	unsigned int nodes;
	uint64_t ranks;
	uint8_t *memory; /* shared, page aligned */
	size_t size;
	struct ibv_mr *mr[MAX_NICS];
};

struct message {
	uint8_t opcode;
	uint8_t op;
	uint8_t dtype;
	uint8_t root_rank;
	uint16_t root_node;
	bool in_place;    /* if a rank has both data and a result */
	bool inlined;     /* if only one rank has data, and they fit into the request */
	bool loc_values;  /* MINLOC, MAXLOC: the data are values, not pairs */
	uint32_t chunk_len;
	uint32_t mid;
	uint64_t count;
	size_t at;        /* offset of the message in the memory */
};

/* Sets up a stage with `memory` of `size` bytes, which this process registers with its NICs. */
void stage_open(struct stage *s, struct cluster *c, uint64_t ranks, uint8_t *memory, size_t size);
void stage_close(struct stage *s);

/* Returns the bytes of memory that the message takes, including guards. */
size_t message_size(const struct stage *s, const struct message *m);
/*
 * Fills the memory with random data and guards. Returns the expected contents after the message, to
 * be freed by message_check().
 */
uint8_t *message_fill(const struct stage *s, const struct message *m);
/* Posts one work request for these ranks of a node. */
void message_post(const struct stage *s, const struct message *m, struct port *port,
		  unsigned int node, uint64_t ranks, unsigned int send_flags);
/* Checks that the outcome is the success of the request posted for these ranks of a node. */
void message_outcome(const struct stage *s, const struct message *m, const struct outcome *out,
		     unsigned int node, uint64_t ranks);
/* Checks that the next completion at that NIC is the success of the request. */
void message_complete(const struct stage *s, const struct message *m, struct port *port,
		      unsigned int node, uint64_t ranks);
/* Compares the memory with `wanted`, and frees `wanted`. */
void message_check(const struct stage *s, const struct message *m, uint8_t *wanted);

#endif
