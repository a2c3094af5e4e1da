// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "core/rng.h"
#include "wire/bytes.h"
#include "wire/ecn.h"
#include "wire/gid.h"
#include "wire/icrc.h"
#include "wire/inet.h"
#include "wire/roce.h"
#include "wire/roce_layout.h"

/* The longest body that fits; it needs no pad. */
#define BODY_MAX_V6	((FRAME_MAX - ETH_HEADER_BYTES - IP6_BYTES - UDP_BYTES - BTH_BYTES - \
			  ICRC_BYTES) / 4 * 4)

static const uint8_t payload[BODY_MAX_V6 + 4] = "The payload of a packet, and zeroes behind.";

static struct roce_hdr sample(bool v4)
{
	struct roce_hdr h = {
		.dmac = { 2, 0, 0, 0, 0, 1 }, .smac = { 2, 0, 0, 0, 0, 2 },
		.sgid = { 0xfe, 0x80, [11] = 0xff, 0xfe, 0, 0, 2 },
		.dgid = { 0xfe, 0x80, [11] = 0xff, 0xfe, 0, 0, 1 },
		.flow_label = v4 ? 0 : 0xabcde, .traffic_class = 0xa6, .hop_limit = 64,
		.udp_sport = 0xc123, .opcode = 0xc7, .pkey = 0xffff,
		.dest_qp = 0x123456, .psn = 0xfedcba, .ackreq = true,
	};

	if (v4) {
		gid_from_ipv4(h.sgid, (const uint8_t[]){ 10, 0, 0, 2 });
		gid_from_ipv4(h.dgid, (const uint8_t[]){ 10, 0, 0, 1 });
	}
	return h;
}

static void fill(struct rng *rng, void *to, size_t len)
{
	for (uint8_t *p = to; len--; p++)
		*p = rng_next(rng);
}

static struct roce_hdr random_hdr(struct rng *rng, bool v4)
{
	struct roce_hdr h = sample(v4);

	fill(rng, h.dmac, 6);
	h.dmac[0] &= ~MAC_GROUP_BIT;
	fill(rng, h.smac, 6);
	fill(rng, h.sgid + (v4 ? 12 : 0), v4 ? 4 : 16);
	fill(rng, h.dgid + (v4 ? 12 : 0), v4 ? 4 : 16);
	if (!v4) {
		h.sgid[0] &= 0x7f;
		h.dgid[0] &= 0x7f;
	}
	h.flow_label = v4 ? 0 : rng_below(rng, 1 << 20);
	h.traffic_class = (rng_next(rng) & ~ECN_MASK) | ECN_ECT0;
	h.hop_limit = rng_next(rng);
	h.udp_sport = rng_next(rng);
	h.opcode = rng_next(rng);
	h.pkey = rng_next(rng);
	h.dest_qp = rng_below(rng, 1 << 24);
	h.psn = rng_below(rng, 1 << 24);
	h.se = rng_chance(rng, 0.5);
	h.migreq = rng_chance(rng, 0.5);
	h.fecn = rng_chance(rng, 0.5);
	h.becn = rng_chance(rng, 0.5);
	h.ackreq = rng_chance(rng, 0.5);
	return h;
}

static void assert_same_hdr(const struct roce_hdr *a, const struct roce_hdr *b)
{
	assert_memory_equal(a->dmac, b->dmac, 6);
	assert_memory_equal(a->smac, b->smac, 6);
	assert_memory_equal(a->sgid, b->sgid, 16);
	assert_memory_equal(a->dgid, b->dgid, 16);
	assert_int_equal(a->flow_label, b->flow_label);
	assert_int_equal(a->traffic_class, b->traffic_class);
	assert_int_equal(a->hop_limit, b->hop_limit);
	assert_int_equal(a->udp_sport, b->udp_sport);
	assert_int_equal(a->opcode, b->opcode);
	assert_int_equal(a->pkey, b->pkey);
	assert_int_equal(a->dest_qp, b->dest_qp);
	assert_int_equal(a->psn, b->psn);
	assert_int_equal(a->se, b->se);
	assert_int_equal(a->migreq, b->migreq);
	assert_int_equal(a->fecn, b->fecn);
	assert_int_equal(a->becn, b->becn);
	assert_int_equal(a->ackreq, b->ackreq);
	assert_int_equal(a->ce, b->ce);
}

/* Parse a copy that fills its heap block, so that a sanitizer detects a read past the end. */
static enum roce_drop parse(const uint8_t *data, size_t len)
{
	uint8_t *copy = malloc(len ? len : 1);
	enum roce_drop drop;
	struct roce_hdr h;
	const uint8_t *body;
	size_t body_len;

	assert_non_null(copy);
	memcpy(copy, data, len);
	drop = roce_parse(copy, len, &h, &body, &body_len);
	if (!drop)
		assert_true(body >= copy && body + body_len + ICRC_BYTES <= copy + len);
	free(copy);
	return drop;
}

static void what_is_built_parses_back(void **state)
{
	struct rng rng;

	(void)state;
	rng_seed(&rng, 7);
	for (int i = 0; i < 2000; i++) {
		struct roce_hdr h = random_hdr(&rng, i & 1), got;
		size_t hdr_len = 4 * rng_below(&rng, 20), len = rng_below(&rng, 200);
		struct frame *f = roce_build(&h, payload + 7, hdr_len, payload, len);
		const uint8_t *body;
		size_t body_len;

		assert_non_null(f);
		assert_true(f->len >= FRAME_MIN);
		assert_int_equal(roce_parse(f->data, f->len, &got, &body, &body_len), ROCE_OK);
		assert_same_hdr(&h, &got);
		assert_int_equal(body_len, hdr_len + len);
		assert_memory_equal(body, payload + 7, hdr_len);
		assert_memory_equal(body + hdr_len, payload, len);
		frame_unref(f);
	}
}

/* Check lengths and fields where the standards place them, without the parser. */
static void ipv6_bytes(void **state)
{
	struct roce_hdr h = sample(false);
	struct frame *f = roce_build(&h, NULL, 0, payload, 5);
	const uint8_t *ip = f->data + 14, *udp = ip + 40, *bth = udp + 8;

	(void)state;
	assert_int_equal(f->len, 14 + 40 + 8 + 12 + 8 + 4);
	assert_int_equal(get_be16(f->data + 12), 0x86dd);
	assert_int_equal(get_be32(ip), 0x6a6abcde);
	assert_int_equal(get_be16(ip + 4), 8 + 12 + 8 + 4);
	assert_int_equal(ip[6], 17);
	assert_int_equal(ip[7], 64);
	assert_int_equal(get_be16(udp), 0xc123);
	assert_int_equal(get_be16(udp + 2), 4791);
	assert_int_equal(get_be16(udp + 4), 32);
	assert_int_not_equal(get_be16(udp + 6), 0);
	assert_memory_equal(bth, ((uint8_t[]){ 0xc7, 0x30, 0xff, 0xff, 0, 0x12, 0x34, 0x56,
					       0x80, 0xfe, 0xdc, 0xba }), 12);
	assert_memory_equal(bth + 12, "The p\0\0\0", 8);
	frame_unref(f);
}

static void ipv4_bytes(void **state)
{
	struct roce_hdr h = sample(true);
	struct frame *f = roce_build(&h, NULL, 0, NULL, 0);
	const uint8_t *ip = f->data + 14;

	(void)state;
	assert_int_equal(f->len, 60);
	assert_int_equal(get_be16(f->data + 12), 0x0800);
	assert_memory_equal(ip, ((uint8_t[]){ 0x45, 0xa6, 0, 44, 0, 0, 0x40, 0, 64, 17 }), 10);
	assert_memory_equal(ip + 12, ((uint8_t[]){ 10, 0, 0, 2, 10, 0, 0, 1 }), 8);
	assert_int_equal(inet_fold(inet_sum(0, ip, 20)), 0);
	/* Two bytes of Ethernet padding, which do not belong to the packet. */
	assert_int_equal(get_be16(f->data + 58), 0);
	frame_unref(f);
}

/*
 * Over IPv6, a computed UDP checksum of 0 is sent as 0xffff: look for a packet where that happens.
 */
static void udp_checksum_is_never_zero(void **state)
{
	struct roce_hdr h = sample(false);
	bool seen_ffff = false;

	(void)state;
	for (uint32_t sport = 0; sport <= 0xffff; sport++) {
		struct frame *f;
		uint16_t sum;

		h.udp_sport = sport;
		f = roce_build(&h, NULL, 0, NULL, 0);
		sum = get_be16(f->data + 14 + 40 + 6);
		assert_int_not_equal(sum, 0);
		assert_int_equal(parse(f->data, f->len), ROCE_OK);
		seen_ffff |= sum == 0xffff;
		frame_unref(f);
	}
	assert_true(seen_ffff);
}

static void bad_arguments_are_refused(void **state)
{
	struct roce_hdr h;

	(void)state;
	h = sample(false);
	assert_null(roce_build(&h, payload, 6, NULL, 0));
	assert_int_equal(errno, EINVAL);
	h = sample(false);
	h.dest_qp = 1 << 24;
	assert_null(roce_build(&h, NULL, 0, NULL, 0));
	assert_int_equal(errno, EINVAL);
	h = sample(false);
	h.psn = 1 << 24;
	assert_null(roce_build(&h, NULL, 0, NULL, 0));
	assert_int_equal(errno, EINVAL);
	h = sample(false);
	h.flow_label = 1 << 20;
	assert_null(roce_build(&h, NULL, 0, NULL, 0));
	assert_int_equal(errno, EINVAL);
	h = sample(true);
	h.flow_label = 1;
	assert_null(roce_build(&h, NULL, 0, NULL, 0));
	assert_int_equal(errno, EINVAL);
	h = sample(true);
	h.dgid[0] = 1;
	assert_null(roce_build(&h, NULL, 0, NULL, 0));
	assert_int_equal(errno, EINVAL);
}

static void the_longest_packet(void **state)
{
	struct roce_hdr h = sample(false);
	struct frame *f = roce_build(&h, NULL, 0, payload, BODY_MAX_V6);

	(void)state;
	assert_non_null(f);
	assert_int_equal(parse(f->data, f->len), ROCE_OK);
	frame_unref(f);
	assert_null(roce_build(&h, NULL, 0, payload, BODY_MAX_V6 + 1));
	assert_int_equal(errno, EMSGSIZE);
	assert_null(roce_build(&h, NULL, 0, payload, SIZE_MAX - 2));
	assert_int_equal(errno, EMSGSIZE);
}

/* A change of the sample packet, the checksums to correct after it, and the expected reason. */
enum fix { FIX_NONE, FIX_UDP = 1, FIX_ICRC = 2, FIX_IP4 = 4 };

struct damage {
	const char *name;
	bool v4;
	size_t at;
	uint8_t value;
	int fix;
	enum roce_drop want;
};

#define IP	ETH_HEADER_BYTES
#define UDP4	(IP + IP4_BYTES)
#define UDP6	(IP + IP6_BYTES)
#define BTH6	(UDP6 + UDP_BYTES)

static const struct damage damages[] = {
	{ "ethertype v6", false, ETH_TYPE, 0x08, 0, ROCE_DROP_ETHERTYPE },
	{ "ethertype v4 to arp", true, ETH_TYPE + 1, 0x06, 0, ROCE_DROP_ETHERTYPE },
	{ "v6 version", false, IP, 0x50, 0, ROCE_DROP_IP_VERSION },
	{ "v4 version", true, IP, 0x65, FIX_IP4, ROCE_DROP_IP_VERSION },
	{ "v4 options", true, IP, 0x46, FIX_IP4, ROCE_DROP_IP_OPTIONS },
	{ "v4 header of four words", true, IP, 0x44, FIX_IP4, ROCE_DROP_IP_OPTIONS },
	{ "v6 tcp", false, IP + IP6_NEXT, 6, 0, ROCE_DROP_NEXT_HEADER },
	{ "v4 tcp", true, IP + IP4_PROTO, 6, FIX_IP4, ROCE_DROP_NEXT_HEADER },
	{ "v4 checksum", true, IP + IP4_TTL, 1, 0, ROCE_DROP_IP_CHECKSUM },
	{ "v4 more fragments", true, IP + IP4_FRAG, 0x20, FIX_IP4, ROCE_DROP_IP_FRAGMENT },
	{ "v4 fragment offset", true, IP + IP4_FRAG + 1, 1, FIX_IP4, ROCE_DROP_IP_FRAGMENT },
	{ "v4 too long", true, IP + IP4_TOTAL, 1, FIX_IP4, ROCE_DROP_IP_LENGTH },
	{ "v4 shorter than its header", true, IP + IP4_TOTAL + 1, 19, FIX_IP4,
	  ROCE_DROP_IP_LENGTH },
	{ "v4 shorter than udp", true, IP + IP4_TOTAL + 1, 27, FIX_IP4, ROCE_DROP_UDP_LENGTH },
	{ "v6 too long", false, IP + IP6_PAYLOAD, 1, 0, ROCE_DROP_IP_LENGTH },
	{ "v6 shorter than udp", false, IP + IP6_PAYLOAD + 1, 7, 0, ROCE_DROP_UDP_LENGTH },
	{ "v6 disagrees with udp", false, IP + IP6_PAYLOAD + 1, 28, 0, ROCE_DROP_UDP_LENGTH },
	{ "udp port", false, UDP6 + UDP_DPORT + 1, 0, FIX_UDP, ROCE_DROP_UDP_PORT },
	{ "udp length", false, UDP6 + UDP_LENGTH + 1, 9, 0, ROCE_DROP_UDP_LENGTH },
	{ "udp checksum v6", false, UDP6 + UDP_SPORT, 1, 0, ROCE_DROP_UDP_CHECKSUM },
	{ "udp checksum v4", true, UDP4 + UDP_SPORT, 1, 0, ROCE_DROP_UDP_CHECKSUM },
	{ "icrc", false, BTH6 + BTH_PSN + 3, 1, FIX_UDP, ROCE_DROP_ICRC },
	{ "bth version", false, BTH6 + BTH_FLAGS, 0x31, FIX_UDP | FIX_ICRC,
	  ROCE_DROP_BTH_VERSION },
};

static void fix_up(struct frame *f, bool v4, int fix)
{
	uint8_t *ip = f->data + IP, *udp = ip + (v4 ? IP4_BYTES : IP6_BYTES);
	size_t ip_len = udp - ip, udp_len = get_be16(udp + UDP_LENGTH);
	uint32_t icrc;

	if (fix & FIX_ICRC) {
		icrc = htole32(roce_icrc(ip, ip_len, ip_len + udp_len - ICRC_BYTES));
		memcpy(udp + udp_len - ICRC_BYTES, &icrc, sizeof(icrc));
	}
	if (fix & FIX_IP4) {
		put_be16(ip + IP4_CHECKSUM, 0);
		put_be16(ip + IP4_CHECKSUM, inet_fold(inet_sum(0, ip, IP4_BYTES)));
	}
	if (fix & FIX_UDP) {
		put_be16(udp + UDP_CHECKSUM, 0);
		put_be16(udp + UDP_CHECKSUM,
			 inet_udp_checksum(ip + (v4 ? IP4_SRC : IP6_SRC), v4 ? 8 : 32, udp,
					   udp_len));
	}
}

static void each_damage_has_its_reason(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
		const struct damage *d = &damages[i];
		struct roce_hdr h = sample(d->v4);
		struct frame *f = roce_build(&h, NULL, 0, payload, 21);
		enum roce_drop got;

		assert_int_equal(parse(f->data, f->len), ROCE_OK);
		f->data[d->at] = d->value;
		fix_up(f, d->v4, d->fix);
		got = parse(f->data, f->len);
		if (got != d->want)
			fail_msg("%s: %s, expected: %s", d->name, roce_drop_str(got),
				 roce_drop_str(d->want));
		frame_unref(f);
	}
}

/* Set the UDP and IPv6 lengths of a packet of sample(false) and correct its checksums. */
static void set_udp_len(struct frame *f, size_t udp_len)
{
	put_be16(f->data + IP + IP6_PAYLOAD, udp_len);
	put_be16(f->data + UDP6 + UDP_LENGTH, udp_len);
	if (udp_len >= UDP_BYTES + BTH_BYTES + ICRC_BYTES)
		fix_up(f, false, FIX_ICRC);
	fix_up(f, false, FIX_UDP);
}

static void lengths_behind_the_udp_header(void **state)
{
	const size_t least = UDP_BYTES + BTH_BYTES + ICRC_BYTES;
	struct roce_hdr h = sample(false);
	struct frame *f = roce_build(&h, NULL, 0, payload, 21);

	(void)state;
	/* The frame ends inside the UDP header, and its IPv6 header says so. */
	for (size_t n = 0; n < UDP_BYTES; n++) {
		struct frame *part = frame_copy(f);

		put_be16(part->data + IP + IP6_PAYLOAD, n);
		memset(part->data + UDP6 + n, 0, part->len - UDP6 - n);
		assert_int_equal(parse(part->data, UDP6 + n), ROCE_DROP_UDP_LENGTH);
		assert_int_equal(parse(part->data, part->len), ROCE_DROP_UDP_LENGTH);
		frame_unref(part);
	}
	/* There is no room for BTH and ICRC. */
	for (size_t n = UDP_BYTES; n < least; n++) {
		set_udp_len(f, n);
		assert_int_equal(parse(f->data, f->len), ROCE_DROP_SHORT);
	}
	/* The header promises three pad bytes, but there are none. */
	set_udp_len(f, least);
	assert_int_equal(parse(f->data, f->len), ROCE_DROP_PAD);
	/* The length is not a multiple of four. */
	set_udp_len(f, least + 6);
	assert_int_equal(parse(f->data, f->len), ROCE_DROP_PAD);
	/* One byte and three pad bytes are valid. */
	set_udp_len(f, least + 4);
	assert_int_equal(parse(f->data, f->len), ROCE_OK);
	frame_unref(f);
}

static void mapped_addresses_in_ipv6_are_refused(void **state)
{
	const size_t at[] = { IP + IP6_SRC, IP + IP6_DST };

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct roce_hdr h = sample(false);
		struct frame *f = roce_build(&h, NULL, 0, payload, 8);

		gid_from_ipv4(f->data + at[i], (const uint8_t[]){ 10, 0, 0, 2 });
		fix_up(f, false, FIX_ICRC | FIX_UDP);
		assert_int_equal(parse(f->data, f->len), ROCE_DROP_IP_ADDRESS);
		frame_unref(f);
	}
}

/* Return the header of a packet to the group ff12::1:2:3:4. */
static struct roce_hdr to_group(void)
{
	struct roce_hdr h = sample(false);

	memcpy(h.dgid, ((uint8_t[16]){ 0xff, 0x12, [12] = 1, 2, 3, 4 }), 16);
	gid_multicast_mac(h.dmac, h.dgid);
	return h;
}

static enum roce_drop build_and_parse(const struct roce_hdr *h)
{
	struct frame *f = roce_build(h, NULL, 0, payload, 8);
	enum roce_drop drop;

	assert_non_null(f);
	drop = parse(f->data, f->len);
	frame_unref(f);
	return drop;
}

static void multicast_packets_carry_their_groups_mac(void **state)
{
	struct roce_hdr h = to_group();

	(void)state;
	assert_memory_equal(h.dmac, ((uint8_t[]){ 0x33, 0x33, 1, 2, 3, 4 }), 6);
	assert_int_equal(build_and_parse(&h), ROCE_OK);
	h.dmac[5] ^= 1;
	assert_int_equal(build_and_parse(&h), ROCE_DROP_GROUP);
	h = to_group();
	h.dmac[0] = 2;
	assert_int_equal(build_and_parse(&h), ROCE_DROP_GROUP);
	h = to_group();
	h.sgid[0] = 0xff;
	assert_int_equal(build_and_parse(&h), ROCE_DROP_GROUP);
	for (int v4 = 0; v4 <= 1; v4++) {
		h = sample(v4);
		memset(h.dmac, 0xff, sizeof(h.dmac));
		assert_int_equal(build_and_parse(&h), ROCE_DROP_GROUP);
	}
}

/* Two bits of the traffic class belong to ECN, whatever the caller passes. */
static void packets_are_sent_as_capable_of_ecn(void **state)
{
	(void)state;
	for (int i = 0; i < 8; i++) {
		struct roce_hdr h = sample(i / 4), got;
		const uint8_t *body;
		struct frame *f;
		size_t len;

		h.traffic_class = 0xa4 | i % 4;
		h.ce = i & 1;
		f = roce_build(&h, NULL, 0, payload, 8);
		assert_int_equal(ecn_of(f), ECN_ECT0);
		assert_int_equal(roce_parse(f->data, f->len, &got, &body, &len), ROCE_OK);
		assert_int_equal(got.traffic_class, 0xa6);
		assert_false(got.ce);
		frame_unref(f);
	}
}

static void a_zero_udp_checksum_is_taken(void **state)
{
	(void)state;
	for (int v4 = 0; v4 <= 1; v4++) {
		struct roce_hdr h = sample(v4);
		struct frame *f = roce_build(&h, NULL, 0, payload, 8);

		put_be16(f->data + (v4 ? UDP4 : UDP6) + UDP_CHECKSUM, 0);
		assert_int_equal(parse(f->data, f->len), ROCE_OK);
		f->data[f->len - 1] ^= 1;
		assert_int_equal(parse(f->data, f->len), ROCE_DROP_ICRC);
		frame_unref(f);
	}
}

/* Only whoever knows that the checksums are right saves their test, and a copy may be changed. */
static void a_sound_frame_is_not_checked_again(void **state)
{
	(void)state;
	for (int v4 = 0; v4 <= 1; v4++) {
		struct roce_hdr h = sample(v4), got;
		struct frame *f = roce_build(&h, NULL, 0, payload, 8), *copy;
		const uint8_t *body;
		size_t len;

		assert_false(f->sound);
		f->data[f->len - 1] ^= 1;
		f->data[(v4 ? UDP4 : UDP6) + UDP_CHECKSUM] ^= 1;
		assert_int_equal(roce_parse_frame(f, &got, &body, &len), ROCE_DROP_UDP_CHECKSUM);
		f->sound = true;
		assert_int_equal(roce_parse_frame(f, &got, &body, &len), ROCE_OK);
		assert_int_equal(len, 8);
		copy = frame_copy(f);
		assert_int_equal(roce_parse_frame(copy, &got, &body, &len), ROCE_DROP_UDP_CHECKSUM);
		/* Everything else is checked. */
		f->len = ETH_HEADER_BYTES + 1;
		assert_int_equal(roce_parse_frame(f, &got, &body, &len), ROCE_DROP_SHORT);
		frame_unref(copy);
		frame_unref(f);
	}
}

/*
 * Whether no checksum of an IPv6 packet covers a bit: Ethernet addresses, and fields that routers
 * change.
 */
static bool unprotected(size_t byte, int bit)
{
	if (byte == 0 && bit == 0)
		return false; /* it would make the address a group's */
	if (byte < ETH_TYPE || byte == IP + IP6_HOPS)
		return true;
	return (byte == IP && bit < 4) || (byte > IP && byte < IP + IP6_PAYLOAD);
}

static void every_flipped_bit_is_seen(void **state)
{
	struct roce_hdr h = sample(false);
	struct frame *f = roce_build(&h, NULL, 0, payload, 30);

	(void)state;
	for (size_t byte = 0; byte < f->len; byte++)
		for (int bit = 0; bit < 8; bit++) {
			f->data[byte] ^= 1 << bit;
			assert_int_equal(!parse(f->data, f->len), unprotected(byte, bit));
			f->data[byte] ^= 1 << bit;
		}
	frame_unref(f);
}

static void truncated_packets_are_refused(void **state)
{
	(void)state;
	for (int v4 = 0; v4 <= 1; v4++) {
		struct roce_hdr h = sample(v4);
		struct frame *f = roce_build(&h, NULL, 0, payload, 30);

		for (size_t len = 0; len < f->len; len++)
			assert_int_not_equal(parse(f->data, len), ROCE_OK);
		frame_unref(f);
	}
}

/*
 * Parse random bytes after a start that leads deep into the parser; the sanitizers detect errors.
 */
static void noise_stays_in_bounds(void **state)
{
	struct rng rng;

	(void)state;
	rng_seed(&rng, 11);
	for (int i = 0; i < 100000; i++) {
		struct roce_hdr h = sample(i & 1);
		struct frame *f = roce_build(&h, NULL, 0, payload, 16);
		size_t n = 1 + rng_below(&rng, 6);

		while (n--)
			f->data[ETH_TYPE + rng_below(&rng, f->len - ETH_TYPE)] = rng_next(&rng);
		parse(f->data, rng_below(&rng, f->len + 1));
		frame_unref(f);
	}
}

static void reasons_have_text_and_kind(void **state)
{
	(void)state;
	for (int i = 0; i < ROCE_DROP_COUNT; i++)
		assert_non_null(roce_drop_str(i));
	assert_string_equal(roce_drop_str(ROCE_DROP_COUNT), "unknown reason");
	assert_false(roce_drop_foreign(ROCE_OK));
	assert_true(roce_drop_foreign(ROCE_DROP_ETHERTYPE));
	assert_true(roce_drop_foreign(ROCE_DROP_UDP_PORT));
	assert_false(roce_drop_foreign(ROCE_DROP_SHORT));
	assert_false(roce_drop_foreign(ROCE_DROP_ICRC));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_built_parses_back),
		cmocka_unit_test(ipv6_bytes),
		cmocka_unit_test(ipv4_bytes),
		cmocka_unit_test(udp_checksum_is_never_zero),
		cmocka_unit_test(bad_arguments_are_refused),
		cmocka_unit_test(the_longest_packet),
		cmocka_unit_test(each_damage_has_its_reason),
		cmocka_unit_test(lengths_behind_the_udp_header),
		cmocka_unit_test(mapped_addresses_in_ipv6_are_refused),
		cmocka_unit_test(multicast_packets_carry_their_groups_mac),
		cmocka_unit_test(packets_are_sent_as_capable_of_ecn),
		cmocka_unit_test(a_zero_udp_checksum_is_taken),
		cmocka_unit_test(a_sound_frame_is_not_checked_again),
		cmocka_unit_test(every_flipped_bit_is_seen),
		cmocka_unit_test(truncated_packets_are_refused),
		cmocka_unit_test(noise_stays_in_bounds),
		cmocka_unit_test(reasons_have_text_and_kind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
