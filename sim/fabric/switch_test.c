// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "fabric/mac_table.h"
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
 * Three stations send 5 frames of 1000 bytes each to the fourth at once. Of the first three one is
 * on the wire and two wait; in the time of each frame three more come, and one finds room.
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

/* Freed with a frame inside; then its links lead nowhere. */
static void a_switch_goes_with_its_frames(void **state)
{
	struct world *w = *state;

	send_to(w, 0, 1, 976, 0);
	sim_run_until(w->sim, 1000 * BYTE_PS + PROPAGATION + LATENCY - 1);
	assert_int_equal(fab_switch_stats(w->sw)->received, 1);
	fab_switch_free(w->sw);
	w->sw = NULL;
	send_to(w, 0, 1, 976, 1);
	assert_true(sim_run_idle(w->sim, VT_NEVER));
	assert_int_equal(w->station[1].count, 0);
	assert_int_equal(fab_link_port(w->link[0], 1)->stats.rx_unattached, 1);
}

static void table_of_many_addresses(void **state)
{
	struct mac_table t = { 0 };
	uint8_t mac[6] = { 2 };

	(void)state;
	assert_int_equal(mac_table_find(&t, mac), -1);
	/* 263 is prime to 1000: every number once, in no order. */
	for (unsigned int i = 0; i < 1000; i++) {
		unsigned int n = i * 263 % 1000;

		mac[1] = n;
		mac[5] = n >> 8;
		assert_int_equal(mac_table_set(&t, mac, n), 0);
	}
	assert_int_equal(t.count, 1000);
	for (unsigned int n = 0; n < 1000; n++) {
		mac[1] = n;
		mac[5] = n >> 8;
		assert_int_equal(mac_table_find(&t, mac), n);
	}
	assert_int_equal(mac_table_set(&t, mac, 3), 0);
	assert_int_equal(mac_table_find(&t, mac), 3);
	assert_int_equal(t.count, 1000);
	mac[3] = 1;
	assert_int_equal(mac_table_find(&t, mac), -1);
	mac_table_clear(&t);
	assert_int_equal(mac_table_find(&t, mac), -1);
}

#define TEST(fn)	cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(unicast_goes_to_its_port_only),
		TEST(groups_go_to_all_others),
		TEST(undeliverable_frames_are_counted),
		TEST(a_congested_port_drops),
		TEST(bad_arguments_are_refused),
		TEST(a_switch_goes_with_its_frames),
		cmocka_unit_test(table_of_many_addresses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
