// SPDX-License-Identifier: BSD-2-Clause
/* Answers to the driver's queries of a group: its state, edges, segments and arrivals. */
#include "engine/common.h"
#include "engine/segment.h"

#include <endian.h>
#include <string.h>

#define OK ((struct engine_result){ TALLY_ADMIN_STATUS_OK, 0xffff })
#define REFUSE(what, type, field)                                                                  \
	((struct engine_result){ TALLY_ADMIN_STATUS_##what, offsetof(struct type, field) })

struct engine_result engine_query_group(struct engine *e, uint32_t group,
					struct tally_group_info *info)
{
	struct group *g = &e->groups[group];
	uint64_t open = 0;
	unsigned int i;

	if (g->state == TALLY_GROUP_NONE)
		return REFUSE(NOT_FOUND, tally_cmd_query, id);
	for (i = 0; i < g->num_contributors; i++)
		if (g->edges[i].state == TALLY_EDGE_OPEN)
			open |= 1ULL << i;
	*info = (struct tally_group_info){
		.jid = htole32(g->jid),
		.epoch = htole32(g->epoch),
		.state = g->state,
		.status = htole16(g->report.status),
		.done = htole32(g->done),
		.open_edges = htole64(open),
		.parent_open = !has_parent(g) || g->edges[g->parent].state == TALLY_EDGE_OPEN,
		.detector = htole16(g->report.detector),
		.segs = htole16(g->limit - g->done),
		.segs_owed = htole16(g->num_segs - g->granted),
		.attached = htole64(g->attached),
		.gone = htole64(g->gone),
		.contributors = htole64(g->report.contributors),
		.ranks = htole64(g->report.ranks),
	};
	return OK;
}

static void tell_edge(const struct group *g, unsigned int idx, struct tally_edge_info *info)
{
	const struct edge *ed = &g->edges[idx];

	memcpy(info->gid, ed->addr.gid, sizeof(info->gid));
	memcpy(info->mac, ed->addr.mac, sizeof(info->mac));
	info->state = ed->state;
	info->index = idx;
	info->subtree_first = htole16(ed->first);
	info->subtree_count = htole16(ed->count);
	info->peer_done = htole32(ed->peer_done);
	info->outstanding = htole32(__builtin_popcountll(ed->tx_held));
	info->retries = htole32(ed->retries > ed->probes ? ed->retries : ed->probes);
	info->sent = htole64(ed->sent);
	info->retransmits = htole64(ed->retransmits);
	info->received = htole64(ed->received);
	info->duplicates = htole64(ed->duplicates);
	info->busy = htole64(ed->busy);
}

struct engine_result engine_query_edges(const struct engine *e, uint32_t group,
					struct tally_edge_info *edges)
{
	const struct group *g = &e->groups[group];
	unsigned int i;

	if (g->state == TALLY_GROUP_NONE)
		return REFUSE(NOT_FOUND, tally_cmd_query, id);
	memset(edges, 0, MAX_EDGES * sizeof(*edges));
	for_each_edge(g, i)
		tell_edge(g, i, &edges[i]);
	return OK;
}

static void tell_seg(const struct group *g, const struct slot *s, struct tally_seg_info *info)
{
	*info = (struct tally_seg_info){ .state = s->state };
	if (s->state == TALLY_SEG_FREE)
		return;
	info->opcode = s->opcode;
	info->op = s->op;
	info->dtype = s->dtype;
	info->num = htole32(s->num);
	info->mid = htole32(s->mid);
	info->sid = htole32(s->sid);
	info->contributors = htole64(s->up_contributors);
	info->ranks = htole64(slot_missing_ranks(g, s));
	info->receivers =
		htole64(s->down_todo | s->down_waiting | s->out_todo | s->out_waiting);
	info->deliver = htole64(s->deliver | s->delivering);
}

struct engine_result engine_query_segs(struct engine *e, uint32_t group,
				       struct tally_seg_info *segs, uint32_t *num)
{
	const struct group *g = &e->groups[group];
	uint32_t i;

	if (g->state == TALLY_GROUP_NONE)
		return REFUSE(NOT_FOUND, tally_cmd_query, id);
	*num = g->max_segs;
	memset(segs, 0, *num * sizeof(*segs));
	for (i = 0; i < g->limit - g->done; i++)
		tell_seg(g, slot_of(e, g, g->done + i), &segs[i]);
	return OK;
}

static void tell_arrival(const struct arrival *a, struct tally_arrival *info)
{
	*info = (struct tally_arrival){
		.mid = htole32(a->mid),
		.opcode = a->opcode,
		.op = a->op,
		.dtype = a->dtype,
		.last = a->last,
		.count = htole64(a->count),
		.first_ns = htole64(a->first_at / NS),
		.last_ns = htole64(a->last_at / NS),
		.done_ns = htole64(a->done_at / NS),
		.ranks = htole64(a->ranks),
		.contributors = htole64(a->contributors),
	};
}

/* Return the newest message of which a part has arrived. */
static uint32_t newest_mid(const struct group *g)
{
	uint32_t newest = g->mid_done - 1, i;

	for (i = 0; i < TALLY_NUM_ARRIVALS; i++)
		if (g->arrivals[i].used && serial_lt(newest, g->arrivals[i].mid))
			newest = g->arrivals[i].mid;
	return newest;
}

struct engine_result engine_query_arrivals(const struct engine *e, uint32_t group,
					   struct tally_arrival *arrivals)
{
	const struct group *g = &e->groups[group];
	uint32_t mid, i;

	if (g->state == TALLY_GROUP_NONE)
		return REFUSE(NOT_FOUND, tally_cmd_query, id);
	memset(arrivals, 0, TALLY_NUM_ARRIVALS * sizeof(*arrivals));
	mid = newest_mid(g);
	for (i = 0; i < TALLY_NUM_ARRIVALS; i++, mid--) {
		const struct arrival *a = &g->arrivals[mid % TALLY_NUM_ARRIVALS];

		if (a->used && a->mid == mid)
			tell_arrival(a, &arrivals[i]);
	}
	return OK;
}
