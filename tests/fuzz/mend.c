// SPDX-License-Identifier: BSD-2-Clause
#include "mend.h"

#include <endian.h>
#include <stdbool.h>
#include <string.h>

#include "wire/bytes.h"
#include "wire/icrc.h"
#include "wire/inet.h"
#include "wire/roce.h"
#include "wire/roce_layout.h"

static void mend_types(uint8_t *ip, bool v4)
{
	uint8_t *udp = ip + (v4 ? IP4_BYTES : IP6_BYTES);

	if (v4) {
		ip[IP4_VER_IHL] = IP4_VER_IHL_PLAIN;
		ip[IP4_PROTO] = IP_PROTO_UDP;
		put_be16(ip + IP4_FRAG, IP4_DONT_FRAGMENT);
	} else {
		ip[IP6_FLOW] = 0x60 | (ip[IP6_FLOW] & 0x0f);
		ip[IP6_NEXT] = IP_PROTO_UDP;
	}
	put_be16(udp + UDP_DPORT, ROCE_UDP_PORT);
	udp[UDP_BYTES + BTH_FLAGS] &= ~BTH_VERSION_MASK;
}

static void mend_lengths(uint8_t *ip, size_t len, bool v4)
{
	size_t ip_len = v4 ? IP4_BYTES : IP6_BYTES;

	put_be16(ip + (v4 ? IP4_TOTAL : IP6_PAYLOAD), v4 ? len : len - ip_len);
	put_be16(ip + ip_len + UDP_LENGTH, len - ip_len);
}

static void mend_checksums(uint8_t *ip, size_t len, bool v4)
{
	uint8_t *udp = ip + (v4 ? IP4_BYTES : IP6_BYTES);
	size_t udp_len = len - (udp - ip);
	uint16_t sum;

	if (v4) {
		put_be16(ip + IP4_CHECKSUM, 0);
		put_be16(ip + IP4_CHECKSUM, inet_fold(inet_sum(0, ip, IP4_BYTES)));
	}
	put_be16(udp + UDP_CHECKSUM, 0);
	sum = inet_udp_checksum(ip + (v4 ? IP4_SRC : IP6_SRC), v4 ? 8 : 32, udp, udp_len);
	put_be16(udp + UDP_CHECKSUM, sum ? sum : 0xffff);
}

void mend(uint8_t *frame, size_t len, unsigned int how)
{
	uint8_t *ip = frame + ETH_HEADER_BYTES;
	uint32_t icrc;
	bool v4;

	if (len < ETH_HEADER_BYTES + IP6_BYTES + UDP_BYTES + BTH_BYTES + ICRC_BYTES)
		return;
	if (how & MEND_TYPES)
		put_be16(frame + ETH_TYPE, how & MEND_IPV4 ? ETH_TYPE_IPV4 : ETH_TYPE_IPV6);
	v4 = get_be16(frame + ETH_TYPE) == ETH_TYPE_IPV4;
	len -= ETH_HEADER_BYTES;
	if (how & MEND_TYPES)
		mend_types(ip, v4);
	if (how & MEND_LENGTHS)
		mend_lengths(ip, len, v4);
	if (how & MEND_ICRC) {
		icrc = htole32(roce_icrc(ip, v4 ? IP4_BYTES : IP6_BYTES, len - ICRC_BYTES));
		memcpy(ip + len - ICRC_BYTES, &icrc, sizeof(icrc));
	}
	if (how & MEND_CHECKSUMS)
		mend_checksums(ip, len, v4);
}
