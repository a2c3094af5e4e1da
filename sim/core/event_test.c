// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "core/event.h"

#define MAX_LOG		4096

/* Events that ran, and when. */
struct log {
	struct sim *sim;
	int id[MAX_LOG];
	vtime_t at[MAX_LOG];
	int count;
};

struct item {
	struct sim_event ev;
	struct log *log;
	int id;
	vtime_t again;		/* schedule it once more, this much later */
};

static void item_fired(void *arg)
{
	struct item *item = arg;
	struct log *log = item->log;

	assert_false(sim_pending(&item->ev));
	assert_true(log->count < MAX_LOG);
	log->id[log->count] = item->id;
	log->at[log->count++] = sim_now(log->sim);
	if (item->again) {
		sim_schedule_in(log->sim, &item->ev, item->again);
		item->again = 0;
	}
}

static void item_init(struct item *item, struct log *log, int id)
{
	*item = (struct item){ .log = log, .id = id };
	sim_event_init(&item->ev, item_fired, item);
}

static int setup(void **state)
{
	struct log *log = calloc(1, sizeof(*log));

	assert_non_null(log);
	log->sim = sim_new(1);
	assert_non_null(log->sim);
	*state = log;
	return 0;
}

static int teardown(void **state)
{
	struct log *log = *state;

	sim_free(log->sim);
	free(log);
	return 0;
}

static void expect(const struct log *log, int n, const int *ids)
{
	assert_int_equal(log->count, n);
	for (int i = 0; i < n; i++)
		assert_int_equal(log->id[i], ids[i]);
}

static void units(void **state)
{
	(void)state;
	assert_int_equal(VT_NS, 1000);
	assert_int_equal(VT_S, 1000000000000);
}

static void order_is_time_then_scheduling(void **state)
{
	struct log *log = *state;
	struct item it[5];
	const vtime_t at[5] = { 20, 10, 20, 10, 5 };

	for (int i = 0; i < 5; i++) {
		item_init(&it[i], log, i);
		sim_schedule(log->sim, &it[i].ev, at[i]);
	}
	assert_true(sim_run_idle(log->sim, VT_NEVER));
	expect(log, 5, (int[]){ 4, 1, 3, 0, 2 });
	assert_int_equal(sim_now(log->sim), 20);
}

static void moving_counts_as_scheduling_anew(void **state)
{
	struct log *log = *state;
	struct item it[3];

	for (int i = 0; i < 3; i++) {
		item_init(&it[i], log, i);
		sim_schedule(log->sim, &it[i].ev, 10);
	}
	sim_schedule(log->sim, &it[0].ev, 10);	/* same time, but last now */
	sim_schedule(log->sim, &it[2].ev, 3);
	assert_true(sim_run_idle(log->sim, VT_NEVER));
	expect(log, 3, (int[]){ 2, 1, 0 });
}

static void a_reserved_place_is_kept(void **state)
{
	struct log *log = *state;
	uint64_t order[2];
	struct item it[4];

	for (int i = 0; i < 4; i++)
		item_init(&it[i], log, i);
	sim_schedule(log->sim, &it[0].ev, 10);
	order[0] = sim_reserve(log->sim);
	order[1] = sim_reserve(log->sim);
	sim_schedule(log->sim, &it[1].ev, 10);
	sim_schedule(log->sim, &it[2].ev, 5);
	sim_schedule_reserved(log->sim, &it[3].ev, 10, order[1]);
	sim_schedule_reserved(log->sim, &it[2].ev, 10, order[0]);
	assert_true(sim_run_idle(log->sim, VT_NEVER));
	expect(log, 4, (int[]){ 0, 2, 3, 1 });
	assert_int_equal(sim_events(log->sim), 4);
}

/* An event that asks whether the moment of an event that is not scheduled has passed. */
struct asking {
	struct sim_event ev;
	struct sim *sim;
	uint64_t order;
	bool passed;
};

static void ask(void *arg)
{
	struct asking *a = arg;

	a->passed = sim_passed(a->sim, 10, a->order);
}

static void a_moment_passes_between_events(void **state)
{
	struct log *log = *state;
	struct asking a[4];
	const vtime_t at[4] = { 9, 10, 10, 11 };
	uint64_t order = 0;

	for (int i = 0; i < 4; i++) {
		if (i == 2)
			order = sim_reserve(log->sim);
		a[i] = (struct asking){ .sim = log->sim };
		sim_event_init(&a[i].ev, ask, &a[i]);
		sim_schedule(log->sim, &a[i].ev, at[i]);
	}
	for (int i = 0; i < 4; i++)
		a[i].order = order;
	assert_false(sim_passed(log->sim, 10, order));
	sim_run_until(log->sim, 9);
	assert_false(sim_passed(log->sim, 10, order));
	sim_run_until(log->sim, 10);
	assert_true(sim_passed(log->sim, 10, order));
	sim_run_until(log->sim, 20);
	for (int i = 0; i < 4; i++)
		assert_true(a[i].passed == (i >= 2));
}

static void cancelled_events_do_not_run(void **state)
{
	struct log *log = *state;
	struct item it[3];

	for (int i = 0; i < 3; i++) {
		item_init(&it[i], log, i);
		sim_schedule(log->sim, &it[i].ev, i);
	}
	sim_cancel(log->sim, &it[0].ev);
	sim_cancel(log->sim, &it[2].ev);
	sim_cancel(log->sim, &it[2].ev);
	assert_false(sim_pending(&it[0].ev));
	assert_true(sim_pending(&it[1].ev));
	sim_run_idle(log->sim, VT_NEVER);
	expect(log, 1, (int[]){ 1 });
}

static void run_until_includes_its_end_and_sets_the_clock(void **state)
{
	struct log *log = *state;
	struct item it[3];
	vtime_t t = 77;

	for (int i = 0; i < 3; i++)
		item_init(&it[i], log, i);
	assert_false(sim_next_time(log->sim, &t));
	assert_int_equal(t, 77);

	sim_schedule(log->sim, &it[0].ev, 100);
	sim_schedule(log->sim, &it[1].ev, 101);
	assert_true(sim_next_time(log->sim, &t));
	assert_int_equal(t, 100);
	assert_int_equal(sim_run_until(log->sim, 100), 1);
	assert_int_equal(sim_now(log->sim), 100);

	/* Time does not go back, and a late event runs now. */
	assert_int_equal(sim_run_until(log->sim, 50), 0);
	assert_int_equal(sim_now(log->sim), 100);
	sim_schedule(log->sim, &it[2].ev, 1);
	assert_int_equal(sim_run_until(log->sim, 200), 2);
	expect(log, 3, (int[]){ 0, 2, 1 });
	assert_int_equal(log->at[1], 100);
	assert_int_equal(log->at[2], 101);
	assert_int_equal(sim_now(log->sim), 200);
}

static void events_may_schedule_themselves(void **state)
{
	struct log *log = *state;
	struct item it;

	item_init(&it, log, 9);
	it.again = 7;
	sim_schedule(log->sim, &it.ev, 3);
	assert_int_equal(sim_run_until(log->sim, 10), 2);
	expect(log, 2, (int[]){ 9, 9 });
	assert_int_equal(log->at[1], 10);
}

static void run_idle_stops_at_its_limit(void **state)
{
	struct log *log = *state;
	struct item it[2];

	for (int i = 0; i < 2; i++) {
		item_init(&it[i], log, i);
		sim_schedule(log->sim, &it[i].ev, 10 + 10 * i);
	}
	assert_false(sim_run_idle(log->sim, 19));
	assert_int_equal(sim_now(log->sim), 19);
	expect(log, 1, (int[]){ 0 });
	assert_true(sim_run_idle(log->sim, 30));
	assert_int_equal(sim_now(log->sim), 20);
}

static void far_future_saturates(void **state)
{
	struct log *log = *state;
	struct item it;
	vtime_t t;

	item_init(&it, log, 0);
	sim_run_until(log->sim, 5);
	sim_schedule_in(log->sim, &it.ev, VT_NEVER - 1);
	assert_true(sim_next_time(log->sim, &t));
	assert_true(t == VT_NEVER);
}

/* Compares random scheduling, moving and cancelling with the definition: sort by (time, order). */
struct model {
	struct item item;
	vtime_t at;
	uint64_t order;
	bool pending;
};

static int by_time_then_order(const void *a, const void *b)
{
	const struct model *x = *(struct model *const *)a, *y = *(struct model *const *)b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

static void random_operations_match_a_sort(void **state)
{
	enum { N = 500 };
	struct log *log = *state;
	struct rng *rng = sim_rng(log->sim);
	static struct model m[N];
	static uint64_t order[20 * N];
	struct model *want[N];
	int n = 0;

	for (int i = 0; i < N; i++) {
		m[i] = (struct model){ 0 };
		item_init(&m[i].item, log, i);
	}
	for (uint64_t op = 0; op < 20 * N; op++) {
		struct model *e = &m[rng_below(rng, N)];

		e->pending = rng_below(rng, 3) != 0;
		if (e->pending) {
			e->at = rng_below(rng, 100);
			order[op] = sim_reserve(log->sim);
			/* Some take a place that was reserved before, and that no other one has. */
			e->order = op && !rng_below(rng, 4) ? op - 1 : op;
			if (!order[e->order])
				e->order = op;
			sim_schedule_reserved(log->sim, &e->item.ev, e->at, order[e->order]);
			order[e->order] = 0;
		} else {
			sim_cancel(log->sim, &e->item.ev);
		}
		assert_true(sim_pending(&e->item.ev) == e->pending);
	}
	for (int i = 0; i < N; i++)
		if (m[i].pending)
			want[n++] = &m[i];
	qsort(want, n, sizeof(want[0]), by_time_then_order);
	assert_in_range(n, N / 2, N);
	assert_true(sim_run_idle(log->sim, VT_NEVER));
	assert_int_equal(log->count, n);
	for (int i = 0; i < n; i++) {
		assert_int_equal(log->id[i], want[i]->item.id);
		assert_int_equal(log->at[i], want[i]->at);
	}
}

/* ---- Windows ---- */

#define TO_NETWORK	10
#define TO_NODE		5

static void set_windows(struct sim *sim, unsigned int nodes)
{
	const struct sim_windows win = { nodes, TO_NETWORK, TO_NODE };

	assert_int_equal(sim_set_windows(sim, &win), 0);
}

static void schedule_in(struct log *log, struct item *it, unsigned int domain, vtime_t at, int id)
{
	item_init(it, log, id);
	it->ev.domain = domain;
	sim_schedule(log->sim, &it->ev, at);
}

/* The network's event at 3 may reach a node at 8, and what a node sends at 8 the network at 18. */
static void a_node_runs_in_a_row(void **state)
{
	struct log *log = *state;
	struct item it[7];
	vtime_t t = 0;

	set_windows(log->sim, 2);
	schedule_in(log, &it[0], 0, 3, 0);
	schedule_in(log, &it[1], 2, 2, 1);
	schedule_in(log, &it[2], 1, 7, 2);
	schedule_in(log, &it[3], 1, 4, 3);
	schedule_in(log, &it[4], 2, 8, 4);
	schedule_in(log, &it[5], 1, 9, 5);
	schedule_in(log, &it[6], 0, 17, 6);
	assert_true(sim_next_time(log->sim, &t));
	assert_int_equal(t, 2);
	assert_true(sim_run_idle(log->sim, VT_NEVER));
	expect(log, 7, (int[]){ 3, 2, 1, 0, 6, 5, 4 });
	assert_int_equal(sim_now(log->sim), 17);
	assert_int_equal(sim_events(log->sim), 7);
	assert_false(sim_next_time(log->sim, &t));
}

/* A window ends with the run, and the next run begins with events of all domains. */
static void a_run_ends_a_window(void **state)
{
	struct log *log = *state;
	struct item it[4];

	set_windows(log->sim, 1);
	schedule_in(log, &it[0], 0, 6, 0);
	schedule_in(log, &it[1], 1, 5, 1);
	schedule_in(log, &it[2], 1, 7, 2);
	schedule_in(log, &it[3], 1, VT_NEVER, 3);
	assert_int_equal(sim_run_until(log->sim, 5), 1);
	assert_int_equal(sim_now(log->sim), 5);
	assert_false(sim_run_idle(log->sim, 8));
	assert_int_equal(sim_now(log->sim), 8);
	sim_cancel(log->sim, &it[3].ev);
	assert_true(sim_run_idle(log->sim, 9));
	expect(log, 3, (int[]){ 1, 2, 0 });
}

/* One who is told which nodes will run, and notes it among the events: node * 10 + ahead. */
struct forecast {
	struct log *log;
	int node;
};

static void forecast(void *arg, unsigned int ahead)
{
	struct forecast *f = arg;

	f->log->id[f->log->count++] = f->node * 10 + (int)ahead;
}

/* Node 3 has no event, and is not expected; nor is node 2, of which nobody wants to know. */
static void nodes_are_expected(void **state)
{
	struct log *log = *state;
	struct forecast f[7];
	struct item it[7];

	set_windows(log->sim, 6);
	for (int i = 1; i <= 6; i++) {
		f[i] = (struct forecast){ log, i };
		sim_set_expect(log->sim, i, forecast, &f[i]);
		if (i != 3)
			schedule_in(log, &it[i], i, 7 - i, i);
	}
	sim_set_expect(log->sim, 2, NULL, NULL);
	sim_set_expect(log->sim, 0, forecast, &f[1]);
	sim_set_expect(log->sim, 7, forecast, &f[1]);
	assert_true(sim_run_idle(log->sim, VT_NEVER));
	expect(log, 14, (int[]){ 64, 53, 42, 1, 63, 52, 41, 2, 62, 51, 4, 61, 5, 6 });
}

static void windows_that_cannot_be_are_refused(void **state)
{
	struct log *log = *state;
	struct item it;

	assert_int_equal(sim_set_windows(log->sim, &(struct sim_windows){ 0, 1, 1 }), -EINVAL);
	assert_int_equal(sim_set_windows(log->sim, &(struct sim_windows){ 1, 0, 1 }), -EINVAL);
	assert_int_equal(sim_set_windows(log->sim, &(struct sim_windows){ 1, 1, 0 }), -EINVAL);
	assert_int_equal(sim_set_windows(log->sim,
					 &(struct sim_windows){ SIM_MAX_NODES + 1, 1, 1 }),
			 -EINVAL);
	schedule_in(log, &it, 0, 1, 0);
	assert_int_equal(sim_set_windows(log->sim, &(struct sim_windows){ 1, 1, 1 }), -EINVAL);
	sim_cancel(log->sim, &it.ev);
	set_windows(log->sim, SIM_MAX_NODES);
	assert_int_equal(sim_set_windows(log->sim, &(struct sim_windows){ 1, 1, 1 }), -EINVAL);
}

/* An event that schedules another one, or moves it. */
struct reach {
	struct sim_event ev, other;
	struct sim *sim;
	vtime_t distance;
};

static void reach(void *arg)
{
	struct reach *r = arg;

	sim_schedule_in(r->sim, &r->other, r->distance);
}

static void nothing(void *arg)
{
	(void)arg;
}

static void run_reach(struct sim *sim, unsigned int from, unsigned int to, vtime_t distance)
{
	struct reach r = { .sim = sim, .distance = distance };

	sim_event_init(&r.ev, reach, &r);
	sim_event_init(&r.other, nothing, NULL);
	r.ev.domain = from;
	r.other.domain = to;
	sim_schedule(sim, &r.ev, sim_now(sim) + 1);
	sim_run_idle(sim, VT_NEVER);
}

/* Returns whether that aborts the program. */
static bool aborts(struct sim *sim, unsigned int from, unsigned int to, vtime_t distance)
{
	pid_t child = fork();
	int status;

	assert_true(child >= 0);
	if (!child) {
		signal(SIGABRT, SIG_DFL);
		fclose(stderr);
		run_reach(sim, from, to, distance);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	if (WIFEXITED(status))
		assert_int_equal(WEXITSTATUS(status), 0);
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

static void an_event_too_near_aborts(void **state)
{
	struct log *log = *state;

	assert_true(aborts(log->sim, 0, 1, 100));	/* there are no windows */
	set_windows(log->sim, 2);
	assert_false(aborts(log->sim, 1, 1, 0));
	assert_false(aborts(log->sim, 0, 0, 0));
	assert_false(aborts(log->sim, 1, 0, TO_NETWORK));
	assert_true(aborts(log->sim, 1, 0, TO_NETWORK - 1));
	assert_false(aborts(log->sim, 0, 2, TO_NODE));
	assert_true(aborts(log->sim, 0, 2, TO_NODE - 1));
	assert_true(aborts(log->sim, 1, 2, 100));
	assert_true(aborts(log->sim, 0, 3, 100));
}

/*
 * A model of nodes that send and receive. Each domain has its own random numbers, and a digest of
 * its events: whether windows change nothing. Times are so coarse that many events share one.
 */
enum { NODES = 7, PER_NODE = 40, MODEL_EVENTS = NODES * PER_NODE };

struct traffic;

struct message {
	struct sim_event ev;
	struct traffic *t;
	unsigned int domain;	/* where it is */
	unsigned int left;	/* hops that remain */
	uint32_t fixed;		/* its place when it comes from another domain */
};

struct traffic {
	struct sim *sim;
	bool windows;
	struct rng rng[NODES + 1];
	uint64_t digest[NODES + 1];
	struct message message[MODEL_EVENTS];
};

/* Without windows, all events are those of the kernel's domain 0. */
static void enter(struct message *m, unsigned int domain)
{
	m->domain = domain;
	m->ev.domain = m->t->windows ? domain : 0;
}

static void pass_on(struct traffic *t, struct message *m, unsigned int to)
{
	vtime_t far = m->domain ? TO_NETWORK : TO_NODE;
	vtime_t at = sim_now(t->sim) + rng_below(&t->rng[m->domain], 4);

	if (to == m->domain) {
		sim_schedule(t->sim, &m->ev, at);
		return;
	}
	enter(m, to);
	sim_schedule_reserved(t->sim, &m->ev, at + far, m->fixed);
}

static void hop(void *arg)
{
	struct message *m = arg;
	struct traffic *t = m->t;
	unsigned int here = m->domain, to = here;
	struct rng *rng = &t->rng[here];

	t->digest[here] = (t->digest[here] ^ sim_now(t->sim)) * 0x100000001b3u;
	t->digest[here] = (t->digest[here] ^ m->fixed) * 0x100000001b3u;
	if (!m->left--)
		return;
	if (rng_below(rng, 2))
		to = here ? 0 : 1 + rng_below(rng, NODES);
	pass_on(t, m, to);
}

static void run_traffic(struct traffic *t, uint64_t seed, bool windows)
{
	*t = (struct traffic){ .sim = sim_new(seed), .windows = windows };
	assert_non_null(t->sim);
	if (windows)
		set_windows(t->sim, NODES);
	for (unsigned int i = 0; i <= NODES; i++)
		rng_seed(&t->rng[i], rng_next(sim_rng(t->sim)));
	for (unsigned int i = 0; i < MODEL_EVENTS; i++) {
		struct message *m = &t->message[i];

		*m = (struct message){ .t = t, .left = 60, .fixed = 1 + i };
		sim_event_init(&m->ev, hop, m);
		enter(m, 1 + i % NODES);
		sim_schedule(t->sim, &m->ev, rng_below(sim_rng(t->sim), 50));
	}
	for (unsigned int i = 1; i <= 10; i++)
		sim_run_until(t->sim, 13 * i);
	assert_true(sim_run_idle(t->sim, VT_NEVER));
	sim_free(t->sim);
}

static void windows_change_nothing(void **state)
{
	static struct traffic by_time, in_windows;

	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		run_traffic(&by_time, seed, false);
		run_traffic(&in_windows, seed, true);
		assert_memory_equal(by_time.digest, in_windows.digest, sizeof(by_time.digest));
	}
}

#define TEST(fn)	cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(units),
		TEST(order_is_time_then_scheduling),
		TEST(moving_counts_as_scheduling_anew),
		TEST(a_reserved_place_is_kept),
		TEST(a_moment_passes_between_events),
		TEST(cancelled_events_do_not_run),
		TEST(run_until_includes_its_end_and_sets_the_clock),
		TEST(events_may_schedule_themselves),
		TEST(run_idle_stops_at_its_limit),
		TEST(far_future_saturates),
		TEST(random_operations_match_a_sort),
		TEST(a_node_runs_in_a_row),
		TEST(a_run_ends_a_window),
		TEST(nodes_are_expected),
		TEST(windows_that_cannot_be_are_refused),
		TEST(an_event_too_near_aborts),
		cmocka_unit_test(windows_change_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
