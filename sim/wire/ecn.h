/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Explicit congestion notification (RFC 3168): the two low bits of the IP header's traffic class.
 */
#ifndef TALLY_SIM_WIRE_ECN_H
#define TALLY_SIM_WIRE_ECN_H

#include <stdbool.h>

#include "wire/frame.h"

enum ecn {
	ECN_NOT_CAPABLE	= 0,
	ECN_ECT1	= 1,
	ECN_ECT0	= 2,
	ECN_CE		= 3,	/* congestion experienced */

	ECN_MASK	= 3,
};

/* Return the ECN bits of the frame's IP header, or ECN_NOT_CAPABLE if it is no IP packet. */
enum ecn ecn_of(const struct frame *f);

/*
 * Set the mark ECN_CE if the packet is capable and not marked, and adjust the checksum of an IPv4
 * header. If others hold references on the frame, *@f becomes a copy. Returns true if the packet
 * was marked, false also if there is no memory for the copy.
 */
bool ecn_mark(struct frame **f);

#endif
