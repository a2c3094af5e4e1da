/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the fields of the standard headers are, in bytes from the start of each header. */
#ifndef TALLY_SIM_WIRE_ROCE_LAYOUT_H
#define TALLY_SIM_WIRE_ROCE_LAYOUT_H

/* Ethernet II. */
enum {
	ETH_DMAC	= 0,
	ETH_SMAC	= 6,
	ETH_TYPE	= 12,

	ETH_TYPE_IPV4	= 0x0800,
	ETH_TYPE_IPV6	= 0x86dd,
};

/* IPv4 without options (RFC 791). */
enum {
	IP4_VER_IHL	= 0,
	IP4_TOS		= 1,
	IP4_TOTAL	= 2,
	IP4_FRAG	= 6,
	IP4_TTL		= 8,
	IP4_PROTO	= 9,
	IP4_CHECKSUM	= 10,
	IP4_SRC		= 12,
	IP4_DST		= 16,
	IP4_BYTES	= 20,

	IP4_VER_IHL_PLAIN = 0x45,	/* version 4, five words */
	IP4_DONT_FRAGMENT = 0x4000,
	IP4_FRAG_MASK	= 0x3fff,	/* more fragments, offset */
};

/* IPv6 (RFC 8200). */
enum {
	IP6_FLOW	= 0,		/* version, traffic class, flow label */
	IP6_PAYLOAD	= 4,
	IP6_NEXT	= 6,
	IP6_HOPS	= 7,
	IP6_SRC		= 8,
	IP6_DST		= 24,
	IP6_BYTES	= 40,

	IP6_FLOW_MASK	= 0xfffff,
};

enum { IP_PROTO_UDP = 17 };

/* UDP (RFC 768). */
enum {
	UDP_SPORT	= 0,
	UDP_DPORT	= 2,
	UDP_LENGTH	= 4,
	UDP_CHECKSUM	= 6,
	UDP_BYTES	= 8,
};

/* Base transport header (InfiniBand architecture specification 9.2, A17 for FECN and BECN). */
enum {
	BTH_OPCODE	= 0,
	BTH_FLAGS	= 1,		/* SE, M, pad count, version */
	BTH_PKEY	= 2,
	BTH_QP		= 4,		/* resv8a (FECN, BECN), destination QP */
	BTH_RESV8A	= 4,
	BTH_PSN		= 8,		/* A, resv7, PSN */
	BTH_BYTES	= 12,

	BTH_SE		= 0x80,
	BTH_MIGREQ	= 0x40,
	BTH_PAD_SHIFT	= 4,
	BTH_PAD_MASK	= 3,
	BTH_VERSION_MASK = 0x0f,
	BTH_24_MASK	= 0xffffff,
};

#define BTH_FECN	0x80000000u
#define BTH_BECN	0x40000000u
#define BTH_ACKREQ	0x80000000u

#endif
