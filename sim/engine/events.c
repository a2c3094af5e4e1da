// SPDX-License-Identifier: BSD-2-Clause
/* The queue of events for the firmware. */
#include "engine/events.h"
#include "engine/common.h"
#include "engine/open.h"

#include <string.h>

#define TIMER_AGAIN (1 * US) /* until a timer that found no place expires again */

static const struct fw_event nothing = { .type = TALLY_FW_EV_NONE };

uint32_t events_number(const struct engine *e, const struct group *g)
{
	if (g >= e->tombstones && g < e->tombstones + TALLY_MAX_TOMBSTONES)
		return TALLY_MAX_GROUP + (g - e->tombstones);
	return g - e->groups;
}

struct group *events_group(struct engine *e, uint32_t number)
{
	return number < TALLY_MAX_GROUP ? &e->groups[number] :
					  &e->tombstones[number - TALLY_MAX_GROUP];
}

/* Whether packets and timers may have the place; the others each have one of their own. */
static bool shares_places(const struct fw_event *ev)
{
	return ev->type != TALLY_FW_EV_BEGIN && ev->type != TALLY_FW_EV_EXCEPTION &&
	       ev->type != TALLY_FW_EV_FENCED && ev->type != TALLY_FW_EV_DRAINED &&
	       ev->type != TALLY_FW_EV_QUERY;
}

static void push(struct engine *e, const struct fw_event *ev)
{
	e->events[e->event_tail] = *ev;
	e->event_tail = (e->event_tail + 1) % NUM_EVENTS;
	e->events_shared += shares_places(ev);
	e->event_begins += ev->type == TALLY_FW_EV_BEGIN;
	e->events_raised++;
}

/* Push an event for which a place may be missing. Returns whether there was one. */
static bool try_push(struct engine *e, const struct fw_event *ev)
{
	if (e->events_shared == TALLY_FW_EVENT_DEPTH)
		return false;
	push(e, ev);
	return true;
}

void events_packet(struct engine *e, const struct group *g, unsigned int idx, const struct tch *t,
		   const void *payload, size_t len)
{
	struct fw_event ev = {
		.type = t->kind == TALLY_KIND_OPEN ? TALLY_FW_EV_OPEN :
			t->kind == TALLY_KIND_KILL ? TALLY_FW_EV_KILL :
						     TALLY_FW_EV_KILL_ACK,
		.group = events_number(e, g),
		.edge = idx,
		.flags = t->flags,
		.epoch = t->epoch,
		.mid = t->mid,
		.sid = t->kind == TALLY_KIND_OPEN && t->limit ? t->done + t->limit : t->sid,
	};

	memcpy(ev.data, payload, len);
	if (!try_push(e, &ev))
		count(e, TALLY_CTR_drop_event, 1);
}

void events_after_end(struct engine *e, const struct group *g, unsigned int idx)
{
	const struct fw_event ev = {
		.type = TALLY_FW_EV_AFTER_END,
		.group = events_number(e, g),
		.edge = idx,
	};

	if (!try_push(e, &ev))
		count(e, TALLY_CTR_drop_event, 1);
}

void events_timer(struct engine *e, const struct group *g, unsigned int idx, uint64_t *at)
{
	const struct fw_event ev = {
		.type = TALLY_FW_EV_TIMER,
		.group = events_number(e, g),
		.edge = idx,
	};

	*at = try_push(e, &ev) ? NEVER : e->now + TIMER_AGAIN;
}

void events_of_group(struct engine *e, const struct group *g, enum tally_fw_event_type type)
{
	const struct fw_event ev = {
		.type = type,
		.group = events_number(e, g),
		.edge = NO_EDGE,
	};
	const struct engine_event drained = { .type = type, .group = ev.group };

	if (!host_raises(e))
		push(e, &ev);
	else if (type == TALLY_FW_EV_DRAINED) /* the others follow from commands */
		e->host->raise(e->ctx, &drained);
}

void events_exception(struct engine *e, const struct group *g, enum tally_fw_cause cause,
		      const struct report *r)
{
	const struct fw_event ev = {
		.type = TALLY_FW_EV_EXCEPTION,
		.group = events_number(e, g),
		.edge = NO_EDGE,
		.cause = cause,
		.status = r->status,
		.mid = r->mid,
		.sid = r->sid,
		.contributors = r->contributors,
		.ranks = r->ranks,
	};
	const struct engine_event raised = {
		.type = ev.type,
		.group = ev.group,
		.cause = cause,
		.status = r->status,
		.mid = r->mid,
		.sid = r->sid,
		.contributors = r->contributors,
		.ranks = r->ranks,
	};

	if (host_raises(e))
		e->host->raise(e->ctx, &raised);
	else
		push(e, &ev);
}

void events_query(struct engine *e, const struct qp *qp, uint32_t mid)
{
	const struct fw_event ev = {
		.type = TALLY_FW_EV_QUERY,
		.group = qp->cfg.group,
		.edge = NO_EDGE,
		.mid = mid,
		.qp = qp - e->qps,
	};

	push(e, &ev);
}

/* ---- The queue of the host ---- */

static bool of_engine_wait(const struct engine *e)
{
	return e->event_head != e->event_tail;
}

bool events_wait(const struct engine *e)
{
	if (e->begins)
		return false;
	return of_engine_wait(e) || e->event_given ||
	       (host_queues_events(e) && e->host->event_waits(e->ctx));
}

/*
 * The two queues take turns, so that neither keeps the other waiting. But packets that come after the
 * begin of an epoch must not be handled before it; a host that raises BEGIN sees to this itself.
 */
static bool engine_is_first(const struct engine *e)
{
	return of_engine_wait(e) && (e->event_begins || e->event_turn);
}

bool events_ask(struct engine *e)
{
	if (e->event_asked)
		return true;
	if (e->begins || e->event_given || !host_queues_events(e) ||
	    !e->host->event_waits(e->ctx) || engine_is_first(e))
		return false;
	e->event_asked = true;
	memset(e->dropped, 0, sizeof(e->dropped));
	e->host->take_event(e->ctx);
	return true;
}

static bool is_dropped(const struct engine *e, uint32_t group)
{
	return e->dropped[group / 64] >> group % 64 & 1;
}

static struct fw_event of_host(const struct engine_event *ev)
{
	struct fw_event event = {
		.type = ev->type,
		.group = ev->group,
		.edge = ev->edge,
		.flags = ev->flags,
		.epoch = ev->epoch,
		.mid = ev->mid,
		.sid = ev->sid,
		.cause = ev->cause,
		.status = ev->status,
		.contributors = ev->contributors,
		.ranks = ev->ranks,
		.open = ev->open,
	};

	memcpy(event.data, ev->data, sizeof(ev->data));
	return event;
}

void events_give(struct engine *e, const struct engine_event *ev)
{
	e->event_asked = false;
	e->event_given = ev->type != TALLY_FW_EV_NONE && !is_dropped(e, ev->group);
	e->event_of_host = of_host(ev);
	e->event_of_host.compared = host_compares(e);
}

uint32_t engine_would_open(struct engine *e, const struct engine_event *ev)
{
	const struct fw_event event = of_host(ev);
	const struct group *g = events_group(e, ev->group);

	return open_state(g, &g->edges[ev->edge], &event);
}

/* The host has been told to drop the events of a context, but one may be on its way. */
static void drop_of_host(struct engine *e, uint32_t group)
{
	e->dropped[group / 64] |= 1ULL << group % 64;
	if (e->event_of_host.group == group)
		e->event_given = false;
}

/* ---- The next event ---- */

static void take_of_engine(struct engine *e)
{
	e->event = e->events[e->event_head];
	e->events_shared -= shares_places(&e->event);
	e->event_begins -= e->event.type == TALLY_FW_EV_BEGIN;
	e->event_head = (e->event_head + 1) % NUM_EVENTS;
	if (e->event_head == e->event_tail) /* few places are ever used */
		e->event_head = e->event_tail = 0;
}

/* What the host has given is of an epoch that has begun before, or it would have been dropped. */
void events_next(struct engine *e)
{
	e->event = nothing;
	if (e->begins)
		return;
	e->event_turn = e->event_given;
	if (e->event_given)
		e->event = e->event_of_host;
	else if (of_engine_wait(e))
		take_of_engine(e);
	e->event_given = false;
}

/* What an event must be of to be dropped. */
struct subject {
	uint32_t group;
	uint32_t qp; /* NONE: any */
	bool queries;
};

static bool concerns(const struct fw_event *ev, const struct subject *s)
{
	if (ev->type == TALLY_FW_EV_QUERY)
		return s->queries && ev->group == s->group && (s->qp == NONE || ev->qp == s->qp);
	return s->qp == NONE && ev->group == s->group;
}

static void drop(struct engine *e, struct subject s)
{
	uint32_t from, to = e->event_head;

	for (from = e->event_head; from != e->event_tail; from = (from + 1) % NUM_EVENTS) {
		if (concerns(&e->events[from], &s)) {
			e->events_shared -= shares_places(&e->events[from]);
			e->event_begins -= e->events[from].type == TALLY_FW_EV_BEGIN;
			continue;
		}
		e->events[to] = e->events[from];
		to = (to + 1) % NUM_EVENTS;
	}
	e->event_tail = to;
}

void events_drop(struct engine *e, const struct group *g)
{
	drop_of_host(e, events_number(e, g));
	drop(e, (struct subject){ events_number(e, g), NONE, true });
}

void events_drop_epoch(struct engine *e, const struct group *g)
{
	drop_of_host(e, events_number(e, g));
	drop(e, (struct subject){ events_number(e, g), NONE, false });
}

void events_drop_query(struct engine *e, const struct qp *qp)
{
	drop(e, (struct subject){ qp->cfg.group, qp - e->qps, true });
}
