// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "core/rng.h"
#include "fabric/link.h"
#include "fabric/test_station.h"

#define FRAMES		500
#define FRAME_LEN	976
#define WIRE_PS		(1000 * 80)
#define PROPAGATION	(25 * VT_NS)

/* One run: FRAMES numbered frames over a link with faults, and the counters afterwards. */
struct run {
	struct station to;
	struct fab_port_stats stats;	/* of the sending port */
};

static struct run *run_new(uint64_t seed, const struct fab_faults *faults)
{
	const struct fab_link_params params = FAB_LINK_DEFAULTS;
	struct run *run = calloc(1, sizeof(*run));
	struct sim *sim = sim_new(seed);
	struct fab_link *link = fab_link_new(sim, &params, "a", "b");
	struct fab_port *port = fab_link_port(link, 0);

	assert_non_null(run);
	station_attach(&run->to, sim, fab_link_port(link, 1));
	assert_int_equal(fab_port_set_faults(port, faults), 0);
	for (int i = 0; i < FRAMES; i++)
		assert_int_equal(fab_send(port, numbered_frame(FRAME_LEN, i)), 0);
	assert_true(sim_run_idle(sim, VT_NEVER));
	run->stats = port->stats;
	fab_link_free(link);
	sim_free(sim);
	return run;
}

static void run_free(struct run *run)
{
	station_clear(&run->to);
	free(run);
}

static vtime_t due(unsigned int number)
{
	return (number + 1) * WIRE_PS + PROPAGATION;
}

static void dropped(void **state)
{
	struct run *run = run_new(1, &(struct fab_faults){ .drop = 0.2 });

	(void)state;
	assert_in_range(run->stats.fault_drops, 70, 130);
	assert_int_equal(run->to.count, FRAMES - run->stats.fault_drops);
	assert_int_equal(run->stats.tx_frames, FRAMES);
	for (int i = 0; i < run->to.count; i++)
		assert_int_equal(run->to.at[i], due(frame_number(run->to.frame[i])));
	run_free(run);
}

static void duplicated(void **state)
{
	struct run *run = run_new(1, &(struct fab_faults){ .duplicate = 0.2 });
	unsigned int seen[FRAMES] = { 0 };
	unsigned int twice = 0;

	(void)state;
	assert_in_range(run->stats.fault_duplicates, 70, 130);
	assert_int_equal(run->to.count, FRAMES + run->stats.fault_duplicates);
	for (int i = 0; i < run->to.count; i++) {
		unsigned int n = frame_number(run->to.frame[i]);

		assert_int_equal(run->to.at[i], due(n) + (seen[n] ? WIRE_PS : 0));
		twice += seen[n]++;
	}
	assert_int_equal(twice, run->stats.fault_duplicates);
	run_free(run);
}

static unsigned int bits_set(const struct frame *f)
{
	unsigned int bits = 0;

	for (size_t i = 0; i + 2 < f->len; i++)
		bits += __builtin_popcount(f->data[i]);
	return bits;
}

static void corrupted(void **state)
{
	struct run *run = run_new(1, &(struct fab_faults){ .corrupt = 0.2 });
	unsigned int changed = 0;

	(void)state;
	assert_in_range(run->stats.fault_corruptions, 70, 130);
	assert_int_equal(run->to.count, FRAMES);
	for (int i = 0; i < FRAMES; i++) {
		unsigned int flips = bits_set(run->to.frame[i]) +
				     __builtin_popcount(frame_number(run->to.frame[i]) ^ i);

		assert_in_range(flips, 0, 1);
		changed += flips;
	}
	assert_int_equal(changed, run->stats.fault_corruptions);
	run_free(run);
}

/* Corrupting a duplicate leaves the other copy intact, although both share a frame. */
static void corruption_leaves_other_references_alone(void **state)
{
	struct frame *f = frame_alloc(64), *bad;
	struct rng rng;

	(void)state;
	rng_seed(&rng, 3);
	bad = fab_flip_random_bit(&rng, frame_ref(f));
	assert_ptr_not_equal(bad, f);
	assert_int_equal(f->refs, 1);
	assert_int_equal(bits_set(f), 0);
	frame_unref(bad);
	frame_unref(f);
}

static void delayed_and_overtaken(void **state)
{
	const vtime_t most = 3 * WIRE_PS;
	struct run *run = run_new(1, &(struct fab_faults){ .delay = 0.2, .delay_max = most });
	unsigned int late = 0, overtaken = 0;

	(void)state;
	assert_int_equal(run->to.count, FRAMES);
	for (int i = 0; i < FRAMES; i++) {
		unsigned int n = frame_number(run->to.frame[i]);

		assert_in_range(run->to.at[i] - due(n), 0, most);
		late += run->to.at[i] != due(n);
		overtaken += i && frame_number(run->to.frame[i - 1]) > n;
	}
	assert_in_range(late, 70, 130);
	assert_int_equal(late, run->stats.fault_delays);
	assert_in_range(overtaken, 20, late);
	run_free(run);
}

static void delays_reach_both_ends_of_their_range(void **state)
{
	struct run *run = run_new(1, &(struct fab_faults){ .delay = 1, .delay_max = 2 });
	unsigned int seen[3] = { 0 };

	(void)state;
	for (int i = 0; i < FRAMES; i++) {
		assert_in_range(run->to.at[i] - due(i), 1, 2);
		seen[run->to.at[i] - due(i)]++;
	}
	assert_in_range(seen[1], 200, 300);
	assert_int_equal(seen[1] + seen[2], FRAMES);
	run_free(run);
}

static bool same(const struct run *a, const struct run *b)
{
	if (memcmp(&a->stats, &b->stats, sizeof(a->stats)) || a->to.count != b->to.count)
		return false;
	for (int i = 0; i < a->to.count; i++)
		if (a->to.at[i] != b->to.at[i] ||
		    memcmp(a->to.frame[i]->data, b->to.frame[i]->data, FRAME_LEN))
			return false;
	return true;
}

static void a_seed_decides_everything(void **state)
{
	const struct fab_faults faults = {
		.drop = 0.1, .duplicate = 0.1, .corrupt = 0.1,
		.delay = 0.1, .delay_max = 10 * VT_US,
	};
	struct run *a = run_new(42, &faults), *b = run_new(42, &faults), *c = run_new(43, &faults);

	(void)state;
	assert_true(same(a, b));
	assert_false(same(a, c));
	run_free(a);
	run_free(b);
	run_free(c);
}

static void without_faults_nothing_happens(void **state)
{
	struct run *run = run_new(1, &(struct fab_faults){ 0 });

	(void)state;
	assert_int_equal(run->to.count, FRAMES);
	for (int i = 0; i < FRAMES; i++) {
		assert_int_equal(frame_number(run->to.frame[i]), i);
		assert_int_equal(run->to.at[i], due(i));
	}
	run_free(run);
}

static void bad_faults_change_nothing(void **state)
{
	const struct fab_faults good = { .drop = 1 };
	const struct fab_faults bad[] = {
		{ .drop = -0.1 }, { .duplicate = 1.1 }, { .corrupt = NAN },
		{ .delay = INFINITY, .delay_max = 1 }, { .delay = 0.5 },
	};
	const struct fab_link_params params = FAB_LINK_DEFAULTS;
	struct sim *sim = sim_new(1);
	struct fab_link *link = fab_link_new(sim, &params, "a", "b");
	struct fab_port *port = fab_link_port(link, 0);

	(void)state;
	assert_int_equal(fab_port_set_faults(port, &good), 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(fab_port_set_faults(port, &bad[i]), -EINVAL);
		assert_memory_equal(&port->faults, &good, sizeof(good));
	}
	fab_link_free(link);
	sim_free(sim);
}

/* Faults are set at run time, for one direction only, and are switched off again. */
static void faults_come_and_go(void **state)
{
	const struct fab_link_params params = FAB_LINK_DEFAULTS;
	struct sim *sim = sim_new(1);
	struct fab_link *link = fab_link_new(sim, &params, "a", "b");
	struct station s[2];

	(void)state;
	for (int i = 0; i < 2; i++)
		station_attach(&s[i], sim, fab_link_port(link, i));
	for (int round = 0; round < 3; round++) {
		fab_port_set_faults(s[0].port, &(struct fab_faults){ .drop = round == 1 });
		for (int i = 0; i < 2; i++)
			fab_send(s[i].port, numbered_frame(60, round));
		sim_run_idle(sim, VT_NEVER);
	}
	assert_int_equal(s[0].count, 3);
	assert_int_equal(s[1].count, 2);
	assert_int_equal(frame_number(s[1].frame[1]), 2);
	assert_int_equal(s[0].port->stats.fault_drops, 1);
	for (int i = 0; i < 2; i++)
		station_clear(&s[i]);
	fab_link_free(link);
	sim_free(sim);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dropped),
		cmocka_unit_test(duplicated),
		cmocka_unit_test(corrupted),
		cmocka_unit_test(corruption_leaves_other_references_alone),
		cmocka_unit_test(delayed_and_overtaken),
		cmocka_unit_test(delays_reach_both_ends_of_their_range),
		cmocka_unit_test(a_seed_decides_everything),
		cmocka_unit_test(without_faults_nothing_happens),
		cmocka_unit_test(bad_faults_change_nothing),
		cmocka_unit_test(faults_come_and_go),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
