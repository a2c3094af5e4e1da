// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Queries of a group's state. */
#include <infiniband/cmd_ioctl.h>
#include <stdlib.h>

#include "tally.h"
#include "versions.h"

int _tallydv_query_group(struct tallydv_group *dv, struct tallydv_group_info *info, size_t size)
{
	DECLARE_COMMAND_BUFFER(cmd, TALLY_OBJECT_GROUP, TALLY_METHOD_GROUP_QUERY, 2);
	struct tally_group *group = container_of(dv, struct tally_group, dv);
	struct tallydv_group_info own;
	struct tally_uresp_group_info raw = {};
	int err;

	fill_attr_in_obj(cmd, TALLY_ATTR_GROUP_QUERY_HANDLE, group->handle);
	fill_attr_out_ptr(cmd, TALLY_ATTR_GROUP_QUERY_RESP, &raw);
	err = execute_ioctl(dv->context, cmd);
	if (err)
		return err;
	own = (struct tallydv_group_info){
		.jid = raw.jid,
		.epoch = raw.epoch,
		.state = (enum tally_group_state)raw.state,
		.status = (enum tally_coll_status)raw.status,
		.done = raw.done,
		.parent_open = raw.parent_open,
		.detector = raw.detector,
		.open_contributors = raw.open_edges,
		.attached_ranks = raw.attached,
		.gone_ranks = raw.gone,
		.remaining_contributors = raw.contributors,
		.remaining_ranks = raw.ranks,
	};
	return tally_copy_out(info, size, &own, sizeof(own), sizeof(own));
}

/* ---- Lists ---- */
/*
 * Query `*count` entries of `size` bytes into `*list`, which the caller frees. On return `*count`
 * is the number of existing entries, of which the list contains those that fit.
 */
static int query_list(struct tallydv_group *dv, uint16_t method, uint32_t size, void **list,
		      uint32_t *count)
{
	DECLARE_COMMAND_BUFFER(cmd, TALLY_OBJECT_GROUP, method, 4);
	struct tally_group *group = container_of(dv, struct tally_group, dv);
	uint32_t there = 0;
	int err;

	*list = calloc(*count, size);
	if (!*list)
		return ENOMEM;
	fill_attr_in_obj(cmd, TALLY_ATTR_GROUP_QUERY_LIST_HANDLE, group->handle);
	fill_attr_in_uint32(cmd, TALLY_ATTR_GROUP_QUERY_LIST_ENTRY_SIZE, size);
	fill_attr_out(cmd, TALLY_ATTR_GROUP_QUERY_LIST_RESP_LIST, *list, *count * size);
	fill_attr_out_ptr(cmd, TALLY_ATTR_GROUP_QUERY_LIST_RESP_COUNT, &there);
	err = execute_ioctl(dv->context, cmd);
	*count = there;
	return err;
}

/*
 * Returns the number of entries to query: at most `limit`, so that their size fits the length of an
 * attribute.
 */
static uint32_t at_most(uint32_t room, uint32_t limit)
{
	return room < limit ? room : limit;
}

void tally_unpack_edge(struct tallydv_edge_info *to, const struct tally_uresp_edge *from)
{
	*to = (struct tallydv_edge_info){
		.index = from->index,
		.state = (enum tally_edge_state)from->state,
		.subtree_first = from->subtree_first,
		.subtree_count = from->subtree_count,
		.peer_done = from->peer_done,
		.outstanding = from->outstanding,
		.retries = from->retries,
		.sent = from->sent,
		.retransmits = from->retransmits,
		.received = from->received,
		.duplicates = from->duplicates,
		.busy = from->busy,
	};
	memcpy(to->gid.raw, from->gid, sizeof(to->gid.raw));
	memcpy(to->mac, from->mac, sizeof(to->mac));
}

void tally_unpack_seg(struct tallydv_seg_info *to, const struct tally_uresp_seg *from)
{
	*to = (struct tallydv_seg_info){
		.state = (enum tally_seg_state)from->state,
		.opcode = from->opcode,
		.op = from->op,
		.dtype = from->dtype,
		.num = from->num,
		.mid = from->mid,
		.sid = from->sid,
		.contributors = from->contributors,
		.ranks = from->ranks,
		.unacknowledged = from->receivers,
		.undelivered = from->deliver,
	};
}

void tally_unpack_arrival(struct tallydv_arrival *to, const struct tally_uresp_arrival *from)
{
	*to = (struct tallydv_arrival){
		.mid = from->mid,
		.opcode = from->opcode,
		.op = from->op,
		.dtype = from->dtype,
		.last = from->last,
		.count = from->count,
		.first_ns = from->first_ns,
		.last_ns = from->last_ns,
		.done_ns = from->done_ns,
		.ranks = from->ranks,
		.contributors = from->contributors,
	};
}

/* ---- The three lists ---- */
static void unpack_edge(void *to, const void *from)
{
	tally_unpack_edge(to, from);
}

static void unpack_seg(void *to, const void *from)
{
	tally_unpack_seg(to, from);
}

static void unpack_arrival(void *to, const void *from)
{
	tally_unpack_arrival(to, from);
}

/* An entry of any list, in the program's layout. */
union entry {
	struct tallydv_edge_info edge;
	struct tallydv_seg_info seg;
	struct tallydv_arrival arrival;
};

struct list {
	uint16_t method;
	uint32_t limit;  /* largest number of entries */
	size_t raw_size; /* bytes of the kernel's entry, */
	size_t size;     /* and of the library's */
	void (*unpack)(void *to, const void *from);
};

static int query(struct tallydv_group *group, const struct list *list, void *to, uint32_t *count,
		 size_t size)
{
	uint32_t room = to && count ? at_most(*count, list->limit) : 0, there = room;
	union entry own;
	char *raw = NULL;
	int err;

	if (!room)
		return EINVAL;
	err = query_list(group, list->method, list->raw_size, (void **)&raw, &there);
	for (uint32_t i = 0; !err && i < at_most(there, room); i++) {
		list->unpack(&own, raw + i * list->raw_size);
		err = tally_copy_out((char *)to + i * size, size, &own, list->size, list->size);
	}
	free(raw);
	if (!err)
		*count = there;
	return err;
}

int _tallydv_query_edges(struct tallydv_group *group, struct tallydv_edge_info *edges,
			 uint32_t *count, size_t size)
{
	static const struct list list = {
		.method = TALLY_METHOD_GROUP_QUERY_EDGES,
		.limit = TALLY_MAX_CONTRIBUTORS + 1,
		.raw_size = sizeof(struct tally_uresp_edge),
		.size = sizeof(*edges),
		.unpack = unpack_edge,
	};

	return query(group, &list, edges, count, size);
}

int _tallydv_query_segs(struct tallydv_group *group, struct tallydv_seg_info *segs,
			uint32_t *count, size_t size)
{
	static const struct list list = {
		.method = TALLY_METHOD_GROUP_QUERY_SEGS,
		.limit = TALLY_MAX_GROUP_SEGS,
		.raw_size = sizeof(struct tally_uresp_seg),
		.size = sizeof(*segs),
		.unpack = unpack_seg,
	};

	return query(group, &list, segs, count, size);
}

int _tallydv_query_arrivals(struct tallydv_group *group, struct tallydv_arrival *arrivals,
			    uint32_t *count, size_t size)
{
	static const struct list list = {
		.method = TALLY_METHOD_GROUP_QUERY_ARRIVALS,
		.limit = TALLY_NUM_ARRIVALS,
		.raw_size = sizeof(struct tally_uresp_arrival),
		.size = sizeof(*arrivals),
		.unpack = unpack_arrival,
	};

	return query(group, &list, arrivals, count, size);
}
