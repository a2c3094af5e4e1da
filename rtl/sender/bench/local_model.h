/* SPDX-License-Identifier: BSD-2-Clause */
/* The engine's access to the memory of local ranks, for the benches: local.c, wr.c, store.c. One chunk of one request at a time. */
#ifndef TALLY_RTL_LOCAL_MODEL_H
#define TALLY_RTL_LOCAL_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "gen/tally_fw_hw.h"
#include "gen/tally_hw.h"

#ifdef __cplusplus
extern "C" {
#endif

struct local_entry {
	uint64_t addr;
	uint32_t lkey;
};

struct local_request {
	uint8_t opcode, dtype, num_gather, num_result, root_rank;
	uint16_t root_node, node; /* of the root, and this one */
	uint16_t pd;
	uint32_t flags;
	uint8_t give_log, elem_log;
	uint32_t loc_index;
	uint64_t rank_mask;
	struct local_entry gather[TALLY_MAX_SGE], result[TALLY_MAX_SGE];
	struct local_entry flag; /* of the flag word, and the word itself */
	uint32_t flag_value;
};

struct local_chunk {
	uint16_t group;
	uint8_t mode, op;
	uint32_t num, mid, sid, total, first, whole;
};

struct local_access {
	bool write;
	uint16_t pd;
	uint32_t lkey, len;
	uint64_t addr;
};

struct local_operation {
	uint8_t kind, mode, opcode, op, dtype, root_rank, edge;
	uint16_t group, root_node, bytes;
	uint32_t num, mid, sid, total, count;
	uint64_t ranks;
	bool rank, sum, last;
};

/* A request, and a chunk of it. */
void local_set(const struct local_request *request, const struct local_chunk *chunk);
/* The ranks that give data to the chunk; those that get some. */
uint64_t local_givers(void), local_getters(void);
/* Those whose chunk is finished with a result: they get it, or take part in a BARRIER. */
uint64_t local_takers(void);
/* Begins to get the data of a rank. Returns false if there is nothing to be read from memory. */
bool local_reads(unsigned int rank, struct local_access *access);
/* Gets the data of a rank from the request, whose inline data these are. Returns false if they are in memory. */
bool local_inline(unsigned int rank, const uint8_t *line, uint8_t *data);
/* The operation by which the store gets the data of a rank. */
struct local_operation local_gives(unsigned int rank);
/* The operation by which the store hears that a rank has its result. */
struct local_operation local_takes(unsigned int rank);
/* Begins to write the result of ranks, which begins with these bytes. Returns those for which nothing is written. */
uint64_t local_writes(uint64_t ranks, const uint8_t *result);
/* Takes the oldest of these writes, and the place of its data in the result. Returns false if there is none. */
bool local_next_write(struct local_access *access, uint32_t *at);
/* Begins to write the flag word of the request, and returns it as it is in memory. */
uint32_t local_flag(struct local_access *access);

#ifdef __cplusplus
}
#endif

#endif
