/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A fake engine for tests of the NIC. It records the calls that it gets and returns the answers
 * that the test sets. The test makes requests in its place, through its host interface.
 */
#ifndef TALLY_SIM_NIC_TEST_FAKE_ENGINE_H
#define TALLY_SIM_NIC_TEST_FAKE_ENGINE_H

#include "engine/engine.h"

struct engine {
	const struct engine_host *host;
	void *ctx;
	uint64_t now;
	uint64_t next;			/* value of engine_next() */
	struct engine_result result;	/* result of the next configuration calls */
	struct engine_timing timing;
	unsigned int resets;
	unsigned int advances;

	unsigned int groups_created, qps_created, qps_destroyed;
	uint32_t group;
	struct tally_group_cfg group_cfg;
	uint32_t num_edges;
	uint64_t ranks;
	uint32_t epoch;			/* argument of the last engine_reset_group() */
	uint32_t num_segs;		/* result of engine_query_segs() */
	uint32_t qpn;
	struct engine_qp_cfg qp_cfg;
	unsigned int lost;
	uint32_t lost_qpn;
	unsigned int modified;
	uint32_t modified_qpn;
	enum tally_qp_state modified_state;

	unsigned int doorbells;
	uint64_t posted, doorbell_at;

	unsigned int wqes;
	uint32_t wqe_index;
	size_t wqe_len;			/* 0: the fetch failed */
	uint8_t wqe[TALLY_MAX_WQE_SIZE];

	unsigned int reads, writes;
	uint64_t read_tag, write_tag, done_at;
	enum tally_coll_status read_status, write_status;
	size_t read_len;
	uint8_t read_data[16384];

	unsigned int packets;
	struct engine_addr from;
	size_t packet_len;
	uint8_t packet[TALLY_MAX_MTU + sizeof(struct tally_tch)];
	uint32_t lacking;
};

#endif
