// SPDX-License-Identifier: BSD-2-Clause
/*
 * Packets to the network: the encapsulator. A frame the port has no room for waits here, so that
 * nothing is lost before the wire; the engine's windows bound how many there are. Frames to the
 * NIC's own address turn around.
 */
#include <stdlib.h>
#include <string.h>

#include "nic/priv.h"
#include "wire/roce.h"

#define SPORT_BASE	0xc000	/* dynamic ports: 14 bits are free for a hash */
#define SPORT_MASK	0x3fff
#define HOP_LIMIT	64
#define PKEY_DEFAULT	0xffff
#define BTH_24_BITS	0xffffff

/* A packet in the tx line. */
struct tx_item {
	struct line_item item;
	struct frame *frame;	/* NULL: handed on */
};

/* A frame the port had no room for. */
struct tx_wait {
	STAILQ_ENTRY(tx_wait) entry;
	struct frame *frame;
};

static void sent(struct nic *nic, const struct frame *frame)
{
	nic_count(nic, TALLY_CTR_tx_frames, 1);
	nic_count(nic, TALLY_CTR_tx_bytes, frame->len);
}

/* Sends what the port has room for: the rest when it says so. */
void tx_pump(void *arg)
{
	struct nic *nic = arg;
	struct tx_wait *w;

	while ((w = STAILQ_FIRST(&nic->tx_waiting))) {
		if (fab_tx_busy(nic->port) && fab_tx_room(nic->port) < w->frame->len)
			return;
		STAILQ_REMOVE_HEAD(&nic->tx_waiting, entry);
		sent(nic, w->frame);
		fab_send(nic->port, w->frame);
		free(w);
	}
}

static void wait_for_room(struct nic *nic, struct frame *frame)
{
	struct tx_wait *w = malloc(sizeof(*w));

	if (!w)
		abort();
	w->frame = frame;
	STAILQ_INSERT_TAIL(&nic->tx_waiting, w, entry);
	tx_pump(nic);
}

static void run_tx(void *owner, struct line_item *item)
{
	struct tx_item *t = (struct tx_item *)item;
	struct nic *nic = owner;

	if (!memcmp(t->frame->data, nic->mac, sizeof(nic->mac))) {
		sent(nic, t->frame);
		rx_frame(nic, t->frame);
	} else if (nic->port) {
		wait_for_room(nic, t->frame);
	} else {
		return;
	}
	t->frame = NULL;
}

static void release(struct line_item *item)
{
	frame_unref(((struct tx_item *)item)->frame);
}

void tx_drop(struct nic *nic)
{
	struct tx_wait *w;

	while ((w = STAILQ_FIRST(&nic->tx_waiting))) {
		STAILQ_REMOVE_HEAD(&nic->tx_waiting, entry);
		frame_unref(w->frame);
		free(w);
	}
}

/* FNV-1a over neighbour and job: the packets of an edge take one path. */
static uint16_t source_port(const uint8_t gid[16], __be32 jid)
{
	uint8_t key[20];
	uint32_t hash = 0x811c9dc5u;
	size_t i;

	memcpy(key, gid, 16);
	memcpy(key + 16, &jid, sizeof(jid));
	for (i = 0; i < sizeof(key); i++)
		hash = (hash ^ key[i]) * 0x01000193u;
	return (uint16_t)(SPORT_BASE | ((hash ^ hash >> 16) & SPORT_MASK));
}

void tx_packet(struct nic *nic, const struct engine_addr *to, const struct tally_tch *tch,
	       const void *payload, size_t len)
{
	struct roce_hdr hdr = {
		.hop_limit = HOP_LIMIT,
		.udp_sport = source_port(to->gid, tch->jid),
		.opcode = TALLY_BTH_OPCODE_COLL,
		.pkey = PKEY_DEFAULT,
		.psn = be32toh(tch->edge_seq) & BTH_24_BITS,
	};
	struct tx_item *t = line_item(sizeof(*t), run_tx);

	memcpy(hdr.dmac, to->mac, sizeof(hdr.dmac));
	memcpy(hdr.smac, nic->mac, sizeof(hdr.smac));
	memcpy(hdr.dgid, to->gid, sizeof(hdr.dgid));
	memcpy(hdr.sgid, nic->gid, sizeof(hdr.sgid));
	t->item.release = release;
	t->frame = roce_build(&hdr, tch, sizeof(*tch), payload, len);
	/* Addresses were checked with the group, lengths are the engine's: only memory can be short. */
	if (!t->frame)
		abort();
	line_add(&nic->tx, &t->item, sim_now(nic->sim) + nic->timing.tx_ns * VT_NS);
}
