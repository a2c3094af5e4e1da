/* SPDX-License-Identifier: BSD-2-Clause */
/* The engine's request sender, for the bench of tally_sender_turn. */
#ifndef TALLY_RTL_SENDER_TURN_MODEL_H
#define TALLY_RTL_SENDER_TURN_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TURN_RANKS 8
#define TURN_POSTS 600

/* State of a group, which turn_pump() changes as the engine does. */
struct turn_group {
	bool runs;
	uint32_t done, limit, max_segs;
	struct {
		uint32_t mid, num;
		bool streams;
	} rank[TURN_RANKS];
};

struct turn_request {
	uint32_t mid, chunks, begun, seg_count;
	uint64_t ranks;
};

/* What has become of a request, and the numbers of the chunks that were posted. */
struct turn_result {
	bool refused, waits; /* waits: for its turn */
	uint16_t status;
	unsigned int posts;
	uint32_t num[TURN_POSTS], sid[TURN_POSTS];
};

void turn_reset(void);
/*
 * Let there be two more queue pairs of the group, with these ranks, which may or may not work, and ranks whose queue pair was
 * destroyed. Returns the ranks that only the first one may post for.
 */
uint64_t turn_others(const uint64_t ranks[2], const bool works[2], uint64_t had_qp);
/* Whether any rank of a group has begun a message; sets @behind to those that have not. */
bool turn_begun(const struct turn_group *group, uint32_t mid, uint64_t *behind);
/* Offers a request to the sender. `lends`: the pool has segments to spare. */
void turn_pump(struct turn_group *group, const struct turn_request *request, bool lends, struct turn_result *result);

#ifdef __cplusplus
}
#endif

#endif
