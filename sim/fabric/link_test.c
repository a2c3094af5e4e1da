// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "fabric/link.h"
#include "fabric/test_station.h"

/* At 100 Gb/s a byte takes 80 ps. */
#define BYTE_PS		80
#define PROPAGATION	(25 * VT_NS)

struct world {
	struct sim *sim;
	struct fab_link *link;
	struct station end[2];
};

static int setup_with(void **state, const struct fab_link_params *params)
{
	struct world *w = calloc(1, sizeof(*w));

	assert_non_null(w);
	w->sim = sim_new(1);
	w->link = fab_link_new(w->sim, params, "a", "b");
	assert_non_null(w->link);
	for (int i = 0; i < 2; i++)
		station_attach(&w->end[i], w->sim, fab_link_port(w->link, i));
	*state = w;
	return 0;
}

static int setup(void **state)
{
	return setup_with(state, &(struct fab_link_params)FAB_LINK_DEFAULTS);
}

static int setup_small_queue(void **state)
{
	struct fab_link_params params = FAB_LINK_DEFAULTS;

	params.queue_bytes = 2500;
	return setup_with(state, &params);
}

static int teardown(void **state)
{
	struct world *w = *state;

	station_clear(&w->end[0]);
	station_clear(&w->end[1]);
	fab_link_free(w->link);
	sim_free(w->sim);
	free(w);
	return 0;
}

static void wire_time_to_the_picosecond(void **state)
{
	const uint64_t g = 1000000000;

	(void)state;
	assert_int_equal(fab_wire_time(100 * g, 60), 84 * 80);
	assert_int_equal(fab_wire_time(100 * g, 1), 84 * 80);
	assert_int_equal(fab_wire_time(100 * g, 61), 85 * 80);
	assert_int_equal(fab_wire_time(100 * g, 1514), 1538 * 80);
	assert_int_equal(fab_wire_time(100 * g, FRAME_MAX), 4376 * 80);
	assert_int_equal(fab_wire_time(400 * g, FRAME_MAX), 4376 * 20);
	assert_int_equal(fab_wire_time(25 * g, 60), 84 * 320);
	assert_int_equal(fab_wire_time(11 * g, 60), 61091);	/* 61090.9 */
	assert_int_equal(fab_wire_time(1, FRAME_MAX), 4376 * 8 * VT_S);
}

static void one_frame(void **state)
{
	struct world *w = *state;
	struct frame *f = numbered_frame(100, 7);

	sim_run_until(w->sim, 12345);
	assert_int_equal(fab_send(w->end[0].port, f), 0);
	assert_true(sim_run_idle(w->sim, VT_NEVER));
	assert_int_equal(w->end[1].count, 1);
	assert_int_equal(w->end[0].count, 0);
	assert_ptr_equal(w->end[1].frame[0], f);
	assert_int_equal(f->refs, 1);
	assert_int_equal(w->end[1].at[0], 12345 + 124 * BYTE_PS + PROPAGATION);
	assert_int_equal(w->end[0].port->stats.tx_frames, 1);
	assert_int_equal(w->end[0].port->stats.tx_bytes, 100);
	assert_int_equal(w->end[1].port->stats.rx_frames, 1);
	assert_int_equal(w->end[1].port->stats.rx_bytes, 100);
}

static void frames_follow_back_to_back(void **state)
{
	static const size_t len[] = { 1000, 60, 64, 4352, 20 };
	struct world *w = *state;
	vtime_t sent = 0;

	for (int i = 0; i < 5; i++)
		assert_int_equal(fab_send(w->end[0].port, numbered_frame(len[i], i)), 0);
	assert_true(sim_run_idle(w->sim, VT_NEVER));
	assert_int_equal(w->end[1].count, 5);
	for (int i = 0; i < 5; i++) {
		sent += ((len[i] < 60 ? 60 : len[i]) + 24) * BYTE_PS;
		assert_int_equal(frame_number(w->end[1].frame[i]), i);
		assert_int_equal(w->end[1].at[i], sent + PROPAGATION);
	}
}

static void directions_do_not_disturb_each_other(void **state)
{
	struct world *w = *state;

	for (int i = 0; i < 2; i++)
		fab_send(w->end[i].port, numbered_frame(976, i));
	sim_run_idle(w->sim, VT_NEVER);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(w->end[i].count, 1);
		assert_int_equal(w->end[i].at[0], 1000 * BYTE_PS + PROPAGATION);
		assert_int_equal(frame_number(w->end[i].frame[0]), !i);
	}
}

/* 2500 bytes wait behind the frame on the wire; frames beyond that are dropped and counted. */
static void a_full_queue_drops(void **state)
{
	struct world *w = *state;
	struct fab_port *port = w->end[0].port;

	assert_false(fab_tx_busy(port));
	assert_int_equal(fab_send(port, numbered_frame(4352, 0)), 0);
	assert_true(fab_tx_busy(port));
	assert_int_equal(fab_tx_room(port), 2500);
	assert_int_equal(fab_send(port, numbered_frame(1000, 1)), 0);
	assert_int_equal(fab_send(port, numbered_frame(1000, 2)), 0);
	assert_int_equal(fab_tx_room(port), 500);
	assert_int_equal(fab_send(port, numbered_frame(501, 3)), -ENOBUFS);
	assert_int_equal(fab_send(port, numbered_frame(500, 4)), 0);
	assert_int_equal(fab_tx_room(port), 0);
	assert_int_equal(fab_send(port, numbered_frame(60, 5)), -ENOBUFS);
	assert_int_equal(port->stats.tx_queue_full, 2);

	sim_run_idle(w->sim, VT_NEVER);
	assert_int_equal(w->end[1].count, 4);
	for (int i = 0; i < 4; i++)
		assert_int_equal(frame_number(w->end[1].frame[i]), ((int[]){ 0, 1, 2, 4 })[i]);
	assert_int_equal(fab_tx_room(port), 2500);
	assert_false(fab_tx_busy(port));
	assert_int_equal(port->stats.tx_frames, 4);
}

struct feeder {
	struct station station;	/* must be first: it is the arg of the port */
	unsigned int next, last;
};

static void feed(void *arg)
{
	struct feeder *feeder = arg;

	while (feeder->next < feeder->last) {
		if (fab_tx_busy(feeder->station.port)) {
			fab_tx_notify(feeder->station.port);
			return;
		}
		fab_send(feeder->station.port, numbered_frame(976, feeder->next++));
	}
}

/* A sender that waits for tx_room fills the wire without a gap and without a queue. */
static void tx_room_keeps_the_wire_busy(void **state)
{
	struct world *w = *state;
	struct feeder *feeder = calloc(1, sizeof(*feeder));

	assert_non_null(feeder);
	station_attach(&feeder->station, w->sim, fab_link_port(w->link, 0));
	feeder->station.port->tx_room = feed;
	feeder->last = 10;
	feed(feeder);
	sim_run_idle(w->sim, VT_NEVER);
	assert_int_equal(w->end[1].count, 10);
	assert_int_equal(w->end[1].at[9], 10 * 1000 * BYTE_PS + PROPAGATION);
	free(feeder);
}

static void count_room(void *arg)
{
	(void)arg;
	fail();
}

/* Nobody waits for the wire, so a frame costs the event of its arrival only. */
static void a_free_wire_costs_no_event(void **state)
{
	struct world *w = *state;

	w->end[0].port->tx_room = count_room;
	for (int i = 0; i < 10; i++) {
		fab_send(w->end[0].port, numbered_frame(976, i));
		sim_run_until(w->sim, sim_now(w->sim) + 1000 * BYTE_PS);
	}
	sim_run_idle(w->sim, VT_NEVER);
	assert_int_equal(w->end[1].count, 10);
	assert_int_equal(sim_events(w->sim), 10);
	/* Of two frames that are sent at once, the second waits for the wire. */
	fab_send(w->end[0].port, numbered_frame(976, 10));
	fab_send(w->end[0].port, numbered_frame(976, 11));
	sim_run_idle(w->sim, VT_NEVER);
	assert_int_equal(sim_events(w->sim), 13);
}

/* An event that looks at a port. */
struct look {
	struct sim_event ev;
	struct fab_port *port;
	bool busy;
};

static void look(void *arg)
{
	struct look *l = arg;

	l->busy = fab_tx_busy(l->port);
}

static void schedule_look(struct look *l, struct world *w, vtime_t at)
{
	*l = (struct look){ .port = w->end[0].port };
	sim_event_init(&l->ev, look, l);
	sim_schedule(w->sim, &l->ev, at);
}

/* The moment at which the wire becomes free has its place among the events of that time. */
static void the_wire_becomes_free_between_events(void **state)
{
	struct world *w = *state;
	struct look before, after;

	w->end[0].port->tx_room = count_room;
	schedule_look(&before, w, 1000 * BYTE_PS);
	fab_send(w->end[0].port, numbered_frame(976, 0));
	schedule_look(&after, w, 1000 * BYTE_PS);
	sim_run_idle(w->sim, VT_NEVER);
	assert_true(before.busy);
	assert_false(after.busy);
}

static void frames_for_nobody_are_counted(void **state)
{
	struct world *w = *state;

	w->end[1].port->rx = NULL;
	fab_send(w->end[0].port, numbered_frame(60, 0));
	sim_run_idle(w->sim, VT_NEVER);
	assert_int_equal(w->end[1].port->stats.rx_unattached, 1);
	assert_int_equal(w->end[1].port->stats.rx_frames, 0);
}

/* Freed while frames are in flight: the leak checker and the event queue detect errors. */
static void a_link_goes_with_its_frames(void **state)
{
	struct world *w = *state;
	struct fab_link *link = fab_link_new(w->sim, fab_link_params(w->link), "c", "d");
	vtime_t t;

	for (int i = 0; i < 20; i++)
		fab_send(fab_link_port(link, 0), numbered_frame(976, i));
	sim_run_until(w->sim, 2 * 1000 * BYTE_PS);
	assert_true(sim_next_time(w->sim, &t));
	fab_link_free(link);
	assert_false(sim_next_time(w->sim, &t));
}

static void bad_links_are_refused(void **state)
{
	static const char *const names[] = { "", "a/b", "..\n", "x y" };
	struct fab_link_params params = FAB_LINK_DEFAULTS;
	struct sim *sim = sim_new(0);

	(void)state;
	for (int i = 0; i < 4; i++) {
		errno = 0;
		assert_null(fab_link_new(sim, &params, "a", names[i]));
		assert_int_equal(errno, EINVAL);
	}
	params.propagation = VT_S + 1;
	assert_null(fab_link_new(sim, &params, "a", "b"));
	params.propagation = 0;
	params.bits_per_s = 0;
	assert_null(fab_link_new(sim, &params, "a", "b"));
	assert_int_equal(errno, EINVAL);
	fab_link_free(NULL);
	sim_free(sim);
}

static void captures_both_directions(void **state)
{
	struct world *w = *state;
	const char *tmp = getenv("TMPDIR");
	char *dir, *path;
	struct stat st;

	assert_true(asprintf(&dir, "%s/tally-link-XXXXXX", tmp ? tmp : "/tmp") > 0);
	assert_non_null(mkdtemp(dir));
	assert_true(asprintf(&path, "%s/link-a-b.pcap", dir) > 0);

	assert_int_equal(fab_link_capture_flush(w->link), -ENOENT);
	assert_int_equal(fab_link_capture_end(w->link), -ENOENT);
	assert_int_equal(fab_link_capture(w->link, "/nowhere/at/all"), -ENOENT);
	assert_int_equal(fab_link_capture(w->link, dir), 0);
	assert_int_equal(fab_link_capture(w->link, dir), -EBUSY);
	fab_send(w->end[0].port, numbered_frame(60, 0));
	fab_send(w->end[1].port, numbered_frame(61, 1));
	fab_send(w->end[0].port, numbered_frame(62, 2));
	sim_run_idle(w->sim, VT_NEVER);
	assert_int_equal(fab_link_capture_flush(w->link), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, 24 + 3 * 16 + 60 + 61 + 62);
	assert_int_equal(fab_link_capture_end(w->link), 0);
	assert_int_equal(fab_link_capture_lost(w->link), 0);

	unlink(path);
	rmdir(dir);
	free(path);
	free(dir);
}

#define TEST(fn)	cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wire_time_to_the_picosecond),
		TEST(one_frame),
		TEST(frames_follow_back_to_back),
		TEST(directions_do_not_disturb_each_other),
		cmocka_unit_test_setup_teardown(a_full_queue_drops, setup_small_queue, teardown),
		TEST(tx_room_keeps_the_wire_busy),
		TEST(a_free_wire_costs_no_event),
		TEST(the_wire_becomes_free_between_events),
		TEST(frames_for_nobody_are_counted),
		TEST(a_link_goes_with_its_frames),
		cmocka_unit_test(bad_links_are_refused),
		TEST(captures_both_directions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
