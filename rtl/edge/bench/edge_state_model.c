// SPDX-License-Identifier: BSD-2-Clause
#include "edge_state_model.h"

#include <endian.h>
#include <stdlib.h>

#include "engine/test/units.h"

static struct engine *engine;
static struct tally_tch last; /* header of the last packet */
static unsigned int sent;     /* packets */

static void host_send(void *ctx, const struct engine_addr *to, const struct tally_tch *tch,
		      const void *payload, size_t len, uint64_t delay)
{
	(void)ctx;
	(void)to;
	(void)payload;
	(void)len;
	(void)delay;
	last = *tch;
	sent++;
}

static void host_count(void *ctx, enum tally_counter counter, uint64_t n)
{
	(void)ctx;
	(void)counter;
	(void)n;
}

static const struct engine_host host = { .send = host_send, .count = host_count };

static struct group *group_at(unsigned int group)
{
	return &engine->groups[group];
}

static struct edge *edge_at(unsigned int group, unsigned int edge)
{
	return &group_at(group)->edges[edge];
}

void state_model_init(void)
{
	engine = engine_new(&host, NULL, 1);
	if (!engine)
		abort();
	engine->now = 1;
}

void state_model_group(unsigned int group, const struct state_model_group *what)
{
	struct group *g = group_at(group);

	g->state = TALLY_GROUP_OPEN;
	g->mode = TALLY_MODE_TREE;
	g->modes = TALLY_MODES_TREE;
	g->qps = NONE;
	g->num_contributors = what->edges;
	g->peers = what->peers;
	g->contributors = g->children = ((1ULL << what->edges) - 1) & ~what->peers;
	g->parent = what->parent < 0 ? NO_EDGE : what->parent;
	g->num_segs = what->segs;
	g->max_segs = what->segs + what->borrows;
	edge_release_all(g);
}

void state_model_moved(unsigned int group, uint32_t done, uint32_t limit)
{
	group_at(group)->done = done;
	group_at(group)->limit = limit;
}

/* ---- Commands ---- */

static void go(enum tally_fw_command_code code, unsigned int group, unsigned int edge)
{
	group_at(group)->to_open = 2; /* it never opens by this */
	commands_go(engine, code | edge << 8 | group << 16);
}

void state_model_close(unsigned int group, unsigned int edge)
{
	edge_at(group, edge)->state = TALLY_EDGE_NONE;
}

void state_model_renew(unsigned int group, unsigned int edge)
{
	go(TALLY_FW_CMD_RENEW_EDGE, group, edge);
}

void state_model_open(unsigned int group, unsigned int edge, uint32_t limit)
{
	engine->event.sid = limit;
	go(TALLY_FW_CMD_OPEN_EDGE, group, edge);
}

void state_model_settle(unsigned int group, unsigned int edge)
{
	go(TALLY_FW_CMD_SETTLE_EDGE, group, edge);
}

bool state_model_is_open(unsigned int group, unsigned int edge)
{
	return edge_at(group, edge)->state == TALLY_EDGE_OPEN;
}

bool state_model_gives(unsigned int group, unsigned int edge)
{
	const struct group *g = group_at(group);

	return edge == g->parent || (g->children & contributor_bit(edge));
}

/* ---- Packets ---- */

bool state_model_heard(unsigned int group, unsigned int edge, uint32_t done, uint16_t limit)
{
	const struct tch t = { .done = done, .limit = limit };
	uint32_t before = edge_at(group, edge)->peer_limit;

	edge_heard(engine, group_at(group), edge, &t);
	return edge_at(group, edge)->peer_limit != before;
}

/* What was told is restored: the packet is only a question. */
static void take_back(struct edge *ed, uint32_t done, uint32_t limit)
{
	ed->told_done = done;
	ed->told_limit = limit;
}

bool state_model_may_send(unsigned int group, unsigned int edge, uint32_t num)
{
	struct group *g = group_at(group);
	struct edge *ed = edge_at(group, edge);
	uint32_t done = ed->told_done, limit = ed->told_limit;
	struct slot *s = &engine->slots[0];
	const struct span nothing = { 0 };
	bool may;

	s->num = num;
	s->mode = TALLY_MODE_TREE;
	s->sent[edge] = 0;
	may = slot_send(engine, g, s, edge, TALLY_KIND_REDUCE, nothing, NULL);
	edge_flush(g, ed);
	take_back(ed, done, limit);
	return may;
}

bool state_model_may_message(unsigned int group, unsigned int edge)
{
	return edge_can_send_message(group_at(group), edge_at(group, edge));
}

void state_model_tell(unsigned int group, unsigned int edge, uint32_t *done, uint16_t *limit)
{
	edge_notify(engine, group_at(group), edge);
	*done = be32toh(last.done);
	*limit = be16toh(last.limit);
}

bool state_model_has_news(unsigned int group, unsigned int edge)
{
	struct edge *ed = edge_at(group, edge);
	uint32_t done = ed->told_done, limit = ed->told_limit;
	unsigned int before = sent;

	ed->ack_at = ed->rto_at = NEVER;
	ed->announce_at = engine->now;
	edge_timers(engine, group_at(group), edge);
	take_back(ed, done, limit);
	return sent != before;
}

bool state_model_hurries(unsigned int group, unsigned int edge, bool posted)
{
	edge_at(group, edge)->announce_at = NEVER;
	edge_hurry_limit(engine, group_at(group), posted ? TALLY_MODE_TREE : 0);
	return edge_at(group, edge)->announce_at == engine->now;
}
