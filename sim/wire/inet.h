/* SPDX-License-Identifier: BSD-2-Clause */
/* The Internet checksum (RFC 1071): a one's complement sum of 16-bit words. */
#ifndef TALLY_SIM_WIRE_INET_H
#define TALLY_SIM_WIRE_INET_H

#include <stddef.h>
#include <stdint.h>

/*
 * Continue @sum, which begins as 0, over @len bytes at @data (at most 1 MiB in all). Only the last
 * piece may have an odd length.
 */
uint64_t inet_sum(uint64_t sum, const void *data, size_t len);

/*
 * Return the checksum of a sum: its complement in host order. It is 0 if the data include a correct
 * checksum.
 */
uint16_t inet_fold(uint64_t sum);

/*
 * Return the checksum over @udp_len bytes of UDP header and data with their pseudo header. The
 * source and destination address are the @addrs_len bytes at @addrs (8 for IPv4, 32 for IPv6). To
 * send, compute it with the checksum field 0, and send 0 as 0xffff. Over a received packet with a
 * correct checksum the result is 0.
 */
uint16_t inet_udp_checksum(const uint8_t *addrs, size_t addrs_len, const uint8_t *udp,
			   size_t udp_len);

#endif
