/* SPDX-License-Identifier: BSD-2-Clause */
/* Offsets of the fields of the standard headers, in bytes from the start of each header. */
#ifndef TALLY_SIM_WIRE_ROCE_LAYOUT_H
#define TALLY_SIM_WIRE_ROCE_LAYOUT_H

#include <stddef.h>

#include "gen/tally_hw.h"

/* Ethernet II. */
enum {
	ETH_DMAC	= offsetof(struct tally_eth_hdr, dmac),
	ETH_SMAC	= offsetof(struct tally_eth_hdr, smac),
	ETH_TYPE	= offsetof(struct tally_eth_hdr, ethertype),

	ETH_TYPE_IPV4	= TALLY_ETHERTYPE_IPV4,
	ETH_TYPE_IPV6	= TALLY_ETHERTYPE_IPV6,
};

/* IPv4 without options. */
enum {
	IP4_VER_IHL	= offsetof(struct tally_ipv4_hdr, ver_ihl),
	IP4_TOS		= offsetof(struct tally_ipv4_hdr, tos),
	IP4_TOTAL	= offsetof(struct tally_ipv4_hdr, total),
	IP4_FRAG	= offsetof(struct tally_ipv4_hdr, frag),
	IP4_TTL		= offsetof(struct tally_ipv4_hdr, ttl),
	IP4_PROTO	= offsetof(struct tally_ipv4_hdr, proto),
	IP4_CHECKSUM	= offsetof(struct tally_ipv4_hdr, checksum),
	IP4_SRC		= offsetof(struct tally_ipv4_hdr, src),
	IP4_DST		= offsetof(struct tally_ipv4_hdr, dst),
	IP4_BYTES	= sizeof(struct tally_ipv4_hdr),

	IP4_VER_IHL_PLAIN = TALLY_IPV4_VER_IHL,
	IP4_DONT_FRAGMENT = TALLY_IPV4_DONT_FRAGMENT,
	IP4_FRAG_MASK	= TALLY_IPV4_FRAG_MASK,
};

enum {
	IP6_FLOW	= offsetof(struct tally_ipv6_hdr, flow),
	IP6_PAYLOAD	= offsetof(struct tally_ipv6_hdr, payload),
	IP6_NEXT	= offsetof(struct tally_ipv6_hdr, next),
	IP6_HOPS	= offsetof(struct tally_ipv6_hdr, hops),
	IP6_SRC		= offsetof(struct tally_ipv6_hdr, src),
	IP6_DST		= offsetof(struct tally_ipv6_hdr, dst),
	IP6_BYTES	= sizeof(struct tally_ipv6_hdr),

	IP6_FLOW_MASK	= TALLY_IPV6_FLOW_MASK,
};

enum { IP_PROTO_UDP = TALLY_IP_PROTO_UDP };

enum {
	UDP_SPORT	= offsetof(struct tally_udp_hdr, sport),
	UDP_DPORT	= offsetof(struct tally_udp_hdr, dport),
	UDP_LENGTH	= offsetof(struct tally_udp_hdr, length),
	UDP_CHECKSUM	= offsetof(struct tally_udp_hdr, checksum),
	UDP_BYTES	= sizeof(struct tally_udp_hdr),
};

/* Base transport header. */
enum {
	BTH_OPCODE	= offsetof(struct tally_bth_hdr, opcode),
	BTH_FLAGS	= offsetof(struct tally_bth_hdr, flags),
	BTH_PKEY	= offsetof(struct tally_bth_hdr, pkey),
	BTH_QP		= offsetof(struct tally_bth_hdr, qp),
	BTH_RESV8A	= BTH_QP,	/* the first byte of four */
	BTH_PSN		= offsetof(struct tally_bth_hdr, psn),
	BTH_BYTES	= sizeof(struct tally_bth_hdr),

	BTH_SE		= TALLY_BTH_SE,
	BTH_MIGREQ	= TALLY_BTH_MIGREQ,
	BTH_PAD_SHIFT	= TALLY_BTH_PAD_SHIFT,
	BTH_PAD_MASK	= TALLY_BTH_PAD_MASK,
	BTH_VERSION_MASK = TALLY_BTH_VERSION_MASK,
	BTH_24_MASK	= TALLY_BTH_24_MASK,
};

#define BTH_FECN	TALLY_BTH_FECN
#define BTH_BECN	TALLY_BTH_BECN
#define BTH_ACKREQ	TALLY_BTH_ACKREQ

#endif
