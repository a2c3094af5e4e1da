// SPDX-License-Identifier: BSD-2-Clause
/*
 * Packets of reliable connections (InfiniBand architecture specification, 9.2 to 9.4 and A17): as
 * long as the real ones. The destination QP of a packet is its message's place in the table of the
 * net, what a NIC would find through the QP.
 */
#include <stdlib.h>
#include <string.h>

#include "bench/soft_nic.h"
#include "wire/bytes.h"
#include "wire/icrc.h"
#include "wire/roce.h"
#include "wire/roce_layout.h"

#define HOP_LIMIT	64
#define PKEY_DEFAULT	0xffff
#define SPORT		0xc000
#define MTU_MAX		4096

/*
 * What an MPI message says of itself: communicator, sender, tag, length. As much as a RETH, with
 * which an eager message would be written into a ring at the receiver instead.
 */
#define ENVELOPE_BYTES	16
#define RETH_BYTES	16
#define AETH_BYTES	4
/* Of data that are ready: address 8, length 8, key 4. */
#define READY_BYTES	20

enum { RC_SEND = 0x00, RC_READ_REQUEST = 0x0c, RC_READ_RESPONSE = 0x0d };
/* From the first packet's opcode; there is only one opcode of requests to read. */
enum { OP_FIRST, OP_MIDDLE, OP_LAST, OP_SEND_ONLY = 4, OP_RESPONSE_ONLY = 3 };

static bool has_data(enum soft_message_kind kind)
{
	return kind == SOFT_EAGER || kind == SOFT_DATA;
}

uint32_t soft_packets(const struct bench_params *p, enum soft_message_kind kind, uint64_t bytes)
{
	return has_data(kind) && bytes ? (bytes - 1) / p->mtu + 1 : 1;
}

uint64_t soft_packet_data(const struct bench_params *p, const struct soft_message *m, uint32_t index)
{
	uint64_t left = m->bytes - index * p->mtu;

	if (!has_data(m->kind))
		return 0;
	return left < p->mtu ? left : p->mtu;
}

uint64_t soft_envelope(enum soft_message_kind kind)
{
	if (kind == SOFT_READY)
		return ENVELOPE_BYTES + READY_BYTES;
	return kind == SOFT_EAGER ? ENVELOPE_BYTES : 0;
}

/* Bytes between BTH and data. */
static size_t header_bytes(enum soft_message_kind kind, bool first, bool last)
{
	switch (kind) {
	case SOFT_EAGER:
	case SOFT_READY:
		return first ? soft_envelope(kind) : 0;
	case SOFT_READ:
		return RETH_BYTES;
	default:
		return first || last ? AETH_BYTES : 0;
	}
}

static uint8_t opcode(enum soft_message_kind kind, bool first, bool last)
{
	bool response = kind == SOFT_DATA;
	uint8_t which = first && last ? (response ? OP_RESPONSE_ONLY : OP_SEND_ONLY) :
			first ? OP_FIRST : last ? OP_LAST : OP_MIDDLE;

	if (kind == SOFT_READ)
		return RC_READ_REQUEST;
	return (response ? RC_READ_RESPONSE : RC_SEND) + which;
}

struct frame *soft_packet_build(const struct soft_nic *from, const struct soft_nic *to,
				const struct soft_message *m, uint32_t index)
{
	static const uint8_t zeros[MTU_MAX];
	const struct bench_params *p = &from->net->p;
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
	return roce_build(&hdr, zeros, header_bytes(m->kind, first, last),
			  m->data && has_data(m->kind) ? m->data + index * p->mtu : zeros,
			  soft_packet_data(p, m, index));
}

/*
 * Nothing damages frames here, so the check of the ICRC is left to the tests of those who do meet
 * faults: it would take more time than the rest of a benchmark.
 */
struct soft_message *soft_packet_parse(const struct soft_net *net, const struct frame *f,
				       uint32_t *index, const uint8_t **data)
{
	const uint8_t *bth = f->data + ETH_HEADER_BYTES + IP6_BYTES + UDP_BYTES;
	struct soft_message *m = net->table[get_be32(bth + BTH_QP) & BTH_24_MASK];

	*index = m->arrived;
	*data = bth + BTH_BYTES + header_bytes(m->kind, !*index, *index + 1 == m->packets);
	return (get_be32(bth + BTH_PSN) & BTH_24_MASK) == (*index & BTH_24_MASK) ? m : NULL;
}

uint64_t soft_wire_bytes(const struct bench_params *p, enum soft_message_kind kind, uint64_t bytes)
{
	uint64_t n = soft_packets(p, kind, bytes), total = 0;

	for (uint64_t i = 0; i < n; i++) {
		struct soft_message m = { .kind = kind, .bytes = bytes };
		uint64_t data = soft_packet_data(p, &m, i);
		uint64_t len = ETH_HEADER_BYTES + IP6_BYTES + UDP_BYTES + BTH_BYTES +
			       header_bytes(kind, !i, i + 1 == n) + (data + 3) / 4 * 4 + ICRC_BYTES;

		total += (len < FRAME_MIN ? FRAME_MIN : len) + ETH_OVERHEAD_BYTES;
	}
	return total;
}
