/* SPDX-License-Identifier: BSD-2-Clause */
/* GIDs are IPv6 addresses. Those of IPv4 nodes are IPv4-mapped (::ffff:a.b.c.d). */
#ifndef TALLY_SIM_WIRE_GID_H
#define TALLY_SIM_WIRE_GID_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define GID_IPV4_AT	12

static inline bool gid_is_ipv4(const uint8_t gid[16])
{
	static const uint8_t prefix[GID_IPV4_AT] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff };

	return !memcmp(gid, prefix, sizeof(prefix));
}

/* Return the four bytes of the IPv4 address in a mapped GID. */
static inline const uint8_t *gid_ipv4(const uint8_t gid[16])
{
	return gid + GID_IPV4_AT;
}

/* Write the mapped GID of the four bytes at @addr. */
static inline void gid_from_ipv4(uint8_t gid[16], const uint8_t *addr)
{
	memset(gid, 0, 10);
	memset(gid + 10, 0xff, 2);
	memcpy(gid + GID_IPV4_AT, addr, 4);
}

/* ff00::/8 */
static inline bool gid_is_multicast(const uint8_t gid[16])
{
	return gid[0] == 0xff;
}

/* Write the MAC address of a multicast GID: 33:33 and its last four bytes (RFC 2464). */
static inline void gid_multicast_mac(uint8_t mac[6], const uint8_t gid[16])
{
	memset(mac, 0x33, 2);
	memcpy(mac + 2, gid + 12, 4);
}

#endif
