// SPDX-License-Identifier: BSD-2-Clause
#include "serve/pace.h"

/* Moves the clock towards @floor, but not past a pending event. */
static void cross_empty_time(struct sim *sim, vtime_t floor)
{
	vtime_t next;

	if (sim_next_time(sim, &next) && next <= floor) {
		if (!next)
			return;
		floor = next - 1;
	}
	sim_run_until(sim, floor);
}

bool pace_step(struct sim *sim, vtime_t wall, bool (*doorbells)(void *arg), void *arg)
{
	bool active;
	vtime_t next;

	if (wall > PACE_LAG)
		cross_empty_time(sim, wall - PACE_LAG);
	active = doorbells(arg);
	for (int i = 0; i < PACE_BATCH && sim_next_time(sim, &next) && next <= wall; i++) {
		sim_run_until(sim, next);
		active = true;
	}
	return active;
}

vtime_t pace_wakeup(const struct sim *sim)
{
	vtime_t next, wakeup;

	if (!sim_next_time(sim, &next) || __builtin_add_overflow(next, PACE_LAG, &wakeup))
		return VT_NEVER;
	return wakeup;
}
