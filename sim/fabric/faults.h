/* SPDX-License-Identifier: BSD-2-Clause */
/* What may happen to a frame on a link. Each is a probability per frame, 0 .. 1; 0 = never. */
#ifndef TALLY_SIM_FABRIC_FAULTS_H
#define TALLY_SIM_FABRIC_FAULTS_H

#include "core/event.h"
#include "core/rng.h"
#include "wire/frame.h"

struct fab_faults {
	double drop;		/* lost */
	double duplicate;	/* a second copy follows at the distance of one frame */
	double corrupt;		/* one bit flipped, which Ethernet's check sequence did not catch */
	double delay;		/* comes later than it should, so that others may overtake it */
	vtime_t delay_max;	/* that much later at most, evenly spread from 1 ps */
};

/* 0, or -EINVAL when a probability is no number in 0 .. 1, or delay is set and delay_max is 0. */
int fab_faults_check(const struct fab_faults *faults);

/*
 * A copy of @f with one bit flipped, drawn from @rng; takes @f over. NULL: no memory, and @f is
 * gone as well. A frame of no bytes comes back as it is.
 */
struct frame *fab_flip_a_bit(struct rng *rng, struct frame *f);

#endif
