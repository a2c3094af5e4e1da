/* SPDX-License-Identifier: BSD-2-Clause */
/* A parsed work request. */
#ifndef TALLY_SIM_ENGINE_REQUEST_H
#define TALLY_SIM_ENGINE_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "gen/tally_fw_hw.h"
#include "gen/tally_hw.h"

/* A piece of memory that a work request names, in host byte order. */
struct engine_sge {
	uint64_t addr;
	uint32_t length;
	uint32_t lkey;
};

struct wqe { /* in host byte order */
	uint8_t mode, opcode, op, dtype, num_gather, num_result, root_rank;
	uint8_t counter, dest_counter, branch;
	uint16_t root_node, dest_port, err_vector, inline_len, seg_count;
	uint32_t flags, index, cpcnt, jid, mid;
	uint32_t count, total; /* elements: of a rank, of the message */
	uint32_t elem, give;   /* bytes of an element, and of one in the gather list (LOC_VALUES) */
	uint32_t chunk, chunks;	    /* elements of a chunk, and number of chunks */
	uint32_t give_len, get_len; /* bytes of an entry of the gather and the result list */
	uint32_t loc_index;
	uint64_t rank_mask, node_mask, timeout;
	struct engine_sge flag;
	uint32_t flag_value;
	uint8_t data[TALLY_MAX_INLINE];
	struct engine_sge gather[TALLY_MAX_SGE], result[TALLY_MAX_SGE];
};

static inline bool is_triggered(uint8_t opcode)
{
	return opcode >= TALLY_OPCODE_REDUCE_MP && opcode <= TALLY_OPCODE_PUT_MP;
}

/* One that the host has fetched and parsed, as wqe_parse() does. Only what the status leaves is valid. */
struct engine_request {
	uint32_t qpn, index;
	enum tally_fw_verdict verdict;
	enum tally_coll_status status;
	/* Of a host that completes requests. */
	uint16_t entry; /* number of its entry among all */
	bool begins;	/* it is ready to begin */
	bool asks;	/* it is to be answered by the firmware */
	struct wqe w;
};

/* What a host that completes requests must know: a chunk of a request has begun, or it is refused. */
struct engine_update {
	uint32_t qpn;
	uint16_t entry, status, err_vector; /* status: of one that is refused */
	bool refused, last;		    /* last: chunk of the request */
	uint32_t num;
	uint8_t ranks;	       /* for which it was posted */
	uint64_t contributors; /* MISMATCH: those that disagree */
};

/* Ranks of a request have finished a chunk, or its flag word has been written. */
struct engine_end {
	uint32_t qpn;
	uint16_t entry, err_vector;
	bool flag, failed; /* failed: memory has refused what was to be written */
	uint8_t ranks;
	uint16_t bytes; /* of the result */
};

#endif
