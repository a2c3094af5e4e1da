// SPDX-License-Identifier: BSD-2-Clause
#include "wire/roce.h"

#include <errno.h>
#include <string.h>

#include "wire/bytes.h"
#include "wire/ecn.h"
#include "wire/gid.h"
#include "wire/icrc.h"
#include "wire/inet.h"
#include "wire/roce_layout.h"

static void put_eth(uint8_t *eth, const struct roce_hdr *h, bool v4)
{
	memcpy(eth + ETH_DMAC, h->dmac, sizeof(h->dmac));
	memcpy(eth + ETH_SMAC, h->smac, sizeof(h->smac));
	put_be16(eth + ETH_TYPE, v4 ? ETH_TYPE_IPV4 : ETH_TYPE_IPV6);
}

static uint8_t traffic_class(const struct roce_hdr *h)
{
	return (h->traffic_class & ~ECN_MASK) | ECN_ECT0;
}

/* The identification is 0: a packet that must not be fragmented needs none (RFC 6864). */
static void put_ip4(uint8_t *ip, const struct roce_hdr *h, size_t udp_len)
{
	ip[IP4_VER_IHL] = IP4_VER_IHL_PLAIN;
	ip[IP4_TOS] = traffic_class(h);
	put_be16(ip + IP4_TOTAL, IP4_BYTES + udp_len);
	put_be16(ip + IP4_FRAG, IP4_DONT_FRAGMENT);
	ip[IP4_TTL] = h->hop_limit;
	ip[IP4_PROTO] = IP_PROTO_UDP;
	memcpy(ip + IP4_SRC, gid_ipv4(h->sgid), 4);
	memcpy(ip + IP4_DST, gid_ipv4(h->dgid), 4);
	put_be16(ip + IP4_CHECKSUM, inet_fold(inet_sum(0, ip, IP4_BYTES)));
}

static void put_ip6(uint8_t *ip, const struct roce_hdr *h, size_t udp_len)
{
	put_be32(ip + IP6_FLOW, 6u << 28 | (uint32_t)traffic_class(h) << 20 | h->flow_label);
	put_be16(ip + IP6_PAYLOAD, udp_len);
	ip[IP6_NEXT] = IP_PROTO_UDP;
	ip[IP6_HOPS] = h->hop_limit;
	memcpy(ip + IP6_SRC, h->sgid, sizeof(h->sgid));
	memcpy(ip + IP6_DST, h->dgid, sizeof(h->dgid));
}

static void put_bth(uint8_t *bth, const struct roce_hdr *h, size_t pad)
{
	bth[BTH_OPCODE] = h->opcode;
	bth[BTH_FLAGS] = (h->se ? BTH_SE : 0) | (h->migreq ? BTH_MIGREQ : 0) |
			 pad << BTH_PAD_SHIFT;
	put_be16(bth + BTH_PKEY, h->pkey);
	put_be32(bth + BTH_QP, h->dest_qp | (h->fecn ? BTH_FECN : 0) | (h->becn ? BTH_BECN : 0));
	put_be32(bth + BTH_PSN, h->psn | (h->ackreq ? BTH_ACKREQ : 0));
}

/*
 * The ICRC comes first, because the UDP checksum covers it, but it does not cover the UDP checksum.
 */
static void put_checksums(uint8_t *ip, size_t ip_len, size_t udp_len, bool v4)
{
	size_t icrc_at = ip_len + udp_len - ICRC_BYTES;
	uint32_t icrc = htole32(roce_icrc(ip, ip_len, icrc_at));
	uint8_t *udp = ip + ip_len;
	uint16_t sum;

	memcpy(ip + icrc_at, &icrc, sizeof(icrc));
	sum = inet_udp_checksum(ip + (v4 ? IP4_SRC : IP6_SRC), v4 ? 8 : 32, udp, udp_len);
	put_be16(udp + UDP_CHECKSUM, sum ? sum : 0xffff);
}

static int check(const struct roce_hdr *h, size_t hdr_len, size_t payload_len)
{
	bool v4 = gid_is_ipv4(h->sgid);

	if (v4 != gid_is_ipv4(h->dgid) || hdr_len % 4 || h->dest_qp > BTH_24_MASK ||
	    h->psn > BTH_24_MASK || h->flow_label > (v4 ? 0 : IP6_FLOW_MASK))
		return EINVAL;
	if (hdr_len > FRAME_MAX || payload_len > FRAME_MAX)
		return EMSGSIZE;
	return 0;
}

struct frame *roce_build(const struct roce_hdr *h, const void *hdr, size_t hdr_len,
			 const void *payload, size_t payload_len)
{
	bool v4 = gid_is_ipv4(h->sgid);
	size_t ip_len = v4 ? IP4_BYTES : IP6_BYTES;
	size_t pad = -(hdr_len + payload_len) & BTH_PAD_MASK;
	size_t udp_len = UDP_BYTES + BTH_BYTES + hdr_len + payload_len + pad + ICRC_BYTES;
	size_t len = ETH_HEADER_BYTES + ip_len + udp_len;
	uint8_t *ip, *udp, *bth;
	struct frame *f;
	int err;

	err = check(h, hdr_len, payload_len);
	if (err) {
		errno = err;
		return NULL;
	}
	f = frame_alloc(len < FRAME_MIN ? FRAME_MIN : len);
	if (!f)
		return NULL;
	ip = f->data + ETH_HEADER_BYTES;
	udp = ip + ip_len;
	bth = udp + UDP_BYTES;
	put_eth(f->data, h, v4);
	(v4 ? put_ip4 : put_ip6)(ip, h, udp_len);
	put_be16(udp + UDP_SPORT, h->udp_sport);
	put_be16(udp + UDP_DPORT, ROCE_UDP_PORT);
	put_be16(udp + UDP_LENGTH, udp_len);
	put_bth(bth, h, pad);
	if (hdr_len)
		memcpy(bth + BTH_BYTES, hdr, hdr_len);
	if (payload_len)
		memcpy(bth + BTH_BYTES + hdr_len, payload, payload_len);
	put_checksums(ip, ip_len, udp_len, v4);
	return f;
}
