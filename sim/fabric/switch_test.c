// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "fabric/switch.h"
#include "fabric/test_station.h"

#define STATIONS	4
#define PORTS		6	/* two of them without a link */
#define BYTE_PS		80
#define PROPAGATION	(25 * VT_NS)
#define LATENCY		(300 * VT_NS)

/* Station i has the address 02:00:00:00:00:<i> and is at port i. */
struct world {
	struct sim *sim;
	struct fab_switch *sw;
	struct fab_link *link[STATIONS];
	struct station station[STATIONS];
};

static const uint8_t broadcast[6] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };

static struct frame *frame_to(const uint8_t *mac, size_t len, unsigned int number)
{
	struct frame *f = numbered_frame(len, number);

	memcpy(f->data, mac, 6);
	return f;
}

static void send_to(struct world *w, int from, int to, size_t len, unsigned int number)
{
	const uint8_t mac[6] = { 2, 0, 0, 0, 0, to };

	assert_int_equal(fab_send(w->station[from].port, frame_to(mac, len, number)), 0);
}

static int setup(void **state)
{
	const struct fab_link_params link_params = FAB_LINK_DEFAULTS;
	struct fab_switch_params params = FAB_SWITCH_DEFAULTS;
	struct world *w = calloc(1, sizeof(*w));

	assert_non_null(w);
	w->sim = sim_new(1);
	params.ports = PORTS;
	params.queue_bytes = 3000;
	w->sw = fab_switch_new(w->sim, &params);
	assert_non_null(w->sw);
	for (int i = 0; i < STATIONS; i++) {
		const uint8_t mac[6] = { 2, 0, 0, 0, 0, i };

		w->link[i] = fab_link_new(w->sim, &link_params, "station", "switch");
		assert_non_null(w->link[i]);
		station_attach(&w->station[i], w->sim, fab_link_port(w->link[i], 0));
		assert_int_equal(fab_switch_attach(w->sw, i, fab_link_port(w->link[i], 1)), 0);
		assert_int_equal(fab_switch_learn(w->sw, mac, i), 0);
	}
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	struct world *w = *state;

	fab_switch_free(w->sw);
	for (int i = 0; i < STATIONS; i++) {
		station_clear(&w->station[i]);
		fab_link_free(w->link[i]);
	}
	sim_free(w->sim);
	free(w);
	return 0;
}

static void unicast_goes_to_its_port_only(void **state)
{
	struct world *w = *state;

	send_to(w, 0, 2, 976, 5);
	sim_run_idle(w->sim, VT_NEVER);
	for (int i = 0; i < STATIONS; i++)
		assert_int_equal(w->station[i].count, i == 2);
	assert_int_equal(frame_number(w->station[2].frame[0]), 5);
	assert_int_equal(w->station[2].at[0], 2 * (1000 * BYTE_PS + PROPAGATION) + LATENCY);
	assert_int_equal(fab_switch_stats(w->sw)->received, 1);
	assert_int_equal(fab_switch_stats(w->sw)->forwarded, 1);
}

static void groups_go_to_all_others(void **state)
{
	static const uint8_t group[6] = { 0x33, 0x33, 0, 0, 0, 1 };
	struct world *w = *state;

	fab_send(w->station[1].port, frame_to(broadcast, 60, 0));
	fab_send(w->station[1].port, frame_to(group, 60, 1));
	sim_run_idle(w->sim, VT_NEVER);
	for (int i = 0; i < STATIONS; i++)
		assert_int_equal(w->station[i].count, i == 1 ? 0 : 2);
	assert_int_equal(fab_switch_stats(w->sw)->flooded, 2);
	assert_int_equal(w->station[0].frame[0]->refs, STATIONS - 1);
}

/* Members are ports; each gets a copy except the sending port; other ports get none. */
static void members_of_a_group(void **state)
{
	static const uint8_t group[6] = { 0x33, 0x33, 0, 0, 0, 1 };
	const struct fab_switch_stats *stats;
	struct world *w = *state;

	stats = fab_switch_stats(w->sw);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(fab_switch_join(w->sw, group, i), 0);
		assert_int_equal(fab_switch_join(w->sw, group, 0), 0);
	}
	fab_send(w->station[1].port, frame_to(group, 60, 0));
	fab_send(w->station[3].port, frame_to(group, 60, 0));
	sim_run_idle(w->sim, VT_NEVER);
	for (int i = 0; i < STATIONS; i++)
		assert_int_equal(w->station[i].count, i == 0 || i == 2);
	assert_int_equal(stats->multicast, 1);
	assert_int_equal(stats->stranger, 1);
	/* Without members, the address is an ordinary group address. */
	fab_switch_leave(w->sw, group);
	fab_switch_leave(w->sw, group);
	fab_send(w->station[3].port, frame_to(group, 60, 0));
	sim_run_idle(w->sim, VT_NEVER);
	assert_int_equal(stats->flooded, 1);
	fab_switch_set_flooding(w->sw, false);
	fab_send(w->station[3].port, frame_to(group, 60, 0));
	sim_run_idle(w->sim, VT_NEVER);
	assert_int_equal(stats->flooded, 1);
	assert_int_equal(stats->unjoined, 1);
	assert_int_equal(w->station[1].count, 1);
	assert_int_equal(w->station[3].count, 0);
}

/* Many groups, each with one member port of its own. */
static void groups_come_and_go(void **state)
{
	uint8_t group[6] = { 0x33, 0x33 };
	struct world *w = *state;

	for (int round = 0; round < 2; round++) {
		for (unsigned int n = 0; n < FAB_SWITCH_GROUPS_MAX; n++) {
			group[4] = n >> 8;
			group[5] = n;
			assert_int_equal(fab_switch_join(w->sw, group, 0), 0);
			assert_int_equal(fab_switch_join(w->sw, group, 1 + n % 3), 0);
		}
		group[2] = 1;
		assert_int_equal(fab_switch_join(w->sw, group, 0), -ENOSPC);
		group[2] = 0;
		for (unsigned int n = 0; n < FAB_SWITCH_GROUPS_MAX; n += 64) {
			group[4] = n >> 8;
			group[5] = n;
			fab_send(w->station[0].port, frame_to(group, 60, 0));
		}
		sim_run_idle(w->sim, VT_NEVER);
		for (unsigned int n = 0; n < FAB_SWITCH_GROUPS_MAX; n++) {
			group[4] = n >> 8;
			group[5] = n;
			fab_switch_leave(w->sw, group);
		}
	}
	assert_int_equal(w->station[0].count, 0);
	for (int i = 1; i < STATIONS; i++)
		assert_int_equal(w->station[i].count, 2 * (i == 1 ? 22 : 21));
	assert_int_equal(fab_switch_stats(w->sw)->multicast, 128);
}

/* Sends a frame from port 0 over cables of these rates; returns the time of arrival at port 1. */
static vtime_t cut_through_time(uint64_t in, uint64_t out, vtime_t busy_until)
{
	const struct fab_switch_params params = {
		.ports = 2, .latency = LATENCY, .cut_through = true, .queue_bytes = 1 << 20,
	};
	const uint8_t mac[6] = { 2, 0, 0, 0, 0, 1 };
	struct fab_link_params link = FAB_LINK_DEFAULTS;
	struct sim *sim = sim_new(1);
	struct fab_switch *sw = fab_switch_new(sim, &params);
	struct fab_link *a, *b;
	struct station s[2];
	vtime_t at;

	link.bits_per_s = in;
	a = fab_link_new(sim, &link, "a", "switch");
	link.bits_per_s = out;
	b = fab_link_new(sim, &link, "b", "switch");
	station_attach(&s[0], sim, fab_link_port(a, 0));
	station_attach(&s[1], sim, fab_link_port(b, 0));
	fab_switch_attach(sw, 0, fab_link_port(a, 1));
	fab_switch_attach(sw, 1, fab_link_port(b, 1));
	fab_switch_learn(sw, mac, 1);
	fab_send(s[0].port, frame_to(mac, 976, 0));
	if (busy_until) {
		/* A frame of 1000 bytes occupies the output's wire until then. */
		sim_run_until(sim, busy_until - fab_wire_time(out, 976));
		fab_send(fab_link_port(b, 1), frame_to(mac, 976, 1));
	}
	assert_true(sim_run_idle(sim, VT_S));
	assert_int_equal(s[1].count, busy_until ? 2 : 1);
	at = s[1].at[s[1].count - 1];
	fab_switch_free(sw);
	for (int i = 0; i < 2; i++)
		station_clear(&s[i]);
	fab_link_free(a);
	fab_link_free(b);
	sim_free(sim);
	return at;
}

static void cutting_through(void **state)
{
	const uint64_t g100 = 100000000000, g50 = 50000000000;
	const vtime_t wire = 1000 * BYTE_PS, tail = wire + PROPAGATION + LATENCY;

	(void)state;
	/* The last bit leaves one latency after its arrival; over a slower cable, the first bit. */
	assert_int_equal(cut_through_time(g100, g100, 0), tail + PROPAGATION);
	assert_int_equal(cut_through_time(g50, g100, 0), tail + wire + PROPAGATION);
	assert_int_equal(cut_through_time(g100, g50, 0), tail + wire + PROPAGATION);
	assert_int_equal(cut_through_time(g50, g50, 0), tail + wire + PROPAGATION);
	/* The output is busy until before the frame's first bit, during the frame, and after it. */
	assert_int_equal(cut_through_time(g100, g100, tail - wire), tail + PROPAGATION);
	assert_int_equal(cut_through_time(g100, g100, tail - wire + 1), tail + 1 + PROPAGATION);
	assert_int_equal(cut_through_time(g100, g100, tail - 1), tail + wire - 1 + PROPAGATION);
	assert_int_equal(cut_through_time(g100, g100, tail), tail + wire + PROPAGATION);
	assert_int_equal(cut_through_time(g100, g100, tail + 5), tail + wire + 5 + PROPAGATION);
}

static void undeliverable_frames_are_counted(void **state)
{
	struct world *w = *state;

	send_to(w, 0, 9, 60, 0);
	send_to(w, 0, 0, 60, 0);
	fab_send(w->station[0].port, numbered_frame(13, 0));
	sim_run_idle(w->sim, VT_NEVER);
	for (int i = 0; i < STATIONS; i++)
		assert_int_equal(w->station[i].count, 0);
	assert_int_equal(fab_switch_stats(w->sw)->received, 3);
	assert_int_equal(fab_switch_stats(w->sw)->unknown, 1);
	assert_int_equal(fab_switch_stats(w->sw)->hairpin, 1);
	assert_int_equal(fab_switch_stats(w->sw)->runt, 1);
	assert_int_equal(fab_switch_stats(w->sw)->forwarded, 0);
}

/*
 * Three stations send 5 frames of 1000 bytes each to the fourth at once. Of the first three frames,
 * one is on the wire and two wait; during each frame, three more arrive, and one finds room.
 */
static void a_congested_port_drops(void **state)
{
	struct world *w = *state;
	struct fab_port *out = fab_link_port(w->link[3], 1);

	for (int n = 0; n < 5; n++)
		for (int from = 0; from < 3; from++)
			send_to(w, from, 3, 1000, 10 * from + n);
	sim_run_idle(w->sim, VT_NEVER);
	assert_int_equal(fab_switch_stats(w->sw)->received, 15);
	assert_int_equal(fab_switch_stats(w->sw)->queue_full, out->stats.tx_queue_full);
	assert_int_equal(w->station[3].count + out->stats.tx_queue_full, 15);
	assert_int_equal(w->station[3].count, 3 + 4);
	for (int i = 1; i < w->station[3].count; i++)
		assert_int_equal(w->station[3].at[i] - w->station[3].at[i - 1], 1024 * BYTE_PS);
}

static void bad_arguments_are_refused(void **state)
{
	struct world *w = *state;
	struct fab_switch_params params = FAB_SWITCH_DEFAULTS;
	const uint8_t mac[6] = { 2, 0, 0, 0, 0, 99 };

	assert_int_equal(fab_switch_learn(w->sw, mac, PORTS), -ERANGE);
	assert_int_equal(fab_switch_learn(w->sw, mac, PORTS - 1), -ENOTCONN);
	assert_int_equal(fab_switch_learn(w->sw, broadcast, 0), -EINVAL);
	assert_int_equal(fab_switch_join(w->sw, broadcast, PORTS), -ERANGE);
	assert_int_equal(fab_switch_join(w->sw, broadcast, PORTS - 1), -ENOTCONN);
	assert_int_equal(fab_switch_join(w->sw, mac, 0), -EINVAL);
	assert_int_equal(fab_switch_attach(w->sw, PORTS, fab_link_port(w->link[0], 0)), -ERANGE);
	assert_int_equal(fab_switch_attach(w->sw, 5, fab_link_port(w->link[0], 0)), -EBUSY);
	assert_int_equal(fab_switch_attach(w->sw, 0, fab_link_port(w->link[0], 1)), -EBUSY);

	params.ports = 0;
	assert_null(fab_switch_new(w->sim, &params));
	assert_int_equal(errno, EINVAL);
	params.ports = FAB_SWITCH_PORTS_MAX + 1;
	assert_null(fab_switch_new(w->sim, &params));
	assert_int_equal(errno, EINVAL);
	fab_switch_free(NULL);
}

/* Frees the switch with a frame inside; its links are then unattached. */
static void a_switch_goes_with_its_frames(void **state)
{
	struct world *w = *state;

	send_to(w, 0, 1, 976, 0);
	sim_run_until(w->sim, 1000 * BYTE_PS + PROPAGATION + LATENCY - 1);
	fab_switch_free(w->sw);
	w->sw = NULL;
	send_to(w, 0, 1, 976, 1);
	assert_true(sim_run_idle(w->sim, VT_NEVER));
	assert_int_equal(w->station[1].count, 0);
	assert_int_equal(fab_link_port(w->link[0], 1)->stats.rx_unattached, 1);
}

/* A frame whose path ends at a dead or live switch; times are those of its arrival. */
struct death {
	vtime_t from, until;	/* period in which the switch is dead */
	bool lost;
};

static void what_a_dead_switch_loses(void **state)
{
	const vtime_t there = 1000 * BYTE_PS + PROPAGATION, gone = there + LATENCY;
	const struct death deaths[] = {
		{ 1, there - 1, false }, { gone + 1, gone + 5, false },
		{ there - 1, gone + 5, true }, { there - 1, there + 1, true },
		{ there + 1, there + 2, true }, { gone - 1, gone + 5, true },
	};
	struct world *w = *state;
	uint64_t lost = 0;

	for (unsigned int i = 0; i < sizeof(deaths) / sizeof(deaths[0]); i++) {
		vtime_t start = sim_now(w->sim);
		int before = w->station[1].count;

		send_to(w, 0, 1, 976, 0);
		sim_run_until(w->sim, start + deaths[i].from);
		fab_switch_set_dead(w->sw, true);
		fab_switch_set_dead(w->sw, true);
		assert_true(fab_switch_is_dead(w->sw));
		sim_run_until(w->sim, start + deaths[i].until);
		fab_switch_set_dead(w->sw, false);
		assert_true(fab_switch_is_dead(w->sw));
		fab_switch_set_dead(w->sw, false);
		assert_false(fab_switch_is_dead(w->sw));
		sim_run_until(w->sim, start + 10 * VT_US);
		lost += deaths[i].lost;
		assert_int_equal(w->station[1].count, before + !deaths[i].lost);
		assert_int_equal(fab_switch_stats(w->sw)->dead, lost);
	}
}

/* A cable that is cut loses frames in flight, but not frames that have arrived. */
static void what_is_inside_outlives_its_cable(void **state)
{
	const vtime_t there = 1000 * BYTE_PS + PROPAGATION;
	struct world *w = *state;

	for (int late = 0; late <= 1; late++) {
		vtime_t start = sim_now(w->sim);

		send_to(w, 0, 1, 976, 0);
		sim_run_until(w->sim, start + there - 1 + 2 * late);
		fab_port_set_down(w->station[0].port, true);
		sim_run_until(w->sim, start + 10 * VT_US);
		fab_port_set_down(w->station[0].port, false);
		assert_int_equal(w->station[1].count, late);
		assert_int_equal(w->station[0].port->stats.down_drops, 1);
	}
}

#define TEST(fn)	cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(unicast_goes_to_its_port_only),
		TEST(groups_go_to_all_others),
		TEST(members_of_a_group),
		TEST(groups_come_and_go),
		cmocka_unit_test(cutting_through),
		TEST(undeliverable_frames_are_counted),
		TEST(a_congested_port_drops),
		TEST(bad_arguments_are_refused),
		TEST(a_switch_goes_with_its_frames),
		TEST(what_a_dead_switch_loses),
		TEST(what_is_inside_outlives_its_cable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
