// SPDX-License-Identifier: BSD-2-Clause
#include "fabric/faults.h"

#include <errno.h>

/* The comparison also refuses NaN. */
static bool is_probability(double p)
{
	return p >= 0 && p <= 1;
}

int fab_faults_check(const struct fab_faults *faults)
{
	if (!is_probability(faults->drop) || !is_probability(faults->duplicate) ||
	    !is_probability(faults->corrupt) || !is_probability(faults->delay))
		return -EINVAL;
	if (faults->delay > 0 && !faults->delay_max)
		return -EINVAL;
	return 0;
}

struct frame *fab_flip_random_bit(struct rng *rng, struct frame *f)
{
	struct frame *copy;
	uint64_t bit;

	if (!f->len)
		return f;
	copy = frame_copy(f);
	frame_unref(f);
	if (!copy)
		return NULL;
	bit = rng_below(rng, 8 * copy->len);
	copy->data[bit / 8] ^= 1 << bit % 8;
	return copy;
}
