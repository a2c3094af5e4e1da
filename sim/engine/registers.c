// SPDX-License-Identifier: BSD-2-Clause
/* The register file by which the firmware reaches the hardware (docs/registers.md). */
#include "engine/registers.h"
#include "engine/commands.h"
#include "engine/common.h"
#include "engine/events.h"
#include "engine/late.h"
#include "engine/mirror.h"
#include "engine/group.h"
#include "engine/open.h"
#include "engine/pool.h"
#include "engine/registers_qp.h"
#include "engine/registers_query.h"
#include "engine/registers_setup.h"
#include "engine/segment.h"
#include "engine/timer.h"
#include "engine/tombstone.h"

#include <endian.h>
#include <stdlib.h>

/* The firmware reads and writes what docs/registers.md has, so anything else is a bug of it. */
static void no_register(void)
{
	abort();
}

/* A register of which the hardware has the value, in a function that switches on the offset. */
#define AT(block, field) __builtin_offsetof(struct tally_fw_##block, field)
#define READ(block, field, value) \
	case AT(block, field):    \
		return (value)
#define WRITE(block, field, to) \
	case AT(block, field):  \
		(to) = value;   \
		return

/* ---- Whole engine ---- */

static bool job_exists(struct engine *e)
{
	const struct group *g = group_of_job(e, e->fw_job);

	return g && !g->destroyed;
}

static uint64_t control_read(struct engine *e, uint32_t at)
{
	switch (at) {
		READ(control, segs_left, pool_left(e));
		READ(control, cells_left, TALLY_RMQ_CELLS - e->cells_reserved - e->shared_used);
		READ(control, edges_left, TALLY_MAX_EDGES - e->edges_used);
		READ(control, requests_left, TALLY_MAX_REQUESTS - e->requests_owned);
		READ(control, job_exists, job_exists(e));
		READ(control, now, e->now);
	default:
		no_register();
		return 0;
	}
}

/* Take the oldest event. */
static uint64_t next_event(struct engine *e)
{
	events_next(e);
	return e->event.type | e->event.edge << 8 | e->event.group << 16;
}

/* What the hardware compares of an OPEN. */
static uint64_t open_read(struct engine *e)
{
	const struct group *g = events_group(e, e->event.group);

	if (e->event.compared)
		return e->event.open;
	return open_state(g, &g->edges[e->event.edge], &e->event);
}

static uint64_t event_read(struct engine *e, uint32_t at)
{
	const struct fw_event *ev = &e->event;

	if (at >= AT(event, data) && at < AT(event, data) + sizeof(ev->data))
		return ev->data[(at - AT(event, data)) / 4];
	switch (at) {
		READ(event, cause, ev->cause);
		READ(event, epoch, ev->epoch);
		READ(event, mid, ev->mid);
		READ(event, sid, ev->sid);
		READ(event, status, ev->status);
		READ(event, contributors, ev->contributors);
		READ(event, ranks, ev->ranks);
		READ(event, qp, ev->qp);
	case AT(event, next):
		return next_event(e);
	case AT(event, open):
		return open_read(e);
	case AT(event, group_key):
		return be32toh(open_of(ev).group_key);
	default:
		no_register();
		return 0;
	}
}

static void command_write(struct engine *e, uint32_t at, uint64_t value)
{
	struct fw_command *c = &e->command;

	if (at >= AT(command, data) && at < AT(command, data) + sizeof(c->data)) {
		c->data[(at - AT(command, data)) / 4] = value;
		return;
	}
	switch (at) {
	case AT(command, go):
		commands_go(e, value);
		return;
		WRITE(command, kind, c->kind);
		WRITE(command, flags, c->flags);
		WRITE(command, epoch, c->epoch);
		WRITE(command, key, c->key);
		WRITE(command, mid, c->mid);
		WRITE(command, sid, c->sid);
		WRITE(command, length, c->length);
		WRITE(command, qp, c->qp);
		WRITE(command, contributors, c->contributors);
		WRITE(command, ranks, c->ranks);
	default:
		no_register();
	}
}

/* ---- Groups ---- */

/* What the oldest chunk waits for. Registers are 0 if it has not begun. */
static uint64_t oldest_read(struct engine *e, const struct group *g, uint32_t at)
{
	const struct slot *s = late_chunk(e, g);

	if (!s)
		return 0;
	switch (at) {
		READ(group, oldest_busy, 1);
		READ(group, oldest_tree, s->mode == TALLY_MODE_TREE);
		READ(group, oldest_mid, s->mid);
		READ(group, oldest_sid, s->sid);
		READ(group, oldest_missing, late_contributors(g, s));
		READ(group, oldest_waits, slot_waits(g, s));
		READ(group, oldest_waits_parent, slot_waits_on(g, s, EDGE_PARENT));
		READ(group, oldest_started, s->started);
		READ(group, oldest_limit, s->limit);
	default:
		no_register();
		return 0;
	}
}

static uint64_t group_read(struct engine *e, const struct group *g, uint32_t at)
{
	if (at >= AT(group, oldest_busy) && at <= AT(group, oldest_limit) &&
	    at != AT(group, late_mid))
		return oldest_read(e, g, at);
	switch (at) {
		READ(group, flags, g->flags);
		READ(group, node, g->node);
		READ(group, num_nodes, g->num_nodes);
		READ(group, modes, g->modes);
		READ(group, level, g->level);
		READ(group, total_ranks, g->total_ranks);
		READ(group, subtree_ranks, g->subtree_ranks);
		READ(group, num_edges, g->num_contributors);
		READ(group, parent, g->parent);
		READ(group, upstream, g->upstream);
		READ(group, retry_limit, g->retry_limit);
		READ(group, rank_mask, g->rank_mask);
		READ(group, timeout, g->timeout);
		READ(group, rto, g->rto);
		READ(group, max_backoff, g->max_backoff);
		READ(group, state, g->state);
		READ(group, epoch, g->epoch);
		READ(group, group_key, g->mcast_key);
		READ(group, mid_done, g->mid_done);
		READ(group, gone, g->gone);
		READ(group, timer, g->fw_at);
		READ(group, late, late_ranks(e, g, e->late_mid));
		READ(group, begun, late_begun(g, e->late_mid));
		READ(group, lacking, late_messages(e, g));
		READ(group, status, g->report.status);
		READ(group, detector, g->report.detector);
		READ(group, detector_level, g->report.level);
		READ(group, contributors, g->report.contributors);
		READ(group, ranks, g->report.ranks);
		READ(group, report_mid, g->report.mid);
		READ(group, report_sid, g->report.sid);
		READ(group, attached, g->attached);
		READ(group, done, g->done);
		READ(group, held, g->limit - g->done);
		READ(group, owed, g->num_segs - g->granted);
	case TALLY_FW_SETUP_OFFSET + AT(setup, jid):
		return g->jid;
	case TALLY_FW_SETUP_OFFSET + AT(setup, max_segs):
		return g->max_segs;
		READ(group, first_qp, g->qps);
		READ(group, busy, !slots_idle(e, g));
		READ(group, to_open, g->to_open);
		READ(group, destroyed, g->destroyed);
		READ(group, ended_well, g->ended_well);
	default:
		no_register();
		return 0;
	}
}

static void group_write(struct engine *e, struct group *g, uint32_t at, uint64_t value)
{
	switch (at) {
	case AT(group, timer):
		g->fw_at = value;
		timer_touch(e, &g->timer);
		return;
	case AT(group, state):
		if (value != TALLY_GROUP_OPEN || g->state != TALLY_GROUP_COLLECT)
			g->state = value;
		mirror_state(e, g);
		return;
	case AT(group, status): /* the last of a report */
		g->report.status = value;
		if (value)
			mirror_report(e, g);
		return;
		WRITE(group, epoch, g->epoch);
		WRITE(group, group_key, g->mcast_key);
		WRITE(group, late_mid, e->late_mid);
		WRITE(group, to_open, g->to_open);
		WRITE(group, detector, g->report.detector);
		WRITE(group, detector_level, g->report.level);
		WRITE(group, contributors, g->report.contributors);
		WRITE(group, ranks, g->report.ranks);
		WRITE(group, report_mid, g->report.mid);
		WRITE(group, report_sid, g->report.sid);
	default:
		if (!setup_group_write(g, at, value))
			no_register();
	}
}

/* ---- Edges ---- */

static uint64_t edge_read(const struct edge *ed, uint32_t at)
{
	uint64_t value;

	if (query_edge_read(ed, at, &value))
		return value;
	switch (at) {
		READ(edge, state, ed->state);
		READ(edge, subtree_first, ed->first);
		READ(edge, subtree_count, ed->count);
		READ(edge, rank_count, ed->rank_count);
		READ(edge, peer_key, ed->peer_key);
		READ(edge, unconfirmed, ed->unconfirmed);
		READ(edge, peer_nonce, ed->peer_nonce);
		READ(edge, timer, ed->fw_at);
		READ(edge, delay, ed->delay);
		READ(edge, awaits_epoch, ed->awaits_epoch);
		READ(edge, kill, ed->kill);
		READ(edge, kill_tries, ed->kill_tries);
		READ(edge, first_seq, ed->first_seq);
		READ(edge, own_first_seq, ed->own_first_seq);
		READ(edge, first_limit, ed->first_limit);
	default:
		no_register();
		return 0;
	}
}

static void set_edge_timer(struct engine *e, struct group *g, struct edge *ed, uint64_t at)
{
	ed->fw_at = at;
	timer_touch(e, &ed->timer);
	tombstone_heard(e, g);
}

static void edge_write(struct engine *e, struct group *g, struct edge *ed, uint32_t at,
		       uint64_t value)
{
	switch (at) {
	case AT(edge, timer):
		set_edge_timer(e, g, ed, value);
		return;
	case AT(edge, delay):
		ed->delay = value;
		set_edge_timer(e, g, ed, value ? e->now + value * NS : NEVER);
		return;
		WRITE(edge, awaits_epoch, ed->awaits_epoch);
		WRITE(edge, kill, ed->kill);
		WRITE(edge, kill_tries, ed->kill_tries);
	default:
		if (!setup_edge_write(ed, at, value))
			no_register();
	}
}

/* ---- Addresses ---- */

static bool is_segment(uint32_t reg)
{
	return reg >= TALLY_FW_SEGMENT_BASE && reg < TALLY_FW_ARRIVAL_BASE;
}

static bool is_arrival(uint32_t reg)
{
	return reg >= TALLY_FW_ARRIVAL_BASE && reg < TALLY_FW_QP_BASE;
}

static bool is_qp(uint32_t reg)
{
	return reg >= TALLY_FW_QP_BASE && reg < TALLY_FW_GROUP_BASE;
}

/* The place of a register in the tables of groups and edges. */
struct place {
	struct group *g;
	struct edge *ed; /* NULL: it is the group's */
	uint32_t at;
};

static struct place place_of(struct engine *e, uint32_t reg)
{
	uint32_t n = (reg - TALLY_FW_GROUP_BASE) / TALLY_FW_GROUP_STRIDE;
	uint32_t at = (reg - TALLY_FW_GROUP_BASE) % TALLY_FW_GROUP_STRIDE;
	uint32_t edge = (at - TALLY_FW_EDGE_OFFSET) / TALLY_FW_EDGE_STRIDE;
	struct place p = { .at = at };

	if (n >= TALLY_MAX_GROUP + TALLY_MAX_TOMBSTONES)
		no_register();
	p.g = events_group(e, n);
	if (at < TALLY_FW_EDGE_OFFSET)
		return p;
	if (edge >= MAX_EDGES)
		no_register();
	p.ed = &p.g->edges[edge];
	p.at = (at - TALLY_FW_EDGE_OFFSET) % TALLY_FW_EDGE_STRIDE;
	return p;
}

/* Whether the hardware may change a register of a group while the firmware runs. */
static bool changes_in_group(uint32_t at)
{
	return at == AT(group, state) || at == AT(group, destroyed) || at == AT(group, begun) ||
	       (at >= AT(group, mid_done) && at < AT(group, status));
}

static bool changes_in_edge(uint32_t at)
{
	return at == AT(edge, timer);
}

bool registers_change(uint32_t reg)
{
	uint32_t at = (reg - TALLY_FW_GROUP_BASE) % TALLY_FW_GROUP_STRIDE;

	if (reg < TALLY_FW_EVENT_BASE)
		return reg == TALLY_FW_CONTROL_BASE + AT(control, now);
	if (reg < TALLY_FW_COMMAND_BASE)
		return reg == TALLY_FW_EVENT_BASE + AT(event, next) ||
		       reg == TALLY_FW_EVENT_BASE + AT(event, open);
	if (reg < TALLY_FW_GROUP_BASE)
		return false;
	if (at < TALLY_FW_EDGE_OFFSET)
		return changes_in_group(at);
	return changes_in_edge((at - TALLY_FW_EDGE_OFFSET) % TALLY_FW_EDGE_STRIDE);
}

/* Whether the hardware reads a register of a group before the next command. */
static bool acts_in_group(uint32_t at)
{
	return at == AT(group, state) || at == AT(group, epoch) || at == AT(group, group_key) ||
	       at == AT(group, timer);
}

static bool acts_in_edge(uint32_t at)
{
	return at == AT(edge, timer) || at == AT(edge, delay);
}

bool registers_act(uint32_t reg)
{
	uint32_t at = (reg - TALLY_FW_GROUP_BASE) % TALLY_FW_GROUP_STRIDE;

	if (reg < TALLY_FW_GROUP_BASE)
		return reg == TALLY_FW_SEGMENT_BASE + AT(segment, find) ||
		       reg == TALLY_FW_COMMAND_BASE + AT(command, go);
	if (at < TALLY_FW_EDGE_OFFSET)
		return acts_in_group(at);
	return acts_in_edge((at - TALLY_FW_EDGE_OFFSET) % TALLY_FW_EDGE_STRIDE);
}

/* Read or write a register that belongs to no group. Returns false if there is no such register. */
static bool window_read(struct engine *e, uint32_t reg, uint64_t *value)
{
	if (reg < TALLY_FW_EVENT_BASE)
		*value = control_read(e, reg - TALLY_FW_CONTROL_BASE);
	else if (reg < TALLY_FW_COMMAND_BASE)
		*value = event_read(e, reg - TALLY_FW_EVENT_BASE);
	else if (is_segment(reg))
		return query_segment_read(e, reg - TALLY_FW_SEGMENT_BASE, value);
	else if (is_arrival(reg))
		return query_arrival_read(e, reg - TALLY_FW_ARRIVAL_BASE, value);
	else if (is_qp(reg))
		return qp_register_read(e, reg - TALLY_FW_QP_BASE, value);
	else
		return false;
	return true;
}

static bool window_write(struct engine *e, uint32_t reg, uint64_t value)
{
	if (reg == TALLY_FW_CONTROL_BASE + AT(control, count))
		count(e, value, 1);
	else if (reg == TALLY_FW_CONTROL_BASE + AT(control, job))
		e->fw_job = value;
	else if (is_segment(reg))
		return query_segment_write(e, reg - TALLY_FW_SEGMENT_BASE, value);
	else if (is_arrival(reg))
		return query_arrival_write(e, reg - TALLY_FW_ARRIVAL_BASE, value);
	else if (is_qp(reg))
		return qp_register_write(e, reg - TALLY_FW_QP_BASE, value);
	else if (reg >= TALLY_FW_COMMAND_BASE)
		command_write(e, reg - TALLY_FW_COMMAND_BASE, value);
	else
		return false;
	return true;
}

uint64_t registers_read(struct engine *e, uint32_t reg)
{
	uint64_t value = 0;
	struct place p;

	if (reg < TALLY_FW_GROUP_BASE) {
		if (!window_read(e, reg, &value))
			no_register();
		return value;
	}
	p = place_of(e, reg);
	return p.ed ? edge_read(p.ed, p.at) : group_read(e, p.g, p.at);
}

void registers_write(struct engine *e, uint32_t reg, uint64_t value)
{
	struct place p;

	if (reg < TALLY_FW_GROUP_BASE) {
		if (!window_write(e, reg, value))
			no_register();
		return;
	}
	p = place_of(e, reg);
	if (p.ed)
		edge_write(e, p.g, p.ed, p.at, value);
	else
		group_write(e, p.g, p.at, value);
	mirror_write(e, reg, value);
}
