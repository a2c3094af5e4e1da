// SPDX-License-Identifier: BSD-2-Clause
/* Group contexts: configuration, routes, timers, end of life. */
#include "engine/engine_int.h"

#include <endian.h>
#include <string.h>

#define OK ((struct engine_result){ TALLY_ADMIN_STATUS_OK, 0xffff })
#define REFUSE(what, type, field)                                                                  \
	((struct engine_result){ TALLY_ADMIN_STATUS_##what, offsetof(struct type, field) })

/* A destroyed group still finishes its chunks, and answers for its own epoch only. */
struct group *group_of_packet(struct engine *e, uint32_t jid, uint32_t epoch)
{
	struct group *found = NULL;
	unsigned int i;

	for (i = 0; i < TALLY_MAX_GROUP; i++) {
		struct group *g = &e->groups[i];

		if (g->state == TALLY_GROUP_NONE || g->jid != jid)
			continue;
		if (g->epoch == epoch && epoch)
			return g;
		if (!found || found->destroyed)
			found = g;
	}
	return found;
}

static struct group *group_by_jid(struct engine *e, uint32_t jid)
{
	unsigned int i;

	for (i = 0; i < TALLY_MAX_GROUP; i++) {
		struct group *g = &e->groups[i];

		if (g->state != TALLY_GROUP_NONE && g->jid == jid && !g->destroyed)
			return g;
	}
	return NULL;
}

int group_route(const struct group *g, uint16_t node)
{
	unsigned int i;

	for (i = 0; i < TALLY_MAX_CONTRIBUTORS; i++) {
		const struct edge *ed = &g->edges[i];

		if (ed->state != EDGE_NONE && node >= ed->first && node - ed->first < ed->count)
			return i;
	}
	return -1;
}

/* ---- Creation ---- */

static struct engine_result check_shape(const struct tally_group_cfg *cfg, uint32_t num_edges)
{
	bool root = le32toh(cfg->flags) & TALLY_GROUP_F_ROOT;
	uint32_t nodes = le16toh(cfg->num_nodes);

	if (le32toh(cfg->flags) & ~TALLY_GROUP_F_ROOT)
		return REFUSE(BAD_FIELD, tally_group_cfg, flags);
	if (cfg->mode != TALLY_MODE_TREE)
		return REFUSE(BAD_FIELD, tally_group_cfg, mode);
	if (!nodes || nodes > TALLY_MAX_NODES)
		return REFUSE(BAD_FIELD, tally_group_cfg, num_nodes);
	if (le16toh(cfg->node) >= nodes)
		return REFUSE(BAD_FIELD, tally_group_cfg, node);
	if (le16toh(cfg->num_edges) != num_edges ||
	    num_edges > TALLY_MAX_CONTRIBUTORS + (root ? 0 : 1) || (!root && !num_edges))
		return REFUSE(BAD_FIELD, tally_group_cfg, num_edges);
	/* who has nobody below must have something to give */
	if (!cfg->rank_mask && num_edges == !root)
		return REFUSE(BAD_FIELD, tally_group_cfg, rank_mask);
	/* the root draws the epoch, the others learn it */
	if (!cfg->epoch != !root)
		return REFUSE(BAD_FIELD, tally_group_cfg, epoch);
	return OK;
}

static struct engine_result check_cfg(const struct engine *e, const struct tally_group_cfg *cfg)
{
	uint32_t base = le16toh(cfg->seg_base), n = le16toh(cfg->num_segs), i;
	uint32_t ms = le32toh(cfg->timeout_ms), mtu = le32toh(cfg->mtu);
	uint64_t ranks = le64toh(cfg->rank_mask);

	if (!cfg->jid)
		return REFUSE(BAD_FIELD, tally_group_cfg, jid);
	if (!power_of_two(n) || n > TALLY_MAX_GROUP_SEGS)
		return REFUSE(BAD_FIELD, tally_group_cfg, num_segs);
	if (base + n > TALLY_MAX_SEG)
		return REFUSE(BAD_FIELD, tally_group_cfg, seg_base);
	for (i = base; i < base + n; i++)
		if (e->slot_owned[i])
			return REFUSE(IN_USE, tally_group_cfg, seg_base);
	if (ms < TALLY_MIN_TIMEOUT_MS || ms > TALLY_MAX_TIMEOUT_MS)
		return REFUSE(BAD_FIELD, tally_group_cfg, timeout_ms);
	if (!power_of_two(mtu) || mtu < 256 || mtu > TALLY_MAX_MTU)
		return REFUSE(BAD_FIELD, tally_group_cfg, mtu);
	if (le64toh(cfg->owner_ranks) & ~ranks)
		return REFUSE(BAD_FIELD, tally_group_cfg, owner_ranks);
	if (!le32toh(cfg->retry_limit) || le32toh(cfg->retry_limit) > 255)
		return REFUSE(BAD_FIELD, tally_group_cfg, retry_limit);
	if (!le32toh(cfg->rto_us) || le32toh(cfg->rto_us) > 1000000)
		return REFUSE(BAD_FIELD, tally_group_cfg, rto_us);
	if (cfg->rsvd0)
		return REFUSE(BAD_FIELD, tally_group_cfg, rsvd0);
	return OK;
}

static struct engine_result edge_error(uint32_t i, size_t field)
{
	return (struct engine_result){ TALLY_ADMIN_STATUS_BAD_FIELD,
				       sizeof(struct tally_group_cfg) +
					       i * sizeof(struct tally_group_edge) + field };
}

/* Subtrees lie within the group, hold neither this node nor one another's nodes. */
static struct engine_result check_edges(const struct tally_group_cfg *cfg,
					const struct tally_group_edge *edges, uint32_t num)
{
	uint32_t node = le16toh(cfg->node), nodes = le16toh(cfg->num_nodes), i, j;
	uint32_t contributors = num - !(le32toh(cfg->flags) & TALLY_GROUP_F_ROOT);

	for (i = 0; i < num; i++) {
		const struct tally_group_edge *ge = &edges[i];
		uint32_t first = le16toh(ge->subtree_first), count = le16toh(ge->subtree_count);
		uint32_t index = le16toh(ge->remote_index);

		if (i == contributors) { /* the parent */
			if (index >= TALLY_MAX_CONTRIBUTORS)
				return edge_error(i, offsetof(typeof(*ge), remote_index));
			continue;
		}
		if (index != TALLY_CONTRIB_PARENT)
			return edge_error(i, offsetof(typeof(*ge), remote_index));
		if (first >= nodes)
			return edge_error(i, offsetof(typeof(*ge), subtree_first));
		if (!count || first + count > nodes || (node >= first && node < first + count))
			return edge_error(i, offsetof(typeof(*ge), subtree_count));
		for (j = 0; j < i; j++) {
			uint32_t f = le16toh(edges[j].subtree_first);

			if (first < f + le16toh(edges[j].subtree_count) && f < first + count)
				return edge_error(i, offsetof(typeof(*ge), subtree_first));
		}
	}
	return OK;
}

static void fill_edges(struct engine *e, struct group *g, const struct tally_group_edge *edges,
		       uint32_t num)
{
	uint32_t i, contributors = num - !is_root(g);

	for (i = 0; i < num; i++) {
		struct edge *ed = &g->edges[i < contributors ? i : EDGE_PARENT];

		memcpy(ed->addr.gid, edges[i].gid, sizeof(ed->addr.gid));
		memcpy(ed->addr.mac, edges[i].mac, sizeof(ed->addr.mac));
		ed->remote_index = le16toh(edges[i].remote_index);
		if (i < contributors) {
			ed->first = le16toh(edges[i].subtree_first);
			ed->count = le16toh(edges[i].subtree_count);
			g->contributors |= 1ULL << i;
		}
		handshake_begin(e, ed);
	}
}

static void fill_group(struct engine *e, struct group *g, const struct tally_group_cfg *cfg)
{
	unsigned int i;

	memset(g, 0, sizeof(*g));
	g->jid = le32toh(cfg->jid);
	g->epoch = le32toh(cfg->epoch);
	g->flags = le32toh(cfg->flags);
	g->mtu = le32toh(cfg->mtu);
	g->num_segs = le16toh(cfg->num_segs);
	g->seg_base = le16toh(cfg->seg_base);
	g->node = le16toh(cfg->node);
	g->num_nodes = le16toh(cfg->num_nodes);
	g->level = cfg->level;
	g->mode = cfg->mode;
	g->rank_mask = le64toh(cfg->rank_mask);
	g->attached = le64toh(cfg->owner_ranks);
	g->timeout = le32toh(cfg->timeout_ms) * MS;
	g->rto = le32toh(cfg->rto_us) * US;
	g->retry_limit = le32toh(cfg->retry_limit);
	g->qps = NONE;
	for (i = 0; i < g->num_segs; i++) {
		struct slot *s = &e->slots[g->seg_base + i];

		s->state = SLOT_FREE;
		e->slot_owned[g->seg_base + i] = true;
	}
}

struct engine_result engine_create_group(struct engine *e, uint32_t group,
					 const struct tally_group_cfg *cfg,
					 const struct tally_group_edge *edges, uint32_t num_edges)
{
	struct group *g = &e->groups[group];
	struct engine_result r = check_cfg(e, cfg);

	if (r.status == TALLY_ADMIN_STATUS_OK)
		r = check_shape(cfg, num_edges);
	if (r.status == TALLY_ADMIN_STATUS_OK)
		r = check_edges(cfg, edges, num_edges);
	if (r.status != TALLY_ADMIN_STATUS_OK)
		return r;
	if (g->state != TALLY_GROUP_NONE)
		return (struct engine_result){ TALLY_ADMIN_STATUS_ID_BUSY, 0xffff };
	if (group_by_jid(e, le32toh(cfg->jid)))
		return REFUSE(EXISTS, tally_group_cfg, jid);
	fill_group(e, g, cfg);
	fill_edges(e, g, edges, num_edges);
	g->state = num_edges ? TALLY_GROUP_OPENING : TALLY_GROUP_OPEN;
	return OK;
}

/* ---- Ranks and queries ---- */

struct engine_result engine_attach_ranks(struct engine *e, uint32_t group, uint64_t ranks)
{
	struct group *g = &e->groups[group];

	if (g->state == TALLY_GROUP_NONE || g->destroyed)
		return REFUSE(NOT_FOUND, tally_cmd_group_ranks, group);
	if (!ranks || (ranks & ~g->rank_mask))
		return REFUSE(BAD_FIELD, tally_cmd_group_ranks, ranks);
	if (ranks & (g->attached | g->gone))
		return REFUSE(IN_USE, tally_cmd_group_ranks, ranks);
	g->attached |= ranks;
	return OK;
}

static void ranks_leave(struct engine *e, struct group *g, uint64_t ranks)
{
	unsigned int i;

	g->attached &= ~ranks;
	g->gone |= ranks;
	for (i = 0; i < g->num_segs && group_alive(g); i++) {
		struct slot *s = &e->slots[g->seg_base + i];

		if (s->state == SLOT_BUSY)
			kill_if_gone(e, g, s->num, s->mid);
	}
}

struct engine_result engine_detach_ranks(struct engine *e, uint32_t group, uint64_t ranks)
{
	struct group *g = &e->groups[group];

	if (g->state == TALLY_GROUP_NONE || g->destroyed)
		return REFUSE(NOT_FOUND, tally_cmd_group_ranks, group);
	if (!ranks || (ranks & ~g->attached))
		return REFUSE(BAD_FIELD, tally_cmd_group_ranks, ranks);
	ranks_leave(e, g, ranks);
	return OK;
}

struct engine_result engine_query_group(struct engine *e, uint32_t group,
					struct tally_group_info *info)
{
	struct group *g = &e->groups[group];
	uint64_t open = 0;
	unsigned int i;

	if (g->state == TALLY_GROUP_NONE)
		return REFUSE(NOT_FOUND, tally_cmd_query, id);
	for (i = 0; i < TALLY_MAX_CONTRIBUTORS; i++)
		if (g->edges[i].state == EDGE_OPEN)
			open |= 1ULL << i;
	*info = (struct tally_group_info){
		.jid = htole32(g->jid),
		.epoch = htole32(g->epoch),
		.state = g->state,
		.status = htole16(g->report.status),
		.done = htole32(g->done),
		.open_edges = htole64(open),
		.parent_open = is_root(g) || g->edges[EDGE_PARENT].state == EDGE_OPEN,
		.detector = htole16(g->report.detector),
		.attached = htole64(g->attached),
		.gone = htole64(g->gone),
		.contributors = htole64(g->report.contributors),
		.ranks = htole64(g->report.ranks),
	};
	return OK;
}

/* ---- End of life ---- */

/* How long a neighbour may go on repeating what we have seen. */
static uint64_t retry_span(const struct group *g)
{
	unsigned int doublings = g->retry_limit < BACKOFF_MAX ? g->retry_limit : BACKOFF_MAX;
	uint64_t span = g->rto << (doublings + 1);

	return span < g->timeout ? span : g->timeout;
}

void group_bury(struct engine *e, struct group *g)
{
	unsigned int i;

	for (i = 0; i < MAX_EDGES; i++)
		edge_flush(e, &g->edges[i]);
	for (i = 0; i < g->num_segs; i++)
		e->slots[g->seg_base + i].state = SLOT_FREE;
	g->state = TALLY_GROUP_TOMBSTONE;
	g->state_until = e->now + retry_span(g);
}

static void exhume(struct engine *e, struct group *g)
{
	unsigned int i;

	for (i = 0; i < g->num_segs; i++)
		e->slot_owned[g->seg_base + i] = false;
	g->state = TALLY_GROUP_NONE;
	e->host->event(e->ctx, TALLY_EQE_GROUP_DRAINED, g - e->groups, 0);
}

struct engine_result engine_destroy_group(struct engine *e, uint32_t group)
{
	struct group *g = &e->groups[group];

	if (g->state == TALLY_GROUP_NONE || g->destroyed)
		return REFUSE(NOT_FOUND, tally_cmd_object, id);
	if (g->qps != NONE)
		return REFUSE(IN_USE, tally_cmd_object, id);
	g->destroyed = true;
	ranks_leave(e, g, g->rank_mask & ~g->gone);
	if (g->state == TALLY_GROUP_DEAD || (group_alive(g) && slots_idle(e, g)))
		group_bury(e, g);
	else if (group_alive(g))
		g->state = TALLY_GROUP_DRAINING;
	return OK; /* a group that is just being killed is buried when that is over */
}

/* ---- Progress and time ---- */

static void pump_slots(struct engine *e, struct group *g)
{
	uint32_t first = g->done, i;

	for (i = 0; i < g->num_segs && group_alive(g); i++) {
		struct slot *s = slot_of(e, g, first + i);

		if (s->state == SLOT_BUSY && s->num == first + i)
			slot_pump(e, g, s);
	}
}

void group_pump(struct engine *e, struct group *g)
{
	uint32_t qp, next, done;

	do {
		done = g->done;
		pump_slots(e, g);
		for (qp = g->qps; qp != NONE; qp = next) {
			next = e->qps[qp].next_in_group;
			sender_pump(e, &e->qps[qp]);
		}
	} while (g->done != done && group_alive(g));
	if (group_alive(g))
		edge_watch(e, g);
	if (g->state == TALLY_GROUP_DRAINING && slots_idle(e, g))
		group_bury(e, g);
}

uint64_t group_next(const struct engine *e, const struct group *g)
{
	uint64_t next = kill_next(g), t;
	unsigned int i;

	if (g->state == TALLY_GROUP_TOMBSTONE)
		return g->state_until < next ? g->state_until : next;
	if (!group_alive(g))
		return next;
	for (i = 0; i < MAX_EDGES; i++) {
		t = edge_next(&g->edges[i]);
		next = t < next ? t : next;
	}
	for (i = 0; i < g->num_segs; i++) {
		t = slot_next(g, &e->slots[g->seg_base + i]);
		next = t < next ? t : next;
	}
	t = sender_next(e, g);
	return t < next ? t : next;
}

void group_timers(struct engine *e, struct group *g)
{
	unsigned int i;

	kill_timers(e, g);
	if (g->state == TALLY_GROUP_TOMBSTONE && g->state_until <= e->now) {
		exhume(e, g);
		return;
	}
	for (i = 0; i < MAX_EDGES && group_alive(g); i++)
		edge_timers(e, g, i);
	for (i = 0; i < g->num_segs && group_alive(g); i++)
		slot_timer(e, g, &e->slots[g->seg_base + i]);
	if (group_alive(g))
		sender_timers(e, g);
}
