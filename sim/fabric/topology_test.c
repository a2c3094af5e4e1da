// SPDX-License-Identifier: BSD-2-Clause
/* Shapes, paths and their lengths: the simulation agrees with the computed times. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "core/rng.h"
#include "fabric/topo_testing.h"

static const size_t lengths[] = { 60, 61, 1000, 4352 };

/* Rates of hosts' cables and trunks in Gb/s; some make a byte take a fraction of a picosecond. */
static const struct {
	uint64_t link, trunk;
} rates[] = { { 100, 100 }, { 25, 100 }, { 100, 40 }, { 7, 3 } };

#define NUM_RATES	(sizeof(rates) / sizeof(rates[0]))
#define NUM_LENGTHS	(sizeof(lengths) / sizeof(lengths[0]))

static void set_rates(struct topo_cfg *cfg, unsigned int which)
{
	cfg->link.bits_per_s = rates[which].link * 1000000000;
	cfg->trunk.bits_per_s = rates[which].trunk * 1000000000;
	cfg->trunk.propagation = 77 * VT_NS;
	cfg->sw.cut_through = which & 1;
}

/* A lone frame takes the computed time and number of cables, and reaches no other host. */
static void check_way(struct world *w, unsigned int from, unsigned int to, size_t bytes)
{
	struct topo_path path = topo_path(w->topo, from, to);
	struct topo_totals before = topo_totals(w->topo), after;
	unsigned int count = w->site[to].count;
	vtime_t start = sim_now(w->sim);

	assert_int_equal(send_to(w, from, to, bytes), 0);
	world_run(w);
	assert_int_equal(w->site[to].count, count + 1);
	assert_int_equal(w->site[to].last - start,
			 topo_path_time(w->topo, from, to, bytes));
	after = topo_totals(w->topo);
	assert_int_equal(after.frames - before.frames, path.links);
	assert_int_equal(after.bytes - before.bytes, path.links * bytes);
	assert_int_equal(after.lost, 0);
	assert_int_equal(after.queue_full, 0);
}

static void check_all_pairs(const struct topo_cfg *cfg, size_t bytes)
{
	struct world *w = world_new(cfg);
	unsigned int n = cfg->hosts;

	for (unsigned int from = 0; from < n; from++)
		for (unsigned int to = 0; to < n; to++)
			if (from != to)
				check_way(w, from, to, bytes);
	for (unsigned int i = 0; i < n; i++)
		assert_int_equal(w->site[i].count, n - 1);
	world_free(w);
}

static void all_pairs_of_every_count(void **state)
{
	static const struct {
		enum topo_kind kind;
		unsigned int ports, first, last;
	} shapes[] = {
		{ TOPO_DIRECT, 0, 2, 2 }, { TOPO_RING, 0, 1, 17 }, { TOPO_SWITCH, 0, 1, 9 },
		{ TOPO_SWITCH, 24, 1, 24 }, { TOPO_FATTREE2, 2, 1, 2 }, { TOPO_FATTREE2, 4, 1, 8 },
		{ TOPO_FATTREE2, 8, 1, 32 }, { TOPO_FATTREE3, 2, 1, 2 },
		{ TOPO_FATTREE3, 4, 1, 16 }, { TOPO_FATTREE3, 6, 37, 54 },
	};

	(void)state;
	for (unsigned int i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
		for (unsigned int n = shapes[i].first; n <= shapes[i].last; n++) {
			struct topo_cfg cfg = world_config(shapes[i].kind, n, shapes[i].ports);

			set_rates(&cfg, (i + n) % NUM_RATES);
			check_all_pairs(&cfg, lengths[n % NUM_LENGTHS]);
		}
}

static void every_rate_and_length(void **state)
{
	(void)state;
	for (unsigned int kind = 0; kind < TOPO_KINDS; kind++)
		for (unsigned int i = 0; i < 2 * NUM_RATES * NUM_LENGTHS; i++) {
			struct topo_cfg cfg = world_config(kind, kind == TOPO_DIRECT ? 2 : 6, 6);

			set_rates(&cfg, i / 2 % NUM_RATES);
			cfg.sw.cut_through = i & 1;
			check_all_pairs(&cfg, lengths[i / 2 / NUM_RATES]);
		}
}

static void sampled_pairs_of_1024(void **state)
{
	static const struct {
		enum topo_kind kind;
		unsigned int ports;
	} shapes[] = {
		{ TOPO_RING, 0 }, { TOPO_SWITCH, 0 }, { TOPO_FATTREE2, 46 }, { TOPO_FATTREE2, 64 },
		{ TOPO_FATTREE3, 16 }, { TOPO_FATTREE3, 32 },
	};
	struct rng rng;

	(void)state;
	rng_seed(&rng, 3);
	for (unsigned int i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		struct topo_cfg cfg = world_config(shapes[i].kind, 1024, shapes[i].ports);
		struct world *w;

		set_rates(&cfg, i % NUM_RATES);
		w = world_new(&cfg);
		for (unsigned int k = 0; k < 300; k++) {
			unsigned int from = rng_below(&rng, 1024), to = rng_below(&rng, 1024);

			if (from != to)
				check_way(w, from, to, lengths[k % NUM_LENGTHS]);
		}
		world_free(w);
	}
}

/* By hand: 100 bytes and 24 of overhead take 9.92 ns at 100 Gb/s; cables 25 ns, switches 300 ns. */
static void lengths_by_hand(void **state)
{
	const vtime_t wire = 9920, cable = 25 * VT_NS, inside = 300 * VT_NS;
	static const unsigned int levels[TOPO_KINDS] = {
		[TOPO_SWITCH] = 1, [TOPO_FATTREE2] = 2, [TOPO_FATTREE3] = 3,
	};

	(void)state;
	for (unsigned int kind = 0; kind < TOPO_KINDS; kind++)
		for (int cut = 0; cut <= 1; cut++) {
			struct topo_cfg cfg = world_config(kind, kind == TOPO_DIRECT ? 2 : 16, 16);
			char why[160];
			struct sim *sim = sim_new(1);
			struct topo *t;

			cfg.sw.cut_through = cut;
			t = topo_new(sim, &cfg, why, sizeof(why));
			assert_int_equal(topo_levels(t), levels[kind]);
			assert_int_equal(topo_level_time(t, 0, 100), wire + cable);
			for (unsigned int l = 1; l <= levels[kind]; l++)
				assert_int_equal(topo_level_time(t, l, 100),
						 (cut ? 1 : 2 * l) * wire + 2 * l * cable +
						 (2 * l - 1) * inside);
			topo_free(t);
			sim_free(sim);
		}
}

static void the_longest_way_of_a_set(void **state)
{
	struct rng rng;

	(void)state;
	rng_seed(&rng, 4);
	for (unsigned int round = 0; round < 200; round++) {
		static const enum topo_kind kinds[] = { TOPO_RING, TOPO_FATTREE2, TOPO_FATTREE3 };
		struct topo_cfg cfg = world_config(kinds[round % 3], 50, round % 3 == 1 ? 10 : 6);
		struct sim *sim = sim_new(1);
		unsigned int hosts[50], n = rng_below(&rng, 7);
		vtime_t longest = 0;
		char why[160];
		struct topo *t;

		set_rates(&cfg, round % NUM_RATES);
		t = topo_new(sim, &cfg, why, sizeof(why));
		assert_non_null(t);
		for (unsigned int i = 0; i < n; i++)
			hosts[i] = rng_below(&rng, round < 100 ? 50 : 9);
		for (unsigned int i = 0; i < n; i++)
			for (unsigned int k = 0; k < n; k++) {
				vtime_t time = topo_path_time(t, hosts[i], hosts[k], 70);

				longest = time > longest ? time : longest;
			}
		assert_int_equal(topo_longest_time(t, hosts, n, 70), longest);
		topo_free(t);
		sim_free(sim);
	}
}

/* The input of the planner: hosts fill leaves in order, leaves fill pods. */
static void switches_of_hosts(void **state)
{
	struct topo_cfg cfg = world_config(TOPO_FATTREE3, 54, 6);
	struct sim *sim = sim_new(1);
	struct topo *t;
	char why[160];

	(void)state;
	t = topo_new(sim, &cfg, why, sizeof(why));
	for (unsigned int i = 0; i < 54; i++) {
		assert_int_equal(topo_switch_of(t, 0, i), i / 3);
		assert_int_equal(topo_switch_of(t, 1, i), i / 9);
		assert_int_equal(topo_switch_of(t, 2, i), 0);
	}
	assert_int_equal(topo_num_switches(t), 18 + 18 + 9);
	assert_int_equal(topo_num_links(t), 3 * 54);
	topo_switch_name(t, 17, why, sizeof(why));
	assert_string_equal(why, "leaf17");
	topo_switch_name(t, 35, why, sizeof(why));
	assert_string_equal(why, "agg17");
	topo_switch_name(t, 44, why, sizeof(why));
	assert_string_equal(why, "core8");
	assert_string_equal(fab_link_name(topo_link(t, 53), 0), "host53");
	assert_string_equal(fab_link_name(topo_link(t, 53), 1), "leaf17");
	assert_ptr_equal(topo_host_link(t, 53), topo_link(t, 53));
	topo_free(t);
	sim_free(sim);
}

static void what_cannot_be_is_refused(void **state)
{
	static const struct {
		enum topo_kind kind;
		unsigned int hosts, ports;
		const char *why;
	} cases[] = {
		{ TOPO_FATTREE2, 600, 32,
		  "fattree2 of 32-port switches has room for 512 hosts, not 600" },
		{ TOPO_FATTREE3, 129, 8,
		  "fattree3 of 8-port switches has room for 128 hosts, not 129" },
		{ TOPO_FATTREE2, 4, 33,
		  "fattree2 needs switches with an even number of ports, not 33" },
		{ TOPO_FATTREE3, 1, 0,
		  "fattree3 needs switches with an even number of ports, not 0" },
		{ TOPO_SWITCH, 33, 32, "one 32-port switch has room for 32 hosts, not 33" },
		{ TOPO_SWITCH, 33, 1025, "a switch has 1024 ports at most, not 1025" },
		{ TOPO_DIRECT, 3, 0, "a direct cable connects 2 hosts, not 3" },
		{ TOPO_RING, 0, 0, "a fabric has 1 to 1024 hosts, not 0" },
		{ TOPO_FATTREE3, 1025, 64, "a fabric has 1 to 1024 hosts, not 1025" },
		{ TOPO_KINDS, 1, 1, "there is no fabric of kind 5" },
	};
	struct sim *sim = sim_new(1);
	struct topo_cfg cfg;
	char why[160];

	(void)state;
	for (unsigned int i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		cfg = world_config(cases[i].kind, cases[i].hosts, cases[i].ports);
		assert_null(topo_new(sim, &cfg, why, sizeof(why)));
		assert_int_equal(errno, EINVAL);
		assert_string_equal(why, cases[i].why);
	}
	cfg = world_config(TOPO_SWITCH, 4, 4);
	cfg.trunk.bits_per_s = 0;
	assert_int_equal(topo_check(&cfg, why, sizeof(why)), -EINVAL);
	assert_string_equal(why, "a cable between switches cannot have 0 bits a second");
	cfg = world_config(TOPO_SWITCH, 4, 4);
	cfg.link.propagation = VT_S + 1;
	assert_int_equal(topo_check(&cfg, why, sizeof(why)), -EINVAL);
	assert_string_equal(why, "a host's cable takes longer than a second");
	cfg = world_config(TOPO_SWITCH, 4, 4);
	cfg.sw.latency = VT_S + 1;
	assert_int_equal(topo_check(&cfg, why, sizeof(why)), -EINVAL);
	assert_string_equal(why, "a switch keeps frames for longer than a second");
	sim_free(sim);
}

static void kinds_have_names(void **state)
{
	enum topo_kind kind;

	(void)state;
	for (unsigned int i = 0; i < TOPO_KINDS; i++) {
		assert_int_equal(topo_kind_parse(topo_kind_name(i), &kind), 0);
		assert_int_equal(kind, i);
	}
	assert_null(topo_kind_name(TOPO_KINDS));
	assert_int_equal(topo_kind_parse("torus", &kind), -EINVAL);
}

static void addresses_are_checked(void **state)
{
	struct topo_cfg cfg = world_config(TOPO_FATTREE2, 8, 4);
	struct world *w = world_new(&cfg);
	uint8_t mac[6] = { 3 };

	(void)state;
	assert_int_equal(topo_learn(w->topo, 8, mac), -ERANGE);
	assert_int_equal(topo_learn(w->topo, 0, mac), -EINVAL);
	/* A second address of host 5, and an address that no host has. */
	mac[0] = 2;
	mac[1] = 9;
	assert_int_equal(topo_learn(w->topo, 5, mac), 0);
	assert_int_equal(send_frame(w, 0, mac, 100), 0);
	mac[2] = 1;
	assert_int_equal(send_frame(w, 0, mac, 100), 0);
	world_run(w);
	assert_int_equal(w->site[5].count, 1);
	assert_int_equal(topo_totals(w->topo).lost, 1);
	world_free(w);
}

/* A host's shortest frame takes 6.72 ns on the wire and 25 ns on the cable, a switch 300 ns. */
static void windows_follow_from_the_parameters(void **state)
{
	struct topo_cfg cfg = world_config(TOPO_FATTREE2, 8, 4);
	struct world *w = world_new(&cfg);
	struct sim_windows win;

	(void)state;
	assert_true(topo_windows(w->topo, &win));
	assert_int_equal(win.nodes, 8);
	assert_int_equal(win.to_network, 331720);
	assert_int_equal(win.to_node, 25000);
	for (unsigned int i = 0; i < 8; i++) {
		struct fab_link *cable = topo_host_link(w->topo, i);

		assert_int_equal(fab_link_port(cable, 0)->wire_free.domain, i + 1);
		assert_int_equal(fab_link_port(cable, 0)->arrival.domain, 0);
		assert_int_equal(fab_link_port(cable, 1)->wire_free.domain, 0);
		assert_int_equal(fab_link_port(cable, 1)->arrival.domain, i + 1);
	}
	world_free(w);
}

static void some_fabrics_have_no_windows(void **state)
{
	static const enum topo_kind kinds[] = { TOPO_DIRECT, TOPO_RING, TOPO_SWITCH, TOPO_SWITCH };
	struct sim_windows win;

	(void)state;
	for (unsigned int i = 0; i < 4; i++) {
		struct topo_cfg cfg = world_config(kinds[i], 2, 4);
		struct world *w;

		if (i == 2)
			cfg.link.propagation = 0;
		if (i == 3)
			cfg.sw.latency = 42 * VT_NS;	/* 98.72 ns in all */
		w = world_new(&cfg);
		assert_false(topo_windows(w->topo, &win));
		assert_int_equal(topo_port(w->topo, 1)->wire_free.domain, 0);
		world_free(w);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_pairs_of_every_count),
		cmocka_unit_test(every_rate_and_length),
		cmocka_unit_test(sampled_pairs_of_1024),
		cmocka_unit_test(lengths_by_hand),
		cmocka_unit_test(the_longest_way_of_a_set),
		cmocka_unit_test(switches_of_hosts),
		cmocka_unit_test(what_cannot_be_is_refused),
		cmocka_unit_test(kinds_have_names),
		cmocka_unit_test(addresses_are_checked),
		cmocka_unit_test(windows_follow_from_the_parameters),
		cmocka_unit_test(some_fabrics_have_no_windows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
