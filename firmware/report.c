// SPDX-License-Identifier: BSD-2-Clause
/* Reports of the cause of an epoch's end. */
#include "firmware/report.h"
#include "firmware/group.h"

struct report report_get(uint32_t group)
{
	return (struct report){
		.status = GROUP_GET(group, status),
		.detector = GROUP_GET(group, detector),
		.level = GROUP_GET(group, detector_level),
		.contributors = GROUP_GET(group, contributors),
		.ranks = GROUP_GET(group, ranks),
		.mid = GROUP_GET(group, report_mid),
		.sid = GROUP_GET(group, report_sid),
	};
}

void report_set(uint32_t group, const struct report *r)
{
	GROUP_SET(group, detector, r->detector);
	GROUP_SET(group, detector_level, r->level);
	GROUP_SET(group, contributors, r->contributors);
	GROUP_SET(group, ranks, r->ranks);
	GROUP_SET(group, report_mid, r->mid);
	GROUP_SET(group, report_sid, r->sid);
	GROUP_SET(group, status, r->status); /* the last: it says that there is a report */
}

struct report report_of_this_node(uint32_t group, uint16_t status)
{
	return (struct report){
		.status = status,
		.detector = GROUP_GET(group, node),
		.level = GROUP_GET(group, level),
	};
}

/* ---- Plausibility ---- */

/* Whether a status can be the cause of an epoch's end. */
static bool ends_epoch(uint16_t status)
{
#define KNOWN(name, value, doc) known |= status == (value);
	bool known = false;

	TALLY_COLL_LIST(KNOWN)
#undef KNOWN
	return known && status != TALLY_COLL_OK && status != TALLY_COLL_MISMATCH &&
	       status != TALLY_COLL_FLUSHED && status != TALLY_COLL_DEVICE_LOST;
}

/* Return the ranks of the child's subtree in which a node is; UINT32_MAX if it is in none. */
static uint32_t ranks_below(uint32_t group, uint16_t node)
{
	const struct fw_edges all = fw_edges_of(group);
	uint32_t i;

	for (i = 0; i < all.num; i++) {
		uint32_t first = EDGE_GET(group, i, subtree_first);

		if (node >= first && node - first < EDGE_GET(group, i, subtree_count))
			return EDGE_GET(group, i, rank_count);
	}
	return UINT32_MAX;
}

/* Return the largest number of ranks that another node may have, by what is known of the group. */
static uint32_t most_ranks(uint32_t group, uint16_t node)
{
	uint32_t here = __builtin_popcountll(GROUP_GET(group, rank_mask)), most;

	if (GROUP_GET(group, flags) & TALLY_GROUP_F_UNIFORM)
		return here;
	if (!(GROUP_GET(group, modes) & TALLY_MODES_TREE)) {
		most = GROUP_GET(group, total_ranks) - here;
	} else {
		most = ranks_below(group, node);
		if (most == UINT32_MAX)
			most = GROUP_GET(group, total_ranks) - GROUP_GET(group, subtree_ranks);
	}
	return most;
}

/* Whether the cause is a local rank of the detector. */
static bool blames_rank(uint16_t status)
{
	return status == TALLY_COLL_RANK_GONE || status == TALLY_COLL_ABORTED;
}

bool report_valid(uint32_t group, const struct report *r)
{
	uint32_t nodes = GROUP_GET(group, num_nodes);

	if (!ends_epoch(r->status) || r->detector >= nodes || r->level >= nodes)
		return false;
	if (r->sid != NO_CHUNK && r->sid >= TALLY_MAX_MESSAGE)
		return false;
	if (blames_rank(r->status) && !r->ranks)
		return false;
	/*
	 * Only a report of this node can name it as detector, and its epoch has ended with that
	 * report.
	 */
	if (r->detector == GROUP_GET(group, node))
		return !fw_group_alive(group);
	return (uint32_t)__builtin_popcountll(r->ranks) <= most_ranks(group, r->detector);
}
