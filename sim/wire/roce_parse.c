// SPDX-License-Identifier: BSD-2-Clause
#include "wire/roce.h"

#include <string.h>

#include "wire/bytes.h"
#include "wire/ecn.h"
#include "wire/gid.h"
#include "wire/icrc.h"
#include "wire/inet.h"
#include "wire/roce_layout.h"

/* Fields of an IP header that has been checked. */
struct ip_packet {
	const uint8_t *ip;
	size_t ip_len;
	size_t udp_len;		/* bytes after the IP header, all inside the frame */
	bool v4;
	bool sound;		/* the checksums are known to be right */
};

static enum roce_drop check_ip4(struct ip_packet *p, size_t room)
{
	const uint8_t *ip = p->ip;
	size_t total;

	if (room < IP4_BYTES)
		return ROCE_DROP_SHORT;
	if (ip[IP4_VER_IHL] >> 4 != 4)
		return ROCE_DROP_IP_VERSION;
	if (ip[IP4_PROTO] != IP_PROTO_UDP)
		return ROCE_DROP_NEXT_HEADER;
	if (ip[IP4_VER_IHL] != IP4_VER_IHL_PLAIN)
		return ROCE_DROP_IP_OPTIONS;
	if (!p->sound && inet_fold(inet_sum(0, ip, IP4_BYTES)))
		return ROCE_DROP_IP_CHECKSUM;
	if (get_be16(ip + IP4_FRAG) & IP4_FRAG_MASK)
		return ROCE_DROP_IP_FRAGMENT;
	total = get_be16(ip + IP4_TOTAL);
	if (total < IP4_BYTES || total > room)
		return ROCE_DROP_IP_LENGTH;
	p->ip_len = IP4_BYTES;
	p->udp_len = total - IP4_BYTES;
	return ROCE_OK;
}

static enum roce_drop check_ip6(struct ip_packet *p, size_t room)
{
	const uint8_t *ip = p->ip;

	if (room < IP6_BYTES)
		return ROCE_DROP_SHORT;
	if (ip[IP6_FLOW] >> 4 != 6)
		return ROCE_DROP_IP_VERSION;
	if (ip[IP6_NEXT] != IP_PROTO_UDP)
		return ROCE_DROP_NEXT_HEADER;
	p->ip_len = IP6_BYTES;
	p->udp_len = get_be16(ip + IP6_PAYLOAD);
	if (p->udp_len > room - IP6_BYTES)
		return ROCE_DROP_IP_LENGTH;
	/* The packet would look like one of the IPv4 node with that address. */
	if (gid_is_ipv4(ip + IP6_SRC) || gid_is_ipv4(ip + IP6_DST))
		return ROCE_DROP_IP_ADDRESS;
	return ROCE_OK;
}

/*
 * A packet to a group carries the group's MAC address, any other packet a MAC address that is no
 * group's, and no packet comes from a group. There are no groups over IPv4, because a MAC address
 * does not identify one IPv4 group.
 */
static enum roce_drop check_group(const struct ip_packet *p, const uint8_t *dmac)
{
	const uint8_t *dgid = p->ip + IP6_DST;
	uint8_t mac[6];

	if (p->v4 || !gid_is_multicast(dgid))
		return dmac[0] & MAC_GROUP_BIT ? ROCE_DROP_GROUP : ROCE_OK;
	gid_multicast_mac(mac, dgid);
	return memcmp(mac, dmac, sizeof(mac)) || gid_is_multicast(p->ip + IP6_SRC) ?
		ROCE_DROP_GROUP : ROCE_OK;
}

static enum roce_drop check_ip(struct ip_packet *p, const uint8_t *data, size_t len)
{
	size_t room;

	if (len < ETH_HEADER_BYTES)
		return ROCE_DROP_SHORT;
	p->ip = data + ETH_HEADER_BYTES;
	room = len - ETH_HEADER_BYTES;
	switch (get_be16(data + ETH_TYPE)) {
	case ETH_TYPE_IPV4:
		p->v4 = true;
		return check_ip4(p, room);
	case ETH_TYPE_IPV6:
		p->v4 = false;
		return check_ip6(p, room);
	default:
		return ROCE_DROP_ETHERTYPE;
	}
}

static enum roce_drop check_udp(const struct ip_packet *p)
{
	const uint8_t *udp = p->ip + p->ip_len;
	const uint8_t *addrs = p->ip + (p->v4 ? IP4_SRC : IP6_SRC);

	if (p->udp_len < UDP_BYTES)
		return ROCE_DROP_UDP_LENGTH;
	if (get_be16(udp + UDP_DPORT) != ROCE_UDP_PORT)
		return ROCE_DROP_UDP_PORT;
	if (get_be16(udp + UDP_LENGTH) != p->udp_len)
		return ROCE_DROP_UDP_LENGTH;
	if (!p->sound && get_be16(udp + UDP_CHECKSUM) &&
	    inet_udp_checksum(addrs, p->v4 ? 8 : 32, udp, p->udp_len))
		return ROCE_DROP_UDP_CHECKSUM;
	return ROCE_OK;
}

/* Check the part after the UDP header. Sets @body_len without the pad. */
static enum roce_drop check_bth(const struct ip_packet *p, size_t *body_len)
{
	const uint8_t *bth = p->ip + p->ip_len + UDP_BYTES;
	size_t icrc_at, padded, pad;
	uint32_t icrc;

	if (p->udp_len < UDP_BYTES + BTH_BYTES + ICRC_BYTES)
		return ROCE_DROP_SHORT;
	icrc_at = p->ip_len + p->udp_len - ICRC_BYTES;
	memcpy(&icrc, p->ip + icrc_at, sizeof(icrc));
	if (!p->sound && le32toh(icrc) != roce_icrc(p->ip, p->ip_len, icrc_at))
		return ROCE_DROP_ICRC;
	if (bth[BTH_FLAGS] & BTH_VERSION_MASK)
		return ROCE_DROP_BTH_VERSION;
	padded = p->udp_len - UDP_BYTES - BTH_BYTES - ICRC_BYTES;
	pad = bth[BTH_FLAGS] >> BTH_PAD_SHIFT & BTH_PAD_MASK;
	if (padded % 4 || pad > padded)
		return ROCE_DROP_PAD;
	*body_len = padded - pad;
	return ROCE_OK;
}

static void get_ip(struct roce_hdr *h, const struct ip_packet *p)
{
	const uint8_t *ip = p->ip;
	uint32_t flow;

	if (p->v4) {
		gid_from_ipv4(h->sgid, ip + IP4_SRC);
		gid_from_ipv4(h->dgid, ip + IP4_DST);
		h->flow_label = 0;
		h->traffic_class = ip[IP4_TOS];
		h->hop_limit = ip[IP4_TTL];
		return;
	}
	flow = get_be32(ip + IP6_FLOW);
	memcpy(h->sgid, ip + IP6_SRC, sizeof(h->sgid));
	memcpy(h->dgid, ip + IP6_DST, sizeof(h->dgid));
	h->flow_label = flow & IP6_FLOW_MASK;
	h->traffic_class = flow >> 20;
	h->hop_limit = ip[IP6_HOPS];
}

static void get_bth(struct roce_hdr *h, const uint8_t *bth)
{
	uint32_t qp = get_be32(bth + BTH_QP), psn = get_be32(bth + BTH_PSN);

	h->opcode = bth[BTH_OPCODE];
	h->se = bth[BTH_FLAGS] & BTH_SE;
	h->migreq = bth[BTH_FLAGS] & BTH_MIGREQ;
	h->pkey = get_be16(bth + BTH_PKEY);
	h->fecn = qp & BTH_FECN;
	h->becn = qp & BTH_BECN;
	h->dest_qp = qp & BTH_24_MASK;
	h->ackreq = psn & BTH_ACKREQ;
	h->psn = psn & BTH_24_MASK;
}

static enum roce_drop parse(const uint8_t *data, size_t len, bool sound, struct roce_hdr *h,
			    const uint8_t **body, size_t *body_len)
{
	struct ip_packet p = { .sound = sound };
	enum roce_drop drop;
	const uint8_t *udp;
	size_t n;

	drop = check_ip(&p, data, len);
	if (!drop)
		drop = check_udp(&p);
	if (!drop)
		drop = check_bth(&p, &n);
	if (!drop)
		drop = check_group(&p, data + ETH_DMAC);
	if (drop)
		return drop;

	udp = p.ip + p.ip_len;
	memcpy(h->dmac, data + ETH_DMAC, sizeof(h->dmac));
	memcpy(h->smac, data + ETH_SMAC, sizeof(h->smac));
	get_ip(h, &p);
	h->ce = (h->traffic_class & ECN_MASK) == ECN_CE;
	h->udp_sport = get_be16(udp + UDP_SPORT);
	get_bth(h, udp + UDP_BYTES);
	*body = udp + UDP_BYTES + BTH_BYTES;
	*body_len = n;
	return ROCE_OK;
}

enum roce_drop roce_parse(const uint8_t *data, size_t len, struct roce_hdr *h,
			  const uint8_t **body, size_t *body_len)
{
	return parse(data, len, false, h, body, body_len);
}

enum roce_drop roce_parse_frame(const struct frame *f, struct roce_hdr *h, const uint8_t **body,
				size_t *body_len)
{
	return parse(f->data, f->len, f->sound, h, body, body_len);
}

bool roce_drop_foreign(enum roce_drop reason)
{
	return reason >= ROCE_DROP_ETHERTYPE && reason <= ROCE_DROP_UDP_PORT;
}

const char *roce_drop_str(enum roce_drop reason)
{
	static const char *const text[ROCE_DROP_COUNT] = {
		[ROCE_OK] = "good RoCEv2 packet",
		[ROCE_DROP_ETHERTYPE] = "Ethernet type is neither IPv4 nor IPv6",
		[ROCE_DROP_NEXT_HEADER] = "IP protocol or next header is not UDP",
		[ROCE_DROP_IP_OPTIONS] = "IPv4 header is not five words long",
		[ROCE_DROP_IP_FRAGMENT] = "IPv4 packet is a fragment",
		[ROCE_DROP_UDP_PORT] = "UDP destination port is not RoCEv2's",
		[ROCE_DROP_SHORT] = "frame ends inside a header",
		[ROCE_DROP_IP_VERSION] = "IP version disagrees with the Ethernet type",
		[ROCE_DROP_IP_CHECKSUM] = "IPv4 header checksum is wrong",
		[ROCE_DROP_IP_LENGTH] = "IP length disagrees with the frame",
		[ROCE_DROP_IP_ADDRESS] = "IPv6 address is an IPv4-mapped one",
		[ROCE_DROP_GROUP] = "MAC address and GID name different groups, or a group sends",
		[ROCE_DROP_UDP_LENGTH] = "UDP length disagrees with the IP length",
		[ROCE_DROP_UDP_CHECKSUM] = "UDP checksum is wrong",
		[ROCE_DROP_ICRC] = "invariant CRC is wrong",
		[ROCE_DROP_BTH_VERSION] = "transport header version is not 0",
		[ROCE_DROP_PAD] = "pad count disagrees with the length",
	};

	if ((unsigned int)reason >= ROCE_DROP_COUNT)
		return "unknown reason";
	return text[reason];
}
