// SPDX-License-Identifier: BSD-2-Clause
/* The seam to the Verilated NIC: events for the firmware, and exceptions. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "rtl/test/seam.h"
#include "wire/ecn.h"

/* A KILL from edge 0 arrives, whose payload begins with @first. It may be marked for congestion. */
static void kill_arrives(struct seam *s, uint8_t first, bool marked)
{
	struct tally_tch kill = seam_tch(0);
	struct tally_tch_kill report = { 0 };
	const struct roce_hdr h = seam_header();
	struct frame *f;

	kill.kind = TALLY_KIND_KILL;
	kill.opcode = kill.op = kill.dtype = 0;
	memcpy(&report, &first, 1);
	f = roce_build(&h, &kill, sizeof(kill), &report, sizeof(report));
	assert_non_null(f);
	if (marked)
		assert_true(ecn_mark(&f));
	s->units->frame(s->unit, s->now, f->data, f->len);
	frame_unref(f);
}

/* The hardware keeps them for the firmware, which is told when one waits, and takes them one by one. */
static void packets_become_events(void **state)
{
	struct seam *s = seam_new("events");

	(void)state;
	kill_arrives(s, 0x11, false);
	seam_run(s);
	assert_int_equal(s->packets, 0);
	assert_int_equal(s->waits, 1);
	assert_true(s->units->event_waits(s->unit));
	kill_arrives(s, 0x22, true);
	seam_run(s);
	assert_int_equal(s->waits, 1);
	assert_int_equal(s->marked, 1);
	assert_int_equal(seam_take(s), TALLY_FW_EV_KILL);
	assert_int_equal(s->event.group, GROUP);
	assert_int_equal(s->event.edge, 0);
	assert_int_equal(s->event.data[0] & 0xff, 0x11);
	assert_int_equal(seam_take(s), TALLY_FW_EV_KILL);
	assert_int_equal(s->event.data[0] & 0xff, 0x22);
	assert_false(s->units->event_waits(s->unit));
	assert_int_equal(seam_take(s), TALLY_FW_EV_NONE);
	kill_arrives(s, 0x33, false);
	seam_run(s);
	assert_int_equal(s->waits, 2);
	s->units->reset(s->unit);
	assert_false(s->units->event_waits(s->unit));
	seam_free(s);
}

/* Events are read behind earlier writes, so none is of a context that has been released. */
static void events_are_dropped_before_they_are_read(void **state)
{
	static const uint32_t codes[] = { TALLY_FW_CMD_BEGIN, TALLY_FW_CMD_RELEASE };
	struct seam *s = seam_new("drops");

	(void)state;
	for (unsigned int i = 0; i < 2; i++) {
		kill_arrives(s, i, false);
		seam_run(s);
		assert_true(s->units->event_waits(s->unit));
		seam_put(s, TALLY_FW_COMMAND_BASE + AT(command, go), codes[i] | GROUP << 16);
		if (codes[i] == TALLY_FW_CMD_BEGIN)
			assert_int_equal(seam_take(s), TALLY_FW_EV_BEGIN);
		assert_int_equal(seam_take(s), TALLY_FW_EV_NONE);
	}
	seam_free(s);
}

static void go(struct seam *s, enum tally_fw_command_code code)
{
	seam_put(s, TALLY_FW_COMMAND_BASE + AT(command, go), code | GROUP << 16);
}

static void raise_exception(struct seam *s, uint16_t status)
{
	const struct engine_event ev = { .type = TALLY_FW_EV_EXCEPTION,
					 .group = GROUP,
					 .cause = TALLY_FW_CAUSE_SILENCE,
					 .status = status,
					 .mid = 0x12345678,
					 .sid = 0x9abcdef0,
					 .contributors = 0x8000000100000002,
					 .ranks = 0x4000000300000004 };

	s->units->raise(s->unit, s->now, &ev);
}

/* The first exception of an epoch freezes the group and becomes an event, with all that it tells. */
static void first_exception_is_an_event(void **state)
{
	struct seam *s = seam_new("exceptions");

	(void)state;
	raise_exception(s, 7);
	raise_exception(s, 8);
	seam_run(s);
	assert_int_equal(s->frozen, 1);
	assert_int_equal(s->waits, 1);
	assert_int_equal(seam_take(s), TALLY_FW_EV_EXCEPTION);
	assert_int_equal(s->event.group, GROUP);
	assert_int_equal(s->event.cause, TALLY_FW_CAUSE_SILENCE);
	assert_int_equal(s->event.status, 7);
	assert_int_equal(s->event.mid, 0x12345678);
	assert_int_equal(s->event.sid, 0x9abcdef0);
	assert_true(s->event.contributors == 0x8000000100000002);
	assert_true(s->event.ranks == 0x4000000300000004);
	assert_int_equal(seam_take(s), TALLY_FW_EV_NONE);
	seam_free(s);
}

/* An exception is of the epoch of the commands before it: one after FREEZE, or before BEGIN, ends nothing. */
static void exceptions_are_of_their_epochs(void **state)
{
	struct seam *s = seam_new("epochs");

	(void)state;
	go(s, TALLY_FW_CMD_FREEZE);
	raise_exception(s, 7);
	go(s, TALLY_FW_CMD_BEGIN);
	seam_run(s);
	assert_int_equal(s->frozen, 0);
	assert_int_equal(seam_take(s), TALLY_FW_EV_BEGIN);
	assert_int_equal(seam_take(s), TALLY_FW_EV_NONE);
	raise_exception(s, 8);
	go(s, TALLY_FW_CMD_BEGIN);
	seam_run(s);
	assert_int_equal(s->frozen, 0); /* the engine has ended that epoch */
	assert_int_equal(seam_take(s), TALLY_FW_EV_BEGIN);
	assert_int_equal(seam_take(s), TALLY_FW_EV_NONE);
	raise_exception(s, 9);
	go(s, TALLY_FW_CMD_FREEZE);
	seam_run(s);
	assert_int_equal(s->frozen, 1);
	assert_int_equal(seam_take(s), TALLY_FW_EV_EXCEPTION);
	assert_int_equal(s->event.status, 9);
	seam_free(s);
}

static void group_drains_and_is_fenced(void **state)
{
	const struct engine_event drained = { .type = TALLY_FW_EV_DRAINED, .group = GROUP };
	struct seam *s = seam_new("fence");

	(void)state;
	s->units->raise(s->unit, s->now, &drained);
	seam_run(s);
	assert_int_equal(seam_take(s), TALLY_FW_EV_DRAINED);
	go(s, TALLY_FW_CMD_FREEZE);
	s->units->raise(s->unit, s->now, &drained);
	seam_run(s);
	assert_int_equal(seam_take(s), TALLY_FW_EV_NONE);
	go(s, TALLY_FW_CMD_FENCE);
	seam_run(s);
	assert_int_equal(seam_take(s), TALLY_FW_EV_FENCED);
	assert_int_equal(seam_take(s), TALLY_FW_EV_NONE);
	seam_free(s);
}

/* Packets that come after the begin of an epoch are handled behind it. */
static void begin_comes_before_packets(void **state)
{
	struct seam *s = seam_new("begin");

	(void)state;
	go(s, TALLY_FW_CMD_BEGIN);
	seam_run(s);
	kill_arrives(s, 0x44, false);
	seam_run(s);
	assert_int_equal(seam_take(s), TALLY_FW_EV_BEGIN);
	assert_int_equal(seam_take(s), TALLY_FW_EV_KILL);
	seam_free(s);
}

static void events_without_a_place_are_counted(void **state)
{
	struct seam *s = seam_new("lost");

	(void)state;
	for (unsigned int i = 0; i < TALLY_FW_EVENT_DEPTH + 2; i++) {
		kill_arrives(s, i, false);
		seam_run(s);
	}
	assert_int_equal(s->lost, 2);
	assert_int_equal(seam_take(s), TALLY_FW_EV_KILL);
	assert_int_equal(s->event.data[0] & 0xff, 0);
	seam_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(packets_become_events),
		cmocka_unit_test(events_are_dropped_before_they_are_read),
		cmocka_unit_test(events_without_a_place_are_counted),
		cmocka_unit_test(first_exception_is_an_event),
		cmocka_unit_test(exceptions_are_of_their_epochs),
		cmocka_unit_test(group_drains_and_is_fenced),
		cmocka_unit_test(begin_comes_before_packets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
