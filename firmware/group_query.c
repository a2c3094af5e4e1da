// SPDX-License-Identifier: BSD-2-Clause
/* Answers to the driver's queries of a group. */
#include "firmware/group_query.h"
#include "firmware/bytes.h"
#include "firmware/divide.h"
#include "firmware/group.h"

static bool exists(uint32_t group)
{
	return GROUP_GET(group, state) != TALLY_GROUP_NONE;
}

/* ---- State ---- */

static bool is_open(uint32_t group, uint32_t edge)
{
	return EDGE_GET(group, edge, state) == TALLY_EDGE_OPEN;
}

static uint64_t open_edges(uint32_t group, uint32_t num)
{
	uint64_t open = 0;
	uint32_t i;

	for (i = 0; i < num; i++)
		if (is_open(group, i))
			open |= fw_edge_bit(i);
	return open;
}

struct engine_result fw_query_group(uint32_t group, struct tally_group_info *info)
{
	const struct fw_edges all = fw_edges_of(group);

	if (!exists(group))
		return ENGINE_REFUSE(NOT_FOUND, tally_cmd_query, id);
	*info = (struct tally_group_info){
		.jid = le32(SETUP_GET(group, jid)),
		.epoch = le32(GROUP_GET(group, epoch)),
		.state = GROUP_GET(group, state),
		.status = le16(GROUP_GET(group, status)),
		.done = le32(GROUP_GET(group, done)),
		.open_edges = le64(open_edges(group, all.num)),
		.parent_open = all.parent == TALLY_FW_NO_EDGE || is_open(group, all.parent),
		.detector = le16(GROUP_GET(group, detector)),
		.segs = le16(GROUP_GET(group, held)),
		.segs_owed = le16(GROUP_GET(group, owed)),
		.attached = le64(GROUP_GET(group, attached)),
		.gone = le64(GROUP_GET(group, gone)),
		.contributors = le64(GROUP_GET(group, contributors)),
		.ranks = le64(GROUP_GET(group, ranks)),
	};
	return ENGINE_OK;
}

/* ---- Edges ---- */

static void tell_address(uint32_t group, uint32_t edge, struct tally_edge_info *info)
{
	unsigned int i;

	for (i = 0; i < sizeof(info->gid); i++)
		info->gid[i] = NEIGHBOUR_GET_AT(group, edge, gid, i / 4) >> 8 * (i % 4);
	for (i = 0; i < sizeof(info->mac); i++)
		info->mac[i] = NEIGHBOUR_GET_AT(group, edge, mac, i / 4) >> 8 * (i % 4);
}

static void tell_edge(uint32_t group, uint32_t edge, struct tally_edge_info *info)
{
	uint32_t retries = TRAFFIC_GET(group, edge, retries);
	uint32_t probes = TRAFFIC_GET(group, edge, probes);

	*info = (struct tally_edge_info){
		.state = EDGE_GET(group, edge, state),
		.index = edge,
		.subtree_first = le16(EDGE_GET(group, edge, subtree_first)),
		.subtree_count = le16(EDGE_GET(group, edge, subtree_count)),
		.peer_done = le32(TRAFFIC_GET(group, edge, peer_done)),
		.outstanding = le32(TRAFFIC_GET(group, edge, outstanding)),
		.retries = le32(retries > probes ? retries : probes),
		.sent = le64(TRAFFIC_GET(group, edge, sent)),
		.retransmits = le64(TRAFFIC_GET(group, edge, retransmits)),
		.received = le64(TRAFFIC_GET(group, edge, received)),
		.duplicates = le64(TRAFFIC_GET(group, edge, duplicates)),
		.busy = le64(TRAFFIC_GET(group, edge, busy)),
	};
	tell_address(group, edge, info);
}

struct engine_result fw_query_edges(uint32_t group, struct tally_edge_info *edges)
{
	const struct fw_edges all = fw_edges_of(group);
	uint32_t i;

	if (!exists(group))
		return ENGINE_REFUSE(NOT_FOUND, tally_cmd_query, id);
	for (i = 0; i <= TALLY_MAX_CONTRIBUTORS; i++)
		edges[i] = (struct tally_edge_info){ 0 };
	fw_for_each_edge(&all, i)
		tell_edge(group, i, &edges[i]);
	return ENGINE_OK;
}

/* ---- Segments ---- */

static void tell_seg(struct tally_seg_info *info)
{
	*info = (struct tally_seg_info){ .state = SEGMENT_GET(state) };
	if (info->state == TALLY_SEG_FREE)
		return;
	info->opcode = SEGMENT_GET(opcode);
	info->op = SEGMENT_GET(op);
	info->dtype = SEGMENT_GET(dtype);
	info->num = le32(SEGMENT_GET(num));
	info->mid = le32(SEGMENT_GET(mid));
	info->sid = le32(SEGMENT_GET(sid));
	info->contributors = le64(SEGMENT_GET(missing));
	info->ranks = le64(SEGMENT_GET(ranks));
	info->receivers = le64(SEGMENT_GET(receivers));
	info->deliver = le64(SEGMENT_GET(deliver));
}

struct engine_result fw_query_segs(uint32_t group, struct tally_seg_info *segs, uint32_t *num)
{
	uint32_t held = GROUP_GET(group, held), i;

	if (!exists(group))
		return ENGINE_REFUSE(NOT_FOUND, tally_cmd_query, id);
	*num = SETUP_GET(group, max_segs);
	SEGMENT_SET(group, group);
	for (i = 0; i < *num; i++) {
		segs[i] = (struct tally_seg_info){ 0 };
		if (i >= held)
			continue;
		SEGMENT_SET(index, i);
		tell_seg(&segs[i]);
	}
	return ENGINE_OK;
}

/* ---- Arrivals ---- */

static uint64_t nanoseconds(uint64_t picoseconds)
{
	return divide(picoseconds, NS);
}

static void tell_arrival(struct tally_arrival *info)
{
	*info = (struct tally_arrival){
		.mid = le32(ARRIVAL_GET(mid)),
		.opcode = ARRIVAL_GET(opcode),
		.op = ARRIVAL_GET(op),
		.dtype = ARRIVAL_GET(dtype),
		.last = ARRIVAL_GET(last),
		.count = le64(ARRIVAL_GET(count)),
		.first_ns = le64(nanoseconds(ARRIVAL_GET(first_at))),
		.last_ns = le64(nanoseconds(ARRIVAL_GET(last_at))),
		.done_ns = le64(nanoseconds(ARRIVAL_GET(done_at))),
		.ranks = le64(ARRIVAL_GET(ranks)),
		.contributors = le64(ARRIVAL_GET(contributors)),
	};
}

/* Return the newest message of which a part has arrived. */
static uint32_t newest_mid(uint32_t group)
{
	uint32_t newest = GROUP_GET(group, mid_done) - 1, i;

	for (i = 0; i < TALLY_NUM_ARRIVALS; i++) {
		ARRIVAL_SET(index, i);
		if (ARRIVAL_GET(used) && serial_lt(newest, ARRIVAL_GET(mid)))
			newest = ARRIVAL_GET(mid);
	}
	return newest;
}

struct engine_result fw_query_arrivals(uint32_t group, struct tally_arrival *arrivals)
{
	uint32_t mid, i;

	if (!exists(group))
		return ENGINE_REFUSE(NOT_FOUND, tally_cmd_query, id);
	ARRIVAL_SET(group, group);
	mid = newest_mid(group);
	for (i = 0; i < TALLY_NUM_ARRIVALS; i++, mid--) {
		arrivals[i] = (struct tally_arrival){ 0 };
		ARRIVAL_SET(index, mid % TALLY_NUM_ARRIVALS);
		if (ARRIVAL_GET(used) && ARRIVAL_GET(mid) == mid)
			tell_arrival(&arrivals[i]);
	}
	return ENGINE_OK;
}
