/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Faults the NIC injects into itself: the attributes of each, as fault_attr of Linux has them. Of
 * the calls that concern the object, each interval-th is chosen; then the dice are thrown, until
 * `times` is used up. The dice are the NIC's own, seeded with it: they are thrown for nothing else,
 * and not at all for a probability of 100, so faults that are off change no other result.
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
	uint32_t times;			/* left; TALLY_INJECT_ALWAYS: no limit */
	uint32_t object;		/* or TALLY_INJECT_ANY */
	uint32_t value;
	uint32_t calls;			/* since the last chosen one, or since the attributes */
	uint64_t count;			/* injected since the reset */
};

struct inject {
	bool armed;			/* one of them is on */
	struct rng rng;
	struct inject_fault faults[INJECT_NUM_FAULTS];
};

/* All off; @seed: of the dice. */
void inject_init(struct inject *in, uint64_t seed);

/* All off and counted as never injected, as after a reset; the dice go on. */
void inject_clear(struct inject *in);

/* Replaces the attributes of @fault by those of @to but its count, and counts calls anew. */
void inject_set(struct inject *in, enum tally_inject_fault fault, const struct inject_fault *to);

/* inject() while a fault is on. */
bool inject_call(struct inject *in, enum tally_inject_fault fault, uint32_t object);

/* A call that concerns @object: is it to fail by @fault? Counts it if so. */
static inline bool inject(struct inject *in, enum tally_inject_fault fault, uint32_t object)
{
	return __builtin_expect(in->armed, 0) && inject_call(in, fault, object);
}

#endif
