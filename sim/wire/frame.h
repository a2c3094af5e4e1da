/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An Ethernet frame without preamble and frame check sequence, as it travels through the fabric.
 *
 * Frames are counted by reference, because a switch that floods sends one frame many times; so once
 * a frame was sent its bytes never change, and who wants to change them makes a copy. A function
 * that takes a frame over says so; all others borrow.
 */
#ifndef TALLY_SIM_WIRE_FRAME_H
#define TALLY_SIM_WIRE_FRAME_H

#include <stddef.h>
#include <stdint.h>

#include "gen/tally_hw.h"

enum { ETH_HEADER_BYTES = sizeof(struct tally_eth_hdr) };

#define MAC_GROUP_BIT		TALLY_MAC_GROUP_BIT	/* in the first byte of an address */
/* Shortest frame without its check sequence (IEEE 802.3: 64 bytes with it). */
#define FRAME_MIN		TALLY_MIN_FRAME
#define FRAME_MAX		TALLY_MAX_FRAME

struct frame {
	unsigned int refs;
	uint16_t len;		/* bytes in data */
	uint8_t data[];
};

/*
 * A zeroed frame of @len bytes with one reference. NULL: errno is EMSGSIZE (@len > FRAME_MAX) or
 * ENOMEM.
 */
struct frame *frame_alloc(size_t len);

/* A frame of its own with the bytes of @f and one reference. NULL: errno is ENOMEM. */
struct frame *frame_copy(const struct frame *f);

/* One more reference on @f; returns @f. */
struct frame *frame_ref(struct frame *f);

/* Gives one reference back; the last one frees the frame. NULL is allowed. */
void frame_unref(struct frame *f);

#endif
