// SPDX-License-Identifier: BSD-2-Clause
/*
 * Writes captures for the test of the dissector, from the same layouts as the NIC, and beside each
 * one a text with the expected output of tshark, one line for each frame. usage: tally_captures
 * FOLDER
 *
 *   kinds, good   well-formed packets; first line: names of fields
 *   bad           malformed packets, with the expected expert message of each
 *   short         every kind cut short, with the kind, the remaining and the original bytes
 *   ordinary      RoCEv2 packets of others
 */
#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "packet.h"
#include "wire/pcap.h"
#include "wire/roce.h"

/* X(name, format of tshark, byte order) for each field of the header except words of flags. */
#define TCH_FIELDS(X) \
	X(tag, "0x%08x", be32toh) X(version, "%u", ) X(kind, "%u", ) X(opcode, "%u", ) \
	X(op, "%u", ) X(dtype, "0x%02x", ) X(contributor, "%u", ) X(flags, "0x%04x", be16toh) \
	X(err_vector, "0x%04x", be16toh) X(branch, "%u", ) X(round, "%u", ) \
	X(jid, "0x%08x", be32toh) X(epoch, "0x%08x", be32toh) X(mid, "%u", be32toh) \
	X(sid, "%u", be32toh) X(num, "%u", be32toh) X(edge_seq, "%u", be32toh) \
	X(done, "%u", be32toh) X(total, "%u", be32toh) X(count, "%u", be32toh) \
	X(root_node, "%u", be16toh) X(root_rank, "%u", ) X(counter, "%u", ) \
	X(port, "%u", be16toh) X(limit, "%u", be16toh) X(key, "0x%08x", be32toh)

#define TEXT_OF(value) #value
#define TEXT(value) TEXT_OF(value)

/* A capture and its text. */
struct capture {
	struct pcap_writer *pcap;
	FILE *text;
	vtime_t now;
	unsigned int frames;
};

/* ---- Captures ---- */

static void path_in(char *out, size_t size, const char *dir, const char *name, const char *suffix)
{
	if (snprintf(out, size, "%s/%s%s", dir, name, suffix) >= (int)size)
		die("the folder's name is too long");
}

static void capture_open(struct capture *c, const char *dir, const char *name)
{
	char path[4096];

	*c = (struct capture){ 0 };
	path_in(path, sizeof(path), dir, name, ".pcap");
	if (pcap_open(&c->pcap, path))
		die(path);
	path_in(path, sizeof(path), dir, name, ".txt");
	c->text = fopen(path, "we");
	if (!c->text)
		die(path);
}

static void capture_close(struct capture *c)
{
	if (fclose(c->text) || pcap_close(c->pcap))
		die("a capture could not be written");
}

static void put_frame(struct capture *c, const struct roce_hdr *h, const void *body, size_t len)
{
	struct frame *f = roce_build(h, NULL, 0, body, len);

	if (!f || pcap_write(c->pcap, c->now += VT_US, f))
		die("a frame could not be written");
	frame_unref(f);
	c->frames++;
}

/* Every second frame is IPv4. */
static struct roce_hdr addresses(const struct capture *c)
{
	struct roce_hdr h = {
		.dmac = { 2, 0, 0, 0, 0, 1 }, .smac = { 2, 0, 0, 0, 0, 2 },
		.sgid = { 0xfe, 0x80, [15] = 2 }, .dgid = { 0xfe, 0x80, [15] = 1 },
		.hop_limit = 64, .udp_sport = 0xc001, .opcode = TALLY_BTH_OPCODE_COLL,
		.pkey = 0xffff,
	};

	if (c->frames % 2) {
		memcpy(h.sgid, (uint8_t[16]){ [10] = 0xff, 0xff, 10, 0, 0, 2 }, 16);
		memcpy(h.dgid, (uint8_t[16]){ [10] = 0xff, 0xff, 10, 0, 0, 1 }, 16);
	}
	return h;
}

/* Writes the first @len bytes of a packet, as a complete and valid frame. */
static void put_body(struct capture *c, const struct packet *p, size_t len)
{
	struct roce_hdr h = addresses(c);
	uint8_t body[sizeof(p->tch) + sizeof(p->payload)];

	h.psn = be32toh(p->tch.edge_seq) & 0xffffff;
	memcpy(body, &p->tch, sizeof(p->tch));
	memcpy(body + sizeof(p->tch), p->payload, p->len);
	put_frame(c, &h, body, len);
}

static void put_names(FILE *out)
{
#define NAME(name, fmt, order)	fputs("tally." #name "\t", out);
	TCH_FIELDS(NAME)
	for (unsigned int i = 0; i < NUM_COLUMNS; i++)
		fprintf(out, "%s%s", column_names[i], i + 1 < NUM_COLUMNS ? "\t" : "\n");
}

static void put_packet(struct capture *c, const struct packet *p)
{
	put_body(c, p, sizeof(p->tch) + p->len);
#define VALUE(name, fmt, order)	fprintf(c->text, fmt "\t", order(p->tch.name));
	TCH_FIELDS(VALUE)
	for (unsigned int i = 0; i < NUM_COLUMNS; i++)
		fprintf(c->text, "%s%s", p->shown[i], i + 1 < NUM_COLUMNS ? "\t" : "\n");
}

/* ---- Good packets ---- */

static void check_type_known(uint8_t type)
{
	for (size_t i = 0; i < num_type_samples; i++)
		if (type_samples[i].type == type)
			return;
	die("a data type has no sample");
}

static void put_types(struct capture *c)
{
	static const uint8_t ops[] = { TALLY_OP_SUM, TALLY_OP_MINLOC, TALLY_OP_MAXLOC };
	struct packet p = sample(TALLY_KIND_RESULT);

#define TYPE(name, value, doc) \
	if ((value) != TALLY_TYPE_NONE) \
		check_type_known(value);
	TALLY_TYPE_LIST(TYPE)
	for (size_t i = 0; i < num_type_samples; i++) {
		for (size_t j = 0; j < LENGTH(ops); j++) {
			fill_elements(&p, &type_samples[i], ops[j]);
			put_packet(c, &p);
		}
	}
}

/* Payloads of any length, thus with padding; more elements than are shown; the longest payload. */
static void put_lengths(struct capture *c)
{
	struct packet p = sample(TALLY_KIND_RESULT);

	p.tch.opcode = TALLY_OPCODE_BCAST;
	p.tch.op = TALLY_OP_NONE;
	p.tch.dtype = TALLY_TYPE_NONE;
	for (size_t len = 0; len < 9; len++) {
		memset(p.shown, 0, sizeof(p.shown));
		p.tch.count = htobe32((uint32_t)len);
		set_payload(&p, "payloads!", len);
		show_data(&p);
		put_packet(c, &p);
	}
	memset(p.shown, 0, sizeof(p.shown));
	p.tch.dtype = TALLY_TYPE_UINT8;
	p.tch.count = htobe32(9);
	set_payload(&p, "payloads!", 9);
	show_data(&p);
	show(&p, DATA_UINT, "112,97,121,108,111,97,100,115");
	put_packet(c, &p);
}

/* Of a chunk of five elements, two or none belong to the subtree or part. */
static void put_parts(struct capture *c)
{
	static const uint8_t parts[][2] = {
		{ TALLY_KIND_REDUCE, TALLY_OPCODE_GATHER },
		{ TALLY_KIND_RESULT, TALLY_OPCODE_SCATTER },
		{ TALLY_KIND_REDUCE, TALLY_OPCODE_ALLGATHER }, /* of an exchange: it has a round */
	};

	for (size_t i = 0; i < LENGTH(parts); i++) {
		struct packet p = sample(parts[i][0]);

		p.tch.opcode = parts[i][1];
		p.tch.count = htobe32(5);
		put_packet(c, &p);
		p.len = 0;
		memset(p.shown, 0, sizeof(p.shown));
		put_packet(c, &p);
	}
}

/* Writes each code and each flag once. */
static void put_codes(struct capture *c)
{
	struct packet p;

#define OPCODE(name, value, doc) \
	p = sample(TALLY_KIND_REDUCE); \
	p.tch.opcode = value; \
	put_packet(c, &p);
	TALLY_OPCODE_LIST(OPCODE)
#define OP(name, value, doc) \
	p = sample(TALLY_KIND_TRIGGER); \
	fill_elements(&p, &type_samples[2], value); \
	put_packet(c, &p);
	TALLY_OP_LIST(OP)
#define STATUS(name, value, doc) \
	p = sample(TALLY_KIND_KILL); \
	memset(p.shown, 0, sizeof(p.shown)); \
	fill_kill(&p, value); \
	put_packet(c, &p);
	TALLY_COLL_LIST(STATUS)
#define FLAG(name, value, doc) \
	p = sample(TALLY_KIND_REDUCE); \
	p.tch.flags = htobe16(value); \
	put_packet(c, &p);
	TALLY_TCH_F_LIST(FLAG)
#define ERR(name, value, doc) \
	p = sample(TALLY_KIND_RESULT); \
	p.tch.err_vector = htobe16(value); \
	put_packet(c, &p);
	TALLY_ERR_LIST(ERR)
}

/*
 * Meanings that depend on a flag: an ACK of a KILL has no payload, and an ACK of multicast results
 * counts chunks. Also, the parent as contributor, and a chunk that belongs to no round.
 */
static void put_variants(struct capture *c)
{
	struct packet p = sample(TALLY_KIND_BUSY);

	p.tch.kind = TALLY_KIND_ACK;
	p.tch.flags = htobe16(TALLY_TCH_F_KILL_ACK);
	put_packet(c, &p);
	p = sample(TALLY_KIND_ACK);
	p.tch.flags = htobe16(TALLY_TCH_F_MULTICAST);
	memset(p.shown[ACK_NUMBER], 0, TEXT_MAX);
	show(&p, ACK_CHUNK, "65476,65536,65537,65539");
	put_packet(c, &p);
	p = sample(TALLY_KIND_RESULT);
	p.tch.flags = htobe16(TALLY_TCH_F_MULTICAST);
	p.tch.round = 0;
	put_packet(c, &p);
	p = sample(TALLY_KIND_OPEN);
	p.tch.flags = htobe16(TALLY_TCH_F_CONFIRM);
	p.tch.contributor = TALLY_CONTRIB_PARENT;
	put_packet(c, &p);
}

static void put_kinds(struct capture *c)
{
	struct packet p;

#define KIND(name, value, doc) \
	p = sample(value); \
	put_packet(c, &p);
	TALLY_KIND_LIST(KIND)
}

/* ---- Bad packets ---- */

/* The text is the expected expert message. */
static void put_bad(struct capture *c)
{
	struct packet p;

#define BAD(kind_name, what, change) \
	p = sample(TALLY_KIND_##kind_name); \
	change; \
	put_body(c, &p, sizeof(p.tch) + p.len); \
	fprintf(c->text, "%s\n", what);
	BAD(QUERY, "Not the tag of a collective header", p.tch.tag = htobe32(0x54414c58))
	BAD(QUERY, "Version 0 is not known, only " TEXT(TALLY_WIRE_VERSION), p.tch.version = 0)
	BAD(QUERY, "Undefined kind 0", p.tch.kind = 0)
	BAD(QUERY, "Undefined kind 200", p.tch.kind = 200)
	BAD(QUERY, "No such contributor index", p.tch.contributor = TALLY_CONTRIB_SELF)
	BAD(QUERY, "Reserved bits 15 of flags", p.tch.flags = htobe16(0x8000))
	BAD(QUERY, "Reserved bits 8-10 of err_vector", p.tch.err_vector = htobe16(0x700))
	BAD(REDUCE, "Both EXCHANGE and RING",
	    p.tch.flags = htobe16(TALLY_TCH_F_EXCHANGE | TALLY_TCH_F_RING))
	BAD(ACK, "A kind that has no mode", p.tch.flags = htobe16(TALLY_TCH_F_RING))
	BAD(REDUCE, "Undefined opcode 0", p.tch.opcode = 0)
	BAD(RESULT, "Undefined op 14", p.tch.op = 14)
	BAD(REDUCE, "Payload of 8 bytes, not 12", p.tch.count = htobe32(3))
	BAD(RESULT, "Payload of 8 bytes, not 4", p.tch.count = htobe32(1))
	BAD(TRIGGER, "Payload of 8 bytes, not 17179869180", p.tch.count = htobe32(0xffffffff))
	BAD(RESULT, "Payload of 8 bytes, not 12", p.tch.opcode = TALLY_OPCODE_GATHER;
	    p.tch.count = htobe32(3))
	BAD(RESULT, "Payload of 8 bytes, not 4", p.tch.opcode = TALLY_OPCODE_SCATTER;
	    p.tch.count = htobe32(1))
	BAD(REDUCE, "Payload of 7 bytes, not 4", p.tch.opcode = TALLY_OPCODE_GATHER;
	    p.tch.count = htobe32(5); p.len = 7)
	BAD(REDUCE, "Payload of 8 bytes, not 20", p.tch.opcode = TALLY_OPCODE_ALLGATHER;
	    p.tch.round = 0; p.tch.count = htobe32(5))
	BAD(BUSY, "Payload of 1 bytes, not 0", p.len = 1)
	BAD(QUERY, "Payload of 3 bytes, not 0", p.len = 3)
	BAD(ACK, "Payload of 8 bytes, not 0", p.tch.flags = htobe16(TALLY_TCH_F_KILL_ACK))
	BAD(GRANT, "Payload of 4097 bytes, over 4096", p.len = TALLY_MAX_MTU + 1)
}

/* One byte of header or payload is all ones. */
static void put_bad_bytes(struct capture *c)
{
	static const struct {
		uint8_t kind;
		size_t at;
		const char *what;
	} bytes[] = {
		{ TALLY_KIND_KILL, sizeof(struct tally_tch) + offsetof(struct tally_tch_kill, rsvd1),
		  "Reserved bytes are not zero" },
		{ TALLY_KIND_OPEN, sizeof(struct tally_tch) + offsetof(struct tally_tch_open, modes),
		  "Reserved bits 3-7 of modes" },
		{ TALLY_KIND_KILL, sizeof(struct tally_tch) + offsetof(struct tally_tch_kill, status),
		  "Undefined coll_status 65344" },
		{ TALLY_KIND_REDUCE, offsetof(struct tally_tch, dtype), "Undefined type 255" },
	};

	for (size_t i = 0; i < LENGTH(bytes); i++) {
		struct packet p = sample(bytes[i].kind);

		((uint8_t *)&p)[bytes[i].at] = 0xff;
		put_body(c, &p, sizeof(p.tch) + p.len);
		fprintf(c->text, "%s\n", bytes[i].what);
	}
}

/* Every kind, cut after every number of bytes; the text is the kind and that number. */
static void put_short(struct capture *c)
{
	struct packet p;

#define SHORT(name, value, doc) \
	p = sample(value); \
	for (size_t len = 0; len <= sizeof(p.tch) + p.len; len++) { \
		put_body(c, &p, len); \
		fprintf(c->text, #name "\t%zu\t%zu\n", len, sizeof(p.tch) + p.len); \
	}
	TALLY_KIND_LIST(SHORT)
}

/* RoCEv2 of others: RC SEND Only, RC Acknowledge, UD SEND Only, CNP, and a vendor's opcode. */
static void put_ordinary(struct capture *c)
{
	static const uint8_t opcodes[] = { 0x04, 0x11, 0x64, 0x81, TALLY_BTH_OPCODE_COLL + 1 };
	static const uint8_t body[64] = { 0x80, 1, 2, 3, 4, 5, 6, 7 };

	for (size_t i = 0; i < LENGTH(opcodes); i++) {
		struct roce_hdr h = addresses(c);

		h.opcode = opcodes[i];
		h.dest_qp = 0x123456;
		h.psn = (uint32_t)i;
		put_frame(c, &h, body, sizeof(body));
	}
}

static void write_capture(const char *dir, const char *name, void (*const put[])(struct capture *c),
			  bool named)
{
	struct capture c;

	capture_open(&c, dir, name);
	if (named)
		put_names(c.text);
	while (*put)
		(*put++)(&c);
	capture_close(&c);
}

#define CAPTURE(dir, name, named, ...) \
	write_capture(dir, name, (void (*const[])(struct capture *)){ __VA_ARGS__, NULL }, named)

int main(int argc, char **argv)
{
	if (argc != 2)
		die("name a folder");
	CAPTURE(argv[1], "kinds", true, put_kinds);
	CAPTURE(argv[1], "good", true, put_kinds, put_variants, put_types, put_lengths, put_parts,
		put_codes);
	CAPTURE(argv[1], "bad", false, put_bad, put_bad_bytes);
	CAPTURE(argv[1], "short", false, put_short);
	CAPTURE(argv[1], "ordinary", false, put_ordinary);
	return 0;
}
