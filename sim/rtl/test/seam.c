// SPDX-License-Identifier: BSD-2-Clause
#include "rtl/test/seam.h"

#include <endian.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rtl/rtl.h"

static const uint8_t our_mac[6] = { 0x02, 0x54, 0, 0, 0, 1 };

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

unsigned int seam_run(struct seam *s)
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

enum tally_fw_event_type seam_take(struct seam *s)
{
	const unsigned int before = s->events;

	s->units->take_event(s->unit, s->now);
	seam_run(s);
	assert_int_equal(s->events, before + 1);
	return s->event.type;
}

void seam_fill(uint8_t *data, size_t len, unsigned int seed)
{
	for (size_t i = 0; i < len; i++)
		data[i] = i * 7 + seed;
}

struct roce_hdr seam_header(void)
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

struct tally_tch seam_tch(size_t len)
{
	return (struct tally_tch){ .jid = htobe32(JID), .epoch = htobe32(EPOCH), .key = htobe32(KEY),
				   .tag = htobe32(TALLY_TCH_TAG), .version = TALLY_WIRE_VERSION,
				   .kind = TALLY_KIND_REDUCE, .opcode = TALLY_OPCODE_ALLREDUCE,
				   .op = TALLY_OP_SUM, .dtype = TALLY_TYPE_INT64,
				   .count = htobe32(len / 8) };
}

void seam_send(struct seam *s, size_t len, unsigned int seed)
{
	const struct roce_hdr h = seam_header();
	const struct tally_tch tch = seam_tch(len);
	uint8_t data[TALLY_MAX_MTU];

	seam_fill(data, len, seed);
	s->units->send(s->unit, s->now, &h, &tch, data, len, NULL);
}

void seam_put(struct seam *s, uint32_t reg, uint32_t value)
{
	s->units->table(s->unit, s->now, reg, value);
}

/* Let packets of seam_header() be from edge 0 of a group. */
static void join(struct seam *s)
{
	const uint32_t reg = TALLY_FW_GROUP_BASE + GROUP * TALLY_FW_GROUP_STRIDE;
	const struct roce_hdr h = seam_header();
	uint32_t word, i;

	seam_put(s, reg + TALLY_FW_SETUP_OFFSET + AT(setup, jid), JID);
	seam_put(s, reg + AT(group, state), TALLY_GROUP_OPEN);
	seam_put(s, reg + AT(group, epoch), EPOCH);
	seam_put(s, reg + AT(group, destroyed), 0);
	seam_put(s, TALLY_FW_COMMAND_BASE + AT(command, go), TALLY_FW_CMD_CREATE | GROUP << 16);
	for (i = 0; i < 16; i += 4) {
		memcpy(&word, h.sgid + i, 4);
		seam_put(s, reg + TALLY_FW_EDGE_OFFSET + TALLY_FW_NEIGHBOUR_OFFSET + AT(neighbour, gid) + i,
		    le32toh(word));
	}
	seam_put(s, reg + TALLY_FW_EDGE_OFFSET + AT(edge, key), KEY);
	seam_put(s, reg + TALLY_FW_EDGE_OFFSET + AT(edge, first_seq), FIRST);
	seam_put(s, reg + TALLY_FW_EDGE_OFFSET + AT(edge, state), TALLY_EDGE_OPEN);
	seam_run(s);
}

struct seam *seam_new(const char *name)
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
	assert_int_equal(seam_take(s), TALLY_FW_EV_BEGIN);
	s->waits = s->events = 0;
	return s;
}

void seam_free(struct seam *s)
{
	s->units->close(s->unit);
	free(s);
}
