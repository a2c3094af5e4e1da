// SPDX-License-Identifier: BSD-2-Clause
/* QUERY_*: the answer is written to host memory; value[0] is its number of bytes. */
#include "nic/admin.h"

static struct admin_reply write_answer(struct nic *nic, const struct tally_cmd_query *c,
				       const void *from, size_t size)
{
	uint32_t length = le32toh(c->length);
	struct admin_reply reply = admin_ok();
	struct host_mem mem;

	if (length < size)
		return ADMIN_BLAME(BAD_FIELD, query, length);
	if (!mem_contiguous(&mem, le64toh(c->addr), size))
		return ADMIN_BLAME(BAD_FIELD, query, addr);
	if (!mem_copy_out(&nic->bus, &mem, 0, from, size))
		return ADMIN_BLAME(DMA_ERROR, query, addr);
	reply.value[0] = size;
	return reply;
}

struct admin_reply admin_query_group(struct nic *nic, const union admin_body *body)
{
	uint32_t group = le32toh(body->query.id);
	struct engine_result result;
	struct tally_group_info info = { 0 };

	if (group >= TALLY_MAX_GROUP)
		return ADMIN_BLAME(NOT_FOUND, query, id);
	result = engine_query_group(nic_enter(nic), group, &info);
	nic_leave(nic);
	if (result.status)
		return admin_engine(result);
	return write_answer(nic, &body->query, &info, sizeof(info));
}

struct admin_reply admin_query_edges(struct nic *nic, const union admin_body *body)
{
	struct tally_edge_info edges[TALLY_MAX_CONTRIBUTORS + 1] = { 0 };
	uint32_t group = le32toh(body->query.id);
	struct engine_result result;

	if (group >= TALLY_MAX_GROUP)
		return ADMIN_BLAME(NOT_FOUND, query, id);
	result = engine_query_edges(nic_enter(nic), group, edges);
	nic_leave(nic);
	if (result.status)
		return admin_engine(result);
	return write_answer(nic, &body->query, edges, sizeof(edges));
}

struct admin_reply admin_query_segs(struct nic *nic, const union admin_body *body)
{
	struct tally_seg_info segs[TALLY_MAX_GROUP_SEGS] = { 0 };
	uint32_t group = le32toh(body->query.id), num = 0;
	struct engine_result result;

	if (group >= TALLY_MAX_GROUP)
		return ADMIN_BLAME(NOT_FOUND, query, id);
	result = engine_query_segs(nic_enter(nic), group, segs, &num);
	nic_leave(nic);
	if (result.status)
		return admin_engine(result);
	return write_answer(nic, &body->query, segs, num * sizeof(segs[0]));
}

struct admin_reply admin_query_arrivals(struct nic *nic, const union admin_body *body)
{
	struct tally_arrival arrivals[TALLY_NUM_ARRIVALS] = { 0 };
	uint32_t group = le32toh(body->query.id);
	struct engine_result result;

	if (group >= TALLY_MAX_GROUP)
		return ADMIN_BLAME(NOT_FOUND, query, id);
	result = engine_query_arrivals(nic_enter(nic), group, arrivals);
	nic_leave(nic);
	if (result.status)
		return admin_engine(result);
	return write_answer(nic, &body->query, arrivals, sizeof(arrivals));
}

/*
 * A shorter buffer gets the counters that fit, because a driver may know fewer than the device has.
 */
struct admin_reply admin_query_counters(struct nic *nic, const union admin_body *body)
{
	uint32_t room = le32toh(body->query.length) / sizeof(__le64), i;
	__le64 values[NIC_NUM_COUNTERS];

	if (body->query.id)
		return ADMIN_BLAME(BAD_FIELD, query, id);
	if (!room)
		return ADMIN_BLAME(BAD_FIELD, query, length);
	if (room > NIC_NUM_COUNTERS)
		room = NIC_NUM_COUNTERS;
	for (i = 0; i < room; i++)
		values[i] = htole64(nic->counters[i]);
	return write_answer(nic, &body->query, values, room * sizeof(values[0]));
}
