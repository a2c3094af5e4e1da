/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Which work requests are pushed, and where to: one rule for those who post (libtally, the scripted
 * hosts), for the simulated device, which takes them, and for the bench, which says what they cost.
 *
 * Requests of even and of odd count have half a buffer each. So who posts the next request does not
 * touch the lines of the one that the device may be reading; and before the half is used again, the
 * doorbell has changed, which the device looks at once more when it has read the lines. That holds
 * because only a request that is alone with its doorbell is pushed: counts of requests pushed one
 * after the other differ by one, or a doorbell without a push lies between them.
 */
#ifndef TALLY_PUSH_H
#define TALLY_PUSH_H

#include <stdbool.h>
#include <stdint.h>

#include "gen/tally_hw.h"

/* Bytes of a request in one line. */
#define TALLY_PUSH_PIECE sizeof(((struct tally_push_line *)0)->data)

/* Lines that a request of so many bytes takes. */
static inline uint64_t tally_push_lines(uint64_t bytes)
{
	return (bytes + TALLY_PUSH_PIECE - 1) / TALLY_PUSH_PIECE;
}

/* Is the last of so many requests of one doorbell pushed, by who has a buffer? */
static inline bool tally_is_pushed(uint64_t requests, uint64_t bytes)
{
	return requests == 1 && bytes <= TALLY_PUSH_LINES * TALLY_PUSH_PIECE;
}

/* The first line of the request with which @posted requests are posted. */
static inline struct tally_push_line *tally_push_first(struct tally_push_buf *buf, uint64_t posted)
{
	return &buf->line[posted % 2 * TALLY_PUSH_LINES];
}

#endif
