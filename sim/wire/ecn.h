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

/* What the frame's IP header says; ECN_NOT_CAPABLE for what is no IP packet. */
enum ecn ecn_of(const struct frame *f);

/*
 * Sets the mark ECN_CE if the packet is capable and not marked yet, with the checksum of an IPv4
 * header kept right. Where others use the frame too, *@f becomes a copy. Returns true if it marked;
 * without memory for the copy it does not.
 */
bool ecn_mark(struct frame **f);

#endif
