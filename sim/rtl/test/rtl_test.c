// SPDX-License-Identifier: BSD-2-Clause
/*
 * Tests the seam to the Verilated NIC: what crosses it, at which time of the simulation, and that
 * hardware with nothing inside gets no clock.
 */
#include <endian.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "alu/alu.h"
#include "nic/nic.h"
#include "plan/cycles.h"
#include "rtl/rtl.h"
#include "wire/ecn.h"
#include "wire/roce.h"

#define CLOCK	4000ull /* ps */
#define WORD	64
/* More until the payload is there, if the group is the first of its list: four in the gate, one to see that it is not for the segment store. */
#define ADMISSION_CYCLES 10

/* The group of the packets: its number, and the fields of their headers. */
#define GROUP	1023
#define JID	0x77
#define EPOCH	5
#define KEY	0x89abcdef
#define FIRST	0xffffffff
#define AT(block, field) offsetof(struct tally_fw_##block, field)

static const uint8_t our_mac[6] = { 0x02, 0x54, 0, 0, 0, 1 };

struct seam {
	const struct nic_units *units;
	void *unit;
	uint64_t now;
	unsigned int packets, bad, acks, frames;
	struct engine_ack ack; /* the last one */
	unsigned int acked, again, expired;
	struct engine_sent sent; /* that was acknowledged, or is to be sent again */
	struct engine_expiry expiry;
	uint64_t again_at;
	struct roce_hdr hdr;
	uint8_t body[TALLY_MAX_FRAME], frame[TALLY_MAX_FRAME];
	size_t body_len, frame_len;
	struct engine_admission admission;
	bool settled;
	bool stores; /* what packet() says about numbers */
	enum tally_rx why;
	uint32_t done, limit; /* of the segment store */
	unsigned int epochs; /* that have begun */
	unsigned int waits, events, lost, marked; /* of events for the firmware */
	unsigned int frozen;
	struct engine_event event; /* the last one */
	uint64_t at; /* of the last output */
	uint64_t early;
};

static bool packet(void *ctx, const struct roce_hdr *hdr, const uint8_t *body, size_t len,
		   const struct engine_admission *admission, bool settled)
{
	struct seam *s = ctx;

	s->admission = *admission;
	s->settled = settled;

	s->packets++;
	s->hdr = *hdr;
	memcpy(s->body, body, len);
	s->body_len = len;
	s->at = s->now;
	return s->stores;
}

static void bad(void *ctx, enum tally_rx why)
{
	struct seam *s = ctx;

	s->bad++;
	s->why = why;
	s->at = s->now;
}

static void acknowledge(void *ctx, const struct engine_ack *ack)
{
	struct seam *s = ctx;

	s->acks++;
	s->ack = *ack;
	s->at = s->now;
}

static void begun_epoch(void *ctx, uint32_t group)
{
	struct seam *s = ctx;

	assert_int_equal(group, GROUP);
	s->epochs++;
}

static void moved(void *ctx, uint32_t group, uint32_t done, uint32_t limit)
{
	struct seam *s = ctx;

	assert_int_equal(group, GROUP);
	s->done = done;
	s->limit = limit;
	s->at = s->now;
}

static void acked(void *ctx, const struct engine_sent *sent, bool settled)
{
	struct seam *s = ctx;

	(void)settled;
	s->acked++;
	s->sent = *sent;
}

static void again(void *ctx, const struct engine_sent *sent, bool settled)
{
	struct seam *s = ctx;

	(void)settled;
	s->again++;
	s->sent = *sent;
	s->again_at = s->now;
}

static void expired(void *ctx, const struct engine_expiry *expiry)
{
	struct seam *s = ctx;

	s->expired++;
	s->expiry = *expiry;
}

static void transmit(void *ctx, const void *frame, size_t len, uint64_t early)
{
	struct seam *s = ctx;

	s->frames++;
	memcpy(s->frame, frame, len);
	s->frame_len = len;
	s->early = early;
	s->at = s->now;
}

static void event_waits(void *ctx)
{
	struct seam *s = ctx;

	s->waits++;
	s->at = s->now;
}

static void firmware_event(void *ctx, const struct engine_event *event, bool settled)
{
	struct seam *s = ctx;

	s->events++;
	s->event = *event;
	s->settled = settled;
}

static void frozen(void *ctx, uint32_t group)
{
	struct seam *s = ctx;

	assert_int_equal(group, GROUP);
	s->frozen++;
}

static void count(void *ctx, enum tally_counter counter)
{
	struct seam *s = ctx;

	s->lost += counter == TALLY_CTR_drop_event;
	s->marked += counter == TALLY_CTR_ecn_marked;
}

static void written(void *ctx)
{
	(void)ctx;
}

/* There are no queues here (queues_test.c). */
static const struct nic_units_host host = {
	.packet = packet, .bad = bad, .acknowledge = acknowledge, .moved = moved, .begun_epoch = begun_epoch, .acked = acked,
	.again = again, .expired = expired, .transmit = transmit, .event_waits = event_waits,
	.firmware_event = firmware_event, .frozen = frozen, .count = count, .written = written,
};

static unsigned int run(struct seam *s);
static enum tally_fw_event_type take(struct seam *s);
static struct roce_hdr header(void);

static void put(struct seam *s, uint32_t reg, uint32_t value)
{
	s->units->table(s->unit, s->now, reg, value);
}

/* Let packets of header() be from edge 0 of a group. */
static void join(struct seam *s)
{
	const uint32_t reg = TALLY_FW_GROUP_BASE + GROUP * TALLY_FW_GROUP_STRIDE;
	const struct roce_hdr h = header();
	uint32_t word, i;

	put(s, reg + TALLY_FW_SETUP_OFFSET + AT(setup, jid), JID);
	put(s, reg + AT(group, state), TALLY_GROUP_OPEN);
	put(s, reg + AT(group, epoch), EPOCH);
	put(s, reg + AT(group, destroyed), 0);
	put(s, TALLY_FW_COMMAND_BASE + AT(command, go), TALLY_FW_CMD_CREATE | GROUP << 16);
	for (i = 0; i < 16; i += 4) {
		memcpy(&word, h.sgid + i, 4);
		put(s, reg + TALLY_FW_EDGE_OFFSET + TALLY_FW_NEIGHBOUR_OFFSET + AT(neighbour, gid) + i,
		    le32toh(word));
	}
	put(s, reg + TALLY_FW_EDGE_OFFSET + AT(edge, key), KEY);
	put(s, reg + TALLY_FW_EDGE_OFFSET + AT(edge, first_seq), FIRST);
	put(s, reg + TALLY_FW_EDGE_OFFSET + AT(edge, state), TALLY_EDGE_OPEN);
	run(s);
}

static struct seam *seam_new(const char *name)
{
	struct seam *s = calloc(1, sizeof(*s));
	struct nic_units_cfg cfg = { .host = &host, .ctx = s, .name = name, .clock_ps = CLOCK };

	assert_non_null(s);
	memcpy(cfg.mac, our_mac, sizeof(cfg.mac));
	nic_gid(cfg.gid, our_mac);
	s->units = rtl_units();
	assert_non_null(s->units);
	s->unit = s->units->open(&cfg);
	assert_non_null(s->unit);
	join(s);
	assert_int_equal(take(s), TALLY_FW_EV_BEGIN);
	s->waits = s->events = 0;
	return s;
}

static void seam_free(struct seam *s)
{
	s->units->close(s->unit);
	free(s);
}

/* Run all edges that are needed. Returns their number. */
static unsigned int run(struct seam *s)
{
	unsigned int edges = 0;
	uint64_t next;

	while ((next = s->units->next(s->unit)) != UINT64_MAX) {
		assert_true(next % CLOCK == 0);
		s->now = next > s->now ? next : s->now;
		s->units->advance(s->unit, s->now);
		edges++;
		assert_true(edges < 10000);
	}
	return edges;
}

static void fill(uint8_t *data, size_t len, unsigned int seed)
{
	for (size_t i = 0; i < len; i++)
		data[i] = i * 7 + seed;
}

static struct roce_hdr header(void)
{
	struct roce_hdr h = { .hop_limit = 64, .udp_sport = 0xc123, .pkey = 0xffff, .psn = 0x123456,
			      .dest_qp = 0x654321, .traffic_class = 0xa8, .flow_label = 0xfedcb,
			      .opcode = TALLY_BTH_OPCODE_COLL, .se = true };
	const uint8_t peer[6] = { 0x02, 0x54, 0, 0, 0, 2 };

	memcpy(h.dmac, our_mac, 6);
	memcpy(h.smac, peer, 6);
	nic_gid(h.dgid, our_mac);
	nic_gid(h.sgid, peer);
	return h;
}

/* A packet of @len bytes of data, a multiple of 8. */
static struct tally_tch tch_of(size_t len)
{
	return (struct tally_tch){ .jid = htobe32(JID), .epoch = htobe32(EPOCH), .key = htobe32(KEY),
				   .tag = htobe32(TALLY_TCH_TAG), .version = TALLY_WIRE_VERSION,
				   .kind = TALLY_KIND_REDUCE, .opcode = TALLY_OPCODE_ALLREDUCE,
				   .op = TALLY_OP_SUM, .dtype = TALLY_TYPE_INT64,
				   .count = htobe32(len / 8) };
}

static void send(struct seam *s, size_t len, unsigned int seed)
{
	const struct roce_hdr h = header();
	const struct tally_tch tch = tch_of(len);
	uint8_t data[TALLY_MAX_MTU];

	fill(data, len, seed);
	s->units->send(s->unit, s->now, &h, &tch, data, len, NULL);
}

static void frames_are_those_of_the_model(void **state)
{
	static const size_t lengths[] = { 0, 8, 48, 56, 64, 72, 1024, 4088, 4096 };
	struct seam *s = seam_new("frames");

	(void)state;
	for (unsigned int i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		const struct roce_hdr h = header();
		const struct tally_tch tch = tch_of(lengths[i]);
		uint8_t data[TALLY_MAX_MTU];
		struct frame *f;

		fill(data, lengths[i], i);
		f = roce_build(&h, &tch, sizeof(tch), data, lengths[i]);
		assert_non_null(f);
		send(s, lengths[i], i);
		run(s);
		assert_int_equal(s->frames, i + 1);
		assert_int_equal(s->frame_len, f->len);
		assert_memory_equal(s->frame, f->data, f->len);
		frame_unref(f);
	}
	seam_free(s);
}

static void frames_come_back_as_packets(void **state)
{
	static const size_t lengths[] = { 8, 4096, 64 };
	struct seam *s = seam_new("packets");

	(void)state;
	for (unsigned int i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		const struct roce_hdr h = header();
		const struct tally_tch tch = tch_of(lengths[i]);
		uint8_t data[TALLY_MAX_MTU];

		fill(data, lengths[i], i);
		send(s, lengths[i], i);
		run(s);
		s->units->frame(s->unit, s->now, s->frame, s->frame_len);
		run(s);
		assert_int_equal(s->packets, i + 1);
		assert_int_equal(s->body_len, sizeof(tch) + lengths[i]);
		assert_memory_equal(s->body, &tch, sizeof(tch));
		assert_memory_equal(s->body + sizeof(tch), data, lengths[i]);
		assert_memory_equal(s->hdr.sgid, h.sgid, 16);
		assert_memory_equal(s->hdr.smac, h.smac, 6);
		assert_int_equal(s->hdr.dest_qp, h.dest_qp);
		assert_int_equal(s->hdr.psn, h.psn);
		assert_int_equal(s->hdr.opcode, TALLY_BTH_OPCODE_COLL);
		assert_false(s->hdr.ce);
	}
	assert_int_equal(s->bad, 0);
	assert_int_equal(s->admission.verdict, TALLY_FW_ADMISSION_OK);
	assert_int_equal(s->admission.group, GROUP);
	assert_int_equal(s->admission.edge, 0);
	seam_free(s);
}

/* A packet that is refused has no payload; what is written later counts from then on. */
static void tables_decide_about_packets(void **state)
{
	const uint32_t reg = TALLY_FW_GROUP_BASE + GROUP * TALLY_FW_GROUP_STRIDE;
	struct seam *s = seam_new("tables");

	(void)state;
	send(s, 4096, 0);
	run(s);
	put(s, reg + AT(group, epoch), EPOCH + 1);
	s->units->frame(s->unit, s->now + 8192 * CLOCK, s->frame, s->frame_len);
	run(s);
	assert_int_equal(s->packets, 1);
	assert_int_equal(s->admission.verdict, TALLY_FW_ADMISSION_EPOCH);
	assert_int_equal(s->body_len, sizeof(struct tally_tch));
	assert_true(s->settled);
	put(s, reg + AT(group, epoch), EPOCH);
	s->units->frame(s->unit, s->now, s->frame, s->frame_len);
	run(s);
	assert_int_equal(s->admission.verdict, TALLY_FW_ADMISSION_OK);
	assert_int_equal(s->body_len, sizeof(struct tally_tch) + 4096);
	assert_false(s->settled);
	put(s, TALLY_FW_COMMAND_BASE + AT(command, go), TALLY_FW_CMD_RELEASE | GROUP << 16);
	run(s); /* it visits all edges */
	s->units->frame(s->unit, s->now, s->frame, s->frame_len);
	run(s);
	assert_int_equal(s->admission.verdict, TALLY_FW_ADMISSION_JID);
	assert_int_equal(s->bad, 0);
	seam_free(s);
}

/* The numbers of an epoch begin at 0, whatever the one before has left open. */
static void epochs_of_the_segment_store(void **state)
{
	struct seam *s = seam_new("store");
	unsigned int epoch;

	(void)state;
	put(s, TALLY_FW_POOL_BASE + AT(pool, num), 3);
	put(s, TALLY_FW_POOL_BASE + AT(pool, max), 8);
	put(s, TALLY_FW_POOL_BASE + AT(pool, go), TALLY_FW_POOL_JOIN | GROUP << 16);
	for (epoch = 0; epoch < 2; epoch++) {
		put(s, TALLY_FW_POOL_BASE + AT(pool, go), TALLY_FW_POOL_BEGIN | GROUP << 16);
		run(s);
		assert_int_equal(s->epochs, epoch + 1);
		assert_int_equal(s->limit, 3);
		s->units->command(s->unit, s->now, TALLY_FW_STORE_CMD_FINISH, GROUP, 1);
		run(s);
		assert_int_equal(s->done, 0);
		s->units->command(s->unit, s->now, TALLY_FW_STORE_CMD_FINISH, GROUP, 0);
		run(s);
		assert_int_equal(s->done, 2);
		assert_int_equal(s->limit, 5);
		put(s, TALLY_FW_POOL_BASE + AT(pool, go), TALLY_FW_POOL_END | GROUP << 16);
		s->units->command(s->unit, s->now, TALLY_FW_STORE_CMD_END, GROUP, 0);
	}
	run(s);
	assert_int_equal(s->units->next(s->unit), UINT64_MAX);
	seam_free(s);
}

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
	assert_memory_equal(s->frame, header().smac, 6);
	return o;
}

/* An OPEN from edge 0 arrives. */
static void open_arrives(struct seam *s, const struct tally_tch_open *o)
{
	struct tally_tch tch = tch_of(0);
	const struct roce_hdr h = header();
	struct frame *f;

	tch.kind = TALLY_KIND_OPEN;
	tch.opcode = tch.op = tch.dtype = 0;
	tch.key = 0;
	f = roce_build(&h, &tch, sizeof(tch), o, sizeof(*o));
	assert_non_null(f);
	s->units->frame(s->unit, s->now, f->data, f->len);
	frame_unref(f);
	run(s);
}

/* The firmware takes the next event: its type. */
static enum tally_fw_event_type take(struct seam *s)
{
	const unsigned int before = s->events;

	s->units->take_event(s->unit, s->now);
	run(s);
	assert_int_equal(s->events, before + 1);
	return s->event.type;
}

static void put_wide(struct seam *s, uint32_t reg, uint64_t value)
{
	put(s, reg, value);
	put(s, reg + 4, value >> 32);
}

/* Registers that an OPEN of node 1 is compared with. */
static void configure(struct seam *s)
{
	const uint32_t reg = TALLY_FW_GROUP_BASE + GROUP * TALLY_FW_GROUP_STRIDE, edge = reg + TALLY_FW_EDGE_OFFSET;

	put(s, reg + AT(group, flags), TALLY_GROUP_F_ROOT);
	put(s, reg + AT(group, group_key), 0);
	put(s, reg + AT(group, mtu), 1024);
	put(s, reg + AT(group, chunk), 11);
	put(s, reg + AT(group, plan), 12);
	put(s, reg + AT(group, num_segs), 13);
	put(s, reg + AT(group, node), 0);
	put(s, reg + AT(group, num_nodes), 3);
	put(s, reg + AT(group, modes), 0x80);
	put(s, reg + AT(group, rounds), 6);
	put(s, reg + AT(group, total_ranks), 16);
	put_wide(s, edge + AT(edge, nonce), 0x1122334455667788);
	put_wide(s, edge + AT(edge, peer_nonce), 0x99aabbccddeeff00);
	put(s, edge + AT(edge, peer_key), 77);
	put(s, edge + AT(edge, subtree_first), 1);
	put(s, edge + AT(edge, subtree_count), 2);
	put(s, edge + AT(edge, unconfirmed), 0);
	put(s, edge + AT(edge, awaits_epoch), 0);
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
	assert_int_equal(take(s), TALLY_FW_EV_OPEN);
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
	run(s);
	assert_int_equal(found(s), all);
	assert_true(s->settled);
	put(s, edge + AT(edge, unconfirmed), 1);
	put(s, edge + AT(edge, awaits_epoch), 1);
	put(s, edge + AT(edge, peer_key), 78);
	assert_int_equal(found(s), (all & ~TALLY_FW_OPEN_LEARNED) | TALLY_FW_OPEN_UNCONFIRMED | TALLY_FW_OPEN_AWAITS);
	put(s, edge + AT(edge, awaits_epoch), 2);
	put(s, edge + AT(edge, subtree_first), 2);
	put(s, edge + AT(edge, state), TALLY_EDGE_OPENING);
	assert_int_equal(found(s), (all & ~(TALLY_FW_OPEN_LEARNED | TALLY_FW_OPEN_AGREES | TALLY_FW_OPEN_EDGE)) |
					   TALLY_FW_OPEN_UNCONFIRMED);
	open_arrives(s, &o);
	s->units->take_event(s->unit, s->now);
	put(s, edge + AT(edge, unconfirmed), 0);
	run(s);
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
	const struct roce_hdr h = header();
	uint32_t mac[2] = { 0 };

	(void)state;
	memcpy(mac, h.smac, 6);
	put(s, next + AT(neighbour, mac), le32toh(mac[0]));
	put(s, next + AT(neighbour, mac) + 4, le32toh(mac[1]));
	put(s, next + AT(neighbour, remote_index), 9);
	for (unsigned int i = 0; i < 2; i++) {
		const struct tally_tch_open o = { .nonce = htobe64(nonces[i]) };

		open_arrives(s, &o);
		assert_int_equal(take(s), TALLY_FW_EV_OPEN);
		put(s, reg + AT(group, plan), 21 + i);
		put(s, TALLY_FW_COMMAND_BASE + AT(command, go), go);
		put(s, reg + AT(group, plan), 99);
		run(s);
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
	const struct roce_hdr h = header();
	uint32_t mac[2] = { 0 };

	(void)state;
	configure(s);
	put(s, reg + TALLY_FW_EDGE_OFFSET + AT(edge, unconfirmed), 1);
	memcpy(mac, h.smac, 6);
	put(s, next + AT(neighbour, mac), le32toh(mac[0]));
	put(s, next + AT(neighbour, mac) + 4, le32toh(mac[1]));
	put(s, next + AT(neighbour, remote_index), 9);
	for (unsigned int i = 0; i < 5; i++)
		s->units->random(s->unit, numbers[i]);
	put(s, TALLY_FW_COMMAND_BASE + AT(command, go), TALLY_FW_CMD_RENEW_EDGE | GROUP << 16);
	put(s, TALLY_FW_COMMAND_BASE + AT(command, go), TALLY_FW_CMD_SEND_OPEN | GROUP << 16);
	run(s);
	assert_int_equal(s->frames, 1);
	assert_true(be64toh(opened(s).nonce) == 0x1122334455667788);
	assert_true(be64toh(opened(s).echo) == 0);
	assert_int_equal(be32toh(opened(s).key), 0xabcdef01);
	assert_int_equal(be32toh(opened(s).first_seq), 0x89abcdef);
	assert_int_equal(found(s), TALLY_FW_OPEN_ECHOED | TALLY_FW_OPEN_AGREES | TALLY_FW_OPEN_EPOCH | TALLY_FW_OPEN_SAME_EPOCH |
					   TALLY_FW_OPEN_ALIVE | TALLY_FW_OPEN_KNOWS_EPOCH);
	seam_free(s);
}

static void arrive(struct seam *s, enum tally_fw_admission verdict)
{
	const size_t len = verdict == TALLY_FW_ADMISSION_OK ? 64 : 0;

	s->units->frame(s->unit, s->now, s->frame, s->frame_len);
	run(s);
	assert_int_equal(s->admission.verdict, verdict);
	assert_int_equal(s->admission.group, GROUP);
	assert_true(s->admission.numbered);
	assert_int_equal(s->body_len, sizeof(struct tally_tch) + len);
}

/* A number passes until its packet is stored, and again when the edge has been opened again. */
static void a_number_passes_once(void **state)
{
	const uint32_t edge = TALLY_FW_GROUP_BASE + GROUP * TALLY_FW_GROUP_STRIDE + TALLY_FW_EDGE_OFFSET;
	struct seam *s = seam_new("numbers");

	(void)state;
	send(s, 64, 0);
	run(s);
	arrive(s, TALLY_FW_ADMISSION_OK);
	s->stores = true;
	arrive(s, TALLY_FW_ADMISSION_OK);
	arrive(s, TALLY_FW_ADMISSION_DUPLICATE);
	put(s, edge + AT(edge, first_seq), TALLY_EDGE_WINDOW + 1);
	arrive(s, TALLY_FW_ADMISSION_WINDOW);
	put(s, edge + AT(edge, first_seq), FIRST);
	arrive(s, TALLY_FW_ADMISSION_OK);
	arrive(s, TALLY_FW_ADMISSION_DUPLICATE);
	assert_int_equal(s->bad, 0);
	seam_free(s);
}

/* A stored packet and its duplicates share an acknowledgement. The clock stands still until it is due. */
static void numbers_are_acknowledged(void **state)
{
	struct seam *s = seam_new("acks");
	uint64_t stored;

	(void)state;
	send(s, 64, 0);
	run(s);
	s->stores = true;
	s->units->frame(s->unit, s->now, s->frame, s->frame_len);
	s->units->frame(s->unit, s->now, s->frame, s->frame_len);
	while (s->packets < 2)
		s->units->advance(s->unit, s->now += CLOCK);
	assert_int_equal(s->admission.verdict, TALLY_FW_ADMISSION_DUPLICATE);
	stored = s->at; /* some clocks later */
	assert_int_equal(s->acks, 0);
	assert_in_range(run(s), 1, 20);
	assert_int_equal(s->acks, 1);
	assert_in_range(s->at - stored, TALLY_FW_ACK_DELAY * 1000 - 20 * CLOCK, TALLY_FW_ACK_DELAY * 1000);
	assert_int_equal(s->ack.group, GROUP);
	assert_int_equal(s->ack.edge, 0);
	assert_int_equal(s->ack.top, 0);
	assert_true(s->ack.seen & 1);
	s->stores = false;
	s->units->frame(s->unit, s->now, s->frame, s->frame_len);
	run(s);
	assert_int_equal(s->acks, 2); /* the first one may be lost */
	seam_free(s);
}

/* Let the edge of header() send, from a number on. */
static void open_edge(struct seam *s, uint32_t first, uint64_t rto, uint32_t retries)
{
	const uint32_t reg = TALLY_FW_GROUP_BASE + GROUP * TALLY_FW_GROUP_STRIDE;

	put(s, reg + AT(group, rto), rto);
	put(s, reg + AT(group, rto) + 4, rto >> 32);
	put(s, reg + AT(group, max_backoff), rto);
	put(s, reg + AT(group, max_backoff) + 4, rto >> 32);
	put(s, reg + AT(group, retry_limit), retries);
	put(s, reg + TALLY_FW_EDGE_OFFSET + AT(edge, own_first_seq), first);
}

static void send_numbered(struct seam *s, uint16_t ref, bool repeat, uint32_t seq)
{
	const struct engine_name name = { .group = GROUP, .edge = 0, .ref = ref, .again = repeat };
	const struct roce_hdr h = header();
	struct tally_tch tch = tch_of(8);
	const uint64_t data = 1;

	tch.edge_seq = htobe32(seq);
	s->units->send(s->unit, s->now, &h, &tch, &data, sizeof(data), &name);
}

/* The number of the frame that has left last. */
static uint32_t number_of_frame(struct seam *s)
{
	const size_t at = s->frame_len - 4 - 8 - sizeof(struct tally_tch); /* before ICRC and data */
	struct tally_tch tch;

	memcpy(&tch, s->frame + at, sizeof(tch));
	return be32toh(tch.edge_seq);
}

static void run_until(struct seam *s, const unsigned int *count, unsigned int n)
{
	unsigned int edges = 0;

	while (*count < n) {
		assert_true(edges++ < 1000);
		s->now = s->units->next(s->unit);
		s->units->advance(s->unit, s->now);
	}
}

/*
 * The hardware numbers packets, and forgets them once they are acknowledged. What is not is sent again
 * after the time-out, during which the clock stands still, and in the end the neighbour counts as
 * silent.
 */
static void packets_get_numbers(void **state)
{
	const uint64_t rto = 1000000000;
	struct seam *s = seam_new("tx");
	const struct roce_hdr h = header();
	struct tally_tch ack = tch_of(0);
	const uint64_t seen = htobe64(1);
	struct frame *f;
	uint64_t sent;

	(void)state;
	open_edge(s, 0xffffffff, rto, 1);
	send_numbered(s, 5, false, 77);
	sent = s->now;
	run_until(s, &s->frames, 1);
	assert_int_equal(number_of_frame(s), 0xffffffff);
	send_numbered(s, 6, false, 77);
	run_until(s, &s->frames, 2);
	assert_int_equal(number_of_frame(s), 0);
	ack.kind = TALLY_KIND_ACK;
	ack.opcode = ack.op = ack.dtype = 0;
	f = roce_build(&h, &ack, sizeof(ack), &seen, sizeof(seen));
	assert_non_null(f);
	s->units->frame(s->unit, s->now, f->data, f->len);
	frame_unref(f);
	run_until(s, &s->acked, 1);
	assert_int_equal(s->sent.group, GROUP);
	assert_int_equal(s->sent.ref, 6);
	assert_int_equal(s->sent.seq, 0);
	assert_int_equal(s->again, 0);
	run_until(s, &s->again, 1);
	assert_int_equal(s->sent.ref, 5);
	assert_int_equal(s->sent.seq, 0xffffffff);
	assert_int_equal(s->expiry.tries, 1);
	assert_in_range(s->again_at - sent, rto, rto + 400 * CLOCK);
	send_numbered(s, 5, true, 0xffffffff);
	run_until(s, &s->frames, 3);
	assert_int_equal(number_of_frame(s), 0xffffffff);
	run_until(s, &s->expired, 2);
	assert_true(s->expiry.over);
	run(s);
	assert_int_equal(s->again, 1);
	put(s, TALLY_FW_COMMAND_BASE + AT(command, go), TALLY_FW_CMD_FREEZE | GROUP << 16);
	run(s);
	send_numbered(s, 5, true, 0xffffffff);
	send_numbered(s, 7, false, 0);
	run(s);
	assert_int_equal(s->frames, 3);
	seam_free(s);
}

/* A KILL from edge 0 arrives, whose payload begins with @first. It may be marked for congestion. */
static void kill_arrives(struct seam *s, uint8_t first, bool marked)
{
	struct tally_tch kill = tch_of(0);
	struct tally_tch_kill report = { 0 };
	const struct roce_hdr h = header();
	struct frame *f;

	kill.kind = TALLY_KIND_KILL;
	kill.opcode = kill.op = kill.dtype = 0;
	memcpy(&report, &first, 1);
	f = roce_build(&h, &kill, sizeof(kill), &report, sizeof(report));
	assert_non_null(f);
	if (marked)
		assert_true(ecn_mark(&f));
	s->units->frame(s->unit, s->now, f->data, f->len);
	frame_unref(f);
}

/* The hardware keeps them for the firmware, which is told when one waits, and takes them one by one. */
static void packets_become_events(void **state)
{
	struct seam *s = seam_new("events");

	(void)state;
	kill_arrives(s, 0x11, false);
	run(s);
	assert_int_equal(s->packets, 0);
	assert_int_equal(s->waits, 1);
	assert_true(s->units->event_waits(s->unit));
	kill_arrives(s, 0x22, true);
	run(s);
	assert_int_equal(s->waits, 1);
	assert_int_equal(s->marked, 1);
	assert_int_equal(take(s), TALLY_FW_EV_KILL);
	assert_int_equal(s->event.group, GROUP);
	assert_int_equal(s->event.edge, 0);
	assert_int_equal(s->event.data[0] & 0xff, 0x11);
	assert_int_equal(take(s), TALLY_FW_EV_KILL);
	assert_int_equal(s->event.data[0] & 0xff, 0x22);
	assert_false(s->units->event_waits(s->unit));
	assert_int_equal(take(s), TALLY_FW_EV_NONE);
	kill_arrives(s, 0x33, false);
	run(s);
	assert_int_equal(s->waits, 2);
	s->units->reset(s->unit);
	assert_false(s->units->event_waits(s->unit));
	seam_free(s);
}

/* Events are read behind earlier writes, so none is of a context that has been released. */
static void events_are_dropped_before_they_are_read(void **state)
{
	static const uint32_t codes[] = { TALLY_FW_CMD_BEGIN, TALLY_FW_CMD_RELEASE };
	struct seam *s = seam_new("drops");

	(void)state;
	for (unsigned int i = 0; i < 2; i++) {
		kill_arrives(s, i, false);
		run(s);
		assert_true(s->units->event_waits(s->unit));
		put(s, TALLY_FW_COMMAND_BASE + AT(command, go), codes[i] | GROUP << 16);
		if (codes[i] == TALLY_FW_CMD_BEGIN)
			assert_int_equal(take(s), TALLY_FW_EV_BEGIN);
		assert_int_equal(take(s), TALLY_FW_EV_NONE);
	}
	seam_free(s);
}

static void go(struct seam *s, enum tally_fw_command_code code)
{
	put(s, TALLY_FW_COMMAND_BASE + AT(command, go), code | GROUP << 16);
}

static void raise_exception(struct seam *s, uint16_t status)
{
	const struct engine_event ev = { .type = TALLY_FW_EV_EXCEPTION,
					 .group = GROUP,
					 .cause = TALLY_FW_CAUSE_SILENCE,
					 .status = status,
					 .mid = 0x12345678,
					 .sid = 0x9abcdef0,
					 .contributors = 0x8000000100000002,
					 .ranks = 0x4000000300000004 };

	s->units->raise(s->unit, s->now, &ev);
}

/* The first exception of an epoch freezes the group and becomes an event, with all that it tells. */
static void first_exception_is_an_event(void **state)
{
	struct seam *s = seam_new("exceptions");

	(void)state;
	raise_exception(s, 7);
	raise_exception(s, 8);
	run(s);
	assert_int_equal(s->frozen, 1);
	assert_int_equal(s->waits, 1);
	assert_int_equal(take(s), TALLY_FW_EV_EXCEPTION);
	assert_int_equal(s->event.group, GROUP);
	assert_int_equal(s->event.cause, TALLY_FW_CAUSE_SILENCE);
	assert_int_equal(s->event.status, 7);
	assert_int_equal(s->event.mid, 0x12345678);
	assert_int_equal(s->event.sid, 0x9abcdef0);
	assert_true(s->event.contributors == 0x8000000100000002);
	assert_true(s->event.ranks == 0x4000000300000004);
	assert_int_equal(take(s), TALLY_FW_EV_NONE);
	seam_free(s);
}

/* An exception is of the epoch of the commands before it: one after FREEZE, or before BEGIN, ends nothing. */
static void exceptions_are_of_their_epochs(void **state)
{
	struct seam *s = seam_new("epochs");

	(void)state;
	go(s, TALLY_FW_CMD_FREEZE);
	raise_exception(s, 7);
	go(s, TALLY_FW_CMD_BEGIN);
	run(s);
	assert_int_equal(s->frozen, 0);
	assert_int_equal(take(s), TALLY_FW_EV_BEGIN);
	assert_int_equal(take(s), TALLY_FW_EV_NONE);
	raise_exception(s, 8);
	go(s, TALLY_FW_CMD_BEGIN);
	run(s);
	assert_int_equal(s->frozen, 0); /* the engine has ended that epoch */
	assert_int_equal(take(s), TALLY_FW_EV_BEGIN);
	assert_int_equal(take(s), TALLY_FW_EV_NONE);
	raise_exception(s, 9);
	go(s, TALLY_FW_CMD_FREEZE);
	run(s);
	assert_int_equal(s->frozen, 1);
	assert_int_equal(take(s), TALLY_FW_EV_EXCEPTION);
	assert_int_equal(s->event.status, 9);
	seam_free(s);
}

static void group_drains_and_is_fenced(void **state)
{
	const struct engine_event drained = { .type = TALLY_FW_EV_DRAINED, .group = GROUP };
	struct seam *s = seam_new("fence");

	(void)state;
	s->units->raise(s->unit, s->now, &drained);
	run(s);
	assert_int_equal(take(s), TALLY_FW_EV_DRAINED);
	go(s, TALLY_FW_CMD_FREEZE);
	s->units->raise(s->unit, s->now, &drained);
	run(s);
	assert_int_equal(take(s), TALLY_FW_EV_NONE);
	go(s, TALLY_FW_CMD_FENCE);
	run(s);
	assert_int_equal(take(s), TALLY_FW_EV_FENCED);
	assert_int_equal(take(s), TALLY_FW_EV_NONE);
	seam_free(s);
}

/* Packets that come after the begin of an epoch are handled behind it. */
static void begin_comes_before_packets(void **state)
{
	struct seam *s = seam_new("begin");

	(void)state;
	go(s, TALLY_FW_CMD_BEGIN);
	run(s);
	kill_arrives(s, 0x44, false);
	run(s);
	assert_int_equal(take(s), TALLY_FW_EV_BEGIN);
	assert_int_equal(take(s), TALLY_FW_EV_KILL);
	seam_free(s);
}

static void events_without_a_place_are_counted(void **state)
{
	struct seam *s = seam_new("lost");

	(void)state;
	for (unsigned int i = 0; i < TALLY_FW_EVENT_DEPTH + 2; i++) {
		kill_arrives(s, i, false);
		run(s);
	}
	assert_int_equal(s->lost, 2);
	assert_int_equal(take(s), TALLY_FW_EV_KILL);
	assert_int_equal(s->event.data[0] & 0xff, 0);
	seam_free(s);
}

/* The firmware sends OPEN after it has written the key that the neighbour is told. */
static void a_packet_leaves_after_earlier_writes(void **state)
{
	const uint32_t reg = TALLY_FW_GROUP_BASE + GROUP * TALLY_FW_GROUP_STRIDE;
	struct seam *s = seam_new("writes");
	const uint64_t writes = 20, begin = s->now = 1000000 * CLOCK;
	uint64_t i;

	(void)state;
	for (i = 0; i < writes; i++)
		put(s, reg + AT(group, epoch), EPOCH);
	send(s, 8, 0);
	put(s, reg + AT(group, epoch), EPOCH);
	run(s);
	assert_int_equal(s->frames, 1);
	assert_int_equal(s->now - s->early, begin + (2 * writes + ENGINE_CYCLES_ENCAP) * CLOCK);
	seam_free(s);
}

static void a_frame_that_is_no_packet_has_a_reason(void **state)
{
	struct seam *s = seam_new("bad");

	(void)state;
	send(s, 8, 0);
	run(s);
	s->frame[s->frame_len - 1] ^= 1;
	s->units->frame(s->unit, s->now, s->frame, s->frame_len);
	run(s);
	assert_int_equal(s->bad, 1);
	assert_int_equal(s->why, TALLY_RX_UDP_CHECKSUM);
	s->frame[s->frame_len - 1] ^= 1;
	s->frame[5] ^= 1;
	s->units->frame(s->unit, s->now, s->frame, s->frame_len);
	run(s);
	assert_int_equal(s->bad, 2);
	assert_int_equal(s->why, TALLY_RX_STATION);
	assert_int_equal(s->packets, 0);
	seam_free(s);
}

/* The cycles are those of plan/cycles.h: until the first word of a frame, and from its last one. */
static void time_is_that_of_the_cycles(void **state)
{
	struct seam *s = seam_new("time");
	uint64_t words, begin;

	(void)state;
	s->now = 1000 * CLOCK + 1; /* the next edge is number 1001 */
	send(s, 8, 0);
	run(s);
	words = (s->frame_len + WORD - 1) / WORD;
	assert_int_equal(words, 3);
	assert_int_equal(s->early, (words - 1) * CLOCK);
	assert_int_equal(s->at - s->early, (1001 + ENGINE_CYCLES_ENCAP) * CLOCK);

	/* A second later: the clock has stood still, and the edges are still at multiples of it. */
	s->now = begin = 1000000 * CLOCK * 250;
	s->units->frame(s->unit, s->now, s->frame, s->frame_len);
	run(s);
	assert_int_equal(s->packets, 1);
	assert_int_equal(s->at, begin + (ENGINE_CYCLES_PARSE + ADMISSION_CYCLES) * CLOCK);

	/* While something else is inside, no edge can be had that has passed. */
	s->now = begin = 2000000 * CLOCK * 250;
	send(s, 8, 0);
	s->units->advance(s->unit, s->now);
	s->units->frame(s->unit, s->now, s->frame, s->frame_len);
	run(s);
	assert_int_equal(s->packets, 2);
	assert_in_range(s->at, begin + (words + ENGINE_CYCLES_PARSE + ADMISSION_CYCLES) * CLOCK,
			begin + (words + ENGINE_CYCLES_PARSE + ADMISSION_CYCLES + 2) * CLOCK);
	seam_free(s);
}

/* A packet that comes together with a frame must not enter at the edges of the frame's words. */
static void nothing_enters_before_its_time(void **state)
{
	struct seam *s = seam_new("order");
	uint8_t long_frame[TALLY_MAX_FRAME];
	size_t len;
	uint64_t begin;

	(void)state;
	send(s, 4096, 0);
	run(s);
	len = s->frame_len;
	memcpy(long_frame, s->frame, len);
	s->now = begin = 1000000 * CLOCK;
	s->units->frame(s->unit, s->now, long_frame, len);
	send(s, 8, 1);
	while (s->frames < 2) {
		s->now = s->units->next(s->unit) > s->now ? s->units->next(s->unit) : s->now;
		s->units->advance(s->unit, s->now);
	}
	assert_int_equal(s->now - s->early, begin + ENGINE_CYCLES_ENCAP * CLOCK);
	run(s);
	assert_int_equal(s->packets, 1);
	seam_free(s);
}

static void hardware_without_work_gets_no_clock(void **state)
{
	struct seam *s = seam_new("idle");
	unsigned int edges;

	(void)state;
	assert_int_equal(s->units->next(s->unit), UINT64_MAX);
	send(s, 8, 0);
	edges = run(s);
	assert_in_range(edges, ENGINE_CYCLES_ENCAP, 2 * ENGINE_CYCLES_ENCAP);
	assert_int_equal(s->units->next(s->unit), UINT64_MAX);
	s->now += 1000000000;
	s->units->advance(s->unit, s->now);
	assert_int_equal(s->units->next(s->unit), UINT64_MAX);
	assert_int_equal(s->frames, 1);
	seam_free(s);
}

static void a_reset_drops_what_is_inside(void **state)
{
	struct seam *s = seam_new("reset");

	(void)state;
	send(s, 8, 0);
	run(s);
	s->units->frame(s->unit, s->now, s->frame, s->frame_len);
	send(s, 4096, 0);
	for (unsigned int i = 0; i < 10; i++)
		s->units->advance(s->unit, s->now += CLOCK);
	s->units->reset(s->unit);
	assert_int_equal(s->units->next(s->unit), UINT64_MAX);
	assert_int_equal(run(s), 0);
	assert_int_equal(s->frames, 1);
	assert_int_equal(s->packets, 0);
	/* It knows its addresses as before, but no group. */
	s->units->frame(s->unit, s->now, s->frame, s->frame_len);
	run(s);
	assert_int_equal(s->packets, 1);
	assert_int_equal(s->bad, 0);
	assert_int_equal(s->admission.verdict, TALLY_FW_ADMISSION_JID);
	seam_free(s);
}

/* Random bytes are values of every kind, few of them special. */
static void fill_random(uint8_t *data, size_t len, uint64_t *seed)
{
	for (size_t i = 0; i < len; i++) {
		*seed = *seed * 6364136223846793005u + 1442695040888963407u;
		data[i] = *seed >> 60 ? *seed >> 33 : *seed >> 35 & 1 ? 0xff : 0;
	}
}

/* Every pair of operation and type, of lengths within a word, beyond one, and of many words. */
static void reductions_are_those_of_the_model(void **state)
{
	static const uint32_t counts[] = { 1, 3, 17, 200 };
	struct seam *s = seam_new("alu");
	unsigned int pairs = 0;
	uint64_t seed = 1;

	(void)state;
	for (unsigned int k = 0; k < 256 * 256; k++) {
		uint8_t op = k / 256, type = k % 256;

		if (!alu_supported(op, type))
			continue;
		pairs++;
		for (unsigned int i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
			size_t len = counts[i] * alu_elem_size(op, type);
			uint8_t a[TALLY_MAX_MTU], b[TALLY_MAX_MTU], expected[TALLY_MAX_MTU];
			uint16_t flags;

			assert_true(len < sizeof(a));
			fill_random(a, sizeof(a), &seed);
			fill_random(b, sizeof(b), &seed);
			memcpy(expected, a, sizeof(a));
			flags = alu_reduce(op, type, expected, b, counts[i]);
			assert_int_equal(s->units->reduce(s->unit, op, type, a, b, counts[i]),
					 flags);
			assert_memory_equal(a, expected, sizeof(a));
		}
	}
	assert_true(pairs > 100);
	seam_free(s);
}

static bool has_bytes(const char *dir, const char *name)
{
	char path[128];
	struct stat st;

	snprintf(path, sizeof(path), "%s/%s.fst", dir, name);
	if (stat(path, &st))
		return false;
	unlink(path);
	return st.st_size > 0;
}

/* Last, because the option is valid for the rest of the program. */
static void wave_forms_of_one_nic(void **state)
{
	char dir[] = "/tmp/tally-wave-XXXXXX", option[64];
	struct seam *s[2];

	(void)state;
	assert_non_null(mkdtemp(dir));
	assert_false(rtl_take_wave("/tmp,nick=1"));
	assert_false(rtl_take_wave("/tmp,from=7"));
	assert_false(rtl_take_wave("/tmp,from=2us,to=1us"));
	assert_false(rtl_take_wave("/tmp/no folder"));
	snprintf(option, sizeof(option), "%s,nic=one,from=1ns,to=1ms", dir);
	assert_true(rtl_take_wave(option));
	assert_true(rtl_check_wave(rtl_units()));
	assert_false(rtl_check_wave(NULL));
	s[0] = seam_new("one");
	s[1] = seam_new("two");
	for (unsigned int i = 0; i < 2; i++) {
		send(s[i], 8, 0);
		run(s[i]);
		seam_free(s[i]);
	}
	assert_true(has_bytes(dir, "one"));
	assert_false(has_bytes(dir, "two"));
	assert_int_equal(rmdir(dir), 0);
}

static void an_unknown_engine_is_refused(void **state)
{
	const struct nic_units *units = NULL;

	(void)state;
	assert_true(rtl_take_engine("rtl", &units));
	assert_non_null(units);
	assert_true(rtl_take_engine("model", &units));
	assert_null(units);
	assert_false(rtl_take_engine("warp", &units));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_are_those_of_the_model),
		cmocka_unit_test(frames_come_back_as_packets),
		cmocka_unit_test(tables_decide_about_packets),
		cmocka_unit_test(epochs_of_the_segment_store),
		cmocka_unit_test(an_open_is_compared),
		cmocka_unit_test(commands_of_the_firmware_send),
		cmocka_unit_test(an_edge_is_renewed),
		cmocka_unit_test(a_number_passes_once),
		cmocka_unit_test(numbers_are_acknowledged),
		cmocka_unit_test(packets_get_numbers),
		cmocka_unit_test(packets_become_events),
		cmocka_unit_test(events_are_dropped_before_they_are_read),
		cmocka_unit_test(events_without_a_place_are_counted),
		cmocka_unit_test(first_exception_is_an_event),
		cmocka_unit_test(exceptions_are_of_their_epochs),
		cmocka_unit_test(group_drains_and_is_fenced),
		cmocka_unit_test(begin_comes_before_packets),
		cmocka_unit_test(a_packet_leaves_after_earlier_writes),
		cmocka_unit_test(a_frame_that_is_no_packet_has_a_reason),
		cmocka_unit_test(time_is_that_of_the_cycles),
		cmocka_unit_test(nothing_enters_before_its_time),
		cmocka_unit_test(hardware_without_work_gets_no_clock),
		cmocka_unit_test(a_reset_drops_what_is_inside),
		cmocka_unit_test(reductions_are_those_of_the_model),
		cmocka_unit_test(an_unknown_engine_is_refused),
		cmocka_unit_test(wave_forms_of_one_nic),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
