// SPDX-License-Identifier: BSD-2-Clause
#include "engine/common.h"
#include "engine/events.h"
#include "engine/registers.h"

#include "events_model.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#define AT(field) __builtin_offsetof(struct tally_fw_event, field)

static struct engine *e;
static uint64_t drops;

static void host_count(void *ctx, enum tally_counter counter, uint64_t n)
{
	(void)ctx;
	if (counter == TALLY_CTR_drop_event)
		drops += n;
}

static const struct engine_host host = {
	.count = host_count,
};

void model_reset(void)
{
	const struct fw_event none = { .type = TALLY_FW_EV_NONE };

	if (!e)
		e = engine_new(&host, NULL, 1);
	if (!e)
		abort();
	e->event_head = e->event_tail = 0;
	e->events_shared = 0;
	e->event = none;
}

/* ---- Events ---- */

bool model_packet(uint32_t context, uint32_t edge, const struct model_tch *p)
{
	const struct tch t = {
		.kind = p->kind,
		.flags = p->flags,
		.limit = p->limit,
		.epoch = p->epoch,
		.mid = p->mid,
		.sid = p->sid,
		.done = p->done,
	};
	uint64_t before = drops;

	events_packet(e, events_group(e, context), edge, &t, p->data, p->len);
	return drops == before;
}

bool model_after_end(uint32_t context, uint32_t edge)
{
	uint64_t before = drops;

	events_after_end(e, events_group(e, context), edge);
	return drops == before;
}

bool model_timer(uint32_t context, uint32_t edge)
{
	uint64_t at = 0;

	events_timer(e, events_group(e, context), edge, &at);
	return at == NEVER;
}

static bool is_shared(const struct fw_event *ev)
{
	return ev->type != TALLY_FW_EV_BEGIN && ev->type != TALLY_FW_EV_EXCEPTION && ev->type != TALLY_FW_EV_FENCED &&
	       ev->type != TALLY_FW_EV_DRAINED && ev->type != TALLY_FW_EV_QUERY;
}

/* Return the place of an event in the queue, or that of its end. @number: UINT32_MAX: any event of packets and timers. */
static uint32_t find(uint32_t type, uint32_t number)
{
	uint32_t at;

	for (at = e->event_head; at != e->event_tail; at = (at + 1) % NUM_EVENTS) {
		const struct fw_event *ev = &e->events[at];

		if (number == UINT32_MAX ? is_shared(ev) :
		    ev->type == type && (type == TALLY_FW_EV_QUERY ? ev->qp : ev->group) == number)
			break;
	}
	return at;
}

bool model_waits(uint32_t type, uint32_t number)
{
	return find(type, number) != e->event_tail;
}

bool model_of_group(uint32_t group, uint32_t type)
{
	if (model_waits(type, group))
		return false;
	events_of_group(e, events_group(e, group), type);
	return true;
}

bool model_exception(uint32_t group, const struct model_event *ev)
{
	const struct report r = {
		.status = ev->status,
		.contributors = ev->contributors,
		.ranks = ev->ranks,
		.mid = ev->mid,
		.sid = ev->sid,
	};

	if (model_waits(TALLY_FW_EV_EXCEPTION, group))
		return false;
	events_exception(e, events_group(e, group), ev->cause, &r);
	return true;
}

bool model_query(uint32_t qp, uint32_t group, uint32_t mid)
{
	if (model_waits(TALLY_FW_EV_QUERY, qp))
		return false;
	e->qps[qp].cfg.group = group;
	events_query(e, &e->qps[qp], mid);
	return true;
}

void model_drop(uint32_t context)
{
	events_drop_epoch(e, events_group(e, context));
}

void model_forget(uint32_t qp)
{
	events_drop_query(e, &e->qps[qp]);
}

uint32_t model_shared(void)
{
	return e->events_shared;
}

uint32_t model_others(void)
{
	return (e->event_tail - e->event_head) % NUM_EVENTS - e->events_shared;
}

/* Let the event at this place be the oldest one, and read `next`. */
static uint32_t take(uint32_t at)
{
	struct fw_event ev;

	if (at == e->event_tail)
		return 0;
	ev = e->events[at];
	for (; at != e->event_head; at = (at - 1) % NUM_EVENTS)
		e->events[at] = e->events[(at - 1) % NUM_EVENTS];
	e->events[at] = ev;
	return registers_read(e, TALLY_FW_EVENT_BASE + AT(next));
}

uint32_t model_take_shared(void)
{
	return take(find(TALLY_FW_EV_NONE, UINT32_MAX));
}

uint32_t model_take_other(uint32_t type, uint32_t number)
{
	return take(find(type, number));
}

/* ---- Registers ---- */

void model_set(const struct model_event *ev)
{
	e->event = (struct fw_event){
		.type = ev->type,
		.cause = ev->cause,
		.group = ev->context,
		.edge = ev->edge,
		.flags = ev->flags,
		.epoch = ev->epoch,
		.mid = ev->mid,
		.sid = ev->sid,
		.status = ev->status,
		.qp = ev->qp,
		.contributors = ev->contributors,
		.ranks = ev->ranks,
	};
	memcpy(e->event.data, ev->data, sizeof(ev->data));
}

bool model_has(uint32_t at)
{
	return at % 4 == 0 && at < sizeof(struct tally_fw_event) &&
	       (at <= AT(qp) || (at >= AT(data) && at < AT(data) + sizeof(((struct tally_fw_event *)0)->data)));
}

uint32_t model_read(uint32_t at)
{
	bool wide = at >= AT(contributors) && at < AT(qp);
	uint64_t value = registers_read(e, TALLY_FW_EVENT_BASE + (wide ? at & ~7u : at));

	return wide && at % 8 ? value >> 32 : value;
}

/* ---- Packets ---- */

void model_header(const struct model_tch *p, uint8_t *wire)
{
	const struct tally_tch t = {
		.kind = p->kind,
		.flags = htobe16(p->flags),
		.limit = htobe16(p->limit),
		.epoch = htobe32(p->epoch),
		.mid = htobe32(p->mid),
		.sid = htobe32(p->sid),
		.done = htobe32(p->done),
	};

	memcpy(wire, &t, sizeof(t));
}
