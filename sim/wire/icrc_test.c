// SPDX-License-Identifier: BSD-2-Clause
/*
 * The ICRC against packets of another implementation: Linux 6.1's rdma_rxe. Two Debian 12 VMs
 * with "rdma link add rxe0 type rxe netdev eth0" ran "ibv_rc_pingpong -d rxe0 -g GID -s SIZE -n 2
 * -m 1024", with SIZE 13 over IPv4 and 14 over IPv6; QEMU's filter-dump object captured the
 * Ethernet between them. These are the first RC SEND ONLY packets of each run.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "wire/bytes.h"
#include "wire/ecn.h"
#include "wire/gid.h"
#include "wire/icrc.h"
#include "wire/roce.h"
#include "wire/roce_layout.h"

#define RC_SEND_ONLY	4
#define PAYLOAD_BYTE	0x7b	/* ibv_rc_pingpong fills its buffer with it */

static const uint8_t rxe_ipv4[] = {
	0x02, 0x00, 0x00, 0x00, 0x00, 0x01, 0x02, 0x00, 0x00, 0x00, 0x00, 0x02,
	0x08, 0x00, 0x45, 0x00, 0x00, 0x3c, 0x50, 0x7d, 0x40, 0x00, 0x40, 0x11,
	0xd6, 0x31, 0x0a, 0x00, 0x00, 0x02, 0x0a, 0x00, 0x00, 0x01, 0xc1, 0x21,
	0x12, 0xb7, 0x00, 0x28, 0x00, 0x00, 0x04, 0x30, 0xff, 0xff, 0x00, 0x00,
	0x00, 0x11, 0x80, 0x50, 0x4d, 0x0e, 0x7b, 0x7b, 0x7b, 0x7b, 0x7b, 0x7b,
	0x7b, 0x7b, 0x7b, 0x7b, 0x7b, 0x7b, 0x7b, 0x00, 0x00, 0x00, 0x30, 0xec,
	0x02, 0x1c,
};

static const uint8_t rxe_ipv6[] = {
	0x02, 0x00, 0x00, 0x00, 0x00, 0x01, 0x02, 0x00, 0x00, 0x00, 0x00, 0x02,
	0x86, 0xdd, 0x60, 0x00, 0x00, 0x00, 0x00, 0x28, 0x11, 0x40, 0xfd, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x02, 0xfd, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0xc1, 0x44, 0x12, 0xb7, 0x00, 0x28,
	0x00, 0x00, 0x04, 0x20, 0xff, 0xff, 0x00, 0x00, 0x00, 0x12, 0x80, 0x30,
	0x16, 0xbf, 0x7b, 0x7b, 0x7b, 0x7b, 0x7b, 0x7b, 0x7b, 0x7b, 0x7b, 0x7b,
	0x7b, 0x7b, 0x7b, 0x7b, 0x00, 0x00, 0xc8, 0x81, 0xc4, 0x4d,
};

static uint32_t icrc_of(const uint8_t *frame, size_t len, size_t ip_len)
{
	return roce_icrc(frame + ETH_HEADER_BYTES, ip_len, len - ETH_HEADER_BYTES - ICRC_BYTES);
}

static void ipv4_golden(void **state)
{
	(void)state;
	assert_int_equal(icrc_of(rxe_ipv4, sizeof(rxe_ipv4), IP4_BYTES), 0x1c02ec30);
}

static void ipv6_golden(void **state)
{
	(void)state;
	assert_int_equal(icrc_of(rxe_ipv6, sizeof(rxe_ipv6), IP6_BYTES), 0x4dc481c8);
}

static void assert_payload(const uint8_t *body, size_t len)
{
	while (len--)
		assert_int_equal(body[len], PAYLOAD_BYTE);
}

static void ipv4_parses(void **state)
{
	static const uint8_t sender[4] = { 10, 0, 0, 2 };
	struct roce_hdr h;
	const uint8_t *body;
	size_t len;

	(void)state;
	assert_int_equal(roce_parse(rxe_ipv4, sizeof(rxe_ipv4), &h, &body, &len), ROCE_OK);
	assert_true(gid_is_ipv4(h.sgid));
	assert_memory_equal(gid_ipv4(h.sgid), sender, 4);
	assert_int_equal(h.opcode, RC_SEND_ONLY);
	assert_int_equal(h.dest_qp, 0x11);
	assert_int_equal(h.psn, 0x504d0e);
	assert_true(h.ackreq);
	assert_int_equal(len, 13);
	assert_payload(body, len);
}

/*
 * Built from the parsed fields, the packet is the same again, except for the UDP checksum, which is
 * 0 from rxe, and for the ECN bits.
 */
static void ipv6_builds_again(void **state)
{
	const size_t checksum_at = ETH_HEADER_BYTES + IP6_BYTES + UDP_CHECKSUM;
	struct roce_hdr h;
	const uint8_t *body;
	struct frame *f;
	size_t len;

	(void)state;
	assert_int_equal(roce_parse(rxe_ipv6, sizeof(rxe_ipv6), &h, &body, &len), ROCE_OK);
	assert_int_equal(len, 14);
	assert_payload(body, len);
	f = roce_build(&h, NULL, 0, body, len);
	assert_non_null(f);
	assert_int_equal(f->len, sizeof(rxe_ipv6));
	assert_int_not_equal(get_be16(f->data + checksum_at), 0);
	put_be16(f->data + checksum_at, 0);
	assert_int_equal(ecn_of(f), ECN_ECT0);
	f->data[ETH_HEADER_BYTES + 1] = 0;
	assert_memory_equal(f->data, rxe_ipv6, sizeof(rxe_ipv6));
	frame_unref(f);
}

struct bits {
	size_t at;		/* in the frame */
	uint8_t mask;
};

#define IP	ETH_HEADER_BYTES
#define UDP4	(IP + IP4_BYTES)
#define UDP6	(IP + IP6_BYTES)

/* Exactly the bits that may change on the way leave the ICRC unchanged. */
static void assert_masked(const uint8_t *frame, size_t len, size_t ip_len,
			  const struct bits *masked, size_t count)
{
	uint8_t copy[128];

	for (size_t at = IP; at < len - ICRC_BYTES; at++)
		for (int bit = 0; bit < 8; bit++) {
			bool want = false;

			for (size_t i = 0; i < count; i++)
				want |= masked[i].at == at && masked[i].mask >> bit & 1;
			memcpy(copy, frame, len);
			copy[at] ^= 1 << bit;
			if ((icrc_of(copy, len, ip_len) == icrc_of(frame, len, ip_len)) != want)
				fail_msg("bit %d of byte %zu", bit, at);
		}
}

static void ipv4_masks(void **state)
{
	static const struct bits masked[] = {
		{ IP + IP4_TOS, 0xff }, { IP + IP4_TTL, 0xff },
		{ IP + IP4_CHECKSUM, 0xff }, { IP + IP4_CHECKSUM + 1, 0xff },
		{ UDP4 + UDP_CHECKSUM, 0xff }, { UDP4 + UDP_CHECKSUM + 1, 0xff },
		{ UDP4 + UDP_BYTES + BTH_RESV8A, 0xff },
	};

	(void)state;
	assert_masked(rxe_ipv4, sizeof(rxe_ipv4), IP4_BYTES, masked, 7);
}

static void ipv6_masks(void **state)
{
	static const struct bits masked[] = {
		{ IP, 0x0f }, { IP + 1, 0xff }, { IP + 2, 0xff }, { IP + 3, 0xff },
		{ IP + IP6_HOPS, 0xff },
		{ UDP6 + UDP_CHECKSUM, 0xff }, { UDP6 + UDP_CHECKSUM + 1, 0xff },
		{ UDP6 + UDP_BYTES + BTH_RESV8A, 0xff },
	};

	(void)state;
	assert_masked(rxe_ipv6, sizeof(rxe_ipv6), IP6_BYTES, masked, 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ipv4_golden),
		cmocka_unit_test(ipv6_golden),
		cmocka_unit_test(ipv4_parses),
		cmocka_unit_test(ipv6_builds_again),
		cmocka_unit_test(ipv4_masks),
		cmocka_unit_test(ipv6_masks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
