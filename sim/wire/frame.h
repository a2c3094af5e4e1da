/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An Ethernet frame without preamble and frame check sequence, as it travels through the fabric.
 *
 * Frames have a reference count, because a switch that floods sends one frame many times. So the
 * bytes of a frame never change once it was sent; a part that wants to change them makes a copy. A
 * function that takes over a reference says so; all others borrow the frame.
 */
#ifndef TALLY_SIM_WIRE_FRAME_H
#define TALLY_SIM_WIRE_FRAME_H

#include <stdbool.h>
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
	/*
	 * All checksums are right: whoever sets this built the frame with them and does not change
	 * it. A receiver need not compute them again.
	 */
	bool sound;
	uint8_t data[] __attribute__((aligned(8)));
};

/*
 * Allocate a zeroed frame of @len bytes with one reference. Returns NULL with errno EMSGSIZE (@len
 * > FRAME_MAX) or ENOMEM.
 */
struct frame *frame_alloc(size_t len);

/* Return a new frame with the bytes of @f and one reference, or NULL with errno ENOMEM. */
struct frame *frame_copy(const struct frame *f);

/* Take one more reference on @f. Returns @f. */
struct frame *frame_ref(struct frame *f);

/* Drop a reference on @f, which may be NULL. The last one frees the frame. */
void frame_unref(struct frame *f);

#endif
