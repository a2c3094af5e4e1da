/* SPDX-License-Identifier: BSD-2-Clause */
/* Sizes of the hardware that both sides know, besides the limits of uapi/tally.yaml. */
#ifndef TALLY_FIRMWARE_LIMITS_H
#define TALLY_FIRMWARE_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

#include "gen/tally_hw.h"

#define SLOT_BYTES (2 * TALLY_MAX_MTU)
#define PAYLOAD_ALIGN 16 /* of the payloads in a slot; an element has no more bytes */
#define NUM_CHOICES TALLY_OPCODE_SCATTER /* opcodes for which a group chooses a mode, from 1 on */

#define NO_CHUNK 0xffffffffu /* value of sid in a report about a triggered descriptor */

/* Times are in picoseconds. */
#define NS 1000ULL
#define US (1000 * NS)
#define MS (1000 * US)

/* Whether a running number precedes another; numbers wrap. */
static inline bool serial_lt(uint32_t a, uint32_t b)
{
	return (int32_t)(a - b) < 0;
}

static inline bool power_of_two(uint32_t v)
{
	return v && !(v & (v - 1));
}

/* Return the set of modes (TALLY_MODES_) that has only this mode; 0: there is no such mode. */
static inline uint8_t mode_bit(uint8_t mode)
{
	return mode >= TALLY_MODE_TREE && mode <= TALLY_MODE_RING ? 1u << (mode - 1) : 0;
}

/* Return the operations that messages of a mode may have, bit 1 << opcode. */
static inline uint32_t mode_opcodes(uint8_t mode)
{
	switch (mode) {
	case TALLY_MODE_TREE:
		return TALLY_OPCODES_TREE;
	case TALLY_MODE_EXCHANGE:
		return TALLY_OPCODES_EXCHANGE;
	case TALLY_MODE_RING:
		return TALLY_OPCODES_RING;
	default:
		return 0;
	}
}

/* Whether messages of this mode offer the operation. */
static inline bool opcode_offered(uint8_t mode, uint8_t opcode)
{
	return opcode < 32 && mode_opcodes(mode) >> opcode & 1;
}

#endif
