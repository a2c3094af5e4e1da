/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RoCEv2 packets: Ethernet II / IPv6 or IPv4 / UDP / BTH / body / pad / ICRC.
 *
 * A packet is IPv4 if its GIDs are IPv4-mapped (::ffff:a.b.c.d), as for any RoCE device. The body
 * is everything between BTH and pad: upper headers and payload, which only the caller interprets.
 */
#ifndef TALLY_SIM_WIRE_ROCE_H
#define TALLY_SIM_WIRE_ROCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/frame.h"

#define ROCE_UDP_PORT	TALLY_ROCE_UDP_PORT

struct roce_hdr {
	uint8_t dmac[6], smac[6];
	uint8_t sgid[16], dgid[16];
	uint32_t flow_label;	/* 20 bits; IPv6 only, 0 for IPv4 */
	/*
	 * IPv4: type of service. The low two bits are ECN's (wire/ecn.h). A packet is always built
	 * as capable, ECT(0), whatever they are here; after parsing they are those that were
	 * received.
	 */
	uint8_t traffic_class;
	uint8_t hop_limit;	/* IPv4: time to live */
	uint16_t udp_sport;
	uint8_t opcode;		/* of the BTH */
	uint16_t pkey;
	uint32_t dest_qp;	/* 24 bits */
	uint32_t psn;		/* 24 bits */
	bool se;		/* solicited event */
	bool migreq;
	bool fecn, becn;
	bool ackreq;
	bool ce;		/* congestion experienced; only roce_parse() sets it */
};

/*
 * Reason why a frame is no valid RoCEv2 packet, as enum tally_rx. roce_drop_str() returns the
 * sentence.
 */
enum roce_drop {
	ROCE_OK = TALLY_RX_OK,
	/* The frame is for an ordinary network stack: roce_drop_foreign(). */
	ROCE_DROP_ETHERTYPE = TALLY_RX_ETHERTYPE,
	ROCE_DROP_NEXT_HEADER = TALLY_RX_NEXT_HEADER,
	ROCE_DROP_IP_OPTIONS = TALLY_RX_IP_OPTIONS,
	ROCE_DROP_IP_FRAGMENT = TALLY_RX_IP_FRAGMENT,
	ROCE_DROP_UDP_PORT = TALLY_RX_UDP_PORT,
	/* The frame is meant to be RoCE, or is no packet at all. */
	ROCE_DROP_SHORT = TALLY_RX_SHORT,
	ROCE_DROP_IP_VERSION = TALLY_RX_IP_VERSION,
	ROCE_DROP_IP_CHECKSUM = TALLY_RX_IP_CHECKSUM,
	ROCE_DROP_IP_LENGTH = TALLY_RX_IP_LENGTH,
	ROCE_DROP_IP_ADDRESS = TALLY_RX_IP_ADDRESS,
	ROCE_DROP_GROUP = TALLY_RX_GROUP,
	ROCE_DROP_UDP_LENGTH = TALLY_RX_UDP_LENGTH,
	ROCE_DROP_UDP_CHECKSUM = TALLY_RX_UDP_CHECKSUM,
	ROCE_DROP_ICRC = TALLY_RX_ICRC,
	ROCE_DROP_BTH_VERSION = TALLY_RX_BTH_VERSION,
	ROCE_DROP_PAD = TALLY_RX_PAD,
	ROCE_DROP_COUNT
};

/*
 * Build a packet whose body is @hdr_len bytes of @hdr and then @payload_len bytes of @payload. If a
 * length is 0, the pointer may be NULL. Fills in every length and checksum, and pads an IPv4 packet
 * to the shortest Ethernet frame. Addresses are not checked and may be those of groups. Returns a
 * frame with one reference, or NULL with errno: EINVAL (@hdr_len not a multiple of 4; only one GID
 * mapped; a flow label over 20 bits or with IPv4; a QP number or PSN over 24 bits), EMSGSIZE
 * (longer than FRAME_MAX), ENOMEM.
 */
struct frame *roce_build(const struct roce_hdr *h, const void *hdr, size_t hdr_len,
			 const void *payload, size_t payload_len);

/*
 * Check the frame of @len bytes at @data and take it apart. On ROCE_OK, @h is filled in and @body
 * points to @body_len bytes inside @data; otherwise none of the three is changed. A UDP checksum of
 * 0 means "not computed", over IPv6 too: RoCE devices send that, and the ICRC protects the packet.
 * A multicast packet is valid if its MAC address is that of its group (gid_multicast_mac()).
 */
enum roce_drop roce_parse(const uint8_t *data, size_t len, struct roce_hdr *h,
			  const uint8_t **body, size_t *body_len);

/* As roce_parse(), without checking the checksums of a sound frame. */
enum roce_drop roce_parse_frame(const struct frame *f, struct roce_hdr *h, const uint8_t **body,
				size_t *body_len);

/* Return true for reasons that only say that the frame is not RoCEv2. */
bool roce_drop_foreign(enum roce_drop reason);

/* Return one sentence for @reason, never NULL. */
const char *roce_drop_str(enum roce_drop reason);

#endif
