// SPDX-License-Identifier: BSD-2-Clause
/*
 * Packets of reliable connections (InfiniBand architecture specification, 9.2 to 9.4 and A17), with
 * the lengths of real ones. The destination QP of a packet is the index of its message in the table
 * of the net, which a NIC would find through the QP.
 */
#include <stdlib.h>
#include <string.h>

#include "baseline/nic.h"
#include "wire/bytes.h"
#include "wire/icrc.h"
#include "wire/roce.h"
#include "wire/roce_layout.h"

#define HOP_LIMIT	64
#define PKEY_DEFAULT	0xffff
#define SPORT		0xc000

/*
 * The envelope of an MPI message: communicator, sender, tag, length. It is as long as a RETH, which
 * an eager message would have if it were written to a ring at the receiver instead.
 */
#define ENVELOPE_BYTES	16
#define RETH_BYTES	16
#define AETH_BYTES	4
/* The announcement of data that are ready: address 8, length 8, key 4. */
#define READY_BYTES	20

enum { RC_SEND = 0x00, RC_READ_REQUEST = 0x0c, RC_READ_RESPONSE = 0x0d };
/* Offsets from the first packet's opcode; requests to read have only one opcode. */
enum { OP_FIRST, OP_MIDDLE, OP_LAST, OP_SEND_ONLY = 4, OP_RESPONSE_ONLY = 3 };

bool baseline_has_data(enum baseline_message_kind kind)
{
	return kind == BASELINE_EAGER || kind == BASELINE_DATA;
}

uint32_t baseline_packets(const struct bench_params *p, enum baseline_message_kind kind,
			  uint64_t bytes)
{
	return baseline_has_data(kind) && bytes ? (bytes - 1) / p->mtu + 1 : 1;
}

uint64_t baseline_packet_data(const struct bench_params *p, const struct baseline_message *m,
			      uint32_t index)
{
	uint64_t left = m->bytes - index * p->mtu;

	if (!baseline_has_data(m->kind))
		return 0;
	return left < p->mtu ? left : p->mtu;
}

uint64_t baseline_envelope(enum baseline_message_kind kind)
{
	if (kind == BASELINE_READY)
		return ENVELOPE_BYTES + READY_BYTES;
	return kind == BASELINE_EAGER ? ENVELOPE_BYTES : 0;
}

/* Returns the bytes between BTH and data. */
static size_t header_bytes(enum baseline_message_kind kind, bool first, bool last)
{
	switch (kind) {
	case BASELINE_EAGER:
	case BASELINE_READY:
		return first ? baseline_envelope(kind) : 0;
	case BASELINE_READ:
		return RETH_BYTES;
	default:
		return first || last ? AETH_BYTES : 0;
	}
}

static uint8_t opcode(enum baseline_message_kind kind, bool first, bool last)
{
	bool response = kind == BASELINE_DATA;
	uint8_t which = first && last ? (response ? OP_RESPONSE_ONLY : OP_SEND_ONLY) :
			first ? OP_FIRST : last ? OP_LAST : OP_MIDDLE;

	if (kind == BASELINE_READ)
		return RC_READ_REQUEST;
	return (response ? RC_READ_RESPONSE : RC_SEND) + which;
}

/*
 * Returns a frame with the headers of @head and @payload zeros. Nothing reads the zeros or the
 * checksums, whose computation would take most of the time of a benchmark.
 */
static struct frame *stretch(struct frame *head, size_t payload)
{
	size_t len = head ? head->len + (payload + 3) / 4 * 4 : 0;
	struct frame *f;

	if (!head || !payload)
		return head;
	f = frame_alloc(len);
	if (f) {
		memcpy(f->data, head->data, head->len - ICRC_BYTES);
		put_be16(f->data + ETH_HEADER_BYTES + IP6_PAYLOAD,
			 len - ETH_HEADER_BYTES - IP6_BYTES);
		put_be16(f->data + ETH_HEADER_BYTES + IP6_BYTES + UDP_LENGTH,
			 len - ETH_HEADER_BYTES - IP6_BYTES);
	}
	frame_unref(head);
	return f;
}

struct frame *baseline_packet_build(const struct baseline_nic *from, const struct baseline_nic *to,
				    const struct baseline_message *m, uint32_t index)
{
	static const uint8_t zeros[READY_BYTES + ENVELOPE_BYTES];
	const struct bench_params *p = &from->net->p;
	uint64_t len = baseline_packet_data(p, m, index);
	bool first = !index, last = index + 1 == m->packets;
	struct roce_hdr hdr = {
		.hop_limit = HOP_LIMIT,
		.udp_sport = SPORT,
		.opcode = opcode(m->kind, first, last),
		.pkey = PKEY_DEFAULT,
		.dest_qp = m->id,
		.psn = index & BTH_24_MASK,
	};

	memcpy(hdr.dmac, to->mac, sizeof(hdr.dmac));
	memcpy(hdr.smac, from->mac, sizeof(hdr.smac));
	memcpy(hdr.dgid, to->gid, sizeof(hdr.dgid));
	memcpy(hdr.sgid, from->gid, sizeof(hdr.sgid));
	if (m->data && len)
		return roce_build(&hdr, zeros, header_bytes(m->kind, first, last),
				  m->data + index * p->mtu, len);
	return stretch(roce_build(&hdr, zeros, header_bytes(m->kind, first, last), NULL, 0), len);
}

/* Does not check the frame, as nothing damages frames here. */
struct baseline_message *baseline_packet_parse(const struct baseline_net *net,
					       const struct frame *f, uint32_t *index,
					       const uint8_t **data)
{
	const uint8_t *bth = f->data + ETH_HEADER_BYTES + IP6_BYTES + UDP_BYTES;
	struct baseline_message *m = net->table[get_be32(bth + BTH_QP) & BTH_24_MASK];

	*index = m->arrived;
	*data = bth + BTH_BYTES + header_bytes(m->kind, !*index, *index + 1 == m->packets);
	return (get_be32(bth + BTH_PSN) & BTH_24_MASK) == (*index & BTH_24_MASK) ? m : NULL;
}

size_t baseline_frame_bytes(enum baseline_message_kind kind, bool first, bool last, uint64_t data)
{
	return ETH_HEADER_BYTES + IP6_BYTES + UDP_BYTES + BTH_BYTES +
	       header_bytes(kind, first, last) + (data + 3) / 4 * 4 + ICRC_BYTES;
}

static uint64_t on_wire(size_t frame)
{
	return (frame < FRAME_MIN ? FRAME_MIN : frame) + ETH_OVERHEAD_BYTES;
}

uint64_t baseline_wire_bytes(const struct bench_params *p, enum baseline_message_kind kind,
			     uint64_t bytes)
{
	uint64_t n = baseline_packets(p, kind, bytes), last;

	if (!baseline_has_data(kind) || n == 1)
		return on_wire(baseline_frame_bytes(kind, true, true,
						baseline_has_data(kind) ? bytes : 0));
	last = bytes - (n - 1) * p->mtu;
	return on_wire(baseline_frame_bytes(kind, true, false, p->mtu)) +
	       (n - 2) * on_wire(baseline_frame_bytes(kind, false, false, p->mtu)) +
	       on_wire(baseline_frame_bytes(kind, false, true, last));
}
