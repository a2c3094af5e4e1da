// SPDX-License-Identifier: BSD-2-Clause
#include "wire/icrc.h"

#include <string.h>

#include "wire/bytes.h"
#include "wire/crc32.h"
#include "wire/roce_layout.h"

/* The CRC begins with a local route header of all ones, which does not exist on Ethernet. */
#define LRH_BYTES	TALLY_ICRC_LRH_SIZE

static void mask_ipv4(uint8_t *ip)
{
	ip[IP4_TOS] = 0xff;
	ip[IP4_TTL] = 0xff;
	put_be16(ip + IP4_CHECKSUM, 0xffff);
}

static void mask_ipv6(uint8_t *ip)
{
	/* Traffic class and flow label; the version is not masked. */
	put_be32(ip + IP6_FLOW, get_be32(ip + IP6_FLOW) | ~TALLY_IPV6_INVARIANT_MASK);
	ip[IP6_HOPS] = 0xff;
}

uint32_t roce_icrc(const uint8_t *ip, size_t ip_len, size_t len)
{
	uint8_t head[LRH_BYTES + IP6_BYTES + UDP_BYTES + BTH_BYTES];
	uint8_t *masked = head + LRH_BYTES, *udp = masked + ip_len;
	size_t head_len = ip_len + UDP_BYTES + BTH_BYTES;
	uint32_t crc;

	memset(head, 0xff, LRH_BYTES);
	memcpy(masked, ip, head_len);
	if (ip_len == IP4_BYTES)
		mask_ipv4(masked);
	else
		mask_ipv6(masked);
	put_be16(udp + UDP_CHECKSUM, 0xffff);
	udp[UDP_BYTES + BTH_RESV8A] = 0xff;

	crc = crc32_update(CRC32_INIT, head, LRH_BYTES + head_len);
	return ~crc32_update(crc, ip + head_len, len - head_len);
}
