// SPDX-License-Identifier: BSD-2-Clause
#include "wire/crc32.h"

#include <endian.h>
#include <string.h>

/*
 * Processes eight bytes per step, with one table for each byte position. A CRC is linear, so an
 * entry is the XOR of the entries of the set bits of its index. Only those are written here (s0..s7
 * for bits 0..7), and the compiler computes the others.
 */
#define ENTRY(i, s0, s1, s2, s3, s4, s5, s6, s7)				\
	(((i) & 1 ? s0 : 0) ^ ((i) & 2 ? s1 : 0) ^ ((i) & 4 ? s2 : 0) ^		\
	 ((i) & 8 ? s3 : 0) ^ ((i) & 16 ? s4 : 0) ^ ((i) & 32 ? s5 : 0) ^	\
	 ((i) & 64 ? s6 : 0) ^ ((i) & 128 ? s7 : 0))
#define ENTRIES_4(i, ...)							\
	ENTRY(i, __VA_ARGS__), ENTRY((i) + 1, __VA_ARGS__),			\
	ENTRY((i) + 2, __VA_ARGS__), ENTRY((i) + 3, __VA_ARGS__)
#define ENTRIES_16(i, ...)							\
	ENTRIES_4(i, __VA_ARGS__), ENTRIES_4((i) + 4, __VA_ARGS__),		\
	ENTRIES_4((i) + 8, __VA_ARGS__), ENTRIES_4((i) + 12, __VA_ARGS__)
#define ENTRIES_64(i, ...)							\
	ENTRIES_16(i, __VA_ARGS__), ENTRIES_16((i) + 16, __VA_ARGS__),		\
	ENTRIES_16((i) + 32, __VA_ARGS__), ENTRIES_16((i) + 48, __VA_ARGS__)
#define TABLE(...) {								\
	ENTRIES_64(0, __VA_ARGS__), ENTRIES_64(64, __VA_ARGS__),		\
	ENTRIES_64(128, __VA_ARGS__), ENTRIES_64(192, __VA_ARGS__) }

/* table[k][b]: the register after byte b and k zero bytes. */
static const uint32_t table[8][256] = {
	TABLE(0x77073096, 0xee0e612c, 0x076dc419, 0x0edb8832,
	      0x1db71064, 0x3b6e20c8, 0x76dc4190, 0xedb88320),
	TABLE(0x191b3141, 0x32366282, 0x646cc504, 0xc8d98a08,
	      0x4ac21251, 0x958424a2, 0xf0794f05, 0x3b83984b),
	TABLE(0x01c26a37, 0x0384d46e, 0x0709a8dc, 0x0e1351b8,
	      0x1c26a370, 0x384d46e0, 0x709a8dc0, 0xe1351b80),
	TABLE(0xb8bc6765, 0xaa09c88b, 0x8f629757, 0xc5b428ef,
	      0x5019579f, 0xa032af3e, 0x9b14583d, 0xed59b63b),
	TABLE(0x3d6029b0, 0x7ac05360, 0xf580a6c0, 0x30704bc1,
	      0x60e09782, 0xc1c12f04, 0x58f35849, 0xb1e6b092),
	TABLE(0xcb5cd3a5, 0x4dc8a10b, 0x9b914216, 0xec53826d,
	      0x03d6029b, 0x07ac0536, 0x0f580a6c, 0x1eb014d8),
	TABLE(0xa6770bb4, 0x979f1129, 0xf44f2413, 0x33ef4e67,
	      0x67de9cce, 0xcfbd399c, 0x440b7579, 0x8816eaf2),
	TABLE(0xccaa009e, 0x4225077d, 0x844a0efa, 0xd3e51bb5,
	      0x7cbb312b, 0xf9766256, 0x299dc2ed, 0x533b85da),
};

static uint32_t get_le32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return le32toh(v);
}

static uint32_t eight_bytes(uint32_t crc, const uint8_t *p)
{
	uint32_t lo = crc ^ get_le32(p), hi = get_le32(p + 4);

	return table[7][lo & 0xff] ^ table[6][lo >> 8 & 0xff] ^
	       table[5][lo >> 16 & 0xff] ^ table[4][lo >> 24] ^
	       table[3][hi & 0xff] ^ table[2][hi >> 8 & 0xff] ^
	       table[1][hi >> 16 & 0xff] ^ table[0][hi >> 24];
}

uint32_t crc32_update(uint32_t crc, const void *data, size_t len)
{
	const uint8_t *p = data;

	for (; len >= 8; p += 8, len -= 8)
		crc = eight_bytes(crc, p);
	for (; len; p++, len--)
		crc = crc >> 8 ^ table[0][(crc ^ *p) & 0xff];
	return crc;
}
