// SPDX-License-Identifier: BSD-2-Clause
/* Many frames at once: contention, full queues, marks. */
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

/* ---- Contention ---- */

/* Uplinks have the rate of downlinks: all hosts send at once, each to host number + @shift. */
static void leaves_do_not_block(void **state)
{
	(void)state;
	for (int cut = 0; cut <= 1; cut++)
		for (unsigned int shift = 1; shift < 54; shift++) {
			struct topo_cfg cfg = world_config(TOPO_FATTREE3, 54, 6);
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

/* Without contention a frame costs one event on each cable, in a fabric of any size. */
static void one_event_for_each_cable(void **state)
{
	static const unsigned int hosts[] = { 16, 256, 1024 };

	(void)state;
	for (unsigned int i = 0; i < sizeof(hosts) / sizeof(hosts[0]); i++) {
		struct topo_cfg cfg = world_config(TOPO_FATTREE3, hosts[i], 32);
		struct world *w = world_new(&cfg);
		unsigned int n = hosts[i], shift = n / 2;

		for (unsigned int from = 0; from < n; from++)
			assert_int_equal(send_to(w, from, (from + shift) % n, 1000), 0);
		world_run(w);
		for (unsigned int to = 0; to < n; to++)
			assert_int_equal(w->site[to].count, 1);
		assert_int_equal(sim_events(w->sim), topo_totals(w->topo).frames);
		world_free(w);
	}
}

/* A frame that waits for a cable costs one more event there. */
static void two_events_for_each_wait(void **state)
{
	struct topo_cfg cfg = world_config(TOPO_SWITCH, 9, 9);
	struct world *w = world_new(&cfg);

	(void)state;
	for (unsigned int from = 1; from < 9; from++)
		assert_int_equal(send_to(w, from, 0, 1000), 0);
	world_run(w);
	assert_int_equal(w->site[0].count, 8);
	assert_int_equal(topo_totals(w->topo).frames, 16);
	assert_int_equal(sim_events(w->sim), 16 + 7);
	world_free(w);
}

/* Both cables of a host on a ring are busy at once, with back-to-back frames. */
static void a_ring_has_two_cables_a_host(void **state)
{
	struct topo_cfg cfg = world_config(TOPO_RING, 5, 0);
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
	/* The host's first frame waits until its NIC has forwarded the previous one. */
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

/* The only cable is never idle from the first frame to the last. */
static void a_busy_cable_is_never_idle(void **state)
{
	const vtime_t wire = 1024 * 80;

	(void)state;
	for (int cut = 0; cut <= 1; cut++) {
		struct topo_cfg cfg = world_config(TOPO_SWITCH, 4, 4);
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
	struct topo_cfg cfg = world_config(TOPO_FATTREE2, 32, 8);
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
	struct topo_cfg cfg = world_config(TOPO_SWITCH, 3, 3);
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
	assert_int_equal(sum.ecn_marked,
			 fab_link_port(topo_host_link(w->topo, 0), 1)->stats.ecn_marked);
	assert_int_equal(sum.ecn_marked, ecn == ECN_CE ? 0 : m.marks);
	assert_int_equal(sum.queue_full + m.frames, 2 * n);
	world_free(w);
	return m;
}

static void long_queues_mark(void **state)
{
	struct marked m;

	(void)state;
	/* Marks are off; the packet is not ECN-capable; no queue reaches the limit. */
	assert_int_equal(marks(0, 1 << 20, ECN_ECT0, 40).marks, 0);
	assert_int_equal(marks(3000, 1 << 20, ECN_NOT_CAPABLE, 40).marks, 0);
	assert_int_equal(marks(50000, 1 << 20, ECN_ECT0, 40).marks, 0);
	/*
	 * Two frames arrive while one leaves, so those of pair k, from 1 on, find k and k + 1
	 * queued frames. More than 3000 bytes wait from the second frame of pair 3 on, frame eight
	 * in all.
	 */
	m = marks(3000, 1 << 20, ECN_ECT0, 40);
	assert_int_equal(m.frames, 80);
	assert_int_equal(m.marks, 80 - 7);
	assert_int_equal(marks(3000, 1 << 20, ECN_ECT1, 40).marks, 73);
	/* Dropped frames do not count as marked. */
	m = marks(3000, 5000, ECN_ECT0, 40);
	assert_in_range(m.frames, 40, 50);
	assert_int_equal(m.marks, m.frames - 7);
	/* A mark from before is kept. */
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
		struct topo_cfg cfg = world_config(kind, kind == TOPO_DIRECT ? 2 : 50, 0);
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
		cmocka_unit_test(leaves_do_not_block),
		cmocka_unit_test(one_event_for_each_cable),
		cmocka_unit_test(two_events_for_each_wait),
		cmocka_unit_test(a_ring_has_two_cables_a_host),
		cmocka_unit_test(a_busy_cable_is_never_idle),
		cmocka_unit_test(full_queues_are_counted),
		cmocka_unit_test(long_queues_mark),
		cmocka_unit_test(same_seed_same_picoseconds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
