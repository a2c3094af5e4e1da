// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "serve/pace.h"

#define MAX_SEEN	256

/* A worker without NICs, which records events and their virtual times. */
struct fixture {
	struct sim *sim;
	struct sim_event ev;
	int chain;		/* remaining times that the event schedules itself */
	vtime_t step;		/* interval of the chain */
	vtime_t fired[MAX_SEEN];
	int num_fired;
	bool posted;		/* there is a new doorbell */
	vtime_t looked[MAX_SEEN];
	int num_looked, fired_at_look;
};

static void fire(void *arg)
{
	struct fixture *f = arg;

	assert_true(f->num_fired < MAX_SEEN);
	f->fired[f->num_fired++] = sim_now(f->sim);
	if (f->chain-- > 0)
		sim_schedule_in(f->sim, &f->ev, f->step);
}

/* A doorbell starts a chain of events. */
static bool look(void *arg)
{
	struct fixture *f = arg;
	bool news = f->posted;

	assert_true(f->num_looked < MAX_SEEN);
	f->looked[f->num_looked++] = sim_now(f->sim);
	f->fired_at_look = f->num_fired;
	f->posted = false;
	if (news && f->chain)
		sim_schedule_in(f->sim, &f->ev, f->step);
	return news;
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	f->sim = sim_new(1);
	assert_non_null(f->sim);
	sim_event_init(&f->ev, fire, f);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	sim_free(f->sim);
	free(f);
	return 0;
}

static bool step(struct fixture *f, vtime_t wall)
{
	bool active = pace_step(f->sim, wall, look, f);

	assert_true(sim_now(f->sim) <= wall);
	return active;
}

static void nothing_to_do_is_said(void **state)
{
	struct fixture *f = *state;

	assert_false(step(f, 0));
	assert_false(step(f, 10 * VT_S));
	assert_int_equal(sim_now(f->sim), 10 * VT_S - PACE_LAG);
	assert_true(pace_wakeup(f->sim) == VT_NEVER);
}

static void time_stands_still_within_the_lag(void **state)
{
	struct fixture *f = *state;

	assert_false(step(f, PACE_LAG));
	assert_int_equal(sim_now(f->sim), 0);
	assert_false(step(f, PACE_LAG + 7));
	assert_int_equal(sim_now(f->sim), 7);
}

/* After an hour's sleep, a doorbell gets the present time, and its chain runs without sleeping. */
static void a_chain_within_the_lag_runs_at_once(void **state)
{
	struct fixture *f = *state;
	const vtime_t wall = 3600 * VT_S;

	f->posted = true;
	f->chain = 40;
	f->step = 5 * VT_US;
	assert_true(step(f, wall));
	assert_int_equal(f->looked[0], wall - PACE_LAG);
	assert_int_equal(f->num_fired, 41);
	assert_int_equal(f->fired[0], wall - PACE_LAG + 5 * VT_US);
	assert_int_equal(f->fired[40], wall - PACE_LAG + 41 * 5 * VT_US);
	assert_false(step(f, wall));
}

static void a_chain_beyond_the_wall_waits(void **state)
{
	struct fixture *f = *state;
	const vtime_t wall = VT_S;

	f->posted = true;
	f->chain = 9;
	f->step = PACE_LAG / 4;
	assert_true(step(f, wall));
	assert_int_equal(f->num_fired, 4);
	assert_false(step(f, wall));

	/* The chain continues when the lag has grown again, for as long as the lag lasts. */
	assert_true(pace_wakeup(f->sim) == wall + PACE_LAG / 4 + PACE_LAG);
	assert_true(step(f, wall + PACE_LAG / 4 + PACE_LAG));
	assert_int_equal(f->num_fired, 9);
}

/* The guest posted at an unknown time while the worker slept, possibly before the time limit. */
static void doorbells_come_before_overdue_events(void **state)
{
	struct fixture *f = *state;

	sim_schedule(f->sim, &f->ev, 20 * VT_MS);
	f->posted = true;
	assert_true(step(f, 500 * VT_MS));
	assert_int_equal(f->fired_at_look, 0);
	assert_int_equal(f->looked[0], 20 * VT_MS - 1);
	assert_int_equal(f->num_fired, 1);
	assert_int_equal(f->fired[0], 20 * VT_MS);
}

static void an_event_at_the_beginning_of_time_runs(void **state)
{
	struct fixture *f = *state;

	sim_schedule(f->sim, &f->ev, 0);
	assert_true(step(f, 2 * PACE_LAG));
	assert_int_equal(f->num_fired, 1);
	assert_int_equal(f->fired[0], 0);
}

static void doorbells_are_looked_at_between_batches(void **state)
{
	struct fixture *f = *state;

	sim_schedule(f->sim, &f->ev, 1);
	f->chain = 3 * PACE_BATCH - 1;
	f->step = VT_NS;
	for (int i = 1; i <= 3; i++) {
		assert_true(step(f, VT_S));
		assert_int_equal(f->num_fired, i * PACE_BATCH);
		assert_int_equal(f->num_looked, i);
	}
	assert_false(step(f, VT_S));
}

static void the_far_future_is_no_deadline(void **state)
{
	struct fixture *f = *state;

	sim_schedule(f->sim, &f->ev, VT_NEVER - PACE_LAG / 2);
	assert_true(pace_wakeup(f->sim) == VT_NEVER);
}

#define TEST(fn)	cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(nothing_to_do_is_said),
		TEST(time_stands_still_within_the_lag),
		TEST(a_chain_within_the_lag_runs_at_once),
		TEST(a_chain_beyond_the_wall_waits),
		TEST(doorbells_come_before_overdue_events),
		TEST(an_event_at_the_beginning_of_time_runs),
		TEST(doorbells_are_looked_at_between_batches),
		TEST(the_far_future_is_no_deadline),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
