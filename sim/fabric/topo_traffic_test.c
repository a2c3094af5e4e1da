// SPDX-License-Identifier: BSD-2-Clause
/* Many frames at once: groups, contention, full queues, marks. */
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
#include "wire/bytes.h"
#include "wire/ecn.h"
#include "wire/roce_layout.h"

static struct topo_cfg config(enum topo_kind kind, unsigned int hosts, unsigned int ports)
{
	struct topo_cfg cfg = TOPO_DEFAULTS;

	cfg.kind = kind;
	cfg.hosts = hosts;
	cfg.sw.ports = ports;
	return cfg;
}

static void group_mac(unsigned int number, uint8_t mac[6])
{
	memcpy(mac, ((uint8_t[]){ 0x33, 0x33, 0, 0, number >> 8, number }), 6);
}

/* ---- Groups ---- */

/* @n different hosts; is[] says which. */
static void draw_hosts(struct rng *rng, unsigned int of, unsigned int n, unsigned int *hosts, bool *is)
{
	memset(is, 0, TOPO_MAX_HOSTS * sizeof(*is));
	for (unsigned int i = 0; i < n; i++) {
		do
			hosts[i] = rng_below(rng, of);
		while (is[hosts[i]]);
		is[hosts[i]] = true;
	}
}

/* What @from sends reaches each other member once, and nobody else. */
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
		config(TOPO_SWITCH, 16, 16), config(TOPO_RING, 3, 0), config(TOPO_RING, 4, 0),
		config(TOPO_RING, 17, 0), config(TOPO_FATTREE2, 32, 8),
		config(TOPO_FATTREE3, 54, 6), config(TOPO_FATTREE3, 9, 6),
	};

	(void)state;
	for (unsigned int i = 0; i < sizeof(cfgs) / sizeof(cfgs[0]); i++)
		check_groups(&cfgs[i], 60);
}

static void groups_of_1024(void **state)
{
	const struct topo_cfg cfgs[] = {
		config(TOPO_RING, 1024, 0), config(TOPO_FATTREE2, 1024, 46),
		config(TOPO_FATTREE3, 1024, 16), config(TOPO_FATTREE3, 1024, 32),
	};

	(void)state;
	for (unsigned int i = 0; i < sizeof(cfgs) / sizeof(cfgs[0]); i++)
		check_groups(&cfgs[i], 4);
}

/* The tree has as many cables as it takes: here two hosts, two leaves, a spine. */
static void a_group_costs_its_tree_only(void **state)
{
	struct topo_cfg cfg = config(TOPO_FATTREE2, 32, 8);
	const unsigned int hosts[] = { 1, 2, 30 };
	struct world *w = world_new(&cfg);
	uint8_t mac[6];

	(void)state;
	group_mac(1, mac);
	assert_int_equal(topo_join(w->topo, mac, hosts, 3), 0);
	assert_int_equal(send_frame(w, 30, mac, 100), 0);
	world_run(w);
	/* Up at 30's leaf, spine, down at the other leaf, to two hosts. */
	assert_int_equal(topo_totals(w->topo).frames, 1 + 1 + 1 + 2);
	assert_int_equal(topo_totals(w->topo).trunk_frames, 2);
	assert_int_equal(topo_totals(w->topo).trunk_bytes, 200);
	/* As fast as if it were for one of them. */
	assert_int_equal(w->site[1].last, topo_path_time(w->topo, 30, 1, 100));
	assert_int_equal(w->site[2].last, topo_path_time(w->topo, 30, 2, 100));
	world_free(w);
}

/* The ring's tree is the way round without the longest stretch of others. */
static void a_group_on_a_ring(void **state)
{
	struct topo_cfg cfg = config(TOPO_RING, 10, 0);
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
	struct topo_cfg cfg = config(TOPO_FATTREE2, 32, 8);
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
	/* Who is refused leaves no group behind. */
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

/* Where nothing can loop, what nobody joined is flooded, as any switch does. */
static void one_switch_floods(void **state)
{
	struct topo_cfg cfg = config(TOPO_SWITCH, 6, 0);
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
	struct topo_cfg cfg = config(TOPO_DIRECT, 2, 0);
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

/* ---- Contention ---- */

/* As much room up as down: all hosts send at once, each to the one so many numbers further. */
static void leaves_do_not_block(void **state)
{
	(void)state;
	for (int cut = 0; cut <= 1; cut++)
		for (unsigned int shift = 1; shift < 54; shift++) {
			struct topo_cfg cfg = config(TOPO_FATTREE3, 54, 6);
			struct world *w;

			cfg.sw.cut_through = cut;
			w = world_new(&cfg);
			for (unsigned int i = 0; i < 54; i++)
				assert_int_equal(send_to(w, i, (i + shift) % 54, 1000), 0);
			world_run(w);
			for (unsigned int i = 0; i < 54; i++) {
				unsigned int from = (i + 54 - shift) % 54;

				assert_int_equal(w->site[i].count, 1);
				assert_int_equal(w->site[i].last,
						 topo_path_time(w->topo, from, i, 1000));
			}
			world_free(w);
		}
}

/* Both cables of a ring's host are busy at once, and each with one frame after the other. */
static void a_ring_has_two_cables_a_host(void **state)
{
	struct topo_cfg cfg = config(TOPO_RING, 5, 0);
	const vtime_t wire = 1024 * 80;
	struct world *w;

	(void)state;
	cfg.link.propagation = 0;
	w = world_new(&cfg);
	for (unsigned int i = 0; i < 20; i++)
		assert_int_equal(send_to(w, 2, i & 1 ? 1 : 3, 1000), 0);
	world_run(w);
	assert_int_equal(w->site[3].count, 10);
	assert_int_equal(w->site[1].count, 10);
	assert_int_equal(w->site[3].last, 10 * wire);
	/* Its first frame waits until the NIC has handed on the one before. */
	assert_int_equal(w->site[1].last, 10 * wire + wire / 2);
	world_free(w);
}

static void incast(struct world *w, unsigned int each)
{
	for (unsigned int k = 0; k < each; k++)
		for (unsigned int i = 1; i < topo_hosts(w->topo); i++)
			assert_int_equal(send_to(w, i, 0, 1000), 0);
	world_run(w);
}

/* The one cable is never idle from the first frame to the last. */
static void a_busy_cable_is_never_idle(void **state)
{
	const vtime_t wire = 1024 * 80;

	(void)state;
	for (int cut = 0; cut <= 1; cut++) {
		struct topo_cfg cfg = config(TOPO_SWITCH, 4, 4);
		struct world *w;

		cfg.sw.cut_through = cut;
		w = world_new(&cfg);
		incast(w, 10);
		assert_int_equal(w->site[0].count, 30);
		assert_int_equal(w->site[0].last, topo_path_time(w->topo, 1, 0, 1000) + 29 * wire);
		world_free(w);
	}
}

static void full_queues_are_counted(void **state)
{
	struct topo_cfg cfg = config(TOPO_FATTREE2, 32, 8);
	struct topo_totals sum;
	struct world *w;

	(void)state;
	cfg.sw.queue_bytes = 10000;
	w = world_new(&cfg);
	incast(w, 20);
	sum = topo_totals(w->topo);
	assert_in_range(sum.queue_full, 31 * 20 / 2, 31 * 20);
	assert_int_equal(sum.queue_full + w->site[0].count, 31 * 20);
	assert_int_equal(sum.lost, 0);
	assert_int_equal(sum.ecn_marked, 0);
	world_free(w);
}

/* ---- Marks ---- */

struct marked {
	unsigned int frames, marks;
};

static void count_marks(void *arg, struct frame *f)
{
	struct marked *m = arg;

	m->frames++;
	m->marks += ecn_of(f) == ECN_CE;
	frame_unref(f);
}

/* 1000 bytes that look like an IPv6 packet. */
static void send_packet(struct world *w, unsigned int from, enum ecn ecn)
{
	struct frame *f = frame_alloc(1000);

	assert_non_null(f);
	site_mac(0, f->data);
	put_be16(f->data + ETH_TYPE, ETH_TYPE_IPV6);
	put_be16(f->data + ETH_HEADER_BYTES, 0x6000 | ecn << 4);
	assert_int_equal(fab_send(topo_port(w->topo, from), f), 0);
}

static struct marked marks(size_t ecn_bytes, size_t queue_bytes, enum ecn ecn, unsigned int n)
{
	struct topo_cfg cfg = config(TOPO_SWITCH, 3, 3);
	struct topo_totals sum;
	struct marked m = { 0 };
	struct world *w;

	cfg.sw.ecn_bytes = ecn_bytes;
	cfg.sw.queue_bytes = queue_bytes;
	w = world_new(&cfg);
	topo_port(w->topo, 0)->rx = count_marks;
	topo_port(w->topo, 0)->arg = &m;
	for (unsigned int i = 0; i < n; i++) {
		send_packet(w, 1, ecn);
		send_packet(w, 2, ecn);
	}
	world_run(w);
	sum = topo_totals(w->topo);
	assert_int_equal(sum.ecn_marked, fab_link_port(topo_host_link(w->topo, 0), 1)->stats.ecn_marked);
	assert_int_equal(sum.ecn_marked, ecn == ECN_CE ? 0 : m.marks);
	assert_int_equal(sum.queue_full + m.frames, 2 * n);
	world_free(w);
	return m;
}

static void long_queues_mark(void **state)
{
	struct marked m;

	(void)state;
	/* Off; not capable; and no queue that long. */
	assert_int_equal(marks(0, 1 << 20, ECN_ECT0, 40).marks, 0);
	assert_int_equal(marks(3000, 1 << 20, ECN_NOT_CAPABLE, 40).marks, 0);
	assert_int_equal(marks(50000, 1 << 20, ECN_ECT0, 40).marks, 0);
	/*
	 * Two frames come while one goes, so those of pair k, from 1, find k and k + 1 waiting ones. More
	 * than 3000 bytes wait from the second frame of pair 3 on, the eighth in all.
	 */
	m = marks(3000, 1 << 20, ECN_ECT0, 40);
	assert_int_equal(m.frames, 80);
	assert_int_equal(m.marks, 80 - 7);
	assert_int_equal(marks(3000, 1 << 20, ECN_ECT1, 40).marks, 73);
	/* Marks are for what is sent: the ones that were dropped do not count. */
	m = marks(3000, 5000, ECN_ECT0, 40);
	assert_in_range(m.frames, 40, 50);
	assert_int_equal(m.marks, m.frames - 7);
	/* What was marked before stays so. */
	assert_int_equal(marks(3000, 1 << 20, ECN_CE, 40).marks, 80);
}

/* ---- All together ---- */

static uint64_t random_traffic(const struct topo_cfg *cfg, uint64_t seed)
{
	struct world *w = world_new(cfg);
	unsigned int sent = 0, got = 0;
	struct topo_totals sum;
	uint64_t digest = 0;
	struct rng rng;

	rng_seed(&rng, seed);
	for (unsigned int i = 0; i < 3000; i++) {
		unsigned int from = rng_below(&rng, cfg->hosts), to = rng_below(&rng, cfg->hosts);

		if (from == to)
			continue;
		sent++;
		send_to(w, from, to, 60 + rng_below(&rng, 4000));
		sim_run_until(w->sim, sim_now(w->sim) + rng_below(&rng, 20 * VT_NS));
	}
	world_run(w);
	for (unsigned int i = 0; i < cfg->hosts; i++) {
		got += w->site[i].count;
		digest = digest * 31 + w->site[i].digest;
	}
	sum = topo_totals(w->topo);
	assert_int_equal(sum.lost, 0);
	assert_int_equal(sum.queue_full + got, sent);
	assert_in_range(got, sent / 2, sent);
	world_free(w);
	return digest;
}

static void same_seed_same_picoseconds(void **state)
{
	(void)state;
	for (unsigned int kind = 0; kind < TOPO_KINDS; kind++) {
		struct topo_cfg cfg = config(kind, kind == TOPO_DIRECT ? 2 : 50, 0);
		uint64_t first;

		if (kind == TOPO_FATTREE2 || kind == TOPO_FATTREE3)
			cfg.sw.ports = 10;
		cfg.sw.queue_bytes = 30000;
		cfg.sw.cut_through = kind & 1;
		first = random_traffic(&cfg, 1);
		assert_true(random_traffic(&cfg, 1) == first);
		assert_false(random_traffic(&cfg, 2) == first);
	}
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
		cmocka_unit_test(leaves_do_not_block),
		cmocka_unit_test(a_ring_has_two_cables_a_host),
		cmocka_unit_test(a_busy_cable_is_never_idle),
		cmocka_unit_test(full_queues_are_counted),
		cmocka_unit_test(long_queues_mark),
		cmocka_unit_test(same_seed_same_picoseconds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
