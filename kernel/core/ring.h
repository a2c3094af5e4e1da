/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Rings that the device writes to. */
#ifndef TALLY_RING_H
#define TALLY_RING_H

#include "tally.h"

/*
 * Returns the phase bit in the owner byte of a ring's entry number @count, from 0, once it is
 * written.
 */
static inline u8 tally_ring_phase(u64 count, u32 depth)
{
	return count & depth ? 0 : TALLY_OWNER_PHASE;
}

#endif
