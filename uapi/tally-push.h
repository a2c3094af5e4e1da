/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The rule that decides which work requests are pushed, and to which lines. It is the same for the
 * producers (libtally, the scripted hosts), for the simulated device, which takes pushed requests,
 * and for the bench, which computes their cost.
 *
 * Requests of even count use one half of the buffer, those of odd count the other half. So the
 * producer of the next request does not touch the lines of a request that the device may read.
 * Before a half is used again, the doorbell has changed, and the device checks the doorbell once
 * more after it has read the lines. This holds because a request is pushed only if it has its
 * doorbell to itself: the counts of two requests that are pushed in succession differ by one, or a
 * doorbell without a push lies between them.
 */
#ifndef TALLY_PUSH_H
#define TALLY_PUSH_H

#include <stdbool.h>
#include <stdint.h>

#include "gen/tally_hw.h"

/* bytes of a request in one line */
#define TALLY_PUSH_PIECE sizeof(((struct tally_push_line *)0)->data)

/* Returns the number of lines that a request of @bytes bytes takes. */
static inline uint64_t tally_push_lines(uint64_t bytes)
{
	return (bytes + TALLY_PUSH_PIECE - 1) / TALLY_PUSH_PIECE;
}

/* Returns whether the last of @requests requests of a doorbell is pushed, if there is a buffer. */
static inline bool tally_is_pushed(uint64_t requests, uint64_t bytes)
{
	return requests == 1 && bytes <= TALLY_PUSH_LINES * TALLY_PUSH_PIECE;
}

/* Returns the first line of the request that raises the count of posted requests to @posted. */
static inline struct tally_push_line *tally_push_first(struct tally_push_buf *buf, uint64_t posted)
{
	return &buf->line[posted % 2 * TALLY_PUSH_LINES];
}

#endif
