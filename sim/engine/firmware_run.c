// SPDX-License-Identifier: BSD-2-Clause
/* The firmware of the NIC, which runs natively, with the time that it takes. */
#include "engine/firmware_run.h"
#include "engine/common.h"
#include "engine/events.h"
#include "engine/fiber.h"
#include "engine/group.h"
#include "engine/registers.h"
#include "firmware/firmware.h"
#include "firmware/port.h"

static _Thread_local struct engine *attached; /* whose firmware runs */

void firmware_attach(struct engine *e)
{
	attached = e;
}

/* Spend cycles of the firmware's processor. */
static void spend(struct engine *e, uint32_t cycles)
{
	if (cycles)
		e->firmware_at += (uint64_t)cycles * 1000000 / e->timing.clock_mhz;
}

/* Let the hardware go on until the time that was spent has passed. */
static void yield(struct engine *e)
{
	fiber_yield(e->firmware);
	firmware_attach(e);
}

/* Account for an access to a register. Neither side sees when most of them are made. */
static void access_register(struct engine *e, unsigned int bytes, bool seen)
{
	if (!e->firmware_inside || e->firmware_hurries)
		return;
	spend(e, e->timing.access * bytes / 4);
	if (seen)
		yield(e);
}

/* Wait until the event that the firmware reads next is there. */
static void await_event(struct engine *e)
{
	while (e->firmware_inside && !e->firmware_hurries && events_ask(e)) {
		e->firmware_at = NEVER;
		yield(e);
	}
}

/* ---- Ports ---- */

uint64_t port_read(uint32_t reg, unsigned int bytes)
{
	struct engine *e = attached;

	access_register(e, bytes, registers_change(reg));
	if (reg == TALLY_FW_EVENT_BASE + REG_AT(event, next))
		await_event(e);
	return registers_read(e, reg);
}

void port_write(uint32_t reg, unsigned int bytes, uint64_t value)
{
	struct engine *e = attached;

	access_register(e, bytes, registers_act(reg));
	registers_write(e, reg, value);
}

/* ---- Running ---- */

/* Data may flow on a further edge: let its group proceed. */
static void proceed(struct engine *e)
{
	struct group *g = e->proceeding;

	e->proceeding = NULL;
	if (g && group_alive(g))
		group_pump(e, g);
}

static bool step(struct engine *e)
{
	bool handled;

	if (e->firmware_inside && !e->firmware_hurries)
		spend(e, e->timing.event);
	handled = firmware_step();
	proceed(e);
	return handled;
}

/* Handle events until there is none, or the admin command that hurries the firmware comes next. */
static void body(void *arg)
{
	struct engine *e = arg;

	firmware_attach(e);
	while (step(e) && !e->firmware_hurries)
		;
}

/* Let the fiber run until it yields. One that ends is gone. */
static void resume(struct engine *e)
{
	bool yielded;

	e->firmware_inside = true;
	yielded = fiber_resume(e->firmware);
	e->firmware_inside = false;
	if (!yielded)
		e->firmware = NULL;
}

void firmware_run(struct engine *e)
{
	if (e->firmware || !events_wait(e))
		return;
	if (e->timing.access || e->timing.event || host_queues_events(e))
		e->firmware = fiber_new(body, e);
	e->firmware_at = e->now;
	if (e->firmware)
		firmware_resume(e);
	else
		body(e);
}

void firmware_resume(struct engine *e)
{
	while (e->firmware && e->firmware_at <= e->now)
		resume(e);
}

void engine_event_waits(struct engine *e)
{
	begin_work(e, 0);
	firmware_run(e);
}

void engine_event(struct engine *e, const struct engine_event *ev)
{
	begin_work(e, 0);
	events_give(e, ev);
	e->firmware_at = e->now;
	firmware_resume(e);
}

void firmware_finish(struct engine *e)
{
	if (e->event_asked)
		return;
	e->firmware_hurries = true;
	while (e->firmware)
		resume(e);
	e->firmware_hurries = false;
}

void firmware_stop(struct engine *e)
{
	if (e->firmware)
		fiber_free(e->firmware);
	e->firmware = NULL;
}
