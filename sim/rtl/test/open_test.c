// SPDX-License-Identifier: BSD-2-Clause
/* The seam to the Verilated NIC: what is compared of an OPEN, and what the firmware sends. */
#include <endian.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "rtl/test/seam.h"

/* The OPEN that has left. */
static struct tally_tch_open opened(const struct seam *s)
{
	struct tally_tch_open o;
	struct tally_tch tch;
	const uint8_t *at = s->frame + s->frame_len - 4 - sizeof(o);

	memcpy(&o, at, sizeof(o));
	memcpy(&tch, at - sizeof(tch), sizeof(tch));
	assert_int_equal(tch.kind, TALLY_KIND_OPEN);
	assert_int_equal(tch.contributor, 9);
	assert_int_equal(be32toh(tch.jid), JID);
	assert_memory_equal(s->frame, seam_header().smac, 6);
	return o;
}

/* An OPEN from edge 0 arrives. */
static void open_arrives(struct seam *s, const struct tally_tch_open *o)
{
	struct tally_tch tch = seam_tch(0);
	const struct roce_hdr h = seam_header();
	struct frame *f;

	tch.kind = TALLY_KIND_OPEN;
	tch.opcode = tch.op = tch.dtype = 0;
	tch.key = 0;
	f = roce_build(&h, &tch, sizeof(tch), o, sizeof(*o));
	assert_non_null(f);
	s->units->frame(s->unit, s->now, f->data, f->len);
	frame_unref(f);
	seam_run(s);
}

static void put_wide(struct seam *s, uint32_t reg, uint64_t value)
{
	seam_put(s, reg, value);
	seam_put(s, reg + 4, value >> 32);
}

/* Registers that an OPEN of node 1 is compared with. */
static void configure(struct seam *s)
{
	const uint32_t reg = TALLY_FW_GROUP_BASE + GROUP * TALLY_FW_GROUP_STRIDE, edge = reg + TALLY_FW_EDGE_OFFSET;

	seam_put(s, reg + AT(group, flags), TALLY_GROUP_F_ROOT);
	seam_put(s, reg + AT(group, group_key), 0);
	seam_put(s, reg + AT(group, mtu), 1024);
	seam_put(s, reg + AT(group, chunk), 11);
	seam_put(s, reg + AT(group, plan), 12);
	seam_put(s, reg + AT(group, num_segs), 13);
	seam_put(s, reg + AT(group, node), 0);
	seam_put(s, reg + AT(group, num_nodes), 3);
	seam_put(s, reg + AT(group, modes), 0x80);
	seam_put(s, reg + AT(group, rounds), 6);
	seam_put(s, reg + AT(group, total_ranks), 16);
	put_wide(s, edge + AT(edge, nonce), 0x1122334455667788);
	put_wide(s, edge + AT(edge, peer_nonce), 0x99aabbccddeeff00);
	seam_put(s, edge + AT(edge, peer_key), 77);
	seam_put(s, edge + AT(edge, subtree_first), 1);
	seam_put(s, edge + AT(edge, subtree_count), 2);
	seam_put(s, edge + AT(edge, unconfirmed), 0);
	seam_put(s, edge + AT(edge, awaits_epoch), 0);
}

static struct tally_tch_open open_of_node_1(void)
{
	return (struct tally_tch_open){ .nonce = htobe64(0x99aabbccddeeff00), .echo = htobe64(0x1122334455667788),
					.mtu = htobe32(1024), .chunk = htobe32(11), .plan = htobe32(12),
					.num_segs = htobe16(13), .node = htobe16(1), .num_nodes = htobe16(3), .modes = 0x80,
					.rounds = 6, .total_ranks = htobe32(16), .key = htobe32(77) };
}

/* What the hardware finds in such an OPEN. */
static uint32_t found(struct seam *s)
{
	const struct tally_tch_open o = open_of_node_1();

	open_arrives(s, &o);
	assert_int_equal(seam_take(s), TALLY_FW_EV_OPEN);
	return s->event.open;
}

/* Each value is compared as it was written last, and what the event says is settled unless something is written meanwhile. */
static void an_open_is_compared(void **state)
{
	const uint32_t edge = TALLY_FW_GROUP_BASE + GROUP * TALLY_FW_GROUP_STRIDE + TALLY_FW_EDGE_OFFSET;
	const uint32_t all = TALLY_FW_OPEN_KNOWN | TALLY_FW_OPEN_LEARNED | TALLY_FW_OPEN_ECHOED | TALLY_FW_OPEN_AGREES |
			     TALLY_FW_OPEN_EPOCH | TALLY_FW_OPEN_SAME_EPOCH | TALLY_FW_OPEN_EDGE | TALLY_FW_OPEN_ALIVE |
			     TALLY_FW_OPEN_KNOWS_EPOCH;
	const struct tally_tch_open o = open_of_node_1();
	struct seam *s = seam_new("open");

	(void)state;
	configure(s);
	seam_run(s);
	assert_int_equal(found(s), all);
	assert_true(s->settled);
	seam_put(s, edge + AT(edge, unconfirmed), 1);
	seam_put(s, edge + AT(edge, awaits_epoch), 1);
	seam_put(s, edge + AT(edge, peer_key), 78);
	assert_int_equal(found(s), (all & ~TALLY_FW_OPEN_LEARNED) | TALLY_FW_OPEN_UNCONFIRMED | TALLY_FW_OPEN_AWAITS);
	seam_put(s, edge + AT(edge, awaits_epoch), 2);
	seam_put(s, edge + AT(edge, subtree_first), 2);
	seam_put(s, edge + AT(edge, state), TALLY_EDGE_OPENING);
	assert_int_equal(found(s), (all & ~(TALLY_FW_OPEN_LEARNED | TALLY_FW_OPEN_AGREES | TALLY_FW_OPEN_EDGE)) |
					   TALLY_FW_OPEN_UNCONFIRMED);
	open_arrives(s, &o);
	s->units->take_event(s->unit, s->now);
	seam_put(s, edge + AT(edge, unconfirmed), 0);
	seam_run(s);
	assert_false(s->settled);
	seam_free(s);
}

/* A challenge echoes the nonce of the OPEN that was taken last, and has what was written before it. */
static void commands_of_the_firmware_send(void **state)
{
	const uint32_t reg = TALLY_FW_GROUP_BASE + GROUP * TALLY_FW_GROUP_STRIDE, edge = reg + TALLY_FW_EDGE_OFFSET;
	const uint32_t next = edge + TALLY_FW_NEIGHBOUR_OFFSET, go = TALLY_FW_CMD_CHALLENGE | GROUP << 16;
	static const uint64_t nonces[] = { 0x1122334455667788, 0x99aabbccddeeff00 };
	struct seam *s = seam_new("firmware");
	const struct roce_hdr h = seam_header();
	uint32_t mac[2] = { 0 };

	(void)state;
	memcpy(mac, h.smac, 6);
	seam_put(s, next + AT(neighbour, mac), le32toh(mac[0]));
	seam_put(s, next + AT(neighbour, mac) + 4, le32toh(mac[1]));
	seam_put(s, next + AT(neighbour, remote_index), 9);
	for (unsigned int i = 0; i < 2; i++) {
		const struct tally_tch_open o = { .nonce = htobe64(nonces[i]) };

		open_arrives(s, &o);
		assert_int_equal(seam_take(s), TALLY_FW_EV_OPEN);
		seam_put(s, reg + AT(group, plan), 21 + i);
		seam_put(s, TALLY_FW_COMMAND_BASE + AT(command, go), go);
		seam_put(s, reg + AT(group, plan), 99);
		seam_run(s);
		assert_int_equal(s->frames, i + 1);
		assert_true(be64toh(opened(s).echo) == nonces[i]);
		assert_int_equal(be32toh(opened(s).plan), 21 + i);
	}
	seam_free(s);
}

/* It has the numbers that were given, of which some are none, and nothing of the neighbour that was. */
static void an_edge_is_renewed(void **state)
{
	static const uint64_t numbers[] = { 0, 0x1122334455667788, 0x12345678, 0xabcdef0100000000, 0x7654321089abcdef };
	const uint32_t reg = TALLY_FW_GROUP_BASE + GROUP * TALLY_FW_GROUP_STRIDE, next = reg + TALLY_FW_EDGE_OFFSET + TALLY_FW_NEIGHBOUR_OFFSET;
	struct seam *s = seam_new("renew");
	const struct roce_hdr h = seam_header();
	uint32_t mac[2] = { 0 };

	(void)state;
	configure(s);
	seam_put(s, reg + TALLY_FW_EDGE_OFFSET + AT(edge, unconfirmed), 1);
	memcpy(mac, h.smac, 6);
	seam_put(s, next + AT(neighbour, mac), le32toh(mac[0]));
	seam_put(s, next + AT(neighbour, mac) + 4, le32toh(mac[1]));
	seam_put(s, next + AT(neighbour, remote_index), 9);
	for (unsigned int i = 0; i < 5; i++)
		s->units->random(s->unit, numbers[i]);
	seam_put(s, TALLY_FW_COMMAND_BASE + AT(command, go), TALLY_FW_CMD_RENEW_EDGE | GROUP << 16);
	seam_put(s, TALLY_FW_COMMAND_BASE + AT(command, go), TALLY_FW_CMD_SEND_OPEN | GROUP << 16);
	seam_run(s);
	assert_int_equal(s->frames, 1);
	assert_true(be64toh(opened(s).nonce) == 0x1122334455667788);
	assert_true(be64toh(opened(s).echo) == 0);
	assert_int_equal(be32toh(opened(s).key), 0xabcdef01);
	assert_int_equal(be32toh(opened(s).first_seq), 0x89abcdef);
	assert_int_equal(found(s), TALLY_FW_OPEN_ECHOED | TALLY_FW_OPEN_AGREES | TALLY_FW_OPEN_EPOCH | TALLY_FW_OPEN_SAME_EPOCH |
					   TALLY_FW_OPEN_ALIVE | TALLY_FW_OPEN_KNOWS_EPOCH);
	seam_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_open_is_compared),
		cmocka_unit_test(commands_of_the_firmware_send),
		cmocka_unit_test(an_edge_is_renewed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
