// SPDX-License-Identifier: BSD-2-Clause
#include "hostile.h"

#define MOST_DEEDS	300

void hostile_consume(struct guest *g, struct input *in)
{
	(void)in;
	guest_consume(g);
}

int hostile_run(const uint8_t *data, size_t size, hostile_deed *const *deeds, unsigned int num)
{
	struct input in = { data, size };
	struct sim *sim = sim_new(1);
	struct guest g;
	unsigned int i;

	FUZZ_MUST(sim);
	guest_start(&g, sim, NULL, 0, 1 + input_one_in(&in, 8), input_u8(&in));
	for (i = 0; in.left && i < MOST_DEEDS; i++) {
		if (guest_is_broken(&g) && !input_one_in(&in, 4))
			guest_restart(&g);
		deeds[input_below(&in, num)](&g, &in);
	}
	sim_run_until(sim, sim_now(sim) + 100 * VT_MS);
	guest_must_recover(&g);
	guest_free(&g);
	sim_free(sim);
	return 0;
}
