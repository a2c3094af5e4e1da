// SPDX-License-Identifier: BSD-2-Clause
#include "packet.h"

#include <endian.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const column_names[NUM_COLUMNS] = {
	"tally.ack.seen", "tally.ack.number", "tally.ack.chunk",
	"tally.open.nonce", "tally.open.echo", "tally.open.first_seq", "tally.open.num_segs",
	"tally.open.node", "tally.open.mtu", "tally.open.modes",
	"tally.open.rounds", "tally.open.num_nodes", "tally.open.total_ranks", "tally.open.flags",
	"tally.open.key", "tally.open.group_key", "tally.open.plan", "tally.open.chunk",
	"tally.kill.status", "tally.kill.detector", "tally.kill.level", "tally.kill.contributors",
	"tally.kill.ranks", "tally.kill.mid", "tally.kill.sid",
	"tally.data", "tally.data.int", "tally.data.uint", "tally.data.float", "tally.data.index",
	"_ws.expert.message",
};

const struct type_sample type_samples[] = {
	{ TALLY_TYPE_INT8, DATA_INT, { 3, (uint8_t)-2 }, "3,-2" },
	{ TALLY_TYPE_INT16, DATA_INT, { 3, (uint16_t)-2 }, "3,-2" },
	{ TALLY_TYPE_INT32, DATA_INT, { 3, (uint32_t)-2 }, "3,-2" },
	{ TALLY_TYPE_INT64, DATA_INT, { 3, (uint64_t)-2 }, "3,-2" },
	{ TALLY_TYPE_UINT8, DATA_UINT, { 3, (uint8_t)-2 }, "3,254" },
	{ TALLY_TYPE_UINT16, DATA_UINT, { 3, (uint16_t)-2 }, "3,65534" },
	{ TALLY_TYPE_UINT32, DATA_UINT, { 3, (uint32_t)-2 }, "3,4294967294" },
	{ TALLY_TYPE_UINT64, DATA_UINT, { 3, (uint64_t)-2 }, "3,18446744073709551614" },
	{ TALLY_TYPE_FP16, DATA_FLOAT, { 0x3e00, 0xc000 }, "1.5,-2" },
	{ TALLY_TYPE_FP32, DATA_FLOAT, { 0x3fc00000, 0xc0000000 }, "1.5,-2" },
	{ TALLY_TYPE_FP64, DATA_FLOAT, { 0x3ff8000000000000, 0xc000000000000000 }, "1.5,-2" },
	{ TALLY_TYPE_BF16, DATA_FLOAT, { 0x3fc0, 0xc000 }, "1.5,-2" },
	/* subnormal and infinite */
	{ TALLY_TYPE_FP16, DATA_FLOAT, { 0x0200, 0xfc00 }, "3.0517578125e-05,-inf" },
	{ TALLY_TYPE_BF16, DATA_FLOAT, { 0x7f80, 0x8000 }, "inf,-0" },
};

const size_t num_type_samples = LENGTH(type_samples);

void die(const char *what)
{
	fprintf(stderr, "tally_captures: %s\n", what);
	exit(1);
}

void show(struct packet *p, enum column column, const char *fmt, ...)
{
	char *s = p->shown[column];
	va_list ap;

	va_start(ap, fmt);
	s += strlen(s);
	if (vsnprintf(s, (size_t)(p->shown[column] + TEXT_MAX - s), fmt, ap) >= TEXT_MAX)
		die("a text is too long");
	va_end(ap);
}

void set_payload(struct packet *p, const void *data, size_t len)
{
	memcpy(p->payload, data, len);
	p->len = len;
}

void show_data(struct packet *p)
{
	for (size_t i = 0; i < p->len; i++)
		show(p, DATA, "%02x", p->payload[i]);
}

static void fill_ack(struct packet *p)
{
	const struct tally_tch_ack ack = { .seen = htobe64(1ULL << 63 | 0xd) };
	uint32_t seq = be32toh(p->tch.edge_seq);

	set_payload(p, &ack, sizeof(ack));
	show(p, ACK_SEEN, "0x%016" PRIx64, be64toh(ack.seen));
	show(p, ACK_NUMBER, "%u,%u,%u,%u", seq - 63, seq - 3, seq - 2, seq);
}

static void fill_open(struct packet *p)
{
	const struct tally_tch_open open = {
		.nonce = htobe64(0x1122334455667788), .echo = htobe64(0x99aabbccddeeff00),
		.first_seq = htobe32(0xfffffff0), .num_segs = htobe16(16), .node = htobe16(4095),
		.mtu = htobe32(4096), .modes = TALLY_MODES_EXCHANGE | TALLY_MODES_RING, .rounds = 3,
		.num_nodes = htobe16(4096),
		.total_ranks = htobe32(70001),
		.flags = htobe32(TALLY_GROUP_F_ORDERED | TALLY_GROUP_F_SPARSE),
		.key = htobe32(0xfeedf00d), .group_key = htobe32(0x0badcafe),
		.plan = htobe32(0x50a50a50), .chunk = htobe32(512),
	};

	set_payload(p, &open, sizeof(open));
	show(p, OPEN_NONCE, "0x%016" PRIx64, be64toh(open.nonce));
	show(p, OPEN_ECHO, "0x%016" PRIx64, be64toh(open.echo));
	show(p, OPEN_FIRST_SEQ, "%u", be32toh(open.first_seq));
	show(p, OPEN_NUM_SEGS, "%u", be16toh(open.num_segs));
	show(p, OPEN_NODE, "%u", be16toh(open.node));
	show(p, OPEN_MTU, "%u", be32toh(open.mtu));
	show(p, OPEN_MODES, "0x%02x", open.modes);
	show(p, OPEN_ROUNDS, "%u", open.rounds);
	show(p, OPEN_NUM_NODES, "%u", be16toh(open.num_nodes));
	show(p, OPEN_TOTAL_RANKS, "%u", be32toh(open.total_ranks));
	show(p, OPEN_FLAGS, "0x%08x", be32toh(open.flags));
	show(p, OPEN_KEY, "0x%08x", be32toh(open.key));
	show(p, OPEN_GROUP_KEY, "0x%08x", be32toh(open.group_key));
	show(p, OPEN_PLAN, "0x%08x", be32toh(open.plan));
	show(p, OPEN_CHUNK, "%u", be32toh(open.chunk));
}

void fill_kill(struct packet *p, uint16_t status)
{
	const struct tally_tch_kill kill = {
		.status = htobe16(status), .detector = htobe16(513), .level = 7,
		.contributors = htobe64(1ULL << 63 | 0x17), .ranks = htobe64(2),
		.mid = htobe32(70000), .sid = htobe32(80000),
	};

	set_payload(p, &kill, sizeof(kill));
	show(p, KILL_STATUS, "%u", be16toh(kill.status));
	show(p, KILL_DETECTOR, "%u", be16toh(kill.detector));
	show(p, KILL_LEVEL, "%u", kill.level);
	show(p, KILL_CONTRIBUTORS, "0x%016" PRIx64, be64toh(kill.contributors));
	show(p, KILL_RANKS, "0x%016" PRIx64, be64toh(kill.ranks));
	show(p, KILL_MID, "%u", be32toh(kill.mid));
	show(p, KILL_SID, "%u", be32toh(kill.sid));
}

/* Two elements of INT32. */
static void fill_data(struct packet *p)
{
	const uint32_t data[] = { htole32(3), htole32((uint32_t)-2) };

	p->tch.opcode = TALLY_OPCODE_ALLREDUCE;
	p->tch.op = TALLY_OP_SUM;
	p->tch.dtype = TALLY_TYPE_INT32;
	p->tch.count = htobe32(LENGTH(data));
	set_payload(p, data, sizeof(data));
	show_data(p);
	show(p, DATA_INT, "3,-2");
}

struct packet sample(uint8_t kind)
{
	struct packet p = {
		.tch = {
			.tag = htobe32(TALLY_TCH_TAG), .version = TALLY_WIRE_VERSION, .kind = kind,
			.contributor = 5, .branch = 6, .round = 1, .jid = htobe32(0xa1b2c3d4),
			.epoch = htobe32(0x00c0ffee), .mid = htobe32(0x80000003),
			.sid = htobe32(257), .num = htobe32(65539), .edge_seq = htobe32(62),
			.done = htobe32(1000002), .total = htobe32(4000000000),
			.root_node = htobe16(258), .root_rank = 63, .counter = 3,
			.port = htobe16(1023), .limit = htobe16(255), .key = htobe32(0xdeadbea7),
		},
	};

	switch (kind) {
	case TALLY_KIND_REDUCE:
	case TALLY_KIND_RESULT:
	case TALLY_KIND_TRIGGER:
		fill_data(&p);
		break;
	case TALLY_KIND_ACK:
		fill_ack(&p);
		break;
	case TALLY_KIND_OPEN:
		fill_open(&p);
		break;
	case TALLY_KIND_KILL:
		fill_kill(&p, TALLY_COLL_TIMEOUT);
		break;
	case TALLY_KIND_CONFIG:
	case TALLY_KIND_GRANT: /* no layout yet: three arbitrary bytes, and one of padding */
		set_payload(&p, "\x01\x02\x03", 3);
		show_data(&p);
		break;
	default:
		break;
	}
	return p;
}

static size_t type_size(uint8_t type)
{
	return 1u << (type & 0xf);
}

void fill_elements(struct packet *p, const struct type_sample *s, uint8_t op)
{
	size_t size = type_size(s->type);
	bool pairs = op == TALLY_OP_MINLOC || op == TALLY_OP_MAXLOC;
	size_t step = !pairs ? size : size < 8 ? 8 : 16;

	memset(p->payload, 0, sizeof(p->payload));
	memset(p->shown, 0, sizeof(p->shown));
	p->tch.op = op;
	p->tch.dtype = s->type;
	p->tch.count = htobe32(2);
	p->len = 2 * step;
	for (size_t i = 0; i < 2; i++) {
		uint64_t value = htole64(s->bits[i]);
		uint32_t index = htole32(i ? (uint32_t)-9 : 2147483647);

		memcpy(p->payload + i * step, &value, size);
		if (pairs)
			memcpy(p->payload + i * step + (size < 8 ? 4 : 8), &index, 4);
	}
	show_data(p);
	show(p, s->column, "%s", s->text);
	if (pairs)
		show(p, DATA_INDEX, "2147483647,-9");
}
