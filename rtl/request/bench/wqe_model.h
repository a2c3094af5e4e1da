/* SPDX-License-Identifier: BSD-2-Clause */
/* The parser of requests of the model, for the benches of tally_wqe_check, tally_wqe_lists and tally_wqe. */
#ifndef TALLY_RTL_WQE_MODEL_H
#define TALLY_RTL_WQE_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gen/tally_hw.h"

#ifdef __cplusplus
extern "C" {
#endif

struct model_choice {
	uint8_t small, middle, large, small_log, middle_log;
};

/* What a request's parser knows of the group and the queue pair. */
struct model_around {
	uint32_t jid, mtu, chunk, max_segs, total_ranks, num_nodes, node;
	uint8_t mode, modes, parent; /* parent: 0xff if there is none */
	bool sparse, ordered;
	uint64_t rank_mask, children, dests, ranks;
	struct model_choice choice[8];
	uint32_t index, stride;
};

/* A parsed request; fields as those of tally_request_pkg::request_t. */
struct model_request {
	uint16_t status;
	uint8_t opcode, op, dtype, mode, root_rank, counter, dest_counter, branch, num_gather, num_result;
	uint16_t root_node, dest_port, err_vector, inline_len, seg_count;
	uint32_t flags, index, mid, cpcnt, count, total, elem, give, chunk, chunks, give_len, get_len, loc_index, timeout_ms;
	uint64_t rank_mask, edges, flag_addr;
	uint32_t flag_lkey, flag_value;
	/* not of the record: number of entries that the lists should have */
	unsigned int givers, getters;
	bool sized; /* the fixed part is good, so the sizes of the lists are known */
	unsigned int checks; /* accesses that the model has checked */
	uint8_t data[TALLY_MAX_INLINE];
	struct tally_sge gather[TALLY_MAX_SGE], result[TALLY_MAX_SGE]; /* host byte order */
};

/* What the memory regions say to an access, in the model and in the bench. */
uint16_t model_access(uint64_t addr, uint32_t length, uint32_t lkey, bool write);
/* Parses an entry of around->stride bytes. */
void model_parse(struct model_request *to, const struct model_around *around, const void *entry);
/*
 * Checks only the fixed part: *status becomes its first fault, *lists that of the sizes of the lists, in a request whose
 * fixed part is good, as if every access were permitted and the lists had the room that they need.
 */
void model_check(struct model_request *to, const struct model_around *around, const struct tally_wqe *wqe, uint16_t *status,
		 uint16_t *lists);

#ifdef __cplusplus
}
#endif

#endif
