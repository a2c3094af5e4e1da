// SPDX-License-Identifier: BSD-2-Clause
#include "campaign/trace.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "wire/roce.h"

#define FRAME_BYTES	256	/* enough for all headers */

struct entry {
	vtime_t at;
	enum { NOTHING, POST, COMPLETION, FRAME } kind;
	uint16_t host;		/* from its MAC address */
	union {
		struct {
			uint32_t qpn, mid;
			enum tally_opcode opcode;
		} post;
		struct tally_cqe cqe;
		struct {
			uint16_t len;
			uint8_t data[FRAME_BYTES];
		} frame;
	};
};

/* Connects the link and a NIC. */
struct tap {
	struct trace *trace;
	struct host *host;
	void (*rx)(void *arg, struct frame *f);
	void (*tx_room)(void *arg);
	void *arg;
	struct tap *next;
};

struct trace {
	size_t room;
	uint64_t count;
	struct tap *taps;
	struct entry entry[];
};

struct trace *trace_new(size_t entries)
{
	struct trace *t = calloc(1, sizeof(*t) + entries * sizeof(t->entry[0]));

	if (t)
		t->room = entries;
	return t;
}

void trace_free(struct trace *t)
{
	struct tap *tap;

	while (t && (tap = t->taps)) {
		t->taps = tap->next;
		free(tap);
	}
	free(t);
}

static struct entry *add(struct trace *t, vtime_t at, int kind, const struct host *h)
{
	struct entry *e = &t->entry[t->count++ % t->room];

	e->at = at;
	e->kind = kind;
	e->host = h->cfg.mac[4] << 8 | h->cfg.mac[5];
	return e;
}

void trace_post(struct trace *t, vtime_t at, const struct host *h, uint32_t qpn,
		enum tally_opcode opcode, uint32_t mid)
{
	struct entry *e;

	if (!t)
		return;
	e = add(t, at, POST, h);
	e->post.qpn = qpn;
	e->post.opcode = opcode;
	e->post.mid = mid;
}

void trace_cqe(struct trace *t, vtime_t at, const struct host *h, const struct tally_cqe *cqe)
{
	if (t)
		add(t, at, COMPLETION, h)->cqe = *cqe;
}

static void tapped(void *arg, struct frame *f)
{
	struct tap *tap = arg;
	struct entry *e = add(tap->trace, sim_now(tap->host->sim), FRAME, tap->host);

	e->frame.len = f->len;
	memcpy(e->frame.data, f->data, f->len < FRAME_BYTES ? f->len : FRAME_BYTES);
	tap->rx(tap->arg, f);
}

static void has_room(void *arg)
{
	struct tap *tap = arg;

	tap->tx_room(tap->arg);
}

void trace_tap(struct trace *t, struct host *h)
{
	struct fab_port *port = h->cfg.port;
	struct tap *tap = t ? malloc(sizeof(*tap)) : NULL;

	if (!tap)
		return;
	*tap = (struct tap){ t, h, port->rx, port->tx_room, port->arg, t->taps };
	t->taps = tap;
	port->rx = tapped;
	port->tx_room = has_room;
	port->arg = tap;
}

static void print_frame(const struct entry *e, uint32_t jid, FILE *to)
{
	const size_t headers = ETH_HEADER_BYTES + 40 + 8 + 12; /* IPv6, UDP, BTH */
	struct tally_tch t;

	if (e->frame.len < headers + sizeof(t))
		return;
	memcpy(&t, e->frame.data + headers, sizeof(t));
	if (jid && be32toh(t.jid) != jid)
		return;
	fprintf(to, "%14.3f us  host %2u  frame from host %u: kind %u opcode %u jid %#x epoch %#x "
		"contributor %u mid %u sid %u num %u seq %u done %u count %u flags %#x, %u bytes\n",
		(double)e->at / VT_US, e->host, e->frame.data[10] << 8 | e->frame.data[11], t.kind,
		t.opcode, be32toh(t.jid), be32toh(t.epoch), t.contributor, be32toh(t.mid),
		be32toh(t.sid), be32toh(t.num), be32toh(t.edge_seq), be32toh(t.done),
		be32toh(t.count), be16toh(t.flags), e->frame.len);
}

void trace_print(const struct trace *t, uint32_t jid, FILE *to)
{
	uint64_t i = t->count > t->room ? t->count - t->room : 0;

	for (; i < t->count; i++) {
		const struct entry *e = &t->entry[i % t->room];

		if (e->kind == FRAME)
			print_frame(e, jid, to);
		else if (e->kind == POST)
			fprintf(to, "%14.3f us  host %2u  post on QP %u: opcode %u mid %u\n",
				(double)e->at / VT_US, e->host, e->post.qpn, e->post.opcode,
				e->post.mid);
		else if (!jid || le32toh(e->cqe.jid) == jid)
			fprintf(to, "%14.3f us  host %2u  completion of QP %u: opcode %u mid %u "
				"status %u\n", (double)e->at / VT_US, e->host,
				le32toh(e->cqe.qpn), e->cqe.opcode, le32toh(e->cqe.mid),
				le16toh(e->cqe.coll_status));
	}
}
