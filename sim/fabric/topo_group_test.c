// SPDX-License-Identifier: BSD-2-Clause
/* Group addresses: each member gets each frame once, over a tree. */
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

static void group_mac(unsigned int number, uint8_t mac[6])
{
	memcpy(mac, ((uint8_t[]){ 0x33, 0x33, 0, 0, number >> 8, number }), 6);
}

/* Draws @n different hosts; is[] marks them. */
static void draw_hosts(struct rng *rng, unsigned int of, unsigned int n, unsigned int *hosts,
		       bool *is)
{
	memset(is, 0, TOPO_MAX_HOSTS * sizeof(*is));
	for (unsigned int i = 0; i < n; i++) {
		do
			hosts[i] = rng_below(rng, of);
		while (is[hosts[i]]);
		is[hosts[i]] = true;
	}
}

/* A frame of @from reaches each other member once, and no other host. */
static void check_group(struct world *w, const uint8_t mac[6], unsigned int from, const bool *is)
{
	world_forget(w);
	assert_int_equal(send_frame(w, from, mac, 200), 0);
	world_run(w);
	for (unsigned int i = 0; i < topo_hosts(w->topo); i++)
		if (w->site[i].count != (is[i] && i != from))
			fail_msg("host %u got %u frames", i, w->site[i].count);
}

static void check_groups(const struct topo_cfg *cfg, unsigned int rounds)
{
	struct world *w = world_new(cfg);
	unsigned int hosts[TOPO_MAX_HOSTS], n;
	bool is[TOPO_MAX_HOSTS];
	struct rng rng;
	uint8_t mac[6];

	rng_seed(&rng, cfg->hosts);
	while (rounds--) {
		group_mac(rng_below(&rng, 5000), mac);
		n = 1 + rng_below(&rng, rounds & 1 ? cfg->hosts : cfg->hosts / 4);
		draw_hosts(&rng, cfg->hosts, n, hosts, is);
		assert_int_equal(topo_join(w->topo, mac, hosts, n), 0);
		for (unsigned int i = 0; i < n && i < 20; i++)
			check_group(w, mac, hosts[i], is);
		assert_int_equal(topo_totals(w->topo).lost, 0);
		topo_leave(w->topo, mac);
	}
	world_free(w);
}

static void groups_of_every_shape(void **state)
{
	const struct topo_cfg cfgs[] = {
		world_config(TOPO_SWITCH, 16, 16), world_config(TOPO_RING, 3, 0),
		world_config(TOPO_RING, 4, 0), world_config(TOPO_RING, 17, 0), world_config(TOPO_FATTREE2, 32, 8),
		world_config(TOPO_FATTREE3, 54, 6), world_config(TOPO_FATTREE3, 9, 6),
	};

	(void)state;
	for (unsigned int i = 0; i < sizeof(cfgs) / sizeof(cfgs[0]); i++)
		check_groups(&cfgs[i], 60);
}

static void groups_of_1024(void **state)
{
	const struct topo_cfg cfgs[] = {
		world_config(TOPO_RING, 1024, 0), world_config(TOPO_FATTREE2, 1024, 46),
		world_config(TOPO_FATTREE3, 1024, 16), world_config(TOPO_FATTREE3, 1024, 32),
	};

	(void)state;
	for (unsigned int i = 0; i < sizeof(cfgs) / sizeof(cfgs[0]); i++)
		check_groups(&cfgs[i], 4);
}

/* The tree has no more cables than necessary: here two hosts, two leaves, a spine. */
static void a_group_costs_its_tree_only(void **state)
{
	struct topo_cfg cfg = world_config(TOPO_FATTREE2, 32, 8);
	const unsigned int hosts[] = { 1, 2, 30 };
	struct world *w = world_new(&cfg);
	uint8_t mac[6];

	(void)state;
	group_mac(1, mac);
	assert_int_equal(topo_join(w->topo, mac, hosts, 3), 0);
	assert_int_equal(send_frame(w, 30, mac, 100), 0);
	world_run(w);
	/* Host 30's leaf, up to a spine, down to the other leaf, to two hosts. */
	assert_int_equal(topo_totals(w->topo).frames, 1 + 1 + 1 + 2);
	assert_int_equal(topo_totals(w->topo).trunk_frames, 2);
	assert_int_equal(topo_totals(w->topo).trunk_bytes, 200);
	/* The frame takes the same time as one to a single host. */
	assert_int_equal(w->site[1].last, topo_path_time(w->topo, 30, 1, 100));
	assert_int_equal(w->site[2].last, topo_path_time(w->topo, 30, 2, 100));
	world_free(w);
}

/* The ring's tree is the ring without its longest stretch of hosts that are not members. */
static void a_group_on_a_ring(void **state)
{
	struct topo_cfg cfg = world_config(TOPO_RING, 10, 0);
	const unsigned int hosts[] = { 8, 1, 9, 2 };
	struct world *w = world_new(&cfg);
	uint8_t mac[6];

	(void)state;
	group_mac(1, mac);
	assert_int_equal(topo_join(w->topo, mac, hosts, 4), 0);
	assert_int_equal(send_frame(w, 9, mac, 100), 0);
	world_run(w);
	assert_int_equal(topo_totals(w->topo).frames, 4);
	for (unsigned int i = 0; i < 10; i++)
		assert_int_equal(w->site[i].count, i == 8 || i == 1 || i == 2);
	for (unsigned int i = 0; i < 4; i++)
		if (hosts[i] != 9)
			assert_int_equal(w->site[hosts[i]].last,
					 topo_path_time(w->topo, 9, hosts[i], 100));
	world_free(w);
}

static void strangers_and_empty_groups(void **state)
{
	struct topo_cfg cfg = world_config(TOPO_FATTREE2, 32, 8);
	const unsigned int hosts[] = { 4, 5 }, others[] = { 6, 32 }, twice[] = { 7, 7 };
	struct world *w = world_new(&cfg);
	bool is[TOPO_MAX_HOSTS] = { false };
	const struct fab_switch_stats *leaf;
	uint8_t mac[6];

	(void)state;
	leaf = fab_switch_stats(topo_switch(w->topo, 1));
	group_mac(1, mac);
	check_group(w, mac, 4, is);
	assert_int_equal(leaf->unjoined, 1);
	assert_int_equal(topo_join(w->topo, mac, hosts, 2), 0);
	check_group(w, mac, 6, is);
	assert_int_equal(leaf->stranger, 1);
	is[4] = is[5] = true;
	check_group(w, mac, 4, is);
	assert_int_equal(leaf->multicast, 1);
	/* A refused join leaves no group behind. */
	is[4] = is[5] = false;
	assert_int_equal(topo_join(w->topo, mac, others, 2), -ERANGE);
	check_group(w, mac, 4, is);
	assert_int_equal(topo_join(w->topo, mac, twice, 2), -EBUSY);
	check_group(w, mac, 4, is);
	assert_int_equal(leaf->unjoined, 3);
	assert_int_equal(topo_join(w->topo, mac, hosts, 0), 0);
	check_group(w, mac, 4, is);
	assert_int_equal(leaf->unjoined, 4);
	assert_int_equal(topo_totals(w->topo).lost, 5);
	mac[0] = 2;
	assert_int_equal(topo_join(w->topo, mac, hosts, 2), -EINVAL);
	world_free(w);
}

/* Without loops, frames to a group that no host joined are flooded, as in any switch. */
static void one_switch_floods(void **state)
{
	struct topo_cfg cfg = world_config(TOPO_SWITCH, 6, 0);
	struct world *w = world_new(&cfg);
	bool is[TOPO_MAX_HOSTS] = { false };
	uint8_t mac[6];

	(void)state;
	memset(is, true, 6);
	group_mac(1, mac);
	check_group(w, mac, 4, is);
	memset(mac, 0xff, 6);
	check_group(w, mac, 0, is);
	world_free(w);
}

static void a_cable_passes_all(void **state)
{
	struct topo_cfg cfg = world_config(TOPO_DIRECT, 2, 0);
	bool is[TOPO_MAX_HOSTS] = { true, true };
	const unsigned int hosts[] = { 0, 1 };
	struct world *w = world_new(&cfg);
	uint8_t mac[6];

	(void)state;
	group_mac(1, mac);
	assert_int_equal(topo_join(w->topo, mac, hosts, 2), 0);
	check_group(w, mac, 0, is);
	check_group(w, mac, 1, is);
	world_free(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(groups_of_every_shape),
		cmocka_unit_test(groups_of_1024),
		cmocka_unit_test(a_group_costs_its_tree_only),
		cmocka_unit_test(a_group_on_a_ring),
		cmocka_unit_test(strangers_and_empty_groups),
		cmocka_unit_test(one_switch_floods),
		cmocka_unit_test(a_cable_passes_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
