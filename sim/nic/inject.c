// SPDX-License-Identifier: BSD-2-Clause
#include "nic/inject.h"

#include <string.h>

void inject_init(struct inject *in, uint64_t seed)
{
	rng_seed(&in->rng, seed);
	inject_clear(in);
}

void inject_clear(struct inject *in)
{
	in->armed = false;
	memset(in->faults, 0, sizeof(in->faults));
}

void inject_set(struct inject *in, enum tally_inject_fault fault, const struct inject_fault *to)
{
	struct inject_fault *f = &in->faults[fault];
	uint64_t count = f->count;
	unsigned int i;

	*f = *to;
	f->calls = 0;
	f->count = count;
	in->armed = false;
	for (i = 0; i < INJECT_NUM_FAULTS; i++)
		in->armed |= in->faults[i].probability != 0;
}

bool inject_call(struct inject *in, enum tally_inject_fault fault, uint32_t object)
{
	struct inject_fault *f = &in->faults[fault];

	if (!f->probability || !f->times)
		return false;
	if (f->object != TALLY_INJECT_ANY && f->object != object)
		return false;
	if (++f->calls < f->interval)
		return false;
	f->calls = 0;
	if (f->probability < 100 && rng_below(&in->rng, 100) >= f->probability)
		return false;
	if (f->times != TALLY_INJECT_ALWAYS)
		f->times--;
	f->count++;
	return true;
}
