/* SPDX-License-Identifier: BSD-2-Clause */
/* Random faults of the frames on a link. Each is a probability per frame, 0 .. 1; 0: never. */
#ifndef TALLY_SIM_FABRIC_FAULTS_H
#define TALLY_SIM_FABRIC_FAULTS_H

#include "core/event.h"
#include "core/rng.h"
#include "wire/frame.h"

struct fab_faults {
	double drop;		/* lost */
	double duplicate;	/* a second copy follows at the distance of one frame */
	double corrupt;		/* one bit flipped; the Ethernet FCS does not detect it */
	double delay;		/* arrives late, so that others may overtake it */
	vtime_t delay_max;	/* most delay; uniform from 1 ps on */
};

/*
 * Returns 0, or -EINVAL if a probability is not a number in 0 .. 1, or if delay is set and
 * delay_max is 0.
 */
int fab_faults_check(const struct fab_faults *faults);

/*
 * Returns a copy of @f with one bit flipped, drawn from @rng, and takes over @f. Returns NULL if
 * out of memory; @f is freed in that case too. Returns a frame of no bytes unchanged.
 */
struct frame *fab_flip_random_bit(struct rng *rng, struct frame *f);

#endif
