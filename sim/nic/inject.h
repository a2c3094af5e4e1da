/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Faults that the NIC injects into itself. Each fault has attributes as in fault_attr of Linux:
 * every interval-th call that concerns the object is a candidate, and fails with the given
 * probability, until `times` calls have failed. The NIC has a random number generator for faults
 * only, and does not use it for a probability of 100, so faults that are off change no other
 * result.
 */
#ifndef TALLY_SIM_NIC_INJECT_H
#define TALLY_SIM_NIC_INJECT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/rng.h"
#include "gen/tally_hw.h"

#define INJECT_ONE_MORE(name, value, doc) +1
enum { INJECT_NUM_FAULTS = 0 TALLY_INJECT_LIST(INJECT_ONE_MORE) };

struct inject_fault {
	uint32_t probability;		/* percent; 0: off */
	uint32_t interval;		/* not 0 */
	uint32_t times;	/* remaining number of failures; TALLY_INJECT_ALWAYS: no limit */
	uint32_t object;		/* or TALLY_INJECT_ANY */
	uint32_t value;
	uint32_t calls;	/* since the last candidate, or since the attributes were set */
	uint64_t count;			/* number of failures since the reset */
};

struct inject {
	bool armed;			/* at least one fault is on */
	struct rng rng;
	struct inject_fault faults[INJECT_NUM_FAULTS];
};

/* Turn all faults off. @seed is the seed of the random number generator. */
void inject_init(struct inject *in, uint64_t seed);

/* Turn all faults off and clear their counts, as at a reset. The generator keeps its state. */
void inject_clear(struct inject *in);

/*
 * Set the attributes of @fault to those of @to, except for the count, and restart the counting of
 * calls.
 */
void inject_set(struct inject *in, enum tally_inject_fault fault, const struct inject_fault *to);

/* inject() if at least one fault is on. */
bool inject_call(struct inject *in, enum tally_inject_fault fault, uint32_t object);

/* Return whether @fault makes a call that concerns @object fail, and count the failure. */
static inline bool inject(struct inject *in, enum tally_inject_fault fault, uint32_t object)
{
	return __builtin_expect(in->armed, 0) && inject_call(in, fault, object);
}

#endif
