/* SPDX-License-Identifier: BSD-2-Clause */
/* The CRC-32 of IEEE 802.3 (reflected, polynomial 0x04c11db7), which the ICRC of RoCE uses too. */
#ifndef TALLY_SIM_WIRE_CRC32_H
#define TALLY_SIM_WIRE_CRC32_H

#include <stddef.h>
#include <stdint.h>

#define CRC32_INIT	0xffffffffu

/*
 * Continue @crc, which begins as CRC32_INIT, over @len bytes. The checksum is the complement of the
 * last result; it is sent with its least significant byte first.
 */
uint32_t crc32_update(uint32_t crc, const void *data, size_t len);

#endif
