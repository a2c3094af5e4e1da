/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Byte orders. Structures of the ABI are little-endian, packets are big-endian. Each function
 * converts in both directions.
 */
#ifndef TALLY_FIRMWARE_BYTES_H
#define TALLY_FIRMWARE_BYTES_H

#include <stdint.h>

#define FW_LITTLE (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)

static inline uint16_t le16(uint16_t v)
{
	return FW_LITTLE ? v : __builtin_bswap16(v);
}

static inline uint32_t le32(uint32_t v)
{
	return FW_LITTLE ? v : __builtin_bswap32(v);
}

static inline uint64_t le64(uint64_t v)
{
	return FW_LITTLE ? v : __builtin_bswap64(v);
}

static inline uint16_t be16(uint16_t v)
{
	return FW_LITTLE ? __builtin_bswap16(v) : v;
}

static inline uint32_t be32(uint32_t v)
{
	return FW_LITTLE ? __builtin_bswap32(v) : v;
}

static inline uint64_t be64(uint64_t v)
{
	return FW_LITTLE ? __builtin_bswap64(v) : v;
}

/* Return four bytes as a word of registers, the first byte in the low byte. */
static inline uint32_t word_of(const uint8_t *bytes)
{
	return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
	       (uint32_t)bytes[3] << 24;
}

#endif
