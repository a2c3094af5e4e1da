/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages over all ranks of a cluster with their data in one piece of memory, which processes may
 * share: filled, posted for some ranks at a time, and compared to the last bit with what ought to
 * be there, between and behind the results too. Failures end the program (check.h).
 */
#ifndef TALLY_TEST_MESSAGE_H
#define TALLY_TEST_MESSAGE_H

#include "work.h"

#define MESSAGE_PATIENCE_MS 60000 /* for a completion */

/* The ranks, and where their data are. Every node has the same local ranks. */
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
	bool in_place;    /* where a rank gives and gets */
	bool inlined;     /* where one rank alone gives, and little enough */
	bool loc_values;  /* MINLOC, MAXLOC: no pairs are given */
	uint32_t chunk_len;
	uint32_t mid;
	uint64_t count;
	size_t at;        /* its part of the memory begins here */
};

/* `memory` of `size` bytes becomes the stage's; this process registers it with its NICs. */
void stage_open(struct stage *s, struct cluster *c, uint64_t ranks, uint8_t *memory, size_t size);
void stage_close(struct stage *s);

/* Bytes of memory it takes, guards included. */
size_t message_size(const struct stage *s, const struct message *m);
/* Put random data and guards there; returns what must be there at the end, to be freed. */
uint8_t *message_fill(const struct stage *s, const struct message *m);
/* One work request for these ranks of a node. */
void message_post(const struct stage *s, const struct message *m, struct port *port,
		  unsigned int node, uint64_t ranks, unsigned int send_flags);
/* The outcome of the request that was posted for these ranks of a node must be a success. */
void message_outcome(const struct stage *s, const struct message *m, const struct outcome *out,
		     unsigned int node, uint64_t ranks);
/* The next completion at that NIC is the request's, and a success. */
void message_complete(const struct stage *s, const struct message *m, struct port *port,
		      unsigned int node, uint64_t ranks);
/* Compare, and free `wanted`. */
void message_check(const struct stage *s, const struct message *m, uint8_t *wanted);

#endif
