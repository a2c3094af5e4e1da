// SPDX-License-Identifier: BSD-2-Clause
/*
 * A host that has the events of packets: when the firmware asks for one, which event comes first, which are
 * dropped, and what happens meanwhile.
 */
#include "engine/commands.h"
#include "engine/common.h"
#include "engine/events.h"
#include "engine/exception.h"
#include "engine/firmware_run.h"
#include "engine/group.h"
#include "engine/test/alone.h"
#include "firmware/port.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define OTHER 9 /* a group */

static struct alone a;
static struct engine_host host;
static bool waits;
static unsigned int asked, begins, fences, raises;
static uint32_t begun, fenced, state_of_group;
static struct engine_event raised;

static bool yes(void *ctx)
{
	(void)ctx;
	return true;
}

static bool event_waits(void *ctx)
{
	(void)ctx;
	return waits;
}

static void take_event(void *ctx)
{
	(void)ctx;
	asked++;
}

static void table(void *ctx, uint32_t reg, uint32_t value)
{
	(void)ctx;
	if (reg == TALLY_FW_GROUP_BASE + REG_AT(group, state))
		state_of_group = value;
	if (reg != TALLY_FW_COMMAND_BASE + REG_AT(command, go))
		return;
	if ((value & 0xff) == TALLY_FW_CMD_BEGIN) {
		begins++;
		begun = value >> 16;
	} else if ((value & 0xff) == TALLY_FW_CMD_FENCE) {
		fences++;
		fenced = value >> 16;
	}
}

static void raise_event(void *ctx, const struct engine_event *ev)
{
	(void)ctx;
	raises++;
	raised = *ev;
}

static int setup(void **state)
{
	(void)state;
	alone_setup(&a);
	host = *a.e->host;
	host.queues_events = yes;
	host.event_waits = event_waits;
	host.take_event = take_event;
	host.table = table;
	a.e->host = &host;
	waits = false;
	host.raise = raise_event;
	asked = begins = fences = raises = 0;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	alone_teardown(&a);
	return 0;
}

static const struct fw_event *next(void)
{
	events_next(a.e);
	return &a.e->event;
}

/* The host has an event of this type, of group or tombstone @group. */
static struct engine_event event(enum tally_fw_event_type type, uint32_t group)
{
	return (struct engine_event){ .type = type, .group = group, .edge = 5 };
}

static void answer(enum tally_fw_event_type type, uint32_t group)
{
	const struct engine_event ev = event(type, group);

	engine_event(a.e, &ev);
}

static void ask(void)
{
	waits = true;
	assert_true(events_ask(a.e));
	waits = false;
}

/* ---- The queue of the host ---- */

static void event_is_asked_for_once(void **state)
{
	(void)state;
	assert_false(events_wait(a.e));
	assert_false(events_ask(a.e));
	assert_int_equal(asked, 0);
	waits = true;
	assert_true(events_wait(a.e));
	assert_true(events_ask(a.e));
	assert_true(events_ask(a.e));
	assert_int_equal(asked, 1);
	waits = false;
	answer(TALLY_FW_EV_KILL, 0);
	assert_true(events_wait(a.e));
	assert_false(events_ask(a.e)); /* it has one */
	assert_int_equal(next()->type, TALLY_FW_EV_KILL);
	assert_false(events_wait(a.e));
	assert_int_equal(next()->type, TALLY_FW_EV_NONE);
	assert_int_equal(asked, 1);
}

static void event_has_its_fields(void **state)
{
	struct engine_event ev = event(TALLY_FW_EV_OPEN, TALLY_MAX_GROUP + 2);

	(void)state;
	ev.flags = TALLY_TCH_F_CONFIRM;
	ev.epoch = 1;
	ev.mid = 2;
	ev.sid = 3;
	memset(ev.data, 4, sizeof(ev.data));
	ask();
	engine_event(a.e, &ev);
	assert_int_equal(next()->type, TALLY_FW_EV_OPEN);
	assert_int_equal(a.e->event.group, TALLY_MAX_GROUP + 2);
	assert_int_equal(a.e->event.edge, 5);
	assert_int_equal(a.e->event.flags, TALLY_TCH_F_CONFIRM);
	assert_int_equal(a.e->event.epoch, 1);
	assert_int_equal(a.e->event.mid, 2);
	assert_int_equal(a.e->event.sid, 3);
	assert_memory_equal(a.e->event.data, ev.data, sizeof(ev.data));
	assert_int_equal(a.e->event.status, 0);
}

static void host_has_none_any_more(void **state)
{
	(void)state;
	ask();
	answer(TALLY_FW_EV_NONE, 0);
	assert_false(events_wait(a.e));
	assert_int_equal(next()->type, TALLY_FW_EV_NONE);
	ask();
	assert_int_equal(asked, 2);
}

/* Neither queue keeps the other waiting. */
static void queues_take_turns(void **state)
{
	unsigned int i;

	(void)state;
	for (i = 0; i < 4; i++)
		events_after_end(a.e, a.g, 1);
	waits = true;
	for (i = 0; i < 4; i++) {
		assert_true(events_ask(a.e));
		answer(TALLY_FW_EV_KILL, 0);
		assert_int_equal(next()->type, TALLY_FW_EV_KILL);
		assert_false(events_ask(a.e));
		assert_int_equal(next()->type, TALLY_FW_EV_AFTER_END);
	}
	assert_int_equal(asked, 4);
}

/* What has come after the begin of an epoch must not be handled before it. */
static void begin_comes_first(void **state)
{
	(void)state;
	events_after_end(a.e, a.g, 1);
	events_of_group(a.e, a.g, TALLY_FW_EV_BEGIN);
	events_after_end(a.e, a.g, 1);
	waits = true;
	assert_false(events_ask(a.e));
	assert_int_equal(next()->type, TALLY_FW_EV_AFTER_END);
	assert_false(events_ask(a.e));
	assert_int_equal(next()->type, TALLY_FW_EV_BEGIN);
	assert_true(events_ask(a.e));
	events_of_group(a.e, a.g, TALLY_FW_EV_BEGIN);
	events_drop(a.e, a.g);
	answer(TALLY_FW_EV_KILL, OTHER);
	next();
	assert_true(events_ask(a.e)); /* there is no begin any more */
}

/* While the pool of the host begins an epoch, no event is taken; what it has given stays. */
static void epoch_is_about_to_begin(void **state)
{
	(void)state;
	waits = true;
	a.e->begins = 1;
	assert_false(events_wait(a.e));
	assert_false(events_ask(a.e));
	a.e->begins = 0;
	assert_true(events_ask(a.e));
	waits = false;
	a.e->begins = 1;
	answer(TALLY_FW_EV_KILL, OTHER);
	assert_int_equal(next()->type, TALLY_FW_EV_NONE);
	a.e->begins = 0;
	assert_true(events_wait(a.e));
	assert_int_equal(next()->type, TALLY_FW_EV_KILL);
}

/* ---- Drops ---- */

/* An event that is on its way when its group is released is not one of the next group. */
static void events_on_their_way_are_dropped(void **state)
{
	(void)state;
	ask();
	events_drop(a.e, &a.e->groups[OTHER]);
	answer(TALLY_FW_EV_OPEN, OTHER);
	assert_false(events_wait(a.e));
	ask();
	events_drop_epoch(a.e, &a.e->tombstones[3]);
	answer(TALLY_FW_EV_OPEN, TALLY_MAX_GROUP + 3);
	assert_false(events_wait(a.e));
	ask();
	events_drop(a.e, &a.e->groups[OTHER]);
	answer(TALLY_FW_EV_OPEN, OTHER + 1);
	assert_int_equal(next()->group, OTHER + 1);
	ask(); /* what comes later is of the next group */
	answer(TALLY_FW_EV_OPEN, OTHER);
	assert_int_equal(next()->group, OTHER);
}

static void event_that_was_given_is_dropped(void **state)
{
	(void)state;
	ask();
	answer(TALLY_FW_EV_OPEN, OTHER);
	events_drop(a.e, &a.e->groups[OTHER + 1]);
	assert_true(events_wait(a.e));
	events_drop(a.e, &a.e->groups[OTHER]);
	assert_false(events_wait(a.e));
	assert_int_equal(next()->type, TALLY_FW_EV_NONE);
}

static void host_learns_of_the_next_epoch(void **state)
{
	(void)state;
	commands_go(a.e, TALLY_FW_CMD_BEGIN | NO_EDGE << 8);
	assert_int_equal(begins, 1);
	assert_int_equal(begun, 0);
	host.queues_events = NULL;
	commands_go(a.e, TALLY_FW_CMD_BEGIN | NO_EDGE << 8);
	assert_int_equal(begins, 1);
}

/* ---- Events of groups, which the host raises ---- */

static void host_raises_events_of_groups(void **state)
{
	(void)state;
	host.raises = yes;
	commands_go(a.e, TALLY_FW_CMD_BEGIN | NO_EDGE << 8);
	assert_int_equal(begins, 1);
	assert_int_equal(raises, 0);
	events_of_group(a.e, &a.e->groups[OTHER], TALLY_FW_EV_DRAINED);
	assert_int_equal(raises, 1);
	assert_int_equal(raised.type, TALLY_FW_EV_DRAINED);
	assert_int_equal(raised.group, OTHER);
	assert_int_equal(next()->type, TALLY_FW_EV_NONE);
}

/* It keeps the first one of an epoch; the engine freezes the group at once. */
static void host_has_the_exception(void **state)
{
	(void)state;
	host.raises = yes;
	exception_raise(a.e, a.g, TALLY_COLL_ABORTED, 5, 6, 7, 8);
	assert_false(group_alive(a.g));
	assert_int_equal(state_of_group, TALLY_GROUP_COLLECT);
	assert_int_equal(raises, 1);
	assert_int_equal(raised.type, TALLY_FW_EV_EXCEPTION);
	assert_int_equal(raised.group, 0);
	assert_int_equal(raised.cause, TALLY_FW_CAUSE_KNOWN);
	assert_int_equal(raised.status, TALLY_COLL_ABORTED);
	assert_int_equal(raised.contributors, 5);
	assert_int_equal(raised.ranks, 6);
	assert_int_equal(raised.mid, 7);
	assert_int_equal(raised.sid, 8);
	assert_int_equal(next()->type, TALLY_FW_EV_NONE);
	exception_silence(a.e, a.g, 1);
	assert_int_equal(raises, 1);
}

static void event_of_the_host_is_an_exception(void **state)
{
	const struct engine_event ev = { .type = TALLY_FW_EV_EXCEPTION,
					 .group = OTHER,
					 .cause = TALLY_FW_CAUSE_SILENCE,
					 .status = 2,
					 .mid = 3,
					 .sid = 4,
					 .contributors = 5,
					 .ranks = 6 };
	const struct fw_event *got;

	(void)state;
	ask();
	engine_event(a.e, &ev);
	got = next();
	assert_int_equal(got->type, TALLY_FW_EV_EXCEPTION);
	assert_int_equal(got->cause, TALLY_FW_CAUSE_SILENCE);
	assert_int_equal(got->status, 2);
	assert_int_equal(got->mid, 3);
	assert_int_equal(got->sid, 4);
	assert_int_equal(got->contributors, 5);
	assert_int_equal(got->ranks, 6);
}

/* An exception that the host has found freezes the group; its event follows. */
static void host_freezes_a_group(void **state)
{
	(void)state;
	host.raises = yes;
	a.g->fw_at = a.e->now + 1;
	engine_frozen(a.e, 0);
	assert_int_equal(a.g->state, TALLY_GROUP_COLLECT);
	assert_int_equal(state_of_group, TALLY_GROUP_COLLECT);
	assert_int_equal(a.g->fw_at, NEVER);
	assert_int_equal(raises, 0);
	a.g->state = TALLY_GROUP_DEAD;
	engine_frozen(a.e, 0);
	assert_int_equal(a.g->state, TALLY_GROUP_DEAD);
}

static void host_fences_a_group(void **state)
{
	(void)state;
	group_fence(a.e, a.g);
	assert_int_equal(fences, 0);
	assert_int_equal(next()->type, TALLY_FW_EV_FENCED);
	host.raises = yes;
	group_fence(a.e, &a.e->groups[OTHER]);
	assert_int_equal(fences, 1);
	assert_int_equal(fenced, OTHER);
	assert_int_equal(next()->type, TALLY_FW_EV_NONE);
}

/* ---- The runner ---- */

/* The firmware waits as a fiber, also if it takes no time. */
static void firmware_waits_for_the_event(void **state)
{
	(void)state;
	alone_children(&a, 2);
	a.g->report.status = TALLY_COLL_ABORTED;
	a.g->edges[1].kill = 1;
	waits = true;
	engine_event_waits(a.e);
	assert_non_null(a.e->firmware);
	assert_int_equal(asked, 1);
	assert_int_equal(a.e->firmware_at, NEVER);
	engine_event_waits(a.e);
	engine_advance(a.e, a.e->now + 1 * US);
	assert_int_equal(asked, 1);
	answer(TALLY_FW_EV_AFTER_END, 0); /* it answers with KILL, and takes the next one */
	assert_int_equal(a.last.kind, TALLY_KIND_KILL);
	assert_int_equal(a.sent, 1);
	assert_int_equal(asked, 2);
	waits = false;
	answer(TALLY_FW_EV_NONE, 0);
	assert_null(a.e->firmware);
}

/* What the engine raises meanwhile is handled when the host has answered. */
static void events_of_the_engine_come_behind(void **state)
{
	(void)state;
	alone_children(&a, 2);
	waits = true;
	a.g->report.status = TALLY_COLL_ABORTED;
	engine_event_waits(a.e);
	events_after_end(a.e, a.g, 1);
	firmware_run(a.e);
	assert_int_equal(a.sent, 0);
	waits = false;
	answer(TALLY_FW_EV_NONE, 0);
	assert_int_equal(a.last.kind, TALLY_KIND_KILL);
	assert_null(a.e->firmware);
	assert_false(events_wait(a.e));
}

/* It handles nothing while it waits, so an admin command needs not wait for it. */
static void admin_commands_do_not_wait(void **state)
{
	uint64_t at;

	(void)state;
	a.e->timing = (struct engine_timing){ .clock_mhz = 250, .access = 1, .event = 10 };
	waits = true;
	engine_event_waits(a.e);
	engine_advance(a.e, a.e->firmware_at);
	assert_int_equal(asked, 1);
	at = a.e->firmware_at;
	assert_int_equal(engine_attach_ranks(a.e, 0, 1).status, TALLY_ADMIN_STATUS_OK);
	assert_int_equal(a.e->firmware_at, at);
	assert_non_null(a.e->firmware);
	assert_int_equal(a.g->attached, 1);
	waits = false;
	answer(TALLY_FW_EV_NONE, 0);
	assert_null(a.e->firmware);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(event_is_asked_for_once, setup, teardown),
		cmocka_unit_test_setup_teardown(event_has_its_fields, setup, teardown),
		cmocka_unit_test_setup_teardown(host_has_none_any_more, setup, teardown),
		cmocka_unit_test_setup_teardown(queues_take_turns, setup, teardown),
		cmocka_unit_test_setup_teardown(begin_comes_first, setup, teardown),
		cmocka_unit_test_setup_teardown(epoch_is_about_to_begin, setup, teardown),
		cmocka_unit_test_setup_teardown(events_on_their_way_are_dropped, setup, teardown),
		cmocka_unit_test_setup_teardown(event_that_was_given_is_dropped, setup, teardown),
		cmocka_unit_test_setup_teardown(host_learns_of_the_next_epoch, setup, teardown),
		cmocka_unit_test_setup_teardown(host_raises_events_of_groups, setup, teardown),
		cmocka_unit_test_setup_teardown(host_has_the_exception, setup, teardown),
		cmocka_unit_test_setup_teardown(event_of_the_host_is_an_exception, setup, teardown),
		cmocka_unit_test_setup_teardown(host_freezes_a_group, setup, teardown),
		cmocka_unit_test_setup_teardown(host_fences_a_group, setup, teardown),
		cmocka_unit_test_setup_teardown(firmware_waits_for_the_event, setup, teardown),
		cmocka_unit_test_setup_teardown(events_of_the_engine_come_behind, setup, teardown),
		cmocka_unit_test_setup_teardown(admin_commands_do_not_wait, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
