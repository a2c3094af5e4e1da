// SPDX-License-Identifier: BSD-2-Clause
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
#include "wire/inet.h"
#include "wire/roce.h"
#include "wire/roce_layout.h"

#define IP	ETH_HEADER_BYTES

static struct frame *packet(struct rng *rng, bool v4)
{
	struct roce_hdr h = {
		.dmac = { 2, 0, 0, 0, 0, 1 }, .smac = { 2, 0, 0, 0, 0, 2 },
		.sgid = { 0xfe, 0x80, [15] = 2 }, .dgid = { 0xfe, 0x80, [15] = 1 },
		.traffic_class = rng_next(rng), .hop_limit = rng_next(rng),
		.udp_sport = rng_next(rng), .opcode = 0xc7, .pkey = 0xffff,
	};
	uint8_t payload[64] = { 0 };
	struct frame *f;

	if (v4) {
		const uint8_t from[4] = { 10, 0, rng_next(rng), 2 }, to[4] = { 10, 0, 0, 1 };

		gid_from_ipv4(h.sgid, from);
		gid_from_ipv4(h.dgid, to);
	}
	f = roce_build(&h, NULL, 0, payload, 1 + rng_below(rng, sizeof(payload)));
	assert_non_null(f);
	return f;
}

static bool congested(const struct frame *f)
{
	const uint8_t *body;
	struct roce_hdr h;
	size_t len;

	assert_int_equal(roce_parse(f->data, f->len, &h, &body, &len), ROCE_OK);
	return h.ce;
}

/*
 * The parser checks the checksums of IPv4 and UDP and the invariant CRC; after marking, all three
 * must be correct.
 */
static void a_marked_packet_is_still_good(void **state)
{
	struct rng rng;

	(void)state;
	rng_seed(&rng, 5);
	for (int i = 0; i < 20000; i++) {
		struct frame *f = packet(&rng, i & 1);
		struct frame *before = frame_copy(f);
		size_t differ = 0;

		assert_false(congested(f));
		assert_true(ecn_mark(&f));
		assert_true(congested(f));
		assert_int_equal(ecn_of(f), ECN_CE);
		for (size_t k = 0; k < f->len; k++)
			differ += f->data[k] != before->data[k];
		assert_in_range(differ, 1, i & 1 ? 3 : 1);
		/* A second mark does nothing. */
		assert_false(ecn_mark(&f));
		assert_true(congested(f));
		frame_unref(f);
		frame_unref(before);
	}
}

static void a_shared_frame_does_not_change(void **state)
{
	struct frame *f, *shared;
	struct rng rng;

	(void)state;
	rng_seed(&rng, 6);
	shared = packet(&rng, false);
	f = frame_ref(shared);
	assert_true(ecn_mark(&f));
	assert_ptr_not_equal(f, shared);
	assert_false(congested(shared));
	assert_true(congested(f));
	assert_int_equal(shared->refs, 1);
	frame_unref(shared);
	frame_unref(f);
	/* A frame with one reference is marked in place. */
	shared = packet(&rng, false);
	f = shared;
	assert_true(ecn_mark(&f));
	assert_ptr_equal(f, shared);
	frame_unref(f);
}

static void refused(struct frame *f)
{
	struct frame *before = frame_copy(f), *same = f;

	assert_int_equal(ecn_of(f), ECN_NOT_CAPABLE);
	assert_false(ecn_mark(&same));
	assert_ptr_equal(same, f);
	assert_memory_equal(f->data, before->data, f->len);
	frame_unref(before);
	frame_unref(f);
}

static void what_is_not_capable_is_not_marked(void **state)
{
	struct frame *f;
	struct rng rng;

	(void)state;
	rng_seed(&rng, 7);
	f = packet(&rng, false);
	f->data[IP + 1] &= ~(ECN_MASK << 4);
	refused(f);
	f = packet(&rng, true);
	f->data[IP + IP4_TOS] &= ~ECN_MASK;
	refused(f);
	f = packet(&rng, false);
	f->data[IP] = 0x50;
	refused(f);
	f = packet(&rng, true);
	put_be16(f->data + ETH_TYPE, 0x0806);
	refused(f);
	f = frame_alloc(ETH_HEADER_BYTES + IP4_BYTES - 1);
	memset(f->data, 0x46, f->len);
	put_be16(f->data + ETH_TYPE, ETH_TYPE_IPV4);
	refused(f);
	refused(frame_alloc(0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_marked_packet_is_still_good),
		cmocka_unit_test(a_shared_frame_does_not_change),
		cmocka_unit_test(what_is_not_capable_is_not_marked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
