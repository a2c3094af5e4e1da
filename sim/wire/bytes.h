/* SPDX-License-Identifier: BSD-2-Clause */
/* Big-endian words at any address. */
#ifndef TALLY_SIM_WIRE_BYTES_H
#define TALLY_SIM_WIRE_BYTES_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

static inline void put_be16(uint8_t *p, uint16_t v)
{
	v = htobe16(v);
	memcpy(p, &v, sizeof(v));
}

static inline void put_be32(uint8_t *p, uint32_t v)
{
	v = htobe32(v);
	memcpy(p, &v, sizeof(v));
}

static inline uint16_t get_be16(const uint8_t *p)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return be16toh(v);
}

static inline uint32_t get_be32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return be32toh(v);
}

#endif
