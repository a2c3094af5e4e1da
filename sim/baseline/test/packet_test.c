// SPDX-License-Identifier: BSD-2-Clause
/* Packets of software messages are real RoCEv2, and have the same length with and without data. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "baseline/nic.h"
#include "wire/roce.h"

#define MTU	1024

static struct baseline_net net = { .p = { .mtu = MTU } };
static struct baseline_nic from = { .net = &net, .mac = { 2, 1 }, .gid = { 0xfe, 0x80, [15] = 1 } };
static struct baseline_nic to = { .net = &net, .mac = { 2, 2 }, .gid = { 0xfe, 0x80, [15] = 2 } };
static struct baseline_message *table[8];

static struct baseline_message message(enum baseline_message_kind kind, uint64_t bytes)
{
	return (struct baseline_message){
		.kind = kind, .id = 5, .bytes = bytes,
		.packets = baseline_packets(&net.p, kind, bytes),
	};
}

/* Checks all packets of a message, with @data and without. */
static void check(enum baseline_message_kind kind, uint64_t bytes, uint8_t *data)
{
	struct baseline_message m = message(kind, bytes);
	uint64_t on_wire = 0, taken = 0;

	net.table = table;
	table[m.id] = &m;
	for (uint32_t i = 0; i < m.packets; i++) {
		struct frame *bare = baseline_packet_build(&from, &to, &m, i), *full;
		const uint8_t *body, *payload;
		struct roce_hdr hdr;
		size_t len;
		uint32_t index;

		m.data = data;
		full = baseline_packet_build(&from, &to, &m, i);
		assert_non_null(bare);
		assert_non_null(full);
		assert_int_equal(roce_parse(full->data, full->len, &hdr, &body, &len), ROCE_OK);
		assert_int_equal(hdr.dest_qp, m.id);
		assert_int_equal(hdr.psn, i);
		assert_int_equal(bare->len, full->len);
		/* Ethernet, IP and UDP headers up to the checksum. */
		assert_memory_equal(bare->data, full->data, 14 + 40 + 6);
		m.arrived = i;
		assert_ptr_equal(baseline_packet_parse(&net, full, &index, &payload), &m);
		assert_int_equal(index, i);
		len = baseline_packet_data(&net.p, &m, i);
		if (baseline_has_data(kind))
			assert_memory_equal(payload, data + taken, len);
		taken += len;
		m.arrived = i + 1;
		assert_null(baseline_packet_parse(&net, full, &index, &payload));
		on_wire += (full->len < FRAME_MIN ? FRAME_MIN : full->len) + ETH_OVERHEAD_BYTES;
		m.data = NULL;
		frame_unref(bare);
		frame_unref(full);
	}
	assert_int_equal(taken, baseline_has_data(kind) ? bytes : 0);
	assert_int_equal(on_wire, baseline_wire_bytes(&net.p, kind, bytes));
}

static void test_packets(void **state)
{
	static const uint64_t sizes[] = { 0, 1, 8, 13, 1023, 1024, 1025, 2048, 5000 };
	static uint8_t data[5000];

	(void)state;
	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = i * 7 + i / 256;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		check(BASELINE_EAGER, sizes[i], data);
		check(BASELINE_READY, sizes[i], data);
		check(BASELINE_READ, sizes[i], data);
		check(BASELINE_DATA, sizes[i], data);
	}
}

/* The sizes of an 8-byte message in docs/bench.md. */
static void test_sizes(void **state)
{
	(void)state;
	assert_int_equal(baseline_wire_bytes(&net.p, BASELINE_EAGER, 8), 102 + ETH_OVERHEAD_BYTES);
	assert_int_equal(baseline_packets(&net.p, BASELINE_EAGER, 0), 1);
	assert_int_equal(baseline_packets(&net.p, BASELINE_DATA, MTU), 1);
	assert_int_equal(baseline_packets(&net.p, BASELINE_DATA, MTU + 1), 2);
	assert_int_equal(baseline_packets(&net.p, BASELINE_READY, 100 * MTU), 1);
}

/* A PCIe read of 500 ns at 20 GB/s equals stores at 2.5 GB/s at 1428 bytes. */
static void test_push(void **state)
{
	struct bench_params p = { .pcie_read = 500 * VT_NS, .pcie_rate = 20000000000,
				  .push_rate = 2500000000 };

	(void)state;
	assert_true(baseline_pushes(&p, 0));
	assert_true(baseline_pushes(&p, 1428));
	assert_false(baseline_pushes(&p, 1429));
	p.push_rate = 100000000000;
	assert_true(baseline_pushes(&p, TALLY_MAX_INLINE));
	assert_false(baseline_pushes(&p, TALLY_MAX_INLINE + 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_packets),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_push),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
